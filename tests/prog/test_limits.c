// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What limits let through: burst and rate, several at once, one bucket for all, observing. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/parsed.h"

/* Idles, with the sweep coming by every second as its timer would. */
static void idle(uint64_t seconds)
{
	while (seconds--) {
		world_pass_time(SECOND_NS);
		world_sweep(1);
	}
}

/* Cases 5 and 15: at 10 Gbit/s, ten minutes of it. */
static void after_any_idle_time_there_is_the_burst_and_no_more(void **state)
{
	static const uint64_t idle_s[] = { 0, 8, 17, 18, 60, 600, 3600, 20000 };

	world_policy("limits:\n"
		     "- {name: few, node_rate: 1 packets/s, burst: 7 packets, buckets: 8, "
		     "match: {proto: udp}}\n"
		     "- {name: fast, node_rate: 10 Gbit/s, burst: 150 KB, buckets: 8, "
		     "match: {proto: tcp}}\n");
	for (size_t i = 0; i < sizeof(idle_s) / sizeof(idle_s[0]); i++) {
		idle(idle_s[i]);
		assert_int_equal(world_passed(IP4(UDP), 20), 7);
		assert_int_equal(world_passed(IP4(TCP, .body = 1446), 200), 100);
	}
}

/* Case 21. The unit of time of such a rate is a thousandth of a nanosecond: 0.1 % are lost to it. */
static void a_byte_rate_of_ten_gigabits_is_held_to_a_thousandth(void **state)
{
	unsigned int passed = 0;

	world_policy("limits: [{name: fast, node_rate: 10 Gbit/s, burst: 150 KB}]");
	assert_int_equal(world_passed(IP4(TCP, .body = 1446), 200), 100);
	/* 1,500 bytes every 1.2 us. */
	for (int i = 0; i < 10000; i++) {
		world_pass_time(1199);
		passed += world_passed(IP4(TCP, .body = 1446), 2);
	}
	assert_in_range(passed, 10000ull * 1199 / 1200 * 998 / 1000, 10000ull * 1199 / 1200);
}

/* Case 6. */
static void the_edge_of_a_second_is_no_seam(void **state)
{
	uint64_t second = (world.now_ns / SECOND_NS + 2) * SECOND_NS;

	world_policy("limits: [{name: few, node_rate: 100 packets/s, burst: 9 packets}]");
	world_set_time(second - 1);
	assert_int_equal(world_passed(IP4(UDP), 50), 9);
	world_set_time(second);
	assert_int_equal(world_passed(IP4(UDP), 50), 0);
	world_set_time(second + 11 * MS_NS);
	assert_int_equal(world_passed(IP4(UDP), 50), 1);
	world_set_time(second + 1000 * MS_NS);
	assert_int_equal(world_passed(IP4(UDP), 50), 9);
}

/* By the coarse clock two ticks of the rate are held back, and nothing but them. */
static void a_coarse_limit_holds_back_two_ticks_of_its_burst(void **state)
{
	world_policy("limits: [{name: web, node_rate: 1000 packets/s, burst: 1000 packets}]");
	assert_true(world_limit("web").coarse);
	assert_in_range(world_burst("web"), 900, 999);
	assert_int_equal(world_passed(IP4(UDP), 1200), world_burst("web"));
	world_pass_time(MS_NS);
	assert_int_equal(world_passed(IP4(UDP), 20), 1);
	world_pass_time(100 * SECOND_NS);
	assert_int_equal(world_passed(IP4(UDP), 1200), world_burst("web"));
}

/* Case 4. */
static void a_clock_that_runs_backwards_refills_nothing(void **state)
{
	uint64_t begin = world.now_ns, passed = 0;

	world_policy("limits: [{name: few, node_rate: 1000 packets/s, burst: 10 packets}]");
	for (int i = 0; i < 20000; i++) {
		world_set_time(begin + i * 50000ull - (i % 3) * 40000ull);
		passed += world_passed(IP4(UDP), 1);
	}
	assert_in_range(passed, 990, 1010);
}

static void one_bucket_serves_everyone(void **state)
{
	unsigned int passed = 0;
	char from[32];

	world_policy(
		"limits: [{name: all, source: all, node_rate: 1 packets/h, burst: 9 packets}]");
	for (int i = 1; i < 100; i++) {
		snprintf(from, sizeof(from), "10.0.%d.1", i);
		passed += world_passed(IP4(UDP, .from = from), 1);
		snprintf(from, sizeof(from), "2001:db8:%x::1", i);
		passed += world_passed(IP6(UDP, .from = from), 1);
	}
	assert_int_equal(passed, 9);
}

