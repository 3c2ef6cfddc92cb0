// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Words made under old numbers, read under new ones: the debt is kept in tokens, never less than
 * exact rational arithmetic says, and at most the new burst.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "policy/compile.h"

#include "lib/gauge.h"
#include "lib/random.h"

#define TICK_NS 4000000
#define CHANGES 20000
#define WORDS	50

typedef unsigned __int128 wide;

static __u64 units(__u64 placed)
{
	return placed >> WEIR_TAT_SHIFT;
}

/* A limit of any rate and burst that can be held at all. */
static struct weir_gauge random_gauge(struct random *random)
{
	for (;;) {
		struct weir_rate rate = { .tokens = 1 + random_skewed(random, 34),
					  .per_ns = random_below(random, 2) ? 1000000000ull
									    : 3600000000000ull };
		uint64_t burst = 1 + random_skewed(random, 30);
		struct weir_gauge gauge;
		bool coarse;

		if (!weir_compile_gauge(&rate, burst, random_next(random) & 1, TICK_NS, &gauge,
					&coarse))
			return gauge;
	}
}

static void change_gauge(const struct weir_gauge *before, struct weir_gauge *after, __u64 now_ns)
{
	weir_compile_change(before, after, &after->change);
	after->generation = before->generation ^ WEIR_GENERATION;
	after->changing = 1;
	after->change.old_tat = weir_gauge_now(before, now_ns);
	after->change.new_tat = weir_gauge_now(after, now_ns);
}

/* What rational arithmetic says that so many old units of debt are, rounded up to new units. */
static wide exact_debt(const struct weir_gauge *before, const struct weir_gauge *after, __u64 debt)
{
	wide old = units(before->token), new = units(after->token);
	wide owed = ((wide)debt * new + old - 1) / old;

	return owed < units(after->burst) ? owed : units(after->burst);
}

static void check_word(const struct weir_gauge *before, const struct weir_gauge *after, __u64 debt,
		       __u64 low)
{
	__u64 now = after->change.new_tat;
	__u64 word = ((after->change.old_tat + in_place(debt)) & ~WEIR_LOW_MASK) | low;
	__u64 changed, owed, exact = (__u64)exact_debt(before, after, debt);

	changed = weir_word_changed(word, after, now);
	owed = units((changed & ~WEIR_LOW_MASK) - (now & ~WEIR_LOW_MASK));
	if (owed < exact)
		fail_msg("a debt of %llu units became %llu, not %llu", debt, owed, exact);
	/* The price of rounding: a unit, and one part in two million. */
	if (owed > exact + 2 + exact / (1 << 20))
		fail_msg("a debt of %llu units became %llu, more than %llu", debt, owed, exact);
	assert_true(owed <= units(after->burst));
	assert_int_equal(changed & WEIR_TAG_MASK, low & WEIR_TAG_MASK);
	assert_int_equal(changed & WEIR_PINNED, low & WEIR_PINNED);
	assert_int_equal(changed & WEIR_GENERATION, after->generation);
}

static void a_debt_is_kept_in_tokens_to_the_unit(void **state)
{
	struct random random = { 21 };

	for (int i = 0; i < CHANGES; i++) {
		struct weir_gauge before = random_gauge(&random), after = random_gauge(&random);
		__u64 now_ns = random_skewed(&random, 62);
		__u64 burst = units(before.burst);

		before.generation = random_next(&random) & 1 ? WEIR_GENERATION : 0;
		change_gauge(&before, &after, now_ns);
		for (int k = 0; k < WORDS; k++) {
			__u64 debt = k == 0 ? burst : k == 1 ? 0 : random_below(&random, burst + 1);
			__u64 low = (random_next(&random) & (WEIR_TAG_MASK | WEIR_PINNED)) |
				    before.generation;

			check_word(&before, &after, debt, low);
		}
		/* A fraction of a token, a word of a source that the burst never covered. */
		check_word(&before, &after, 1, before.generation | 5);
		check_word(&before, &after, (1ull << 42) - 1, before.generation | 5);
	}
}

static void a_bucket_without_debt_has_none_afterwards(void **state)
{
	struct random random = { 22 };

	for (int i = 0; i < CHANGES; i++) {
		struct weir_gauge before = random_gauge(&random), after = random_gauge(&random);
		__u64 now_ns = random_skewed(&random, 62), word;

		change_gauge(&before, &after, now_ns);
		word = (after.change.old_tat - in_place(random_skewed(&random, 42))) &
		       ~WEIR_LOW_MASK;
		word = weir_word_changed(word | 77, &after, after.change.new_tat + (1ull << 40));
		assert_true((__s64)((word & ~WEIR_LOW_MASK) - after.change.new_tat) <= 0);
	}
}

