// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * More sources than the table has places for, and those worth knowing by name: nobody gets through
 * for want of memory, and who keeps coming wins over who is seen once.
 */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "crowd.h"

#include "lib/parsed.h"
#include "lib/random.h"

#define POLITE	 0x0a000001
#define OFFENDER 0x0a000002
#define SPOOFED	 0x20000000 /* and what comes after it */

static size_t known(const char *limit, struct weir_source_view *ret_first)
{
	struct weir_source_view *sources = NULL;
	size_t count = 0, found = 0;

	assert_int_equal(weir_plane_sources(world.plane, &sources, &count), 0);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(sources[i].limit, limit) != 0)
			continue;
		if (!found++ && ret_first)
			*ret_first = sources[i];
	}
	free(sources);
	return found;
}

/* Case 1. */
static void a_full_table_lets_nobody_through_unlimited(void **state)
{
	uint64_t begin = world.now_ns;
	unsigned int passed[16] = { 0 };
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: tiny, node_rate: 10 packets/s, burst: 5 packets, buckets: 8}]");
	for (int i = 0; i < 2000; i++) {
		for (uint32_t source = 0; source < 16; source++)
			passed[source] += (unsigned int)crowd_send(&crowd, SPOOFED + source);
		world_pass_time(MS_NS);
	}
	for (int source = 0; source < 16; source++)
		assert_in_range(passed[source], 0, 5 + (world.now_ns - begin) / (100 * MS_NS));
}

/* Case 2. */
static void a_newcomer_in_a_full_table_passes_or_is_counted_for_it(void **state)
{
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: tiny, node_rate: 10 packets/s, burst: 5 packets, buckets: 8}]");
	for (uint32_t source = 0; source < 8; source++) {
		while (crowd_send(&crowd, SPOOFED + source))
			;
	}
	assert_reason(IP4(UDP), WEIR_TABLE_FULL);
	world_pass_time(300 * MS_NS);
	assert_reason(IP4(UDP), WEIR_CONFORMS);
	assert_int_equal(world_limit("tiny").counts.inherited, 1);
}

/* Case 3: one packet in 20,000, so that it is forgotten every time. */
static void an_offender_hidden_in_a_flood_is_held(void **state)
{
	uint64_t begin = world.now_ns, sent = 0, passed = 0;
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: small, node_rate: 1 packets/s, burst: 5 packets, buckets: 512}]");
	for (uint32_t i = 1; i <= 800000; i++) {
		world_pass_time(10000);
		if (i % 20000) {
			crowd_send(&crowd, SPOOFED + i);
			continue;
		}
		for (int k = 0; k < 20; k++, sent++)
			passed += (uint64_t)crowd_send(&crowd, OFFENDER);
	}
	assert_in_range(passed, 1, 5 + (world.now_ns - begin) / SECOND_NS);
	assert_int_equal(sent, 800);
}

/*
 * A table bears buckets / T new sources a second, here 1,024 / 0.1 s. At four times that, a source
 * that sends half of what it may gets nine tenths of it through.
 */
static void a_polite_source_that_keeps_coming_wins_over_a_flood(void **state)
{
	unsigned int sent = 0, passed = 0, flood_passed = 0;
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: small, node_rate: 10 packets/s, burst: 20 packets, buckets: 1Ki}]");
	for (uint32_t i = 1; i <= 2400000; i++) {
		world_pass_time(25000);
		flood_passed += (unsigned int)crowd_send(&crowd, SPOOFED + i * 7);
		if (i > 100000 && i % 8000 == 0) {
			sent++;
			passed += (unsigned int)crowd_send(&crowd, POLITE);
		}
	}
	print_message("polite: %u of %u, flood: %u of 2400000\n", passed, sent, flood_passed);
	assert_in_range(passed * 10, sent * 9, sent * 10);
	/* The flood is above capacity all the time: most of it is refused. */
	assert_in_range(flood_passed, 1, 1200000);
}

