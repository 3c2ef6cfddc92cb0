// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What `weir check --json` says. Names and meanings are promised to users: fields may be added,
 * none changed. What is unlimited or does not apply is null.
 */
#include "base/json.h"
#include "policy/print_check.h"

static void put_double(struct weir_json *json, const char *key, double value)
{
	weir_json_key(json, key);
	weir_json_double(json, value);
}

static void put_u64(struct weir_json *json, const char *key, uint64_t value)
{
	weir_json_key(json, key);
	weir_json_u64(json, value);
}

static void put_string(struct weir_json *json, const char *key, const char *value)
{
	weir_json_key(json, key);
	weir_json_string(json, value);
}

static void put_bool(struct weir_json *json, const char *key, bool value)
{
	weir_json_key(json, key);
	weir_json_bool(json, value);
}

static void put_null(struct weir_json *json, const char *key)
{
	weir_json_key(json, key);
	weir_json_null(json);
}

static void put_faults(struct weir_json *json, const char *key, const struct weir_fault *faults,
		       size_t n)
{
	size_t i;

	weir_json_key(json, key);
	weir_json_array_open(json);
	for (i = 0; i < n; i++) {
		weir_json_object_open(json);
		put_string(json, "file", faults[i].file);
		put_u64(json, "line", faults[i].line);
		put_u64(json, "column", faults[i].column);
		put_string(json, "message", faults[i].message);
		weir_json_object_close(json);
	}
	weir_json_array_close(json);
}

/* By mode, since a later version may tell of more than the one that is written. */
static void put_worst_case(struct weir_json *json, const struct weir_policy *policy,
			   const struct weir_limit *limit, const struct weir_sums *sums)
{
	const char *mode = weir_on_loss_name(limit->on_store_loss);

	weir_json_key(json, "worst_case_per_s");
	weir_json_object_open(json);
	put_double(json, "normal", sums->fleet_per_s);
	if (limit->on_store_loss != WEIR_LOSS_NONE) {
		if (sums->loss_unlimited)
			put_null(json, mode);
		else
			put_double(json, mode, sums->loss_per_s);
	}
	weir_json_object_close(json);
	weir_json_key(json, "worst_case_burst");
	weir_json_object_open(json);
	put_u64(json, "normal", sums->fleet_burst_tokens);
	if (limit->on_store_loss != WEIR_LOSS_NONE) {
		if (sums->loss_unlimited)
			put_null(json, mode);
		else
			put_u64(json, mode, sums->loss_tokens);
	}
	weir_json_object_close(json);
	put_u64(json, "nodes_max", policy->store.nodes_max);
}

static void put_share(struct weir_json *json, const struct weir_limit *limit,
		      const struct weir_sums *sums)
{
	if (limit->scope == WEIR_SCOPE_NODE) {
		put_null(json, "share_rate_per_s");
		put_null(json, "share_burst");
		return;
	}
	put_double(json, "share_rate_per_s", sums->share_per_s);
	put_u64(json, "share_burst", sums->share_tokens);
}

static const char *first_answer(enum weir_first_answer first)
{
	switch (first) {
	case WEIR_ANSWER_BUCKET:
		return "bucket";
	case WEIR_ANSWER_LEASE:
		return "lease";
	case WEIR_ANSWER_ADMIT:
		return "admit";
	}
	return NULL;
}

static void put_sums(struct weir_json *json, const struct weir_policy *policy,
		     const struct weir_limit *limit, const struct weir_sums *sums)
{
	put_double(json, "rate_per_s", sums->rate_per_s);
	put_u64(json, "burst", sums->burst_tokens);
	put_share(json, limit, sums);
	put_double(json, "one_node_max_per_s", sums->one_node_per_s);
	put_u64(json, "one_node_burst", sums->one_node_tokens);
	put_worst_case(json, policy, limit, sums);
	put_string(json, "first_packet", first_answer(sums->first));
	if (limit->source.all)
		put_null(json, "new_sources_per_s");
	else
		put_double(json, "new_sources_per_s", sums->new_sources_per_s);
	put_double(json, "below_by_at_most", sums->below);
	if (limit->scope == WEIR_SCOPE_FLEET && !policy->store.embedded)
		put_null(json, "burst_in_effect");
	else
		put_double(json, "burst_in_effect", sums->effective_tokens);
	put_bool(json, "coarse_clock", sums->coarse);
	put_bool(json, "bound_per_boot", sums->per_boot);
	put_u64(json, "buckets", limit->buckets);
	put_u64(json, "memory_bytes", sums->table_bytes);
}

