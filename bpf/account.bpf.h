/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Holding a packet to the rules that match it.
 *
 * With one rule (the common case) a look and a compare-and-swap. With several, all are looked at
 * first: if one refuses, the packet takes nothing from any. Then the one with the least headroom is
 * charged first, since that is where a race would be lost; a race lost at this point refuses the
 * packet and leaves what was charged behind, which costs the source and gives it nothing.
 */
#ifndef WEIR_ACCOUNT_BPF_H
#define WEIR_ACCOUNT_BPF_H

#include "claim.bpf.h"
#include "known.bpf.h"

static __always_inline __u64 rule_clock_ns(const struct weir_rule *rule, const struct job *job)
{
	return rule->flags & WEIR_RULE_COARSE ? job->coarse_ns : job->precise_ns;
}

/** Looks, and charges when it fits. */
static __always_inline enum weir_outcome claim_charge(struct claim *claim)
{
	return weir_line_charge(claim->line, &claim->rule->gauge, claim->rule->base,
				claim->place.tag, claim->now, claim->cost, &claim->look);
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

static __always_inline __u32 claim_admitted(struct job *job, const struct claim *claim)
{
	if (!claim->look.own && claim->look.debt)
		claim->count->inherited++;
	return known_after_admit(job, claim);
}

/** The packet path's usual end: exactly one rule matches. @return enum weir_reason, or RETRY */
static __always_inline __u32 account_one(struct job *job, const struct weir_ctl *c,
					 const struct weir_rule *rule, __u32 index)
{
	enum weir_outcome outcome;
	struct claim claim;
	__u32 notice = 0, reason;

	if (!claim_open(job, rule, rule_now_ns(rule, c), &claim))
		return WEIR_LOST_RACE;
	job->rule = index;
	outcome = claim_charge(&claim);
	if (outcome == WEIR_FITS) {
		notice = claim_admitted(job, &claim);
		count_add(&claim.count->admitted, job->pkt.bytes);
		known_notice(notice);
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
	known_notice(notice);
	return reason;
}

/*
 * The two steps over several rules. Global functions, so that the verifier proves each once and
 * not once for each of sixty-four rules.
 */
__noinline int look_rule(struct job *job)
{
	const struct weir_rule *rule;
	struct claim claim;

	if (!job)
		return 0;
	job->outcome = WEIR_LOST;
	job->notice = 0;
	rule = job_rule(job);
	if (!rule || !claim_open(job, rule, rule_clock_ns(rule, job), &claim))
		return 0;
	for (int i = 0; i < 2; i++) {
		job->outcome = weir_line_look(claim.line, &rule->gauge, rule->base, claim.place.tag,
					      claim.now, claim.cost, &claim.look);
		if (job->outcome != WEIR_UNSETTLED)
			break;
		weir_line_settle(claim.line, &rule->gauge, claim.now);
	}
	job->headroom_ns = claim.look.headroom >> (rule->gauge.now_left & 63)
							  << (rule->gauge.now_right & 63);
	if (job->outcome == WEIR_EMPTY || job->outcome == WEIR_FULL)
		job->notice = known_after_refusal(job, &claim);
	return 0;
}

__noinline int charge_rule(struct job *job)
{
	const struct weir_rule *rule;
	struct claim claim;

	if (!job)
		return 0;
	job->outcome = WEIR_LOST;
	job->notice = 0;
	rule = job_rule(job);
	if (!rule || !claim_open(job, rule, rule_clock_ns(rule, job), &claim))
		return 0;
	job->outcome = claim_charge(&claim);
	if (job->outcome == WEIR_FITS)
		job->notice = claim_admitted(job, &claim);
	return 0;
}

/* By a de Bruijn sequence (Leiserson, Prokop, Randall 1998): BPF has no such instruction. */
static const __u8 lowest_place[64] = {
	0,  1,	48, 2,	57, 49, 28, 3,	61, 58, 50, 42, 38, 29, 17, 4,	62, 55, 59, 36, 53, 51,
	43, 22, 45, 39, 33, 30, 24, 18, 12, 5,	63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21,
	44, 32, 23, 11, 46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9,	13, 8,	7,  6,
};

/** Index of the lowest bit of a set that is not empty. */
static __always_inline __u32 lowest(__u64 set)
{
	return lowest_place[(set & -set) * 0x03f79d71b4cb0a89ull >> 58];
}

static __always_inline const struct weir_rule *job_next(struct job *job)
{
	job->rule = lowest(job->set);
	job->set &= job->set - 1;
	return job_rule(job);
}

static __always_inline int job_observes(const struct job *job, const struct weir_rule *rule)
{
	return job->observe || rule->flags & WEIR_RULE_OBSERVE;
}

static __always_inline void tally_look(struct job *job, const struct weir_rule *rule)
{
	struct tally *tally = &job->tally;
	__u64 bit = 1ull << (job->rule & 63);

	if (job->outcome == WEIR_FITS) {
		if (job->headroom_ns < tally->least_ns) {
			tally->least_ns = job->headroom_ns;
			tally->least = job->rule;
		}
	} else if (job_observes(job, rule)) {
		tally->would |= bit;
	} else {
		if (!tally->refused)
			tally->reason = outcome_reason(job->outcome);
		tally->refused |= bit;
	}
}

/** @return 0, or RETRY */
__noinline int look_at_all(struct job *job)
{
	if (!job)
		return 0;
	for (int i = 0; i < WEIR_RULES_MAX && job->set; i++) {
		const struct weir_rule *rule = job_next(job);

		if (!rule)
			return 0;
		look_rule(job);
		known_notice(job->notice);
		if (job->outcome == WEIR_STALE)
			return RETRY;
		tally_look(job, rule);
	}
	return 0;
}

/** @return 0, or RETRY; a lost race of an enforcing rule ends it */
__noinline int charge_all(struct job *job)
{
	if (!job)
		return 0;
	for (int i = 0; i < WEIR_RULES_MAX && job->set; i++) {
		const struct weir_rule *rule;
		__u64 bit;

		job->rule = i ? lowest(job->set) : job->tally.least;
		bit = 1ull << (job->rule & 63);
		job->set &= ~bit;
		charge_rule(job);
		known_notice(job->notice);
		if (job->outcome == WEIR_FITS)
			continue;
		if (job->outcome == WEIR_STALE)
			return RETRY;
		rule = job_rule(job);
		if (rule && job_observes(job, rule)) {
			job->tally.would |= bit;
			continue;
		}
		job->tally.lost |= bit;
		job->tally.refused |= bit;
		job->tally.reason = WEIR_LOST_RACE;
		return 0;
	}
	return 0;
}

__noinline int count_all(struct job *job)
{
	const struct tally *tally;

	if (!job)
		return 0;
	tally = &job->tally;
	for (int i = 0; i < WEIR_RULES_MAX && job->set; i++) {
		const struct weir_rule *rule = job_next(job);
		__u64 bit = 1ull << (job->rule & 63);
		struct weir_limit_count *count;
		__u32 slot;

		if (!rule)
			return 0;
		slot = rule->slot;
		count = bpf_map_lookup_elem(&limits, &slot);
		if (!count)
			return 0;
		if (tally->lost & bit)
			count->lost_race++;
		if (tally->refused & bit)
			count_add(&count->refused, job->pkt.bytes);
		else if (tally->would & bit)
			count_add(&count->would_refuse, job->pkt.bytes);
		else if (tally->refused)
			count_add(&count->refused_by_other, job->pkt.bytes);
		else
			count_add(&count->admitted, job->pkt.bytes);
	}
	return 0;
}

/** Holds the packet to every rule of job->set. @return enum weir_reason, or RETRY */
static __always_inline __u32 account_several(struct job *job)
{
	struct tally *tally = &job->tally;
	__u64 set = job->set;

	__builtin_memset(tally, 0, sizeof(*tally));
	tally->least_ns = (__s64)(~0ull >> 1);
	if (look_at_all(job))
		return RETRY;
	job->set = set & ~tally->would;
	if (!tally->refused && job->set && charge_all(job))
		return RETRY;
	job->set = set;
	count_all(job);
	if (tally->refused)
		return tally->reason;
	return tally->would ? WEIR_WOULD_REFUSE : WEIR_CONFORMS;
}

#endif
