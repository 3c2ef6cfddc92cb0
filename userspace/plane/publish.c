// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Putting a policy in force: everything it needs is made beside what packets go by now, one store
 * switches them over, and only after the last packet of the old policy is what it needed removed.
 *
 * A limit that keeps its name keeps its slot, and its table if it still counts the same sources in
 * the same tokens. Where its numbers change, the words' generation changes with them: packets of
 * either policy tell by it which numbers a word was made under (<weir/bucket.h>).
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "plane/internal.h"
#include "policy/compile.h"

struct publication {
	struct weir_plane *plane;
	const struct weir_policy *policy;
	struct weir_compiled compiled;
	const struct weir_rules *old;
	uint32_t inactive;
	bool slot_taken[WEIR_SLOTS]; /* by the old policy or by this one */
	bool chunk_taken[WEIR_CHUNKS_MAX];
	struct outer_changes chunks; /* of new tables */
	uint32_t sweep_period_us;
};

static const struct weir_rule *old_rule(const struct publication *p, const char *name)
{
	for (uint32_t i = 0; i < p->old->count; i++) {
		const struct weir_rule *rule = &p->old->rule[i];

		if (!strncmp(p->plane->names[rule->slot].name, name, WEIR_NAME_LEN))
			return rule;
	}
	return NULL;
}

static bool counts_the_same(const struct weir_rule *a, const struct weir_rule *b)
{
	uint32_t kind = WEIR_RULE_BYTES | WEIR_RULE_ALL;

	return (a->flags & kind) == (b->flags & kind) && a->hash.line_bits == b->hash.line_bits &&
	       !memcmp(&a->mask4, &b->mask4, sizeof(a->mask4)) &&
	       !memcmp(&a->mask6, &b->mask6, sizeof(a->mask6));
}

/** The same units of time of the same clock, and the same numbers in them. */
static bool same_numbers(const struct weir_rule *rule, const struct weir_rule *old)
{
	const struct weir_gauge *a = &rule->gauge, *b = &old->gauge;

	return (rule->flags & WEIR_RULE_COARSE) == (old->flags & WEIR_RULE_COARSE) &&
	       a->token == b->token && a->burst == b->burst && a->now_right == b->now_right &&
	       a->now_left == b->now_left;
}

static int draw_key(struct weir_hash_key *key)
{
	if (getrandom(key, sizeof(*key), 0) != sizeof(*key))
		return -EIO;
	key->mul_a |= 1;
	key->mul_b |= 1;
	return 0;
}

static int take_slot(struct publication *p, uint32_t *ret_slot)
{
	for (uint32_t slot = 0; slot < WEIR_SLOTS; slot++) {
		if (!p->slot_taken[slot]) {
			p->slot_taken[slot] = true;
			*ret_slot = slot;
			return 0;
		}
	}
	return -ENOSPC; /* cannot be: there are twice as many as limits */
}

static void take_chunks(struct publication *p, const struct weir_rule *rule)
{
	for (uint32_t i = 0; i < table_chunks(rule); i++)
		p->chunk_taken[rule->chunk + i] = true;
}

/** Finds the first free run of chunks that is long enough. */
static int find_chunks(const struct publication *p, uint32_t count, uint32_t *ret_first)
{
	uint32_t run = 0;

	for (uint32_t chunk = 0; chunk < WEIR_CHUNKS_MAX; chunk++) {
		run = p->chunk_taken[chunk] ? 0 : run + 1;
		if (run == count) {
			*ret_first = chunk + 1 - count;
			return 0;
		}
	}
	return -ENOSPC;
}

static int clear_counters(struct weir_plane *plane, uint32_t slot)
{
	_cleanup_free_ struct weir_limit_count *zero = calloc((size_t)plane->n_cpus, sizeof(*zero));

	if (!zero)
		return -ENOMEM;
	return bpf_map_update_elem(plane->map_fd[MAP_LIMITS], &slot, zero, BPF_ANY) ? -errno : 0;
}

