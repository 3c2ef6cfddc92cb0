// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A whole bucket table beside an oracle that remembers every source exactly: whatever other sources
 * do, whatever the table forgets, no source is ever admitted above its bound.
 *
 * The table is the product's: its places, its lines, its units. Only what the kernel's side decides by
 * chance (who is pinned, when the sweep comes by) is decided here by a generator.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <weir/rules.h>

#include "policy/compile.h"

#include "lib/bound.h"
#include "lib/random.h"

#define LINE_BITS    9
#define LINES	     (1u << LINE_BITS)
#define SOURCE_BITS  20
#define SOURCES	     (1u << SOURCE_BITS)
#define PACKETS	     1500000
#define SWEEP_EVERY  65536
#define CHANGE_EVERY 40000
#define STALE	     300 /* packets of the old policy that come after a change */
#define TICK_NS	     4000000ull
#define LAG_NS	     100000	   /* the coarse clock may be late by this beyond its tick */
#define EARLY_NS     (2 * TICK_NS) /* how far back a change is dated */
#define SECOND_NS    1000000000ull

static struct weir_line lines[LINES];
/* Over intervals that began under the numbers in force, and under those before them. */
static struct bound since[SOURCES], over[SOURCES];
static uint32_t addresses[SOURCES];

struct table {
	struct random random;
	struct weir_hash hash;
	struct weir_gauge gauge, old;	/* old: while packets of the policy before are under way */
	struct bound_rate rate, larger; /* larger: of these numbers and those before them */
	__u64 base, old_base;
	bool coarse, old_coarse;
	int stale; /* packets until the last of the old policy is through */
	uint64_t now_ns;
	uint64_t tick_ns; /* the coarse clock */
	uint64_t admitted, refused, inherited,
		passed_over; /* passed_over: the oracle would admit */
};

static void set_rate(struct table *t, uint64_t tokens, uint64_t burst)
{
	struct weir_rate rate = { .tokens = tokens, .per_ns = SECOND_NS };
	__u64 generation = t->gauge.generation;

	assert_int_equal(weir_compile_gauge(&rate, burst, false, TICK_NS, &t->gauge, &t->coarse),
			 0);
	t->gauge.generation = generation;
	t->rate = t->larger = (struct bound_rate){ tokens, SECOND_NS, burst };
}

static __u64 gauge_base(const struct weir_gauge *gauge, uint64_t now_ns)
{
	return weir_gauge_now(gauge, now_ns) - (1ull << 61);
}

static struct table table_of(uint64_t seed, uint64_t tokens, uint64_t burst)
{
	struct table t = { .random = { seed } };

	set_rate(&t, tokens, burst);
	weir_hash_shape(&t.hash, LINE_BITS);
	t.hash.key.add = random_next(&t.random);
	t.hash.key.mul_a = random_next(&t.random) | 1;
	t.hash.key.mul_b = random_next(&t.random) | 1;
	/* The unit's wrap comes soon. */
	t.now_ns = ((1ull << 44) - 1000) << t.gauge.now_right >>
		   (t.gauge.now_left - WEIR_TAT_SHIFT);
	t.base = gauge_base(&t.gauge, t.now_ns) & ~WEIR_LOW_MASK;
	for (uint32_t i = 0; i < LINES; i++) {
		for (int way = 0; way < WEIR_WAYS; way++)
			WEIR_WORD(&lines[i], way) = t.base;
	}
	memset(since, 0, sizeof(since));
	memset(over, 0, sizeof(over));
	for (uint32_t i = 0; i < SOURCES; i++)
		addresses[i] = i * 0x9e3779b1u;
	return t;
}

static struct weir_place place_of(const struct table *t, uint32_t source)
{
	struct weir_addr addr = { .lo = addresses[source] };

	return weir_source_place(&t->hash, &addr, 4);
}

static void sweep(struct table *t)
{
	__u64 now = weir_gauge_now(&t->gauge, t->now_ns);
	struct weir_sweep pass = { .floor = (now - (1ull << 61)) & ~WEIR_LOW_MASK,
				   .now = now,
				   .idle = 4 * t->gauge.burst,
				   .apart = t->gauge.burst };

	for (uint32_t i = 0; i < LINES; i++)
		weir_line_sweep(&lines[i], &t->gauge, t->base, &pass);
	t->base = pass.floor;
}

