// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* One line of buckets, one CPU: the token arithmetic, who is taken over, pins and the sweep. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/gauge.h"
#include "lib/random.h"

#define TOKEN 1000
#define BURST (10 * TOKEN)
/* A time from which TAT wraps soon. */
#define LATE ((1ull << WEIR_TAT_BITS) - 50 * TOKEN)

/* A line whose words nobody owns and that owe nothing at @now_units. */
static struct weir_line fresh_line(__u64 now_units)
{
	struct weir_line line;

	for (int way = 0; way < WEIR_WAYS; way++)
		WEIR_WORD(&line, way) = word_of(now_units - TOKEN, 0);
	return line;
}

static __u64 base_at(__u64 now_units)
{
	return in_place(now_units - (1ull << 41));
}

static enum weir_outcome charge(struct weir_line *line, const struct weir_gauge *gauge, __u32 tag,
				__u64 now_units, __u64 tokens)
{
	struct weir_look look;

	return weir_line_charge(line, gauge, base_at(now_units), tag, in_place(now_units),
				tokens * gauge->token, &look);
}

/* The way of a source's word, or -1. */
static int way_of(const struct weir_line *line, __u32 tag)
{
	for (int way = 0; way < WEIR_WAYS; way++) {
		if (line->bucket[way].tag == tag)
			return way;
	}
	return -1;
}

static __u64 tat_of(const struct weir_line *line, __u32 tag)
{
	int way = way_of(line, tag);

	assert_true(way >= 0);
	return line->bucket[way].tat;
}

static void the_burst_and_no_more_passes_at_once(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(5000);

	for (int i = 0; i < 10; i++)
		assert_int_equal(charge(&line, &gauge, 7, 5000, 1), WEIR_FITS);
	assert_int_equal(charge(&line, &gauge, 7, 5000, 1), WEIR_EMPTY);
	assert_int_equal(charge(&line, &gauge, 7, 5000 + TOKEN - 1, 1), WEIR_EMPTY);
	assert_int_equal(charge(&line, &gauge, 7, 5000 + TOKEN, 1), WEIR_FITS);
	assert_int_equal(charge(&line, &gauge, 7, 5000 + TOKEN, 1), WEIR_EMPTY);
}

/* Cases 5 and 15. */
static void burst_is_capped_after_idle(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(0);

	for (__u64 now = TOKEN; now < 1ull << 41; now *= 3) {
		int passed = 0;

		while (charge(&line, &gauge, 7, now, 1) == WEIR_FITS)
			passed++;
		assert_int_equal(passed, now == TOKEN || now / 3 * 2 >= BURST ? 10 : passed);
		assert_in_range(passed, 1, 10);
	}
}

static void a_packet_of_many_tokens_is_paid_whole(void **state)
{
	struct weir_gauge gauge = gauge_of(1, 3000);
	struct weir_line line = fresh_line(5000);

	assert_int_equal(charge(&line, &gauge, 7, 5000, 3001), WEIR_FULL);
	assert_int_equal(charge(&line, &gauge, 7, 5000, 1514), WEIR_FITS);
	assert_int_equal(charge(&line, &gauge, 7, 5000, 1514), WEIR_EMPTY);
	assert_int_equal(charge(&line, &gauge, 7, 5000, 1486), WEIR_FITS);
	assert_int_equal(charge(&line, &gauge, 7, 5000, 1), WEIR_EMPTY);
}

static void a_refused_packet_changes_nothing(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(5000), before;

	while (charge(&line, &gauge, 7, 5000, 1) == WEIR_FITS)
		;
	before = line;
	assert_int_equal(charge(&line, &gauge, 7, 5000, 1), WEIR_EMPTY);
	assert_int_equal(charge(&line, &gauge, 8, 5000, 11), WEIR_FULL);
	assert_memory_equal(&line, &before, sizeof(line));
}

