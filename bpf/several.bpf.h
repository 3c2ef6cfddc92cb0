/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Holding a packet to several rules.
 *
 * All are looked at first: if one refuses, the packet takes nothing from any. Then the one with the
 * least headroom is charged first, since that is where a race would be lost; a race lost at this
 * point refuses the packet and leaves what was charged behind, which costs the source and gives it
 * nothing. What the look found is kept in the job, so that a charge is one compare-and-swap.
 *
 * The steps are global functions, so that the verifier proves each by itself.
 */
#ifndef WEIR_SEVERAL_BPF_H
#define WEIR_SEVERAL_BPF_H

#include "account.bpf.h"

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

static __always_inline int job_observes(const struct job *job, const struct weir_rule *rule)
{
	return job->observe || rule->flags & WEIR_RULE_OBSERVE;
}

static __always_inline __u64 rule_clock_ns(const struct weir_rule *rule, const struct job *job)
{
	return rule->flags & WEIR_RULE_COARSE ? job->coarse_ns : job->precise_ns;
}

static __always_inline void tally_fits(struct job *job, const struct claim *claim)
{
	const struct weir_gauge *gauge = &claim->rule->gauge;
	__s64 headroom_ns = claim->look.headroom >> (gauge->now_left & 63)
							    << (gauge->now_right & 63);

	if (headroom_ns >= job->tally.least_ns)
		return;
	job->tally.least_ns = headroom_ns;
	job->tally.least = job->rule;
}

static __always_inline void tally_refusal(struct job *job, const struct weir_rule *rule,
					  enum weir_outcome outcome)
{
	__u64 bit = 1ull << (job->rule & 63);

	if (job_observes(job, rule)) {
		job->tally.would |= bit;
		return;
	}
	if (!job->tally.refused)
		job->tally.reason = outcome_reason(outcome);
	job->tally.refused |= bit;
}

static __always_inline void look_at(struct job *job, const struct weir_rule *rule,
				    struct seen *seen)
{
	enum weir_outcome outcome = WEIR_LOST;
	struct claim claim;

	seen->notice = 0;
	if (claim_open(job, rule, rule_clock_ns(rule, job), &claim))
		outcome = claim_look(&claim);
	job->outcome = outcome;
	if (outcome == WEIR_UNSETTLED)
		return;
	if (outcome != WEIR_FITS) {
		if (outcome == WEIR_EMPTY || outcome == WEIR_FULL)
			seen->notice = known_after_refusal(job, &claim);
		tally_refusal(job, rule, outcome);
		return;
	}
	seen->word = claim.look.word;
	seen->next = weir_word_charged(&claim.look, &rule->gauge, claim.place.tag, claim.now,
				       claim.cost);
	seen->line = claim.place.line;
	seen->way = claim.look.way;
	seen->notice = known_after_admit(&claim);
	seen->inherits = claim_inherits(&claim);
	tally_fits(job, &claim);
}

/** Looks at one rule, for the loop below: it is too much for the verifier sixty-four times over. */
__noinline int look_rule(struct job *job)
{
	const struct weir_rule *rule;

	if (!job)
		return 0;
	rule = job_rule(job);
	if (rule)
		look_at(job, rule, &job->seen[job->rule & (WEIR_RULES_MAX - 1)]);
	return 0;
}

/** Settles the line that a look found in motion. */
__noinline int settle_rule(struct job *job)
{
	const struct weir_rule *rule;
	struct claim claim;

	if (!job)
		return 0;
	rule = job_rule(job);
	if (rule && claim_open(job, rule, rule_clock_ns(rule, job), &claim))
		weir_line_settle(claim.line, &rule->gauge, claim.now);
	return 0;
}

/** A line that stays in motion is a lost race. */
static __always_inline void look_again(struct job *job)
{
	const struct weir_rule *rule;

	settle_rule(job);
	look_rule(job);
	rule = job_rule(job);
	if (job->outcome == WEIR_UNSETTLED && rule)
		tally_refusal(job, rule, WEIR_LOST);
}