static void a_source_past_half_its_burst_is_known_by_name(void **state)
{
	struct weir_source_view view = { 0 };

	world_policy("limits: [{name: web, node_rate: 1 packets/s, burst: 8 packets}]");
	assert_int_equal(world_passed(IP4(UDP, .from = "192.0.2.9"), 4), 4);
	assert_int_equal(known("web", NULL), 0);
	assert_int_equal(world_passed(IP4(UDP, .from = "192.0.2.9"), 1), 1);
	assert_int_equal(known("web", &view), 1);
	assert_int_equal(view.prefix.family, 4);
	assert_int_equal(view.prefix.bits, 32);
	assert_int_equal(view.prefix.addr[3], 9);
	assert_int_equal(world_limit("web").counts.pinned, 1);
	/* Nothing was lost or won on the way. */
	assert_int_equal(world_passed(IP4(UDP, .from = "192.0.2.9"), 10), 3);
}

static void what_a_known_source_sends_is_estimated(void **state)
{
	struct weir_source_view view = { 0 };
	uint32_t family6;

	world_policy("limits: [{name: web, node_rate: 100 packets/s, burst: 9 packets}]");
	for (int i = 0; i < 20000; i++) {
		world_pass_time(MS_NS);
		world_passed(IP6(UDP, .from = "2001:db8:5:5::1"), 1);
	}
	assert_int_equal(known("web", &view), 1);
	family6 = view.prefix.family;
	assert_int_equal(family6, 6);
	assert_int_equal(view.prefix.bits, 64);
	assert_in_range(view.admitted.packets, 1500, 2500);
	assert_in_range(view.refused.packets, 15000, 21000);
	assert_in_range(view.refused.bytes / view.refused.packets, 62, 62);
}

/* G8: what an insertion costs is bounded, whatever comes. */
static void insertions_have_a_budget_and_what_is_beyond_it_is_counted(void **state)
{
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy("limits: [{name: web, node_rate: 1 packets/s, burst: 2 packets}]");
	for (uint32_t source = 0; source < 2000; source++) {
		for (int i = 0; i < 2; i++)
			assert_int_equal(crowd_send(&crowd, SPOOFED + source), 1);
		assert_int_equal(crowd_send(&crowd, SPOOFED + source), 0);
	}
	/* At one instant of time, and on as many CPUs as the test was moved to. */
	assert_in_range(known("web", NULL), 1, 8 * WEIR_BUDGET_INSERTS);
	assert_in_range(world_limit("web").counts.not_inserted, 1, 2000);
	world_pass_time(100 * MS_NS);
	assert_int_equal(crowd_send(&crowd, OFFENDER), 1);
	assert_int_equal(crowd_send(&crowd, OFFENDER), 1);
	assert_in_range(known("web", NULL), WEIR_BUDGET_INSERTS + 1, 8 * WEIR_BUDGET_INSERTS + 1);
}

static void a_known_source_is_not_pushed_out_by_a_flood(void **state)
{
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: small, node_rate: 1 packets/s, burst: 8 packets, buckets: 64}]");
	for (int i = 0; i < 6; i++)
		assert_int_equal(crowd_send(&crowd, POLITE), 1);
	for (uint32_t i = 0; i < 20000; i++)
		crowd_send(&crowd, SPOOFED + i);
	assert_int_equal(crowd_send(&crowd, POLITE), 1);
	assert_int_equal(crowd_send(&crowd, POLITE), 1);
	assert_int_equal(crowd_send(&crowd, POLITE), 0);
}

static void an_idle_source_lets_go_of_its_place(void **state)
{
	struct weir_prefix source = { .addr = { 10, 0, 0, 1 }, .family = 4, .bits = 32 };
	struct weir_key_view key;
	struct crowd crowd;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: web, node_rate: 1 packets/s, burst: 8 packets, buckets: 64}]");
	for (int i = 0; i < 6; i++)
		assert_int_equal(crowd_send(&crowd, POLITE), 1);
	assert_int_equal(weir_plane_key(world.plane, "web", &source, &key), 0);
	assert_true(key.present);
	assert_int_equal(key.bucket.pinned, 1);
	world_pass_time(15 * SECOND_NS);
	world_sweep(2);
	assert_int_equal(weir_plane_key(world.plane, "web", &source, &key), 0);
	assert_true(key.present);
	/* Ten seconds without a debt. */
	world_pass_time(2 * SECOND_NS);
	world_sweep(2);
	assert_int_equal(weir_plane_key(world.plane, "web", &source, &key), 0);
	assert_false(key.present);
	assert_int_equal(world_passed(IP4(UDP, .from = "10.0.0.1"), 20), 8);
}