/* New numbers from now on; for a while some packets go on by the old ones. */
static void change(struct table *t, uint64_t tokens, uint64_t burst)
{
	struct bound_rate before = t->rate;

	t->old = t->gauge;
	t->old_base = t->base;
	t->old_coarse = t->coarse;
	t->stale = STALE;
	set_rate(t, tokens, burst);
	weir_compile_change(&t->old, &t->gauge, &t->gauge.change);
	t->gauge.generation ^= WEIR_GENERATION;
	t->gauge.changing = 1;
	t->gauge.change.old_tat =
		weir_gauge_now(&t->old, (t->old_coarse ? t->tick_ns : t->now_ns) - EARLY_NS);
	t->gauge.change.new_tat =
		weir_gauge_now(&t->gauge, (t->coarse ? t->tick_ns : t->now_ns) - EARLY_NS);
	t->base = gauge_base(&t->gauge, t->now_ns) & ~WEIR_LOW_MASK;
	t->larger.tokens = before.tokens > tokens ? before.tokens : tokens;
	t->larger.burst = before.burst > burst ? before.burst : burst;
	memcpy(over, since, sizeof(over));
}

static void settle(struct table *t)
{
	for (uint32_t i = 0; i < LINES; i++)
		weir_line_settle(&lines[i], &t->gauge, weir_gauge_now(&t->gauge, t->now_ns));
	t->gauge.changing = 0;
	memset(since, 0, sizeof(since));
}

static enum weir_outcome charge(struct table *t, const struct weir_gauge *gauge, __u64 base,
				bool coarse, struct weir_place place, struct weir_look *look)
{
	__u64 now = weir_gauge_now(gauge, coarse ? t->tick_ns : t->now_ns);
	struct weir_line *line = &lines[place.line];
	enum weir_outcome outcome =
		weir_line_charge(line, gauge, base, place.tag, now, gauge->token, look);

	if (outcome == WEIR_FITS && look->debt > gauge->burst / 2 && !random_below(&t->random, 8))
		weir_line_pin(line, gauge, base, place.tag, now);
	if (outcome == WEIR_FULL && !random_below(&t->random, 64))
		weir_line_pin(line, gauge, base, place.tag, now);
	return outcome;
}

static void packet(struct table *t, uint32_t source)
{
	struct weir_place place = place_of(t, source);
	enum weir_outcome outcome = WEIR_STALE;
	struct weir_look look;

	while (t->now_ns - t->tick_ns > TICK_NS + random_below(&t->random, LAG_NS))
		t->tick_ns = t->now_ns - t->now_ns % TICK_NS;
	if (t->stale && random_next(&t->random) & 1)
		outcome = charge(t, &t->old, t->old_base, t->old_coarse, place, &look);
	if (outcome == WEIR_STALE)
		outcome = charge(t, &t->gauge, t->base, t->coarse, place, &look);
	assert_int_not_equal(outcome, WEIR_STALE);
	assert_int_not_equal(outcome, WEIR_LOST);
	if (outcome != WEIR_FITS) {
		t->refused++;
		return;
	}
	t->admitted++;
	t->inherited += !look.own && look.debt;
	/* Until the last of the old packets is through, both policies are live. */
	if (!t->stale && !bound_admit(&since[source], &t->rate, t->now_ns, 1))
		fail_msg("source %u is above its bound at packet %lu, %lu ns", source,
			 (unsigned long)(t->admitted + t->refused), (unsigned long)t->now_ns);
	if (!bound_admit(&over[source], &t->larger, t->now_ns, 1))
		fail_msg("source %u is above the larger bound at packet %lu, %lu ns", source,
			 (unsigned long)(t->admitted + t->refused), (unsigned long)t->now_ns);
}

enum stream { ZIPF, FLOOD, FEW, EIGHT };
enum changes { NO_CHANGES, ANY_CHANGES, RATE_ALONE };

static uint32_t next_source(struct table *t, enum stream stream)
{
	struct random *random = &t->random;

	switch (stream) {
	case ZIPF: /* each octave of ranks as often as the next */
		return (uint32_t)random_skewed(random, SOURCE_BITS);
	case FLOOD: /* a few that keep coming in a flood of sources seen once */
		return (uint32_t)random_below(random, random_below(random, 4) ? SOURCES : 32);
	case FEW:
		return (uint32_t)random_below(random, 64);
	default:
		return (uint32_t)random_below(random, 8);
	}
}

static void change_at_random(struct table *t, enum changes changes)
{
	uint64_t tokens = t->rate.tokens, burst = t->rate.burst;

	if (changes == RATE_ALONE) {
		change(t, tokens > 10000 ? tokens / 100 : tokens * 100, burst);
		return;
	}
	tokens = 1 + (tokens << random_below(&t->random, 4) >> random_below(&t->random, 4));
	change(t, tokens, 1 + random_below(&t->random, tokens));
}

