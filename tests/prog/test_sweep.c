// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The sweep, a step at a time: words stay within reach of now, however long nobody asks for them, and
 * the pace that is set is one that keeps up with every limit's wrap.
 */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "crowd.h"

#include "lib/bound.h"
#include "lib/parsed.h"
#include "lib/random.h"

#define DAY_S	  86400
#define YEAR_DAYS 365

/* A sixteenth of the wrap of the fastest of these limits is 137 s. */
#define PASS_NS (120 * SECOND_NS)

static void after_a_year_every_burst_is_as_on_the_first_day(void **state)
{
	world_policy("limits:\n"
		     "- {name: slow, node_rate: 1 packets/h, burst: 5 packets, buckets: 8, "
		     "match: {proto: udp}}\n"
		     "- {name: web, node_rate: 1000 packets/s, burst: 60 packets, buckets: 8, "
		     "match: {proto: tcp}}\n"
		     "- {name: fast, node_rate: 1000000 packets/s, burst: 60 packets, buckets: 8, "
		     "match: {proto: 250}}\n");
	for (int day = 0; day < YEAR_DAYS; day++) {
		for (uint64_t ns = 0; ns < DAY_S * SECOND_NS; ns += PASS_NS) {
			world_pass_time(PASS_NS);
			for (int i = 0; i < 4; i++)
				assert_int_equal(weir_plane_sweep_step(world.plane), 0);
		}
		/* Now and then, so that some words are idle for long and some for short. */
		if (day % 30 > 2)
			continue;
		assert_int_equal(world_passed(IP4(UDP), 9), 5);
		assert_int_equal(world_passed(IP4(TCP), 99), 60);
		assert_int_equal(world_passed(IP4(.proto = 250, .body = 8), 99), 60);
		assert_int_equal(world_passed(IP4(TCP, .from = "10.0.0.1"), 99), 60);
	}
}

/* A table full of sources that all went away is one that newcomers find empty, and it stays so. */
static void sources_that_went_away_leave_no_debt_behind(void **state)
{
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: fast, node_rate: 1000000 packets/s, burst: 60 packets, buckets: 1Ki}]");
	for (int round = 0; round < 60; round++) {
		for (uint32_t source = 0; source < 3000; source++)
			crowd_send(&crowd, 0x0a000000 + source);
		world_pass_time(PASS_NS);
		world_sweep(1);
		for (uint32_t source = 0; source < 64; source++)
			assert_int_equal(crowd_send(&crowd, 0x0b000000 + source * 11), 1);
	}
}

/* Between two passes and in the midst of one, an oracle finds nobody above his bound. */
static void a_sweep_in_steps_gives_nobody_a_token(void **state)
{
	static struct bound bounds[4096];
	const struct bound_rate rate = { 20, SECOND_NS, 8 };
	struct random random = { 41 };
	struct crowd crowd;
	int refused = 0;

	crowd_begin(&crowd, 0);
	memset(bounds, 0, sizeof(bounds));
	world_policy(
		"limits: [{name: l, node_rate: 20 packets/s, burst: 8 packets, buckets: 2Ki}]");
	for (int i = 0; i < 300000; i++) {
		uint32_t source = (uint32_t)random_skewed(&random, 12);

		world_pass_time(random_below(&random, 40000));
		if (!random_below(&random, 50))
			assert_int_equal(weir_plane_sweep_step(world.plane), 0);
		/* Long enough for pins to be let go. */
		if (!random_below(&random, 20000))
			world_pass_time(14 * SECOND_NS);
		if (!crowd_send(&crowd, 0x0a000000 + source))
			refused++;
		else if (!bound_admit(&bounds[source], &rate, world.now_ns, 1))
			fail_msg("source %u is above its bound at packet %d", source, i);
	}
	assert_in_range(refused, 1000, 290000);
	assert_in_range(world_limit("l").counts.pinned, 10, 300000);
}

/* The clock that dated a change, or another CPU's, may be ahead of the sweep's. */
static void a_sweep_by_a_clock_that_is_behind_refills_nobody(void **state)
{
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: l, node_rate: 10 packets/s, burst: 20 packets, buckets: 64}]");
	for (int i = 0; i < 30; i++)
		crowd_send(&crowd, 0x0a000001);
	world_policy(
		"limits: [{name: l, node_rate: 12 packets/s, burst: 20 packets, buckets: 64}]");
	for (int round = 0; round < 3; round++) {
		world_set_time(world.now_ns - MS_NS);
		world_sweep(1);
		world_set_time(world.now_ns + MS_NS);
		assert_int_equal(crowd_send(&crowd, 0x0a000001), 0);
		assert_int_equal(crowd_send(&crowd, 0x0b000001 + round), 1);
		world_sweep(1);
	}
}