static void sources_are_as_wide_as_the_limit_says(void **state)
{
	world_policy(
		"limits:\n"
		"- {name: wide, source: {ipv4: 24, ipv6: 48}, node_rate: 1 packets/h, burst: 2 packets}\n");
	assert_int_equal(world_passed(IP4(UDP, .from = "10.0.0.1"), 1), 1);
	assert_int_equal(world_passed(IP4(UDP, .from = "10.0.0.255"), 2), 1);
	assert_int_equal(world_passed(IP4(UDP, .from = "10.0.1.0"), 2), 2);
	assert_int_equal(world_passed(IP6(UDP, .from = "2001:db8:1:2::"), 1), 1);
	assert_int_equal(world_passed(IP6(UDP, .from = "2001:db8:1:3::"), 2), 1);
	assert_int_equal(world_passed(IP6(UDP, .from = "2001:db8:2:3::"), 2), 2);
}

static void a_packet_refused_by_one_limit_takes_nothing_from_any(void **state)
{
	world_policy(
		"limits:\n"
		"- {name: many, node_rate: 1 packets/h, burst: 9 packets}\n"
		"- {name: few, node_rate: 1 packets/h, burst: 3 packets, match: {proto: udp}}\n"
		"- {name: bytes, node_rate: 1 B/h, burst: 60000 B}\n");
	assert_int_equal(world_passed(IP4(UDP), 5), 3);
	assert_int_equal(world_limit("many").counts.admitted.packets, 3);
	assert_int_equal(world_limit("many").counts.refused_by_other.packets, 2);
	assert_int_equal(world_limit("few").counts.refused.packets, 2);
	assert_int_equal(world_limit("bytes").counts.admitted.bytes, 3 * 42);
	/* Six of nine are left, whatever was refused meanwhile. */
	world_passed(IP4(UDP), 1000);
	assert_int_equal(world_passed(IP4(TCP), 20), 6);
}

/* A newcomer in a full table is refused for another reason than one that is over its own. */
#define CROWDED \
	"- {name: crowded, match: {proto: tcp}, buckets: 8, node_rate: 1 packets/h, burst: 1 packets}\n"
#define OWN "- {name: own, node_rate: 1 packets/h, burst: 1 packets}\n"

static void use_up_crowded_and_own(void)
{
	char from[32];

	for (int i = 1; i <= 8; i++) {
		snprintf(from, sizeof(from), "10.0.0.%d", i);
		assert_reason(IP4(TCP, .from = from), WEIR_CONFORMS);
	}
	assert_reason(IP4(TCP, .from = "10.0.0.9"), WEIR_TABLE_FULL);
	assert_reason(IP4(UDP, .from = "10.0.0.9"), WEIR_CONFORMS);
	assert_reason(IP4(UDP, .from = "10.0.0.9"), WEIR_OVER_LIMIT);
}

static void the_first_limit_in_the_file_names_the_reason(void **state)
{
	world_policy("limits:\n" CROWDED OWN);
	use_up_crowded_and_own();
	assert_reason(IP4(TCP, .from = "10.0.0.9"), WEIR_TABLE_FULL);
	world_clear(state);
	world_policy("limits:\n" OWN CROWDED);
	use_up_crowded_and_own();
	assert_reason(IP4(TCP, .from = "10.0.0.9"), WEIR_OVER_LIMIT);
	/* Each limit that refused says so, whoever was first. */
	assert_int_equal(world_limit("own").counts.refused.packets, 2);
	assert_int_equal(world_limit("own").counts.refused_by_other.packets, 1);
	assert_int_equal(world_limit("crowded").counts.refused.packets, 2);
}

static void an_observing_limit_affects_no_other_and_refuses_nobody(void **state)
{
	world_policy("limits:\n"
		     "- {name: watched, mode: observe, node_rate: 1 packets/h, burst: 2 packets}\n"
		     "- {name: held, node_rate: 1 packets/h, burst: 4 packets}\n");
	assert_reason(IP4(UDP), WEIR_CONFORMS);
	assert_reason(IP4(UDP), WEIR_CONFORMS);
	assert_reason(IP4(UDP), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP), WEIR_OVER_LIMIT);
	assert_int_equal(world_limit("watched").counts.admitted.packets, 2);
	/* A packet is in one count of a limit: what it said, whatever others did. */
	assert_int_equal(world_limit("watched").counts.would_refuse.packets, 3);
	assert_int_equal(world_limit("held").counts.admitted.packets, 4);
	assert_int_equal(world_limit("held").counts.refused.packets, 1);
}