/* Case 4: a CPU whose clock is behind gets nothing for it. */
static void time_that_runs_backwards_refills_nothing(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(1000 * TOKEN);
	struct random random = { 3 };
	__u64 now = 1000 * TOKEN, start = now - 3 * TOKEN; /* what the last CPU says it is */
	int passed = 0;

	for (int i = 0; i < 100000; i++) {
		now += random_below(&random, 20);
		passed += charge(&line, &gauge, 7, now - random_below(&random, 3 * TOKEN), 1) ==
			  WEIR_FITS;
		assert_true((__u64)passed * TOKEN <= BURST + (now - start));
	}
	assert_true((__u64)passed * TOKEN > (now - start) * 9 / 10);
}

/*
 * GCRA with a number that does not wrap and an unlimited memory, beside the line: the same answers
 * for as long as no more sources come than the line has words.
 */
static void eight_sources_are_each_held_exactly(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(LATE);
	struct random random = { 5 };
	__u64 exact[WEIR_WAYS] = { 0 }, now = LATE;
	struct weir_sweep sweep = { .idle = in_place(1ull << 42) };
	int refused = 0;

	/* Sixteen times around the wrap, with the sweep in between. */
	for (int i = 0; i < 2000000; i++) {
		int source = (int)random_below(&random, WEIR_WAYS);
		__u64 tokens = 1 + random_below(&random, 3), tat;
		enum weir_outcome outcome;

		now += random_below(&random, 1000) ? random_below(&random, TOKEN / 3) : 1ull << 37;
		tat = (exact[source] > now ? exact[source] : now) + tokens * TOKEN;
		if (!(i & 255)) {
			sweep.now = in_place(now);
			sweep.floor = in_place(now - (1ull << 40));
			weir_line_sweep(&line, &gauge, base_at(now), &sweep);
		}
		outcome = charge(&line, &gauge, 100 + source, now, tokens);
		if (tat <= now + BURST) {
			exact[source] = tat;
			assert_int_equal(outcome, WEIR_FITS);
		} else {
			assert_int_not_equal(outcome, WEIR_FITS);
			refused++;
		}
	}
	assert_in_range(refused, 100000, 1900000);
	assert_true(now > 16ull << WEIR_TAT_BITS);
}

static void a_newcomer_takes_the_smallest_word_and_what_it_owes(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);

	for (int smallest = 0; smallest < WEIR_WAYS; smallest++) {
		struct weir_line line = fresh_line(LATE);

		for (int way = 0; way < WEIR_WAYS; way++)
			WEIR_WORD(&line, way) = word_of(LATE + 5 * TOKEN + way, 100 + way);
		WEIR_WORD(&line, smallest) = word_of(LATE + 4 * TOKEN, 100 + smallest);
		assert_int_equal(charge(&line, &gauge, 7, LATE, 1), WEIR_FITS);
		assert_int_equal(way_of(&line, 7), smallest);
		assert_int_equal(tat_of(&line, 7), LATE + 5 * TOKEN);
		assert_int_equal(charge(&line, &gauge, 7, LATE, 6), WEIR_EMPTY);
		assert_int_equal(charge(&line, &gauge, 7, LATE, 5), WEIR_FITS);
	}
}

static void the_smallest_is_found_across_the_wrap(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	const __u64 wrap = 1ull << WEIR_TAT_BITS;
	struct weir_line line;

	for (int way = 0; way < WEIR_WAYS; way++)
		WEIR_WORD(&line, way) = word_of(wrap + TOKEN * way, 100 + way);
	WEIR_WORD(&line, 5) = word_of(wrap - 1, 105);
	/* The base is before the wrap, the time after it. */
	assert_int_equal(charge(&line, &gauge, 7, wrap + TOKEN, 1), WEIR_FITS);
	assert_int_equal(way_of(&line, 7), 5);
	assert_int_equal(tat_of(&line, 7), 2 * TOKEN);
}

