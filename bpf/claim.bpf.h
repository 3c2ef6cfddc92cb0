/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A packet before one rule: where its bucket is and what it costs. */
#ifndef WEIR_CLAIM_BPF_H
#define WEIR_CLAIM_BPF_H

#include "clock.bpf.h"
#include "job.bpf.h"

/* Never handed to a function by address: it stays in registers. */
struct claim {
	const struct weir_rule *rule;
	struct weir_line *line;
	struct weir_limit_count *count;
	__u64 now;  /* in place */
	__u64 cost; /* in place */
	struct weir_place place;
	struct weir_look look;
};

static __always_inline const struct weir_rule *job_rule(const struct job *job)
{
	const struct weir_rules *all = map_rules(job->active);

	return all ? &all->rule[job->rule & (WEIR_RULES_MAX - 1)] : 0;
}

static __always_inline __u64 rule_now_ns(const struct weir_rule *rule, const struct weir_ctl *c)
{
	return rule->flags & WEIR_RULE_COARSE ? clock_coarse_ns(c) : clock_precise_ns(c);
}

/**
 * Everything of @claim but the look.
 * @return 0 when the rule has no table
 */
static __always_inline int claim_open(const struct job *job, const struct weir_rule *rule,
				      __u64 now_ns, struct claim *claim)
{
	__u32 slot = rule->slot;

	claim->rule = rule;
	claim->place = weir_rule_place(rule, &job->pkt);
	claim->line = map_line(rule, claim->place.line);
	claim->count = bpf_map_lookup_elem(&limits, &slot);
	claim->now = weir_gauge_now(&rule->gauge, now_ns);
	claim->cost = weir_rule_cost(rule, &job->pkt);
	return claim->line && claim->count;
}

#endif