/* Of the several limits that a packet meets, it is known under those it presses on. */
static void a_source_is_known_under_each_limit_by_itself(void **state)
{
	struct weir_source_view view = { 0 };

	world_policy(
		"limits:\n"
		"- {name: wide, source: {ipv4: 24}, node_rate: 1 packets/s, burst: 8 packets}\n"
		"- {name: far, node_rate: 1000 packets/s, burst: 70 packets}\n");
	for (int i = 0; i < 6; i++)
		assert_reason(IP4(UDP, .from = "192.0.2.9"), WEIR_CONFORMS);
	assert_int_equal(known("far", NULL), 0);
	assert_int_equal(known("wide", &view), 1);
	assert_int_equal(view.prefix.bits, 24);
	assert_int_equal(view.prefix.addr[3], 0);
}

/* As many as there are places; the next one is held to its limit all the same. */
static void without_a_place_a_source_stays_on_its_bucket(void **state)
{
	struct crowd crowd;
	uint32_t source = 0;

	crowd_begin(&crowd, 0);
	world_policy(
		"limits: [{name: web, node_rate: 1 packets/h, burst: 2 packets, buckets: 1Mi}]");
	while (source < WEIR_SOURCES_MAX + 4000) {
		for (int i = 0; i < WEIR_BUDGET_INSERTS; i++, source++) {
			crowd_send(&crowd, SPOOFED + source);
			crowd_send(&crowd, SPOOFED + source);
		}
		world_pass_time(1ull << WEIR_BUDGET_SHIFT);
	}
	assert_in_range(known("web", NULL), WEIR_SOURCES_MAX - 4000, WEIR_SOURCES_MAX);
	assert_in_range(world_limit("web").counts.not_inserted, 3000, source);
	for (uint32_t i = 0; i < 100; i++) {
		int passed = 0;

		for (int k = 0; k < 5; k++)
			passed += crowd_send(&crowd, SPOOFED + (source - 1 - i));
		assert_int_equal(passed, 0);
	}
}

/* Removal takes two steps, a second of real time apart. */
static void expire_until_gone(void)
{
	size_t used = 1, size = 0;

	for (int i = 0; i < 200 && used; i++) {
		assert_int_equal(weir_plane_expire_sources(world.plane), 0);
		assert_int_equal(weir_plane_sources_used(world.plane, &used, &size), 0);
		usleep(20000);
	}
	assert_int_equal(used, 0);
}

static void a_source_that_went_away_is_forgotten_by_name(void **state)
{
	world_policy(
		"limits: [{name: web, node_rate: 1 packets/s, burst: 8 packets, buckets: 64}]");
	assert_int_equal(world_passed(IP4(UDP), 20), 8);
	assert_int_equal(known("web", NULL), 1);
	/* It may have its word for as long as that is pinned. */
	assert_int_equal(weir_plane_expire_sources(world.plane), 0);
	assert_int_equal(known("web", NULL), 1);
	world_pass_time(30 * SECOND_NS);
	world_sweep(2);
	expire_until_gone();
	assert_int_equal(known("web", NULL), 0);
	assert_int_equal(world_passed(IP4(UDP), 20), 8);
	assert_int_equal(known("web", NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_full_table_lets_nobody_through_unlimited, world_clear),
		cmocka_unit_test_setup(a_newcomer_in_a_full_table_passes_or_is_counted_for_it,
				       world_clear),
		cmocka_unit_test_setup(an_offender_hidden_in_a_flood_is_held, world_clear),
		cmocka_unit_test_setup(a_polite_source_that_keeps_coming_wins_over_a_flood,
				       world_clear),
		cmocka_unit_test_setup(a_source_past_half_its_burst_is_known_by_name, world_clear),
		cmocka_unit_test_setup(what_a_known_source_sends_is_estimated, world_clear),
		cmocka_unit_test_setup(insertions_have_a_budget_and_what_is_beyond_it_is_counted,
				       world_clear),
		cmocka_unit_test_setup(a_known_source_is_not_pushed_out_by_a_flood, world_clear),
		cmocka_unit_test_setup(a_source_is_known_under_each_limit_by_itself, world_clear),
		cmocka_unit_test_setup(without_a_place_a_source_stays_on_its_bucket, world_clear),
		cmocka_unit_test_setup(a_source_that_went_away_is_forgotten_by_name, world_clear),
		cmocka_unit_test_setup(an_idle_source_lets_go_of_its_place, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