static void the_lowest_of_equal_words_is_taken(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);

	for (int first = 0; first < WEIR_WAYS - 1; first++) {
		struct weir_line line = fresh_line(LATE);

		for (int way = 0; way < WEIR_WAYS; way++)
			WEIR_WORD(&line, way) = word_of(LATE + (way < first) * TOKEN, 0);
		assert_int_equal(charge(&line, &gauge, 7, LATE, 1), WEIR_FITS);
		assert_int_equal(way_of(&line, 7), first);
	}
}

/* Idle words are all the same to the clock, not to the order (I2). */
static void the_smallest_is_not_the_lowest_idle_one(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(LATE);

	WEIR_WORD(&line, 6) = word_of(LATE - TOKEN - 1, 9);
	assert_int_equal(charge(&line, &gauge, 7, LATE, 1), WEIR_FITS);
	assert_int_equal(way_of(&line, 7), 6);
	assert_int_equal(tat_of(&line, 7), LATE + TOKEN);
}

static int pin(struct weir_line *line, const struct weir_gauge *gauge, __u32 tag, __u64 now_units)
{
	return weir_line_pin(line, gauge, base_at(now_units), tag, in_place(now_units));
}

static void a_pinned_word_is_never_taken_over(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(LATE);
	struct random random = { 9 };

	assert_int_equal(charge(&line, &gauge, 7, LATE, 3), WEIR_FITS);
	assert_int_equal(pin(&line, &gauge, 7, LATE), 1);
	assert_int_equal(pin(&line, &gauge, 7, LATE), 1);
	assert_int_equal(tat_of(&line, 7), LATE + 3 * TOKEN);
	for (int i = 0; i < 10000; i++)
		charge(&line, &gauge, 1000 + (__u32)random_below(&random, 5000), LATE + i, 1);
	assert_int_equal(tat_of(&line, 7), LATE + 3 * TOKEN);
	assert_int_equal(line.bucket[way_of(&line, 7)].pinned, 1);
}

static void newcomers_keep_half_of_a_line(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(LATE);
	int pinned = 0;

	for (__u32 tag = 1; tag <= 8; tag++) {
		assert_int_equal(charge(&line, &gauge, tag, LATE, 2), WEIR_FITS);
		pinned += pin(&line, &gauge, tag, LATE);
	}
	assert_int_equal(pinned, WEIR_PINS_MAX);
	for (__u32 tag = 100; tag < 104; tag++)
		assert_int_equal(charge(&line, &gauge, tag, LATE, 1), WEIR_FITS);
	for (__u32 tag = 1; tag <= WEIR_PINS_MAX; tag++)
		assert_int_equal(tat_of(&line, tag), LATE + 2 * TOKEN);
}

static void a_pinned_newcomer_owes_what_it_inherits(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line;

	for (int way = 0; way < WEIR_WAYS; way++)
		WEIR_WORD(&line, way) = word_of(LATE + BURST - way, 100 + way);
	assert_int_equal(charge(&line, &gauge, 7, LATE, 1), WEIR_FULL);
	assert_int_equal(pin(&line, &gauge, 7, LATE), 1);
	assert_int_equal(tat_of(&line, 7), LATE + BURST - 7);
	assert_int_equal(charge(&line, &gauge, 7, LATE, 1), WEIR_EMPTY);
	assert_int_equal(charge(&line, &gauge, 7, LATE + TOKEN, 1), WEIR_FITS);
}

static void a_line_of_pinned_words_has_no_place_for_newcomers(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(LATE), before;

	for (int way = 0; way < WEIR_WAYS; way++)
		WEIR_WORD(&line, way) |= WEIR_PINNED | (__u64)(100 + way);
	before = line;
	assert_int_equal(charge(&line, &gauge, 7, LATE, 1), WEIR_FULL);
	assert_int_equal(pin(&line, &gauge, 7, LATE), 0);
	assert_memory_equal(&line, &before, sizeof(line));
}

static struct weir_sweep sweep_at(__u64 now_units)
{
	struct weir_sweep sweep = { .floor = in_place(now_units - 20 * TOKEN),
				    .now = in_place(now_units),
				    .idle = in_place(5 * TOKEN),
				    .apart = in_place(2 * TOKEN) };

