// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The real program beside an oracle that remembers every source exactly: over every interval no
 * source is admitted above burst + rate * time, whatever the streams, whatever policies come and go.
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
#include "lib/random.h"

#define SOURCE_BITS  18
#define SOURCES	     (1u << SOURCE_BITS)
#define PACKETS	     250000
#define CHANGE_EVERY 20000
#define FIRST	     0x0a000000

/* Over intervals that began under the numbers in force, and under those before them. */
static struct bound since[SOURCES], over[SOURCES];
static struct bound_rate rate, larger;
static struct crowd crowd;
static struct random the_random;
static size_t frame_bytes;

enum stream { ZIPF, FLOOD, FEW };

static void put_in_force(uint64_t tokens, uint64_t burst, const char *unit)
{
	world_policy("limits: [{name: l, node_rate: %lu %s/s, burst: %lu %s, buckets: 512}]",
		     (unsigned long)tokens, unit, (unsigned long)burst, unit);
	memcpy(over, since, sizeof(over));
	memset(since, 0, sizeof(since));
	larger.tokens = rate.tokens > tokens ? rate.tokens : tokens;
	larger.burst = rate.burst > burst ? rate.burst : burst;
	rate = (struct bound_rate){ tokens, SECOND_NS, burst };
	larger.per_ns = SECOND_NS;
}

static void begin(uint64_t seed, uint64_t tokens, uint64_t burst, const char *unit)
{
	the_random.state = seed;
	memset(&rate, 0, sizeof(rate));
	memset(since, 0, sizeof(since));
	put_in_force(tokens, burst, unit);
	frame_bytes = strcmp(unit, "B") == 0 ? 1500 : 0;
	crowd_begin(&crowd, frame_bytes);
}

static uint32_t next_source(enum stream stream)
{
	switch (stream) {
	case ZIPF:
		return (uint32_t)random_skewed(&the_random, SOURCE_BITS);
	case FLOOD:
		return (uint32_t)random_below(&the_random,
					      random_below(&the_random, 4) ? SOURCES : 32);
	default:
		return (uint32_t)random_below(&the_random, 64);
	}
}

static void change_at_random(void)
{
	uint64_t tokens =
		1 + (rate.tokens << random_below(&the_random, 4) >> random_below(&the_random, 4));

	put_in_force(tokens, 1 + random_below(&the_random, tokens), "packets");
}

static void run(enum stream stream, uint64_t mean_gap_ns, bool changes)
{
	uint64_t tokens = frame_bytes ? frame_bytes : 1, admitted = 0;
	struct world_table table = world_table("l");

	for (int i = 1; i <= PACKETS; i++) {
		uint32_t source = next_source(stream);

		world_pass_time(random_below(&the_random, 2 * mean_gap_ns + 1));
		if (changes && !(i % CHANGE_EVERY))
			change_at_random();
		if (!(i % 1000))
			assert_int_equal(weir_plane_sweep_step(world.plane), 0);
		if (!crowd_send(&crowd, FIRST + source))
			continue;
		admitted++;
		if (!bound_admit(&since[source], &rate, world.now_ns, tokens) ||
		    !bound_admit(&over[source], &larger, world.now_ns, tokens))
			fail_msg("source %u is above its bound at packet %d", source, i);
	}
	for (uint32_t i = 0; i < table.count; i++)
		assert_int_equal(world_twice(&table.lines[i]), 0);
	assert_in_range(admitted, PACKETS / 500, PACKETS - PACKETS / 500);
}

static void zipf(void **state)
{
	begin(1, 100, 20, "packets");
	run(ZIPF, 2000, false);
}

static void zipf_in_bytes(void **state)
{
	begin(2, 100000, 20000, "B");
	run(ZIPF, 2000, false);
}

static void a_flood(void **state)
{
	begin(3, 1000, 100, "packets");
	run(FLOOD, 1000, false);
	assert_in_range(world_limit("l").counts.inherited, PACKETS / 100, PACKETS);
}

static void a_flood_by_the_coarse_clock(void **state)
{
	begin(4, 200, 1000, "packets");
	assert_true(world_limit("l").coarse);
	run(FLOOD, 100, false);
}

static void a_few_at_a_high_rate(void **state)
{
	begin(5, 1000000, 500, "packets");
	run(FEW, 10, false);
}

static void policies_that_change_under_zipf(void **state)
{
	begin(6, 1000, 100, "packets");
	run(ZIPF, 500, true);
}

static void policies_that_change_under_a_flood(void **state)
{
	begin(7, 300, 100, "packets");
	run(FLOOD, 1000, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(zipf, world_clear),
		cmocka_unit_test_setup(zipf_in_bytes, world_clear),
		cmocka_unit_test_setup(a_flood, world_clear),
		cmocka_unit_test_setup(a_flood_by_the_coarse_clock, world_clear),
		cmocka_unit_test_setup(a_few_at_a_high_rate, world_clear),
		cmocka_unit_test_setup(policies_that_change_under_zipf, world_clear),
		cmocka_unit_test_setup(policies_that_change_under_a_flood, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