/** @return 0, or RETRY */
static __always_inline __u32 look_at_all(struct job *job)
{
	for (__u64 left = WEIR_RULES_MAX; left && job->set; left--) {
		WEIR_ROUND(left);
		job->rule = lowest(job->set);
		job->set &= job->set - 1;
		look_rule(job);
		if (job->outcome == WEIR_UNSETTLED)
			look_again(job);
		if (job->outcome == WEIR_STALE)
			return RETRY;
	}
	return 0;
}

/** The word has changed since it was looked at: look and charge anew, out of line. */
__noinline int charge_rule(struct job *job)
{
	const struct weir_rule *rule;
	struct claim claim;

	if (!job)
		return 0;
	job->outcome = WEIR_LOST;
	rule = job_rule(job);
	if (!rule || !claim_open(job, rule, rule_clock_ns(rule, job), &claim))
		return 0;
	job->outcome = claim_charge(&claim);
	return 0;
}

static __always_inline enum weir_outcome charge_one(struct job *job, const struct weir_rule *rule,
						    const struct seen *seen)
{
	struct weir_line *line = map_line(rule, seen->line);

	if (line && weir_word_cas(line, seen->way, seen->word, seen->next) == seen->word)
		return WEIR_FITS;
	charge_rule(job);
	return job->outcome;
}

/** @return 0, or RETRY; a lost race of an enforcing rule ends it */
__noinline int charge_all(struct job *job)
{
	if (!job)
		return 0;
	for (__u64 left = WEIR_RULES_MAX; left && job->set; left--) {
		const struct weir_rule *rule;
		enum weir_outcome outcome;
		__u64 bit;

		WEIR_ROUND(left);
		job->rule = left < WEIR_RULES_MAX ? lowest(job->set) : job->tally.least;
		bit = 1ull << (job->rule & 63);
		job->set &= ~bit;
		rule = job_rule(job);
		if (!rule)
			return 0;
		outcome = charge_one(job, rule, &job->seen[job->rule & (WEIR_RULES_MAX - 1)]);
		if (outcome == WEIR_STALE)
			return RETRY;
		if (outcome == WEIR_FITS)
			continue;
		if (job_observes(job, rule)) {
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

/** What became of the packet at one of its rules. */
static __always_inline struct weir_count *count_of(const struct tally *tally, __u64 bit,
						   struct weir_limit_count *count)
{
	if (tally->refused & bit)
		return &count->refused;
	if (tally->would & bit)
		return &count->would_refuse;
	return tally->refused ? &count->refused_by_other : &count->admitted;
}

__noinline int count_all(struct job *job)
{
	const struct tally *tally;

	if (!job)
		return 0;
	tally = &job->tally;
	for (__u64 left = WEIR_RULES_MAX; left && job->set; left--) {
		__u64 bit = job->set & -job->set;
		struct weir_limit_count *count;
		const struct weir_rule *rule;
		const struct seen *seen;
		__u32 slot, turned_away;

		WEIR_ROUND(left);
		job->rule = lowest(bit);
		job->set &= ~bit;
		seen = &job->seen[job->rule & (WEIR_RULES_MAX - 1)];
		turned_away = !!((tally->refused | tally->would) & bit);
		rule = job_rule(job);
		if (!rule)
			return 0;
		slot = rule->slot;
		count = bpf_map_lookup_elem(&limits, &slot);
		if (!count)
			return 0;
		count_add(count_of(tally, bit, count), job->pkt.bytes);
		if (tally->lost & bit)
			count->lost_race++;
		if (!turned_away && tally->refused)
			continue; /* it took nothing here */
		if (!turned_away && seen->inherits)
			count->inherited++;
		known_notice(job, rule, seen->notice, turned_away);
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