	return sweep;
}

/* I5. */
static void a_released_word_is_above_all_and_nobodys(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct weir_line line = fresh_line(LATE);
	struct weir_sweep sweep;

	assert_int_equal(charge(&line, &gauge, 7, LATE, 1), WEIR_FITS);
	assert_int_equal(pin(&line, &gauge, 7, LATE), 1);
	sweep = sweep_at(LATE + 6 * TOKEN);
	weir_line_sweep(&line, &gauge, base_at(LATE), &sweep);
	assert_true(way_of(&line, 7) >= 0);
	sweep = sweep_at(LATE + 6 * TOKEN + 1);
	weir_line_sweep(&line, &gauge, base_at(LATE), &sweep);
	assert_int_equal(way_of(&line, 7), -1);
	for (int way = 0; way < WEIR_WAYS; way++) {
		assert_int_equal(line.bucket[way].pinned, 0);
		if (line.bucket[way].tat ==
		    ((LATE + 6 * TOKEN + 1 + BURST + 2 * TOKEN) & ((1ull << WEIR_TAT_BITS) - 1)))
			return;
	}
	fail_msg("no word was lifted above the burst");
}

static void the_sweep_lowers_no_word_and_keeps_their_order(void **state)
{
	struct weir_gauge gauge = gauge_of(TOKEN, BURST);
	struct random random = { 15 };

	for (int round = 0; round < 100000; round++) {
		__u64 now = LATE + random_below(&random, 200 * TOKEN);
		struct weir_sweep sweep = sweep_at(now);
		struct weir_line line, before;

		for (int way = 0; way < WEIR_WAYS; way++)
			WEIR_WORD(&line, way) =
				word_of(now + BURST - random_below(&random, 60 * TOKEN), 1 + way);
		before = line;
		weir_line_sweep(&line, &gauge, base_at(now), &sweep);
		for (int i = 0; i < WEIR_WAYS; i++) {
			__u64 was = WEIR_WORD(&before, i), is = WEIR_WORD(&line, i);

			assert_true((__s64)(is - was) >= 0);
			assert_true((__s64)(is - sweep.floor) >= 0);
			assert_true(is == was || (is & ~WEIR_LOW_MASK) == sweep.floor);
			assert_int_equal(is & WEIR_LOW_MASK, was & WEIR_LOW_MASK);
			for (int k = 0; k < WEIR_WAYS; k++) {
				if ((__s64)(was - WEIR_WORD(&before, k)) > 0)
					assert_true((__s64)((is & ~WEIR_LOW_MASK) -
							    (WEIR_WORD(&line, k) &
							     ~WEIR_LOW_MASK)) >= 0);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_burst_and_no_more_passes_at_once),
		cmocka_unit_test(burst_is_capped_after_idle),
		cmocka_unit_test(a_packet_of_many_tokens_is_paid_whole),
		cmocka_unit_test(a_refused_packet_changes_nothing),
		cmocka_unit_test(time_that_runs_backwards_refills_nothing),
		cmocka_unit_test(eight_sources_are_each_held_exactly),
		cmocka_unit_test(a_newcomer_takes_the_smallest_word_and_what_it_owes),
		cmocka_unit_test(the_smallest_is_found_across_the_wrap),
		cmocka_unit_test(the_lowest_of_equal_words_is_taken),
		cmocka_unit_test(the_smallest_is_not_the_lowest_idle_one),
		cmocka_unit_test(a_pinned_word_is_never_taken_over),
		cmocka_unit_test(newcomers_keep_half_of_a_line),
		cmocka_unit_test(a_pinned_newcomer_owes_what_it_inherits),
		cmocka_unit_test(a_line_of_pinned_words_has_no_place_for_newcomers),
		cmocka_unit_test(a_released_word_is_above_all_and_nobodys),
		cmocka_unit_test(the_sweep_lowers_no_word_and_keeps_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
