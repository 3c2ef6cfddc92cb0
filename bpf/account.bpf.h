/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Holding a packet to one rule: the usual case, a look and a compare-and-swap. */
#ifndef WEIR_ACCOUNT_BPF_H
#define WEIR_ACCOUNT_BPF_H

#include "claim.bpf.h"
#include "known.bpf.h"

static __always_inline enum weir_outcome claim_look(struct claim *claim)
{
	const struct weir_rule *rule = claim->rule;

	return weir_line_look(claim->line, &rule->gauge, rule->base, claim->place.tag, claim->now,
			      claim->cost, &claim->look);
}

/** Looks, and charges when it fits. */
static __always_inline enum weir_outcome claim_charge(struct claim *claim)
{
	return weir_line_charge(claim->line, &claim->rule->gauge, claim->rule->base,
				claim->place.tag, claim->now, claim->cost, &claim->look);
}

/** The rule's clock, or a time that costs nothing and is not before it. */
static __always_inline __u64 rule_at_most_ns(const struct weir_rule *rule, const struct weir_ctl *c)
{
	return rule->flags & WEIR_RULE_COARSE ? clock_coarse_ns(c) : clock_at_most_ns(c);
}

/**
 * Charges by the rule's clock. The precise one is asked only about a packet that a time not before
 * now would let pass: who is far over the limit costs no call.
 */
static __always_inline enum weir_outcome claim_decide(struct claim *claim, const struct weir_ctl *c)
{
	if (!(claim->rule->flags & WEIR_RULE_COARSE)) {
		enum weir_outcome outcome = claim_look(claim);

		if (outcome == WEIR_EMPTY || outcome == WEIR_FULL)
			return outcome;
		claim->now = weir_gauge_now(&claim->rule->gauge, clock_precise_ns(c));
	}
	return claim_charge(claim);
}

static __always_inline enum weir_reason outcome_reason(enum weir_outcome outcome)
{
	switch (outcome) {
	case WEIR_FITS:
		return WEIR_CONFORMS;
	case WEIR_EMPTY:
		return WEIR_OVER_LIMIT;
	case WEIR_FULL:
		return WEIR_TABLE_FULL;
	default:
		return WEIR_LOST_RACE;
	}
}

static __always_inline void count_add(struct weir_count *count, __u32 bytes)
{
	count->packets++;
	count->bytes += bytes;
}

/** A newcomer that takes over a word with debt. */
static __always_inline int claim_inherits(const struct claim *claim)
{
	return !claim->look.own && claim->look.debt;
}

/** The packet path's usual end: exactly one rule matches. @return enum weir_reason, or RETRY */
static __always_inline __u32 account_one(struct job *job, const struct weir_ctl *c,
					 const struct weir_rule *rule, __u32 index)
{
	enum weir_outcome outcome;
	struct claim claim;
	__u32 notice = 0, reason;

	job->rule = index;
	if (!claim_open(job, rule, rule_at_most_ns(rule, c), &claim))
		return WEIR_LOST_RACE;
	outcome = claim_decide(&claim, c);
	if (outcome == WEIR_FITS) {
		if (claim_inherits(&claim))
			claim.count->inherited++;
		notice = known_after_admit(&claim);
		count_add(&claim.count->admitted, job->pkt.bytes);
		known_notice(job, rule, notice, 0);
		return WEIR_CONFORMS;
	}
	if (outcome == WEIR_STALE)
		return RETRY;
	if (outcome == WEIR_LOST)
		claim.count->lost_race++;
	else
		notice = known_after_refusal(job, &claim);
	reason = outcome_reason(outcome);
	if (c->observe || rule->flags & WEIR_RULE_OBSERVE)
		reason = WEIR_WOULD_REFUSE;
	count_add(reason == WEIR_WOULD_REFUSE ? &claim.count->would_refuse : &claim.count->refused,
		  job->pkt.bytes);
	known_notice(job, rule, notice, 1);
	return reason;
}

#endif