static void run(struct table *t, enum stream stream, uint64_t mean_gap_ns, enum changes changes)
{
	t->tick_ns = t->now_ns;
	for (int i = 1; i <= PACKETS; i++) {
		t->now_ns += random_below(&t->random, 2 * mean_gap_ns + 1);
		/* Idle for long enough that all is there again, then at once from any point of a tick. */
		if (stream == EIGHT && !random_below(&t->random, 2 * CHANGE_EVERY))
			t->now_ns += SECOND_NS / 8 + random_below(&t->random, TICK_NS);
		if (t->stale && !--t->stale)
			settle(t);
		if (changes && !t->stale && !random_below(&t->random, CHANGE_EVERY))
			change_at_random(t, changes);
		if (!(i % SWEEP_EVERY) && !t->stale)
			sweep(t);
		packet(t, next_source(t, stream));
	}
	assert_in_range(t->admitted, PACKETS / 1000, PACKETS);
	assert_in_range(t->refused, PACKETS / 1000, PACKETS);
}

static void zipf(void **state)
{
	struct table t = table_of(1, 100, 20);

	run(&t, ZIPF, 2000, NO_CHANGES);
	assert_in_range(t.inherited, 1, PACKETS);
}

static void zipf_at_once(void **state)
{
	struct table t = table_of(2, 1, 5);

	run(&t, ZIPF, 20, NO_CHANGES);
}

static void flood(void **state)
{
	struct table t = table_of(3, 1000, 100);

	run(&t, FLOOD, 1000, NO_CHANGES);
	assert_in_range(t.inherited, PACKETS / 100, PACKETS);
}

/* As many sources as a line has words, times eight, all in one line. */
static void collisions_in_one_line(void **state)
{
	struct table t = table_of(4, 1000, 10);
	uint32_t found = 0;

	for (uint32_t address = 0; found < 64; address++) {
		struct weir_addr addr = { .lo = address };

		if (weir_source_place(&t.hash, &addr, 4).line == 3)
			addresses[found++] = address;
	}
	run(&t, FEW, 20000, NO_CHANGES);
	assert_in_range(t.inherited, PACKETS / 1000, PACKETS);
}

/* Nobody shares a word here, and everybody asks for more than there is. */
static void sources_alone_get_all_they_may(void **state)
{
	struct table t = table_of(5, 1000, 10);
	uint64_t start_ns = t.now_ns, each;

	run(&t, FEW, 2000, NO_CHANGES);
	each = 10 + (t.now_ns - start_ns) * 1000 / SECOND_NS;
	assert_in_range(t.admitted, 64 * each * 999 / 1000, 64 * each);
	assert_int_equal(t.inherited, 0);
}

static void a_fast_limit_by_the_precise_clock(void **state)
{
	struct table t = table_of(6, 2000000, 3000);

	assert_false(t.coarse);
	run(&t, FEW, 1, NO_CHANGES);
}

static void a_limit_by_the_coarse_clock(void **state)
{
	struct table t = table_of(7, 20000, 2000);

	assert_true(t.coarse);
	run(&t, EIGHT, 300, NO_CHANGES);
}

static void policies_that_change_under_zipf(void **state)
{
	struct table t = table_of(8, 1000, 100);

	run(&t, ZIPF, 500, ANY_CHANGES);
}

static void policies_that_change_under_a_flood(void **state)
{
	struct table t = table_of(9, 30000, 10000);

	run(&t, FLOOD, 100, ANY_CHANGES);
}

/* What a coarse rule's packets took by a time already gone is not there a second time. */
static void a_rate_that_goes_up_and_down_by_the_coarse_clock(void **state)
{
	struct table t = table_of(10, 100000, 9000);

	assert_true(t.coarse);
	run(&t, EIGHT, 20, RATE_ALONE);
}

static void a_rate_that_goes_up_and_down_by_the_precise_clock(void **state)
{
	struct table t = table_of(11, 100000, 900);

	assert_false(t.coarse);
	run(&t, EIGHT, 20, RATE_ALONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zipf),
		cmocka_unit_test(zipf_at_once),
		cmocka_unit_test(flood),
		cmocka_unit_test(collisions_in_one_line),
		cmocka_unit_test(sources_alone_get_all_they_may),
		cmocka_unit_test(a_fast_limit_by_the_precise_clock),
		cmocka_unit_test(a_limit_by_the_coarse_clock),
		cmocka_unit_test(policies_that_change_under_zipf),
		cmocka_unit_test(policies_that_change_under_a_flood),
		cmocka_unit_test(a_rate_that_goes_up_and_down_by_the_coarse_clock),
		cmocka_unit_test(a_rate_that_goes_up_and_down_by_the_precise_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
