// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What sources did lately. Each feed makes a new table from the sources that are there and what the
 * old table knew of them, so nothing is ever deleted and nothing can pile up.
 */
#include "agent/observer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quantity.h"

#define ROUNDS	  WEIR_OBSERVER_WINDOW_S
#define WINDOW_NS (WEIR_OBSERVER_WINDOW_S * WEIR_NS_PER_S)
#define KEPT_NS	  (WEIR_OBSERVER_KEPT_S * WEIR_NS_PER_S)
/* Refusals are sampled: a source that is refused now and then shows it only so often. */
#define GAP_NS	 WINDOW_NS
#define NO_ENTRY UINT32_MAX

/* From when to when a source was last refused; 0, 0: never. */
struct spell {
	uint64_t since_ns;
	uint64_t last_ns;
};

struct entry {
	char limit[WEIR_NAME_LEN + 1];
	uint32_t slot;
	uint32_t rounds; /* fed so often, at most ROUNDS */
	struct weir_prefix prefix;
	bool went_on;  /* it is in the next table too */
	uint64_t base; /* offered tokens before it was first seen here */
	uint64_t offered;
	uint64_t refused;
	uint64_t ring[ROUNDS]; /* offered, by round */
	struct spell spell;
};

/* One that is known no more, but its time at the limit is still told. */
struct ended {
	char limit[WEIR_NAME_LEN + 1];
	struct weir_prefix prefix;
	struct spell spell;
};

struct table {
	struct entry *entries;
	size_t n;
	uint32_t *index; /* 2^bits places, open addressing */
	unsigned int bits;
};

struct weir_observer {
	uint64_t seed[2];
	struct table table;
	uint64_t round;
	uint64_t times_ns[ROUNDS];
	uint64_t last_ns;
	struct ended ended[WEIR_OBSERVED_MAX];
	size_t n_ended;
	struct weir_observation result;
};

struct weir_observer *weir_observer_new(const uint64_t seed[2])
{
	struct weir_observer *observer = calloc(1, sizeof(*observer));

	if (!observer)
		return NULL;
	observer->seed[0] = seed[0];
	observer->seed[1] = seed[1] | 1;
	return observer;
}

static void table_clear(struct table *table)
{
	free(table->entries);
	free(table->index);
	*table = (struct table){ .entries = NULL };
}

void weir_observer_free(struct weir_observer *observer)
{
	if (!observer)
		return;
	table_clear(&observer->table);
	free(observer);
}

/* Multiplication by secret odd numbers; the upper bits are the mixed ones. */
static uint64_t hash(const struct weir_observer *observer, uint32_t slot,
		     const struct weir_prefix *prefix)
{
	uint64_t half[2], x;

	memcpy(half, prefix->addr, sizeof(half));
	x = (half[0] ^ observer->seed[0]) * observer->seed[1];
	x = (x ^ x >> 32 ^ half[1]) * observer->seed[1];
	x ^= x >> 32 ^ (uint64_t)prefix->family << 32 ^ slot;
	return x * observer->seed[1];
}

static bool table_make(struct table *table, size_t n)
{
	table->bits = 4;
	while (1ULL << table->bits < 2 * n)
		table->bits++;
	table->entries = calloc(n ? n : 1, sizeof(*table->entries));
	table->index = malloc(sizeof(*table->index) << table->bits);
	if (!table->entries || !table->index)
		return false;
	memset(table->index, 0xff, sizeof(*table->index) << table->bits);
	return true;
}

/* The place of that source in the index, or the free one where it belongs. */
static uint32_t *table_place(const struct weir_observer *observer, const struct table *table,
			     uint32_t slot, const struct weir_prefix *prefix)
{
	size_t mask = (1ULL << table->bits) - 1;
	size_t at = hash(observer, slot, prefix) >> (64 - table->bits);

	while (table->index[at] != NO_ENTRY) {
		const struct entry *entry = &table->entries[table->index[at]];

		if (entry->slot == slot && weir_prefix_compare(&entry->prefix, prefix) == 0)
			break;
		at = (at + 1) & mask;
	}
	return &table->index[at];
}

