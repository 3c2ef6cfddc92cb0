// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who is near a limit and who is at it, from counts and a clock that the test sets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/observer.h"

#define SECOND 1000000000ULL
#define START  (10000 * SECOND)

static const uint64_t seed[2] = { 0x1234567, 0x89abcdef };

struct world {
	struct weir_observer *observer;
	uint64_t now;
	struct weir_source_view sources[64];
	size_t n;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->observer = weir_observer_new(seed);
	assert_non_null(world->observer);
	world->now = START;
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	weir_observer_free(world->observer);
	free(world);
	return 0;
}

/* A source of `web`, 100 packets a second, known since now. */
static struct weir_source_view *appear(struct world *world, unsigned int number)
{
	struct weir_source_view *source = &world->sources[world->n++];

	*source = (struct weir_source_view){
		.limit = "web",
		.slot = 5,
		.prefix = { .family = 4, .bits = 32, .addr = { 10, 0, 0, (uint8_t)number } },
		.first_seen_ns = world->now,
		.last_seen_ns = world->now,
		.rate_per_s = 100,
	};
	return source;
}

static const struct weir_observation *feed(struct world *world)
{
	assert_int_equal(weir_observer_feed(world->observer, world->now, world->sources, world->n),
			 0);
	return weir_observer_result(world->observer);
}

static const struct weir_observation *pass(struct world *world, unsigned int seconds,
					   struct weir_source_view *source, unsigned int admitted,
					   unsigned int refused)
{
	const struct weir_observation *result = weir_observer_result(world->observer);

	while (seconds-- > 0) {
		world->now += SECOND;
		source->admitted.packets += admitted;
		source->admitted.bytes += 100ULL * admitted;
		source->refused.packets += refused;
		source->refused.bytes += 100ULL * refused;
		source->last_seen_ns = world->now;
		result = feed(world);
	}
	return result;
}

static void headroom_is_what_is_left_of_the_rate_over_ten_seconds(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	result = pass(world, 1, source, 50, 0);
	assert_int_equal(result->n_nearest, 1);
	assert_string_equal(result->nearest[0].limit, "web");
	assert_float_equal(result->nearest[0].value, 0.95, 1e-5);
	result = pass(world, 9, source, 50, 0);
	assert_float_equal(result->nearest[0].value, 0.5, 1e-5);
	/* The window moves on: the same for as long as the rate is the same. */
	result = pass(world, 25, source, 50, 0);
	assert_float_equal(result->nearest[0].value, 0.5, 1e-5);
	result = pass(world, 5, source, 0, 0);
	assert_float_equal(result->nearest[0].value, 0.75, 1e-5);
	result = pass(world, 5, source, 0, 0);
	assert_int_equal(result->n_nearest, 0);
}

static void what_is_refused_is_offered_too_and_headroom_ends_at_zero(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	result = pass(world, 10, source, 100, 900);
	assert_float_equal(result->nearest[0].value, 0, 1e-6);
	assert_false(signbit(result->nearest[0].value));
}

static void a_byte_limit_counts_bytes(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);

	source->bytes = true;
	source->rate_per_s = 10000;
	feed(world);
	/* 50 packets of 100 bytes a second. */
	assert_float_equal(pass(world, 10, source, 50, 0)->nearest[0].value, 0.5, 1e-5);
}

static void a_late_loop_divides_by_the_time_that_passed(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	pass(world, 10, source, 50, 0);
	world->now += 10 * SECOND;
	source->admitted.packets += 500;
	result = feed(world);
	assert_float_equal(result->nearest[0].value, 0.5, 0.01);
}

static void what_was_sent_before_the_agent_started_is_not_counted(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	source->first_seen_ns = world->now - 3600 * SECOND;
	source->admitted.packets = 1000000;
	source->refused.packets = 1000000;
	result = feed(world);
	assert_int_equal(result->n_nearest, 0);
	assert_int_equal(result->at_limit[5], 0);
	assert_float_equal(pass(world, 1, source, 50, 0)->nearest[0].value, 0.95, 1e-5);
}