/* The units of time that wrap soonest; see weir_compile_gauge(). */
static void the_pace_keeps_up_with_a_fast_wrap(void **state)
{
	const uint64_t wrap_ns = 1ull << (44 - 10);
	struct weir_limit_view *limits = NULL;
	size_t count = 0, steps = 0;

	world_policy("limits:\n"
		     "- {name: fast, node_rate: 100 Gbit/s, burst: 1 MB, buckets: 256Ki}\n"
		     "- {name: slow, node_rate: 1 packets/s, burst: 5 packets, buckets: 1Mi}\n");
	assert_int_equal(weir_plane_limits(world.plane, &limits, &count), 0);
	for (size_t i = 0; i < count; i++)
		steps += limits[i].name.buckets / WEIR_WAYS / WEIR_SWEEP_LINES + 1;
	free(limits);
	assert_in_range(steps * weir_plane_ctl(world.plane)->sweep_period_us * 1000, 1,
			wrap_ns / 8);
}

/* A machine that was stopped: the clock has gone on by any part of the wrap, and no sweep has. */
static void one_pass_makes_up_for_time_without_any(void **state)
{
	const uint64_t wrap_ns = 1ull << (44 - 10);

	world_policy("limits: [{name: fast, node_rate: 100 Gbit/s, burst: 1 MB, buckets: 1Ki}]");
	for (uint64_t eighths = 1; eighths <= 20; eighths++) {
		assert_int_equal(world_passed(IP4(UDP), 1), 1);
		world_pass_time(eighths * wrap_ns / 8 + 12345);
		world_sweep(2);
		assert_int_equal(world_passed(IP4(UDP), 1), 1);
		assert_int_equal(world_passed(IP4(UDP, .from = "10.0.0.1"), 1), 1);
	}
}

/* Reloads in a row, each sooner than a pass takes; now and then with another limit before the others. */
static void reloads_do_not_keep_the_sweep_from_its_end(void **state)
{
	static const char *const first[] = {
		"",
		"- {name: new, match: {proto: 252}, node_rate: 7 packets/s, burst: 5 packets}\n",
		"- {name: new, match: {proto: 252}, node_rate: 8 packets/s, burst: 5 packets}\n",
	};
	const uint64_t wrap_ns = 1ull << (44 - 10), apart_ns = 500 * MS_NS;
	char from[32];

	for (int i = 0; i < 4 * (int)(wrap_ns / apart_ns); i++) {
		world_policy("limits:\n%s"
			     "- {name: fast, match: {proto: udp}, node_rate: 100 Gbit/s, "
			     "burst: 1 MB, buckets: 64Ki}\n"
			     "- {name: last, match: {proto: tcp}, node_rate: 100 Gbit/s, "
			     "burst: 1 MB, buckets: 64Ki}\n",
			     first[i / 3 % 3]);
		snprintf(from, sizeof(from), "10.0.%d.%d", i % 5, i % 97);
		assert_int_equal(world_passed(IP4(UDP, .from = from), 1), 1);
		assert_int_equal(world_passed(IP4(TCP, .from = from), 1), 1);
		/* A third of a pass. */
		for (int step = 0; step < 2 * 128 / 3; step++)
			assert_int_equal(weir_plane_sweep_step(world.plane), 0);
		world_pass_time(apart_ns);
	}
}

static void tables_that_no_sweep_could_keep_are_refused(void **state)
{
	char text[16384], *at = text + sprintf(text, "limits:\n");

	world_policy("limits: [{name: old, node_rate: 1 packets/h, burst: 2 packets}]");
	for (int i = 0; i < 40; i++)
		at += sprintf(
			at, "- {name: l%d, node_rate: 100 Gbit/s, burst: 1 MB, buckets: 1Mi}\n", i);
	assert_int_not_equal(world_try_policy(text), 0);
	assert_int_equal(world_passed(IP4(UDP), 5), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(after_a_year_every_burst_is_as_on_the_first_day,
				       world_clear),
		cmocka_unit_test_setup(sources_that_went_away_leave_no_debt_behind, world_clear),
		cmocka_unit_test_setup(a_sweep_in_steps_gives_nobody_a_token, world_clear),
		cmocka_unit_test_setup(a_sweep_by_a_clock_that_is_behind_refills_nobody,
				       world_clear),
		cmocka_unit_test_setup(the_pace_keeps_up_with_a_fast_wrap, world_clear),
		cmocka_unit_test_setup(one_pass_makes_up_for_time_without_any, world_clear),
		cmocka_unit_test_setup(reloads_do_not_keep_the_sweep_from_its_end, world_clear),
		cmocka_unit_test_setup(tables_that_no_sweep_could_keep_are_refused, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