static struct entry *table_find(const struct weir_observer *observer, const struct table *table,
				const struct weir_source_view *source)
{
	uint32_t at;

	if (!table->index)
		return NULL;
	at = *table_place(observer, table, source->slot, &source->prefix);
	return at == NO_ENTRY ? NULL : &table->entries[at];
}

static uint64_t offered(const struct weir_source_view *source)
{
	return source->bytes ? source->admitted.bytes + source->refused.bytes
			     : source->admitted.packets + source->refused.packets;
}

static bool is_over(const struct spell *spell, uint64_t now_ns, uint64_t after_ns)
{
	return spell->last_ns == 0 || now_ns - spell->last_ns > after_ns;
}

/* Takes the spell of a source that had left and is back. */
static void resume(struct weir_observer *observer, struct entry *entry)
{
	size_t i;

	for (i = 0; i < observer->n_ended; i++) {
		struct ended *ended = &observer->ended[i];

		if (strcmp(ended->limit, entry->limit) != 0 ||
		    weir_prefix_compare(&ended->prefix, &entry->prefix) != 0)
			continue;
		entry->spell = ended->spell;
		*ended = observer->ended[--observer->n_ended];
		return;
	}
}

static void begin(uint64_t now_ns, const struct weir_source_view *source, struct entry *entry)
{
	*entry = (struct entry){ .slot = source->slot, .prefix = source->prefix };
	memcpy(entry->limit, source->limit, sizeof(entry->limit));
	/* What a source known for longer had sent before this agent looked is not of this window. */
	if (now_ns > source->first_seen_ns + WINDOW_NS) {
		entry->base = offered(source);
		entry->refused = source->refused.packets;
	}
}

/* An entry whose counts went back is of a source that left and came again in between. */
static bool is_same(const struct entry *entry, const struct weir_source_view *source)
{
	return strcmp(entry->limit, source->limit) == 0 && offered(source) >= entry->offered &&
	       source->refused.packets >= entry->refused;
}

static void note_refusals(struct weir_observer *observer, uint64_t now_ns,
			  const struct weir_source_view *source, struct entry *entry)
{
	bool refused = source->refused.packets > entry->refused;

	entry->refused = source->refused.packets;
	if (!refused)
		return;
	if (is_over(&entry->spell, now_ns, GAP_NS))
		entry->spell.since_ns = observer->last_ns ? observer->last_ns : now_ns;
	entry->spell.last_ns = now_ns;
}

static void rank(struct weir_observed *list, size_t *n, const struct weir_observed *item)
{
	size_t at = *n;

	if (at == WEIR_OBSERVED_MAX && list[at - 1].value <= item->value)
		return;
	if (at == WEIR_OBSERVED_MAX)
		at--;
	else
		++*n;
	for (; at > 0 && list[at - 1].value > item->value; at--)
		list[at] = list[at - 1];
	list[at] = *item;
}

static struct weir_observed observed(const char *limit, const struct weir_prefix *prefix,
				     double value)
{
	struct weir_observed item = { .prefix = *prefix, .value = value };

	memcpy(item.limit, limit, sizeof(item.limit));
	return item;
}

static double spell_rank(const struct spell *spell)
{
	return -(double)(spell->last_ns - spell->since_ns) / (double)WEIR_NS_PER_S;
}

/* Adds an entry to the result, and its present count to the ring. */
static void judge(struct weir_observer *observer, uint64_t now_ns, double rate_per_s,
		  struct entry *entry)
{
	struct weir_observation *result = &observer->result;
	size_t round = observer->round % ROUNDS;
	bool is_full = entry->rounds == ROUNDS;
	uint64_t sent = entry->offered - (is_full ? entry->ring[round] : entry->base);
	uint64_t span = is_full ? now_ns - observer->times_ns[round] : WINDOW_NS;
	struct weir_observed item;

	if (span < WINDOW_NS)
		span = WINDOW_NS;
	if (sent > 0 && rate_per_s > 0) {
		/* Below zero for now, so that the one furthest over its limit comes first. */
		item = observed(entry->limit, &entry->prefix,
				1 - (double)sent * (double)WEIR_NS_PER_S / (double)span /
						rate_per_s);
		rank(result->nearest, &result->n_nearest, &item);
	}
	if (!is_over(&entry->spell, now_ns, GAP_NS))
		result->at_limit[entry->slot % WEIR_SLOTS]++;
	if (!is_over(&entry->spell, now_ns, KEPT_NS)) {
		item = observed(entry->limit, &entry->prefix, spell_rank(&entry->spell));
		rank(result->longest, &result->n_longest, &item);
	}
	entry->ring[round] = entry->offered;
	if (!is_full)
		entry->rounds++;
}

