// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What `weir check` says of a policy in words: one block a limit, one line an answer. Each line is
 * a sentence an operator can hold somebody to, so it names the number and whom it is about.
 */
#include "policy/print_check.h"

#include <errno.h>
#include <inttypes.h>

#include "base/quote.h"
#include "policy/words.h"

/* What is printed about one limit. */
struct page {
	FILE *out;
	const struct weir_policy *policy;
	const struct weir_limit *limit;
	struct weir_sums sums;
};

static void head(FILE *out, const char *label)
{
	fprintf(out, "  %-14s ", label);
}

static bool is_leased(const struct page *page)
{
	return page->limit->scope == WEIR_SCOPE_FLEET && !page->policy->store.embedded;
}

static void print_in_all(const struct page *page)
{
	char rate[WEIR_WORDS_LEN], burst[WEIR_WORDS_LEN];
	const struct weir_sums *sums = &page->sums;
	enum weir_token token = page->limit->token;

	head(page->out, "in all");
	fprintf(page->out, "%s, bursts of %s, ", weir_words_rate(sums->fleet_per_s, token, rate),
		weir_words_amount((double)sums->fleet_burst_tokens, token, burst));
	weir_words_source(page->out, &page->limit->source);
	if (page->policy->store.embedded)
		fputs("; this node is the whole fleet\n", page->out);
	else if (page->limit->scope == WEIR_SCOPE_NODE)
		fprintf(page->out, "; %u nodes of %s each\n", page->policy->store.nodes_max,
			weir_words_rate(sums->rate_per_s, token, rate));
	else
		fprintf(page->out, "; over all %u nodes together\n", page->policy->store.nodes_max);
}

static void print_share(const struct page *page)
{
	char rate[WEIR_WORDS_LEN], burst[WEIR_WORDS_LEN], refilled[WEIR_WORDS_LEN];
	const struct weir_sums *sums = &page->sums;
	enum weir_token token = page->limit->token;

	if (!is_leased(page))
		return;
	head(page->out, "node's share");
	if (sums->share_tokens == 0)
		fputs("none: leases alone\n", page->out);
	else
		fprintf(page->out, "%s, bursts of %s%s; always there, without the store\n",
			weir_words_rate(sums->share_per_s, token, rate),
			weir_words_amount((double)sums->share_tokens, token, burst),
			sums->share_grown ? " (raised to one whole packet)" : "");
	head(page->out, "one node alone");
	fprintf(page->out, "%s, bursts of %s", weir_words_rate(sums->one_node_per_s, token, rate),
		weir_words_amount((double)sums->one_node_tokens, token, burst));
	if (sums->refilled_s > 0)
		fprintf(page->out, "; after a full burst the next is whole again in %s",
			weir_words_time(sums->refilled_s, refilled));
	fputc('\n', page->out);
}

static void print_first(const struct page *page)
{
	head(page->out, "first packets");
	switch (page->sums.first) {
	case WEIR_ANSWER_BUCKET:
		fputs("pass at once, out of a bucket on this node\n", page->out);
		break;
	case WEIR_ANSWER_LEASE:
		fputs("wait for a lease of the store: no whole packet fits in the share\n",
		      page->out);
		break;
	case WEIR_ANSWER_ADMIT:
		fprintf(page->out,
			"pass at once, one packet a node on top of the burst (%u nodes)\n",
			page->policy->store.nodes_max);
		break;
	}
}

static void print_loss(const struct page *page)
{
	char rate[WEIR_WORDS_LEN], burst[WEIR_WORDS_LEN];
	enum weir_on_loss mode = page->limit->on_store_loss;
	enum weir_token token = page->limit->token;

	if (mode == WEIR_LOSS_NONE)
		return;
	head(page->out, "store loss");
	fprintf(page->out, "%s: ", weir_on_loss_name(mode));
	if (page->policy->store.embedded)
		fputs("does not come up, the store is this node itself\n", page->out);
	else if (page->sums.loss_unlimited)
		fputs("everything passes, without any limit\n", page->out);
	else if (mode == WEIR_LOSS_CLOSED)
		fputs("nothing passes\n", page->out);
	else if (page->sums.loss_per_s <= 0)
		fputs("nothing passes once leases have ended, since there is no share\n",
		      page->out);
	else
		fprintf(page->out, "in all %s, bursts of %s (%u nodes)\n",
			weir_words_rate(page->sums.loss_per_s, token, rate),
			weir_words_amount((double)page->sums.loss_tokens, token, burst),
			page->policy->store.nodes_max);
}

static void print_table(const struct page *page)
{
	char count[WEIR_WORDS_LEN], size[WEIR_WORDS_LEN];
	const struct weir_sums *sums = &page->sums;

	head(page->out, "spoofed flood");
	if (page->limit->source.all)
		fputs("makes no difference: one bucket for everyone\n", page->out);
	else if (sums->new_sources_per_s > 0)
		fprintf(page->out,
			"of up to %s new sources a second leaves others alone (%u buckets)\n",
			weir_words_count(sums->new_sources_per_s, count), page->limit->buckets);
	else
		fputs("passes nothing, and asks for leases within the budget only\n", page->out);
	head(page->out, "memory");
	fprintf(page->out, "%s\n", weir_words_size(sums->table_bytes, size));
}

static void print_rounding(const struct page *page)
{
	char burst[WEIR_WORDS_LEN];
	const struct weir_sums *sums = &page->sums;

	head(page->out, "exactness");
	fputs("never above the rate", page->out);
	if (sums->below > 1e-9)
		fprintf(page->out, "; below by at most %.2g%%", sums->below * 100);
	if (sums->coarse && !is_leased(page))
		fprintf(page->out, "; the burst met is %s (two clock ticks less)",
			weir_words_amount((double)(uint64_t)sums->effective_tokens,
					  page->limit->token, burst));
	fputc('\n', page->out);
	if (sums->per_boot) {
		head(page->out, "bound");
		fputs("per boot: a machine that starts anew starts with full bursts\n", page->out);
	}
}