static void name_slot(struct weir_plane *plane, uint32_t slot, const struct weir_limit *limit)
{
	struct weir_name name = {
		.rate_tokens = limit->rate.tokens,
		.rate_per_ns = limit->rate.per_ns,
		.burst_tokens = limit->burst_tokens,
		.buckets = limit->source.all ? WEIR_WAYS : limit->buckets,
		.fleet = limit->scope == WEIR_SCOPE_FLEET,
		.bytes = limit->token == WEIR_TOKEN_BYTE,
		.all = limit->source.all,
		.ipv4_bits = limit->source.ipv4_bits,
		.ipv6_bits = limit->source.ipv6_bits,
	};

	memcpy(name.name, limit->name, sizeof(name.name));
	plane->names[slot] = name;
}

/** A limit that is new, or counts otherwise than the one of its name did. */
static int place_new(struct publication *p, uint32_t i, bool known_name)
{
	struct weir_rule *rule = &p->compiled.rules->rule[i];
	const struct weir_limit *limit = &p->policy->limits[i];
	int err = draw_key(&rule->hash.key);

	err = err ? err : take_slot(p, &rule->slot);
	err = err ? err : find_chunks(p, table_chunks(rule), &rule->chunk);
	err = err ? err : clear_counters(p->plane, rule->slot);
	if (err)
		return err;
	take_chunks(p, rule);
	name_slot(p->plane, rule->slot, limit);
	/* Sources had tokens under this name before: a full table would give them a second burst. */
	return table_create(p->plane, limit->name, rule,
			    known_name ? TABLE_WITHOUT_TOKENS : TABLE_FULL_OF_TOKENS, &p->chunks);
}

static void keep_table(struct weir_rule *rule, const struct weir_rule *old)
{
	rule->slot = old->slot;
	rule->chunk = old->chunk;
	rule->hash.key = old->hash.key;
	rule->gauge.generation = old->gauge.generation;
	if (same_numbers(rule, old)) {
		rule->since_ns = old->since_ns;
		return;
	}
	rule->gauge.generation ^= WEIR_GENERATION;
	rule->gauge.changing = 1;
	weir_compile_change(&old->gauge, &rule->gauge, &rule->gauge.change);
}

static int place_rules(struct publication *p)
{
	for (uint32_t i = 0; i < p->old->count; i++) {
		p->slot_taken[p->old->rule[i].slot] = true;
		take_chunks(p, &p->old->rule[i]);
	}
	for (uint32_t i = 0; i < p->compiled.rules->count; i++) {
		struct weir_rule *rule = &p->compiled.rules->rule[i];
		const struct weir_rule *old = old_rule(p, p->policy->limits[i].name);
		int err;

		if (old && counts_the_same(rule, old)) {
			keep_table(rule, old);
			continue;
		}
		err = place_new(p, i, old != NULL);
		if (err)
			return err;
	}
	return 0;
}

static int pace_sweep(struct publication *p, struct weir_error *error)
{
	uint32_t late;

	if (!weir_compile_pace(p->compiled.rules, &p->sweep_period_us, &late))
		return 0;
	return weir_error_set(error, -ERANGE,
			      "limit %s: at its rate the tables of this policy are too large to be "
			      "kept in time; use fewer buckets",
			      p->policy->limits[late].name);
}

/**
 * The moment of the change, in the units of before and after. Rather too early than too late: time
 * between it and the first packet under the new numbers then counts by those.
 */
static void date_changes(struct publication *p)
{
	struct weir_rules *rules = p->compiled.rules;
	/* As many as a coarse limit gives up: the clock may lag by a little more than one. */
	uint64_t early_ns = p->plane->injected_clock ? 0 : 2 * p->plane->tick_ns;

	for (uint32_t i = 0; i < rules->count; i++) {
		struct weir_gauge *gauge = &rules->rule[i].gauge;
		const struct weir_rule *old = old_rule(p, p->policy->limits[i].name);

		if (old && old->slot == rules->rule[i].slot)
			rules->rule[i].base = old->base;
		if (!old || !gauge->changing)
			continue;
		gauge->change.old_tat =
			weir_gauge_now(&old->gauge, plane_now_ns(p->plane, old) - early_ns);
		gauge->change.new_tat =
			weir_gauge_now(gauge, plane_now_ns(p->plane, &rules->rule[i]) - early_ns);
		rules->rule[i].base = table_base(gauge, plane_now_ns(p->plane, &rules->rule[i]));
	}
}