static void put_limits(struct weir_json *json, const struct weir_policy *policy,
		       const struct weir_check_facts *facts)
{
	size_t i;

	weir_json_key(json, "limits");
	weir_json_array_open(json);
	for (i = 0; policy && i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];
		struct weir_sums sums = { 0 };

		weir_json_object_open(json);
		put_string(json, "name", limit->name);
		put_string(json, "kind", weir_scope_name(limit->scope));
		put_string(json, "token", weir_token_name(limit->token));
		put_bool(json, "observing", weir_policy_observes(policy, limit->mode));
		put_string(json, "on_store_loss",
			   limit->on_store_loss ? weir_on_loss_name(limit->on_store_loss) : NULL);
		if (weir_limit_reckon(policy, limit, facts, &sums) == 0)
			put_sums(json, policy, limit, &sums);
		weir_json_object_close(json);
	}
	weir_json_array_close(json);
}

static void put_quotas(struct weir_json *json, const struct weir_policy *policy)
{
	size_t i;

	weir_json_key(json, "quotas");
	weir_json_array_open(json);
	for (i = 0; policy && i < policy->n_quotas; i++) {
		const struct weir_quota *quota = &policy->quotas[i];

		weir_json_object_open(json);
		put_string(json, "name", quota->name);
		put_string(json, "kind", weir_scope_name(quota->scope));
		put_string(json, "token", weir_token_name(quota->token));
		put_bool(json, "observing", weir_policy_observes(policy, quota->mode));
		put_u64(json, "quota", quota->tokens);
		put_string(json, "period", weir_period_name(quota->period));
		put_string(json, "time_zone", quota->time_zone);
		put_string(json, "on_store_loss", weir_on_loss_name(quota->on_store_loss));
		put_string(json, "durability", weir_durability_name(quota->durability));
		weir_json_object_close(json);
	}
	weir_json_array_close(json);
}

static void put_policy(struct weir_json *json, const struct weir_policy *policy)
{
	size_t i;

	put_string(json, "node", policy->node);
	weir_json_key(json, "interfaces");
	weir_json_array_open(json);
	for (i = 0; i < policy->n_interfaces; i++)
		weir_json_string(json, policy->interfaces[i]);
	weir_json_array_close(json);
	put_bool(json, "observing", policy->observe);
	weir_json_key(json, "store");
	weir_json_object_open(json);
	put_string(json, "url", policy->store.url);
	put_string(json, "fleet", policy->store.fleet);
	put_u64(json, "nodes_max", policy->store.nodes_max);
	weir_json_object_close(json);
	put_u64(json, "never_limit_prefixes", policy->n_never_limit);
	put_u64(json, "always_drop_prefixes", policy->n_always_drop);
}

int weir_check_print_json(FILE *out, const struct weir_policy *policy,
			  const struct weir_faults *faults, const struct weir_check_facts *facts)
{
	struct weir_json json;

	weir_json_begin(&json, out);
	weir_json_object_open(&json);
	put_bool(&json, "valid", policy != NULL);
	put_faults(&json, "errors", faults->errors, faults->n_errors);
	put_u64(&json, "errors_not_shown", faults->n_more_errors);
	put_faults(&json, "warnings", faults->warnings, faults->n_warnings);
	put_limits(&json, policy, facts);
	put_quotas(&json, policy);
	if (policy)
		put_policy(&json, policy);
	weir_json_object_close(&json);
	return weir_json_finish(&json);
}
