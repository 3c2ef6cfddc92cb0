/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sources worth knowing by name: who gets into `sources`, and what is counted there.
 *
 * Three ways in: past half of the burst; refused again and again on an own bucket; refused as a
 * newcomer and back again soon (the doorkeeper). A source that gets in has its word pinned, so
 * nobody takes its bucket over any more. Insertions are dear, so each CPU has a budget of them;
 * without a place a source stays where it is, and that is counted.
 */
#ifndef WEIR_KNOWN_BPF_H
#define WEIR_KNOWN_BPF_H

#include "claim.bpf.h"

enum { NOTICE_ADD = 1, NOTICE_COUNT = 2 };

#define SAMPLE_REFUSED 6 /* one refused packet in 64 is written down, as 64 */

/** True once in 2^shift calls; the multiplier keeps it from marching in step with the sources. */
static __always_inline int sampled(__u64 serial, __u32 shift)
{
	return !shift || !(serial * 0x9e3779b97f4a7c15ull >> (64 - (shift & 63)));
}

/** Builds the packet's key in the job, where it costs no stack. */
static __always_inline const struct weir_source_key *known_key(struct job *job,
							       const struct weir_rule *rule)
{
	struct weir_addr source = weir_rule_source(rule, &job->pkt);
	struct weir_source_key *key = &job->key;

	__builtin_memset(key, 0, sizeof(*key));
	key->slot = rule->slot;
	key->family = job->pkt.family;
	if (key->family == 4)
		__builtin_memcpy(key->addr, &source.lo, 4);
	else
		__builtin_memcpy(key->addr, &source, 16);
	return key;
}

/* Per CPU, and no packet is interrupted by another: plain stores. */
static __always_inline int known_may_insert(__u64 now_ns)
{
	__u32 zero = 0;
	struct weir_budget *b = bpf_map_lookup_elem(&budget, &zero);

	if (!b)
		return 0;
	if (b->tick != now_ns >> WEIR_BUDGET_SHIFT) {
		b->tick = now_ns >> WEIR_BUDGET_SHIFT;
		b->left = WEIR_BUDGET_INSERTS;
	}
	if (!b->left)
		return 0;
	b->left--;
	return 1;
}

/* What follows is rare, out of line, and finds the bucket anew from the job. */

static __always_inline int known_insert(struct job *job, const struct claim *claim, __u64 now_ns)
{
	const struct weir_source_key *key = known_key(job, claim->rule);
	const struct weir_source *source;

	__builtin_memset(&job->fresh, 0, sizeof(job->fresh));
	job->fresh.first_seen_ns = now_ns;
	job->fresh.last_seen_ns = now_ns;
	job->fresh.line = claim->place.line;
	job->fresh.tag = claim->place.tag;
	if (!bpf_map_update_elem(&sources, key, &job->fresh, BPF_NOEXIST))
		return 1;
	source = bpf_map_lookup_elem(&sources, key);
	return source && !source->dead;
}

__noinline int known_add(void)
{
	const struct weir_ctl *c = map_ctl();
	struct job *job = job_at_hand();
	const struct weir_rule *rule;
	struct claim claim;
	__u64 now_ns;

	if (!job || !c)
		return 0;
	rule = job_rule(job);
	if (!rule || !claim_open(job, rule, rule_now_ns(rule, c), &claim))
		return 0;
	now_ns = clock_precise_ns(c);
	if (!known_may_insert(now_ns) || !known_insert(job, &claim, now_ns)) {
		claim.count->not_inserted++;
		return 0;
	}
	if (weir_line_pin(claim.line, &rule->gauge, rule->base, claim.place.tag, claim.now))
		claim.count->pinned++;
	return 0;
}

/* Shared by all CPUs: atomic adds, one packet in 2^shift. @return 1 when the source is not there */
__noinline int known_count(void)
{
	const struct weir_ctl *c = map_ctl();
	struct job *job = job_at_hand();
	const struct weir_rule *rule;
	struct weir_source *source;
	struct weir_count *count;

	if (!job || !c)
		return 0;
	rule = job_rule(job);
	if (!rule)
		return 0;
	source = bpf_map_lookup_elem(&sources, known_key(job, rule));
	if (!source)
		return 1;
	count = job->refused ? &source->refused : &source->admitted;
	__sync_fetch_and_add(&count->packets, 1ull << (job->shift & 63));
	__sync_fetch_and_add(&count->bytes, (__u64)job->pkt.bytes << (job->shift & 63));
	source->last_seen_ns = clock_precise_ns(c); /* racy: any of the two is recent */
	return 0;
}

/**
 * What is to be done about an admitted packet's source, once its bucket has been dealt with. A
 * newcomer's debt is not its own: in a flood all newcomers would be past half of their burst.
 */
static __always_inline __u32 known_after_admit(const struct claim *claim)
{
	if (!claim->look.own)
		return 0;
	if (!(claim->look.word & WEIR_PINNED))
		return claim->look.debt + claim->cost > claim->rule->promote ? NOTICE_ADD : 0;
	return sampled(claim->count->admitted.packets, claim->rule->sample) ? NOTICE_COUNT : 0;
}

/**
 * Remembers a refused newcomer; true when it was remembered already. By a hash of the source and not
 * by its place: a small table has so few of those that a flood would often be taken for one.
 */
static __always_inline int known_came_back(const struct job *job, const struct weir_rule *rule,
					   __u64 serial)
{
	struct weir_addr source = weir_rule_source(rule, &job->pkt);
	__u64 hash = weir_hash_fold(&rule->hash, &source);
	__u32 zero = 0, print = hash >> 32;
	struct weir_doorkeeper *door = bpf_map_lookup_elem(&doorkeeper, &zero);
	volatile __u32 *cell;

	if (!door)
		return 0;
	cell = &door->cell[hash & (WEIR_DOORKEEPER_CELLS - 1)];
	if (*cell == print)
		return 1;
	/* One in four of the refused, so that a cell outlives the next few strangers. */
	if (sampled(serial, 2))
		*cell = print;
	return 0;
}

/** The same for a refused packet. */
static __always_inline __u32 known_after_refusal(const struct job *job, const struct claim *claim)
{
	__u64 serial;

	if (claim->rule->flags & WEIR_RULE_ALL)
		return 0;
	serial = claim->count->refused.packets + claim->count->would_refuse.packets;
	if (!claim->look.own)
		return known_came_back(job, claim->rule, serial) ? NOTICE_ADD : 0;
	if (!sampled(serial, SAMPLE_REFUSED))
		return 0;
	return claim->look.word & WEIR_PINNED ? NOTICE_COUNT : NOTICE_ADD;
}

/* Apart from the above, so that the stack of the accounting is free again. */
static __always_inline void known_notice(struct job *job, const struct weir_rule *rule,
					 __u32 notice, __u32 refused)
{
	if (!notice)
		return;
	job->refused = refused;
	job->shift = refused ? SAMPLE_REFUSED : rule->sample;
	if (notice == NOTICE_ADD || known_count())
		known_add();
}

#endif