/* The order among words is that of their debts, so a newcomer's inheritance stays the smallest. */
static void a_change_keeps_the_order_of_debts(void **state)
{
	struct random random = { 23 };

	for (int i = 0; i < CHANGES; i++) {
		struct weir_gauge before = random_gauge(&random), after = random_gauge(&random);
		__u64 last = 0;

		change_gauge(&before, &after, random_skewed(&random, 62));
		for (__u64 debt = 0; debt <= units(before.burst);
		     debt += 1 + units(before.burst) / 64) {
			__u64 word = weir_word_changed(after.change.old_tat + in_place(debt),
						       &after, after.change.new_tat);
			__u64 owed = (word & ~WEIR_LOW_MASK) - after.change.new_tat;

			assert_true(owed >= last);
			last = owed;
		}
	}
}

static void each_word_of_a_line_is_settled_once(void **state)
{
	struct weir_gauge before = gauge_of(1000, 10000), after = gauge_of(500, 20000);
	struct weir_line line, settled;

	gauge_change(&before, &after, 5000);
	for (int way = 0; way < WEIR_WAYS; way++)
		WEIR_WORD(&line, way) = word_of(5000 + 1000 * way, 1 + way);
	WEIR_WORD(&line, 3) |= after.generation;
	weir_line_settle(&line, &after, in_place(5000));
	for (int way = 0; way < WEIR_WAYS; way++) {
		assert_int_equal(line.bucket[way].generation, 1);
		assert_int_equal(line.bucket[way].tag, 1 + way);
		if (way == 3)
			assert_int_equal(line.bucket[way].tat, 8000);
		else
			assert_in_range(line.bucket[way].tat, 5000 + 500 * way, 5002 + 500 * way);
	}
	settled = line;
	weir_line_settle(&line, &after, in_place(9000));
	assert_memory_equal(&line, &settled, sizeof(line));
}

/* A gauge without a change has no idea what the other generation means. */
static void a_stale_gauge_touches_no_newer_word(void **state)
{
	struct weir_gauge stale = gauge_of(1000, 10000);
	struct weir_sweep sweep = { .now = in_place(90000), .floor = in_place(80000) };
	struct weir_line line, before;
	struct weir_look look;

	for (int way = 0; way < WEIR_WAYS; way++)
		WEIR_WORD(&line, way) = word_of(5000 + 1000 * way, 1 + way) | WEIR_GENERATION;
	before = line;
	weir_line_settle(&line, &stale, in_place(6000));
	weir_line_sweep(&line, &stale, 0, &sweep);
	assert_int_equal(weir_line_charge(&line, &stale, 0, 3, in_place(6000), stale.token, &look),
			 WEIR_STALE);
	assert_int_equal(weir_line_charge(&line, &stale, 0, 99, in_place(6000), stale.token, &look),
			 WEIR_STALE);
	assert_int_equal(weir_line_pin(&line, &stale, 0, 99, in_place(6000)), 0);
	assert_memory_equal(&line, &before, sizeof(line));
}

static void a_packet_settles_the_line_it_meets(void **state)
{
	struct weir_gauge before = gauge_of(1000, 10000), after = gauge_of(500, 5000);
	struct weir_look look;
	struct weir_line line;

	gauge_change(&before, &after, 5000);
	for (__u32 tag = 1; tag <= 9; tag += 8) {
		for (int way = 0; way < WEIR_WAYS; way++)
			WEIR_WORD(&line, way) = word_of(7000, 1 + way);
		/* Two tokens owed of ten, now of ten too: eight are left, whoever takes them. */
		for (int i = 0; i < 7; i++)
			assert_int_equal(weir_line_charge(&line, &after, 0, tag, in_place(5000),
							  after.token, &look),
					 WEIR_FITS);
		assert_int_equal(weir_line_charge(&line, &after, 0, tag, in_place(5000),
						  2 * after.token, &look),
				 WEIR_EMPTY);
		for (int way = 0; way < WEIR_WAYS; way++)
			assert_int_equal(line.bucket[way].generation, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_debt_is_kept_in_tokens_to_the_unit),
		cmocka_unit_test(a_bucket_without_debt_has_none_afterwards),
		cmocka_unit_test(a_change_keeps_the_order_of_debts),
		cmocka_unit_test(each_word_of_a_line_is_settled_once),
		cmocka_unit_test(a_stale_gauge_touches_no_newer_word),
		cmocka_unit_test(a_packet_settles_the_line_it_meets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