static void switch_over(struct publication *p)
{
	struct weir_plane *plane = p->plane;

	date_changes(p);
	p->compiled.rules->since_ns = weir_clock_boottime_ns();
	for (uint32_t i = 0; i < p->compiled.rules->count; i++) {
		if (!p->compiled.rules->rule[i].since_ns)
			p->compiled.rules->rule[i].since_ns = p->compiled.rules->since_ns;
	}
	plane->rules[p->inactive] = *p->compiled.rules;
	plane->ctl->sweep_period_us = p->sweep_period_us;
	plane->ctl->policy_since_ns = p->compiled.rules->since_ns;
	atomic_thread_fence(memory_order_seq_cst);
	*(volatile __u32 *)&plane->ctl->active = p->inactive;
	for (uint32_t i = 0; i < p->compiled.rules->count; i++)
		name_slot(plane, p->compiled.rules->rule[i].slot, &p->policy->limits[i]);
}

/**
 * Brings every word to its rule's generation. Afterwards the other generation is free for the next
 * change. Also finishes what an agent that died in the middle left.
 */
static int finish_changes(struct weir_plane *plane)
{
	struct weir_rules *rules = &plane->rules[plane->ctl->active & 1];
	bool any = false;

	for (uint32_t i = 0; i < rules->count; i++)
		any |= rules->rule[i].gauge.changing;
	if (!any)
		return 0;
	for (uint32_t i = 0; i < rules->count; i++) {
		if (rules->rule[i].gauge.changing)
			table_settle(plane, &rules->rule[i]);
	}
	for (uint32_t i = 0; i < rules->count; i++)
		*(volatile __u32 *)&rules->rule[i].gauge.changing = 0;
	return plane_grace();
}

static int prepare(struct publication *p, struct weir_error *error)
{
	struct weir_plane *plane = p->plane;
	int err = place_rules(p);

	if (!err)
		err = outer_apply(plane->map_fd[MAP_TABLES], &p->chunks);
	if (!err)
		err = trie_publish(plane, MAP_FROM, p->inactive, p->compiled.from,
				   p->compiled.n_from);
	if (!err)
		err = trie_publish(plane, MAP_TO, p->inactive, p->compiled.to, p->compiled.n_to);
	if (err)
		return weir_error_set(error, err, "the policy's maps cannot be made: %s",
				      err == -ENOSPC ? "its tables and those of the policy in "
						       "force are larger than 128 Mi buckets"
						     : strerror(-err));
	if (p->compiled.ports)
		plane->ports[p->inactive] = *p->compiled.ports;
	return pace_sweep(p, error);
}

void publish_remove_strays(struct weir_plane *plane)
{
	table_remove_strays(plane);
	sources_remove_strays(plane);
}

int weir_plane_publish(struct weir_plane *plane, const struct weir_policy *policy,
		       struct weir_error *error)
{
	struct publication p = { .plane = plane, .policy = policy };
	int err;

	err = finish_changes(plane);
	if (err)
		return weir_error_set(error, err, "membarrier: %s", strerror(-err));
	err = weir_compile(policy, plane->tick_ns, error, &p.compiled);
	if (err)
		return err;
	p.old = plane_rules(plane);
	p.inactive = !(plane->ctl->active & 1);
	err = prepare(&p, error);
	if (err) {
		publish_remove_strays(plane);
	} else {
		switch_over(&p);
		err = plane_grace();
		err = err ? err : finish_changes(plane);
		if (err)
			weir_error_set(error, err, "membarrier: %s", strerror(-err));
		else
			publish_remove_strays(plane);
	}
	outer_clear(&p.chunks);
	weir_compiled_clear(&p.compiled);
	return err;
}