static void keep_ended(struct weir_observer *observer, const struct entry *entry)
{
	struct ended item = { .prefix = entry->prefix, .spell = entry->spell };
	struct ended *shortest = &observer->ended[0];
	size_t i;

	memcpy(item.limit, entry->limit, sizeof(item.limit));
	if (observer->n_ended < WEIR_OBSERVED_MAX) {
		observer->ended[observer->n_ended++] = item;
		return;
	}
	for (i = 1; i < observer->n_ended; i++) {
		if (spell_rank(&observer->ended[i].spell) > spell_rank(&shortest->spell))
			shortest = &observer->ended[i];
	}
	if (spell_rank(&item.spell) < spell_rank(&shortest->spell))
		*shortest = item;
}

static void judge_ended(struct weir_observer *observer, uint64_t now_ns)
{
	struct weir_observation *result = &observer->result;
	size_t i;

	for (i = 0; i < observer->table.n; i++) {
		const struct entry *entry = &observer->table.entries[i];

		if (!entry->went_on && !is_over(&entry->spell, now_ns, KEPT_NS))
			keep_ended(observer, entry);
	}
	for (i = observer->n_ended; i-- > 0;) {
		const struct ended *ended = &observer->ended[i];
		struct weir_observed item =
			observed(ended->limit, &ended->prefix, spell_rank(&ended->spell));

		if (is_over(&ended->spell, now_ns, KEPT_NS))
			observer->ended[i] = observer->ended[--observer->n_ended];
		else
			rank(result->longest, &result->n_longest, &item);
	}
}

/* From ranks to what is told. */
static void finish(struct weir_observation *result)
{
	size_t i;

	for (i = 0; i < result->n_nearest; i++) {
		if (result->nearest[i].value < 0)
			result->nearest[i].value = 0;
	}
	for (i = 0; i < result->n_longest; i++)
		result->longest[i].value = -result->longest[i].value;
}

static void take(struct weir_observer *observer, uint64_t now_ns,
		 const struct weir_source_view *source, struct table *next)
{
	struct entry *known = table_find(observer, &observer->table, source);
	uint32_t *place = table_place(observer, next, source->slot, &source->prefix);
	struct entry *entry = &next->entries[next->n];

	/* A walk over a hash that is being changed may give one twice. */
	if (*place != NO_ENTRY)
		return;
	if (known && is_same(known, source)) {
		*entry = *known;
	} else {
		begin(now_ns, source, entry);
		if (known && strcmp(known->limit, entry->limit) == 0)
			entry->spell = known->spell;
		else
			resume(observer, entry);
	}
	/* What is told of a source is told once: by the entry it has now. */
	if (known)
		known->went_on = strcmp(known->limit, entry->limit) == 0;
	entry->went_on = false;
	note_refusals(observer, now_ns, source, entry);
	entry->offered = offered(source);
	judge(observer, now_ns, source->rate_per_s, entry);
	*place = (uint32_t)next->n++;
}

int weir_observer_feed(struct weir_observer *observer, uint64_t now_ns,
		       const struct weir_source_view *sources, size_t n)
{
	struct table next = { .entries = NULL };
	size_t i;

	if (n > WEIR_SOURCES_MAX)
		n = WEIR_SOURCES_MAX;
	observer->result = (struct weir_observation){ .n_nearest = 0 };
	if (!table_make(&next, n)) {
		table_clear(&next);
		table_clear(&observer->table);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		take(observer, now_ns, &sources[i], &next);
	judge_ended(observer, now_ns);
	finish(&observer->result);
	table_clear(&observer->table);
	observer->table = next;
	observer->times_ns[observer->round++ % ROUNDS] = now_ns;
	observer->last_ns = now_ns;
	return 0;
}

const struct weir_observation *weir_observer_result(const struct weir_observer *observer)
{
	return &observer->result;
}