static void the_ten_nearest_come_in_order_and_no_more(void **state)
{
	struct world *world = *state;
	const struct weir_observation *result;
	unsigned int i;

	for (i = 0; i < 30; i++)
		appear(world, i);
	feed(world);
	world->now += SECOND;
	for (i = 0; i < 30; i++)
		world->sources[i].admitted.packets = (i * 7 % 30) * 10;
	result = feed(world);
	assert_int_equal(result->n_nearest, WEIR_OBSERVED_MAX);
	for (i = 0; i < WEIR_OBSERVED_MAX; i++)
		assert_float_equal(result->nearest[i].value, 1 - 0.01 * (29 - i), 1e-5);
}

static void the_furthest_over_come_first(void **state)
{
	struct world *world = *state;
	const struct weir_observation *result;
	unsigned int i;

	for (i = 0; i < 20; i++)
		appear(world, i);
	feed(world);
	world->now += SECOND;
	for (i = 0; i < 20; i++)
		world->sources[i].refused.packets = 2000 + 100 * i;
	result = feed(world);
	assert_int_equal(result->nearest[0].prefix.addr[3], 19);
	assert_int_equal(result->nearest[9].prefix.addr[3], 10);
}

static void time_at_the_limit_grows_and_is_kept_for_a_minute(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	result = pass(world, 20, source, 100, 50);
	assert_int_equal(result->at_limit[5], 1);
	assert_int_equal(result->n_longest, 1);
	assert_float_equal(result->longest[0].value, 20, 1e-5);
	/* Refusals are sampled: ten quiet seconds may be chance. */
	result = pass(world, 10, source, 100, 0);
	assert_int_equal(result->at_limit[5], 1);
	result = pass(world, 1, source, 100, 0);
	assert_int_equal(result->at_limit[5], 0);
	result = pass(world, 49, source, 100, 0);
	assert_int_equal(result->n_longest, 1);
	assert_float_equal(result->longest[0].value, 20, 1e-5);
	assert_int_equal(pass(world, 1, source, 100, 0)->n_longest, 0);
}

static void refusals_with_gaps_are_one_spell(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	int i;

	feed(world);
	for (i = 0; i < 4; i++) {
		pass(world, 1, source, 0, 64);
		pass(world, 9, source, 0, 0);
	}
	assert_float_equal(weir_observer_result(world->observer)->longest[0].value, 31, 1e-5);
}

static void a_new_spell_starts_from_zero(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);

	feed(world);
	pass(world, 20, source, 0, 50);
	pass(world, 15, source, 0, 0);
	assert_float_equal(pass(world, 1, source, 0, 50)->longest[0].value, 1, 1e-5);
}

static void a_source_that_left_is_told_until_the_minute_is_over(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	pass(world, 20, source, 0, 50);
	world->n = 0;
	world->now += 60 * SECOND;
	result = feed(world);
	assert_int_equal(result->at_limit[5], 0);
	assert_int_equal(result->n_longest, 1);
	assert_float_equal(result->longest[0].value, 20, 1e-5);
	assert_int_equal(result->longest[0].prefix.addr[3], 1);
	world->now += SECOND;
	assert_int_equal(feed(world)->n_longest, 0);
}

static void a_source_that_comes_back_is_told_once(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	pass(world, 20, source, 0, 50);
	world->n = 0;
	world->now += 5 * SECOND;
	feed(world);
	source = appear(world, 1);
	result = pass(world, 1, source, 0, 50);
	assert_int_equal(result->n_longest, 1);
	assert_float_equal(result->longest[0].value, 26, 1e-5);
	assert_int_equal(result->at_limit[5], 1);
}

static void counts_that_go_back_start_anew_and_are_told_once(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	pass(world, 20, source, 50, 50);
	source->admitted = source->refused = (struct weir_count){ 0 };
	source->first_seen_ns = world->now;
	result = pass(world, 1, source, 10, 10);
	assert_int_equal(result->n_nearest, 1);
	assert_float_equal(result->nearest[0].value, 0.98, 1e-5);
	assert_int_equal(result->n_longest, 1);
	assert_float_equal(result->longest[0].value, 21, 1e-5);
}

