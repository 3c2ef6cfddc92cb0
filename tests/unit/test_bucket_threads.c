// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * One line under two CPUs at once, as fast as they can: no round ends with one source in two words,
 * and none with a source that owes less than it took. What test_bucket_schedules.c walks through
 * step by step is left here to the machine: its caches, its interrupts, its own idea of order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <cmocka.h>

#include "lib/gauge.h"
#include "lib/random.h"

#define SOURCES	   4
#define STEPS	   6 /* of each thread in a round */
#define TOKEN	   1000
#define BURST	   (1000 * TOKEN)
#define NOW	   (1ull << 43)
#define SECONDS	   3
#define ROUNDS_MIN 20000

enum play { PLAY_PACKETS, PLAY_ALL, PLAY_CHANGE };

static struct {
	struct weir_line line;
	struct weir_gauge before, after;
	enum play play;
	_Atomic long begun, ended; /* rounds */
	_Atomic int over;
	__u32 took[2][SOURCES + 1]; /* by thread and tag */
} field;

static __u64 base(void)
{
	return in_place(NOW - (1ull << 40));
}

static void one_step(int thread, struct random *random)
{
	/* In a change one thread goes by the new numbers, the other by the old ones throughout. */
	const struct weir_gauge *gauge = field.play == PLAY_CHANGE && thread ? &field.after
									     : &field.before;
	__u64 kind = field.play == PLAY_PACKETS ? 2 : random_below(random, 12);
	__u32 tag = 1 + (__u32)random_below(random, SOURCES);
	struct weir_sweep sweep = { .floor = in_place(NOW - 3 * TOKEN),
				    .now = in_place(NOW),
				    .idle = in_place(3 * TOKEN),
				    .apart = in_place(TOKEN) };
	struct weir_look look;

	if (kind == 0)
		weir_line_sweep(&field.line, gauge, base(), &sweep);
	else if (kind == 1)
		weir_line_pin(&field.line, gauge, base(), tag, in_place(NOW));
	else if (weir_line_charge(&field.line, gauge, base(), tag, in_place(NOW), gauge->token,
				  &look) == WEIR_FITS)
		field.took[thread][tag]++;
}

static void on_cpu(int number)
{
	cpu_set_t allowed, one;
	int seen = 0;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &allowed) && seen++ == number)
			CPU_SET(cpu, &one);
	}
	if (CPU_COUNT(&one))
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

static void wait_for(_Atomic long *count, long wanted)
{
	for (int spins = 0; atomic_load(count) < wanted && !atomic_load(&field.over); spins++) {
		if (spins > 10000)
			sched_yield();
	}
}

static void *other_thread(void *unused)
{
	struct random random = { 77 };

	on_cpu(1);
	for (long round = 1;; round++) {
		wait_for(&field.begun, round);
		if (atomic_load(&field.over))
			return NULL;
		for (int i = 0; i < STEPS; i++)
			one_step(1, &random);
		atomic_store(&field.ended, round);
	}
}

static void fill(struct random *random)
{
	for (int way = 0; way < WEIR_WAYS; way++) {
		__u64 tat = NOW - random_below(random, 6) * TOKEN;
		__u64 pinned = random_below(random, 4) || field.play == PLAY_PACKETS ? 0
										     : WEIR_PINNED;

		WEIR_WORD(&field.line, way) = word_of(tat, 100 + way) | pinned;
	}
	for (int thread = 0; thread < 2; thread++) {
		for (__u32 tag = 0; tag <= SOURCES; tag++)
			field.took[thread][tag] = 0;
	}
}

static __u64 debt_of(__u32 tag, int *ret_words)
{
	__u64 smallest = ~0ull >> 1, own = 0;

	*ret_words = 0;
	for (int way = 0; way < WEIR_WAYS; way++) {
		__u64 word = WEIR_WORD(&field.line, way);
		__s64 debt = (__s64)((word & ~WEIR_LOW_MASK) - in_place(NOW));

		debt = debt < 0 ? 0 : debt;
		if ((word & WEIR_TAG_MASK) == tag) {
			++*ret_words;
			own = (__u64)debt;
		} else if (!(word & WEIR_PINNED) && (__u64)debt < smallest) {
			smallest = (__u64)debt;
		}
	}
	return *ret_words ? own : smallest;
}

static void check(long round)
{
	const struct weir_gauge *gauge = field.play == PLAY_CHANGE ? &field.after : &field.before;

	if (field.play == PLAY_CHANGE)
		weir_line_settle(&field.line, gauge, in_place(NOW));
	for (__u32 tag = 1; tag <= SOURCES; tag++) {
		int words;
		__u64 debt = debt_of(tag, &words);

		if (words > 1)
			fail_msg("round %ld: source %u has %d words", round, tag, words);
		if (debt < (field.took[0][tag] + field.took[1][tag]) * gauge->token)
			fail_msg("round %ld: source %u owes too little", round, tag);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void play(enum play play)
{
	double until = seconds() + SECONDS;
	struct random random = { 88 };
	pthread_t thread;
	long round = 0;

	field.play = play;
	field.before = gauge_of(TOKEN, BURST);
	field.after = gauge_of(TOKEN / 4, BURST);
	gauge_change(&field.before, &field.after, NOW);
	atomic_store(&field.begun, 0);
	atomic_store(&field.ended, 0);
	atomic_store(&field.over, 0);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
	on_cpu(0);
	while (round < ROUNDS_MIN || seconds() < until) {
		fill(&random);
		atomic_store(&field.begun, ++round);
		for (int i = 0; i < STEPS; i++)
			one_step(0, &random);
		wait_for(&field.ended, round);
		check(round);
	}
	atomic_store(&field.over, 1);
	pthread_join(thread, NULL);
	print_message("%ld rounds\n", round);
}

static void two_cpus_never_give_a_source_two_words(void **state)
{
	play(PLAY_PACKETS);
}

static void nor_with_pins_and_the_sweep(void **state)
{
	play(PLAY_ALL);
}

static void nor_with_one_of_them_still_on_the_old_numbers(void **state)
{
	play(PLAY_CHANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_cpus_never_give_a_source_two_words),
		cmocka_unit_test(nor_with_pins_and_the_sweep),
		cmocka_unit_test(nor_with_one_of_them_still_on_the_old_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