static void print_limit(FILE *out, const struct weir_policy *policy, const struct weir_limit *limit,
			const struct weir_check_facts *facts)
{
	struct page page = { .out = out, .policy = policy, .limit = limit };

	fprintf(out, "\n%s limit %s%s\n", weir_scope_name(limit->scope), limit->name,
		weir_policy_observes(policy, limit->mode) ? " (observing: refuses nothing)" : "");
	if (weir_limit_reckon(policy, limit, facts, &page.sums) != 0) {
		fputs("  its burst cannot be held at its rate\n", out);
		return;
	}
	head(out, "matches");
	weir_words_match(out, &limit->match);
	fputc('\n', out);
	print_in_all(&page);
	print_share(&page);
	print_first(&page);
	print_loss(&page);
	print_table(&page);
	print_rounding(&page);
}

static void print_quota(FILE *out, const struct weir_policy *policy, const struct weir_quota *quota)
{
	char amount[WEIR_WORDS_LEN];

	fprintf(out, "\n%s quota %s%s\n", weir_scope_name(quota->scope), quota->name,
		weir_policy_observes(policy, quota->mode) ? " (observing: refuses nothing)" : "");
	if (quota->token != WEIR_TOKEN_UNIT) {
		head(out, "matches");
		weir_words_match(out, &quota->match);
		fputc('\n', out);
	}
	head(out, "budget");
	fprintf(out, "%s a %s (%s), ",
		weir_words_amount((double)quota->tokens, quota->token, amount),
		weir_period_name(quota->period), quota->time_zone);
	weir_words_source(out, &quota->source);
	fputc('\n', out);
	head(out, "store loss");
	fprintf(out, "%s\n",
		quota->on_store_loss == WEIR_LOSS_OPEN
			? "open: everything passes, and is counted against it afterwards"
			: "closed: nothing passes beyond what this node has leased");
	head(out, "durability");
	fprintf(out, "%s\n", weir_durability_name(quota->durability));
}

static void print_policy(FILE *out, const struct weir_policy *policy)
{
	char quoted[WEIR_QUOTE_LEN];
	size_t i;

	fprintf(out, "node %s on", policy->node);
	for (i = 0; i < policy->n_interfaces; i++)
		fprintf(out, " %s", weir_quote(policy->interfaces[i], quoted, sizeof(quoted)));
	fprintf(out, ", attach %s, mode %s\n", weir_attach_name(policy->attach),
		policy->observe ? "observe" : "enforce");
	if (policy->store.embedded)
		fputs("store embedded: this node is the whole fleet\n", out);
	else
		fprintf(out, "store %s, fleet %s of at most %u nodes\n",
			weir_quote(policy->store.url, quoted, sizeof(quoted)), policy->store.fleet,
			policy->store.nodes_max);
	if (policy->n_never_limit + policy->n_always_drop)
		fprintf(out, "never_limit has %zu prefixes, always_drop %zu\n",
			policy->n_never_limit, policy->n_always_drop);
}

void weir_check_print_words(FILE *out, const struct weir_policy *policy,
			    const struct weir_check_facts *facts)
{
	char size[WEIR_WORDS_LEN];
	struct weir_sums sums;
	uint64_t bytes = 0;
	size_t i;

	print_policy(out, policy);
	for (i = 0; i < policy->n_limits; i++) {
		print_limit(out, policy, &policy->limits[i], facts);
		if (weir_limit_reckon(policy, &policy->limits[i], facts, &sums) == 0)
			bytes += sums.table_bytes;
	}
	for (i = 0; i < policy->n_quotas; i++)
		print_quota(out, policy, &policy->quotas[i]);
	fprintf(out, "\n%zu limits and %zu quotas; tables of %s in all\n", policy->n_limits,
		policy->n_quotas, weir_words_size(bytes, size));
}

static void print_fault(FILE *out, const struct weir_fault *fault, const char *kind)
{
	char quoted[1024];

	weir_quote(fault->file, quoted, sizeof(quoted));
	if (fault->line)
		fprintf(out, "%s:%u:%u: %s: %s\n", quoted, fault->line, fault->column, kind,
			fault->message);
	else
		fprintf(out, "%s: %s: %s\n", quoted, kind, fault->message);
}

void weir_faults_print(FILE *out, const struct weir_faults *faults)
{
	size_t i;

	for (i = 0; i < faults->n_errors; i++)
		print_fault(out, &faults->errors[i], "error");
	for (i = 0; i < faults->n_warnings; i++)
		print_fault(out, &faults->warnings[i], "warning");
	if (faults->n_more_errors)
		fprintf(out, "%zu more errors are not shown\n", faults->n_more_errors);
}

int weir_check_print(FILE *out, const char *path, const struct weir_policy *policy,
		     const struct weir_faults *faults, const struct weir_check_facts *facts,
		     bool json)
{
	size_t n_errors = faults->n_errors + faults->n_more_errors;
	bool valid = policy && n_errors == 0;
	char quoted[1024];

	if (json)
		return weir_check_print_json(out, valid ? policy : NULL, faults, facts);
	weir_faults_print(out, faults);
	weir_quote(path, quoted, sizeof(quoted));
	if (valid) {
		fprintf(out, "%s is valid\n\n", quoted);
		weir_check_print_words(out, policy, facts);
	} else {
		fprintf(out, "%s is not valid: %zu error%s\n", quoted, n_errors,
			n_errors == 1 ? "" : "s");
	}
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