static void a_slot_given_to_another_limit_starts_anew(void **state)
{
	struct world *world = *state;
	struct weir_source_view *source = appear(world, 1);
	const struct weir_observation *result;

	feed(world);
	pass(world, 20, source, 50, 0);
	strcpy(source->limit, "dns");
	source->first_seen_ns = world->now;
	source->admitted.packets = 0;
	result = pass(world, 1, source, 2000, 0);
	assert_string_equal(result->nearest[0].limit, "dns");
	assert_float_equal(result->nearest[0].value, 0, 1e-6);
}

static void one_address_in_two_limits_is_two_sources(void **state)
{
	struct world *world = *state;
	struct weir_source_view *first = appear(world, 1), *second = appear(world, 1);
	const struct weir_observation *result;

	second->slot = 6;
	strcpy(second->limit, "dns");
	feed(world);
	second->refused.packets += 10;
	result = pass(world, 1, first, 10, 10);
	assert_int_equal(result->n_nearest, 2);
	assert_int_equal(result->at_limit[5], 1);
	assert_int_equal(result->at_limit[6], 1);
}

static void a_source_given_twice_counts_once(void **state)
{
	struct world *world = *state;

	appear(world, 1)->refused.packets = 10;
	appear(world, 1)->refused.packets = 10;
	assert_int_equal(feed(world)->at_limit[5], 1);
	assert_int_equal(weir_observer_result(world->observer)->n_nearest, 1);
}

/* IPv6 sources that differ in a few bits anywhere; each must keep its own history. */
static void a_full_table_of_sources_keeps_them_apart(void **state)
{
	struct world *world = *state;
	size_t n = WEIR_SOURCES_MAX + 100, i;
	struct weir_source_view *all = calloc(n, sizeof(*all));
	const struct weir_observation *result;

	assert_non_null(all);
	for (i = 0; i < n; i++) {
		all[i] = (struct weir_source_view){ .limit = "web", .slot = 5, .rate_per_s = 100 };
		all[i].first_seen_ns = world->now;
		all[i].prefix = (struct weir_prefix){ .family = 6, .bits = 128 };
		memcpy(all[i].prefix.addr + i % 12, &i, sizeof(uint32_t));
		all[i].prefix.addr[15] = (uint8_t)(i % 12);
		all[i].admitted.packets = i;
	}
	assert_int_equal(weir_observer_feed(world->observer, world->now, all, n), 0);
	world->now += SECOND;
	all[777].refused.packets = 1;
	all[778].admitted.packets--;
	assert_int_equal(weir_observer_feed(world->observer, world->now, all, n), 0);
	result = weir_observer_result(world->observer);
	assert_int_equal(result->at_limit[5], 1);
	assert_memory_equal(&result->longest[0].prefix, &all[777].prefix, sizeof(all[0].prefix));
	assert_int_equal(result->n_nearest, WEIR_OBSERVED_MAX);
	free(all);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(headroom_is_what_is_left_of_the_rate_over_ten_seconds),
		TEST(what_is_refused_is_offered_too_and_headroom_ends_at_zero),
		TEST(a_byte_limit_counts_bytes),
		TEST(a_late_loop_divides_by_the_time_that_passed),
		TEST(what_was_sent_before_the_agent_started_is_not_counted),
		TEST(the_ten_nearest_come_in_order_and_no_more),
		TEST(the_furthest_over_come_first),
		TEST(time_at_the_limit_grows_and_is_kept_for_a_minute),
		TEST(refusals_with_gaps_are_one_spell),
		TEST(a_new_spell_starts_from_zero),
		TEST(a_source_that_left_is_told_until_the_minute_is_over),
		TEST(a_source_that_comes_back_is_told_once),
		TEST(counts_that_go_back_start_anew_and_are_told_once),
		TEST(a_slot_given_to_another_limit_starts_anew),
		TEST(one_address_in_two_limits_is_two_sources),
		TEST(a_source_given_twice_counts_once),
		TEST(a_full_table_of_sources_keeps_them_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