static void an_observing_limit_takes_nothing_for_what_another_refuses(void **state)
{
	world_policy(
		"limits:\n"
		"- {name: watched, mode: observe, node_rate: 1 packets/h, burst: 5 packets}\n"
		"- {name: held, node_rate: 1 packets/h, burst: 1 packets, match: {proto: udp}}\n");
	assert_int_equal(world_passed(IP4(UDP), 10), 1);
	assert_int_equal(world_passed(IP4(TCP), 4), 4);
	assert_int_equal(world_limit("watched").counts.would_refuse.packets, 0);
	assert_reason(IP4(TCP), WEIR_WOULD_REFUSE);
}

static void an_observing_policy_drops_nothing_at_all(void **state)
{
	world_policy("mode: observe\nalways_drop: [10.0.0.0/8]\n"
		     "limits:\n"
		     "- {name: soft, node_rate: 1 packets/h, burst: 1 packets}\n"
		     "- {name: hard, mode: enforce, node_rate: 1 packets/h, burst: 3 packets}\n");
	assert_reason(IP4(UDP, .from = "10.0.0.1"), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP, .length = 25), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP), WEIR_CONFORMS);
	assert_reason(IP4(UDP), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP), WEIR_OVER_LIMIT);
}

static void the_panic_switch_passes_all_at_once(void **state)
{
	world_policy("always_drop: [10.0.0.0/8]\n"
		     "limits: [{name: few, node_rate: 1 packets/h, burst: 1 packets}]");
	assert_reason(IP4(UDP), WEIR_CONFORMS);
	assert_reason(IP4(UDP), WEIR_OVER_LIMIT);
	weir_plane_set_observe(world.plane, true);
	assert_reason(IP4(UDP), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP, .from = "10.0.0.1"), WEIR_WOULD_REFUSE);
	assert_reason(IP4(UDP, .length = 25), WEIR_WOULD_REFUSE);
	assert_reason(IP4(TCP, .from = "192.0.2.2"), WEIR_CONFORMS);
	weir_plane_set_observe(world.plane, false);
	assert_reason(IP4(UDP), WEIR_OVER_LIMIT);
	assert_reason(IP4(UDP, .from = "10.0.0.1"), WEIR_DENIED);
}

static void sixty_four_limits_hold_a_packet_at_once(void **state)
{
	char text[16384], *at = text + sprintf(text, "limits:\n");
	struct weir_limit_view *limits = NULL;
	size_t count = 0;

	for (int i = 0; i < WEIR_RULES_MAX; i++)
		at += sprintf(
			at,
			"- {name: l%d, node_rate: 1 packets/h, burst: %d packets, buckets: 64}\n",
			i, 5 + (i * 37) % 64);
	world_policy("%s", text);
	assert_int_equal(world_passed(IP4(UDP), 100), 5);
	assert_int_equal(weir_plane_limits(world.plane, &limits, &count), 0);
	assert_int_equal(count, WEIR_RULES_MAX);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(limits[i].counts.admitted.packets, 5);
		assert_int_equal(limits[i].counts.refused.packets, i ? 0 : 95);
		assert_int_equal(limits[i].counts.refused_by_other.packets, i ? 95 : 0);
	}
	free(limits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(after_any_idle_time_there_is_the_burst_and_no_more,
				       world_clear),
		cmocka_unit_test_setup(a_byte_rate_of_ten_gigabits_is_held_to_a_thousandth,
				       world_clear),
		cmocka_unit_test_setup(the_edge_of_a_second_is_no_seam, world_clear),
		cmocka_unit_test_setup(a_coarse_limit_holds_back_two_ticks_of_its_burst,
				       world_clear),
		cmocka_unit_test_setup(a_clock_that_runs_backwards_refills_nothing, world_clear),
		cmocka_unit_test_setup(one_bucket_serves_everyone, world_clear),
		cmocka_unit_test_setup(sources_are_as_wide_as_the_limit_says, world_clear),
		cmocka_unit_test_setup(a_packet_refused_by_one_limit_takes_nothing_from_any,
				       world_clear),
		cmocka_unit_test_setup(the_first_limit_in_the_file_names_the_reason, world_clear),
		cmocka_unit_test_setup(an_observing_limit_affects_no_other_and_refuses_nobody,
				       world_clear),
		cmocka_unit_test_setup(an_observing_limit_takes_nothing_for_what_another_refuses,
				       world_clear),
		cmocka_unit_test_setup(an_observing_policy_drops_nothing_at_all, world_clear),
		cmocka_unit_test_setup(the_panic_switch_passes_all_at_once, world_clear),
		cmocka_unit_test_setup(sixty_four_limits_hold_a_packet_at_once, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
