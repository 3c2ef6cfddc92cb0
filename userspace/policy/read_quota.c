// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The section `quotas`: budgets for a calendar period, which never share a key with rates.
 */
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "policy/faults.h"
#include "policy/sections.h"
#include "policy/time_zone.h"
#include "policy/values.h"

enum {
	NAME,
	MODE,
	MATCH,
	SOURCE,
	FLEET_QUOTA,
	NODE_QUOTA,
	PERIOD,
	TIME_ZONE,
	ON_STORE_LOSS,
	DURABILITY,
	N_KEYS
};

static const struct weir_key quota_keys[N_KEYS] = {
	[NAME] = { "name", "a name of a-z, 0-9 and -, at most 31 letters," },
	[MODE] = { "mode", NULL },
	[MATCH] = { "match", NULL },
	[SOURCE] = { "source", NULL },
	[FLEET_QUOTA] = { "fleet_quota", NULL },
	[NODE_QUOTA] = { "node_quota", NULL },
	[PERIOD] = { "period", "hour, day, week or month" },
	[TIME_ZONE] = { "time_zone", NULL },
	[ON_STORE_LOSS] = { "on_store_loss", "closed or open" },
	[DURABILITY] = { "durability", NULL },
};

static void read_budget(struct weir_reading *reading, const yaml_node_t *item, yaml_node_t **nodes,
			struct weir_quota *quota)
{
	const yaml_node_t *fleet = nodes[FLEET_QUOTA], *node = nodes[NODE_QUOTA];

	quota->scope = fleet ? WEIR_SCOPE_FLEET : WEIR_SCOPE_NODE;
	if (!fleet && !node) {
		weir_reading_fault(reading, item, "fleet_quota",
				   "missing, and so is node_quota; exactly one of them, such as "
				   "fleet_quota: 500 GB, would do");
		return;
	}
	if (fleet && node)
		weir_reading_fault(reading, node, "node_quota",
				   "found beside fleet_quota; exactly one of them would do");
	weir_read_amount(reading, fleet ? fleet : node, fleet ? "fleet_quota" : "node_quota",
			 WEIR_QUOTA_TOKENS_MAX, &quota->token, &quota->tokens);
}

static void read_time_zone(struct weir_reading *reading, const yaml_node_t *node,
			   struct weir_quota *quota)
{
	char found[WEIR_QUOTE_LEN + 3];
	struct weir_error error;
	const char *text = "UTC";

	if (node) {
		text = weir_scalar_text(reading, node, "time_zone",
					"a zone such as UTC or Europe/Paris");
		if (!text)
			return;
		if (weir_time_zone_check(text, &error) != 0) {
			weir_reading_fault(reading, node, "time_zone",
					   "found %s: %s; a zone such as UTC or Europe/Paris would "
					   "do",
					   weir_node_found(node, found), error.text);
			return;
		}
	}
	weir_keep_text(reading, text, &quota->time_zone);
}

static void read_choices(struct weir_reading *reading, yaml_node_t **nodes,
			 struct weir_quota *quota)
{
	static const struct weir_choice periods[] = {
		{ "hour", WEIR_PERIOD_HOUR },
		{ "day", WEIR_PERIOD_DAY },
		{ "week", WEIR_PERIOD_WEEK },
		{ "month", WEIR_PERIOD_MONTH },
	};
	static const struct weir_choice modes[] = { { "closed", WEIR_LOSS_CLOSED },
						    { "open", WEIR_LOSS_OPEN } };
	static const struct weir_choice durabilities[] = {
		{ "exact", WEIR_DURABILITY_EXACT },
		{ "unverified", WEIR_DURABILITY_UNVERIFIED },
	};
	int period = WEIR_PERIOD_HOUR, mode = WEIR_LOSS_CLOSED, durability = WEIR_DURABILITY_EXACT;

	weir_read_choice(reading, nodes[PERIOD], "period", periods, 4, &period);
	weir_read_choice(reading, nodes[ON_STORE_LOSS], "on_store_loss", modes, 2, &mode);
	weir_read_choice(reading, nodes[DURABILITY], "durability", durabilities, 2, &durability);
	quota->period = period;
	quota->on_store_loss = mode;
	quota->durability = durability;
}

static void read_quota(struct weir_reading *reading, yaml_node_t *item, size_t index,
		       size_t n_limits, struct weir_quota *quota)
{
	size_t was = weir_path_enter_item(reading, item, index);
	uint64_t bit = 1ULL << (n_limits + index);
	yaml_node_t *nodes[N_KEYS];

	quota->mark = quota->match_mark = weir_node_mark(item);
	quota->source = (struct weir_source_spec){ .ipv4_bits = 32, .ipv6_bits = 64 };
	if (!weir_mapping_collect(reading, item, quota_keys, N_KEYS, nodes)) {
		reading->unsound |= bit;
		weir_path_leave(reading, was);
		return;
	}
	weir_read_limit_name(reading, nodes[NAME], quota->name);
	weir_read_run_mode(reading, nodes[MODE], &quota->mode);
	if (nodes[MATCH]) {
		quota->match_mark = weir_node_mark(nodes[MATCH]);
		if (!weir_read_match(reading, nodes[MATCH], &quota->match))
			reading->unsound |= bit;
	}
	if (nodes[SOURCE])
		weir_read_source(reading, nodes[SOURCE], &quota->source);
	read_budget(reading, item, nodes, quota);
	if (nodes[MATCH] && quota->token == WEIR_TOKEN_UNIT && quota->tokens)
		weir_reading_warn(reading, nodes[MATCH], "match",
				  "has no effect: no packet spends units, only `weir quota spend`");
	read_time_zone(reading, nodes[TIME_ZONE], quota);
	read_choices(reading, nodes, quota);
	weir_path_leave(reading, was);
}

void weir_read_quotas(struct weir_reading *reading, yaml_node_t *node, struct weir_policy *policy)
{
	size_t i, n, was;

	if (!node || !weir_items_room(reading, node, "quotas", policy->n_limits, &n) || n == 0)
		return;
	policy->quotas = calloc(n, sizeof(policy->quotas[0]));
	if (!policy->quotas) {
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"out of memory");
		return;
	}
	policy->n_quotas = n;
	was = weir_path_enter(reading, "quotas");
	for (i = 0; i < n; i++)
		read_quota(reading, weir_items_at(reading, node, i), i, policy->n_limits,
			   &policy->quotas[i]);
	weir_path_leave(reading, was);
}
