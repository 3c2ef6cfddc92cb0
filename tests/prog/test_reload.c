// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A policy put in force in the midst of another: case 18. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/parsed.h"

#define LIMIT(name, proto, rate, burst)                                  \
	"- {name: " name ", match: {proto: " proto "}, node_rate: " rate \
	" packets/h, burst: " burst " packets}\n"

static void a_new_rate_under_the_same_name_holds_from_the_next_packet(void **state)
{
	world_policy("limits: [{name: web, node_rate: 10 packets/s, burst: 8 packets}]");
	assert_int_equal(world_passed(IP4(UDP), 20), 8);
	world_policy("limits: [{name: web, node_rate: 2 packets/s, burst: 8 packets}]");
	assert_int_equal(world_passed(IP4(UDP), 20), 0);
	world_pass_time(900 * MS_NS);
	assert_int_equal(world_passed(IP4(UDP), 20), 1);
	world_policy("limits: [{name: web, node_rate: 50 packets/s, burst: 8 packets}]");
	world_pass_time(110 * MS_NS);
	/* What was left of a token, and five and a half since. */
	assert_in_range(world_passed(IP4(UDP), 20), 5, 6);
}

static void debts_are_kept_in_tokens(void **state)
{
	world_policy("limits: [{name: web, node_rate: 1 packets/s, burst: 8 packets}]");
	assert_int_equal(world_passed(IP4(UDP), 3), 3);
	assert_int_equal(world_passed(IP6(UDP), 8), 8);
	world_policy("limits: [{name: web, node_rate: 7 packets/h, burst: 9 packets}]");
	/*
	 * Three of nine are owed, whatever a token's time is; and for a moment a little more, because
	 * units are rounded up.
	 */
	world_pass_time(SECOND_NS);
	assert_int_equal(world_passed(IP4(UDP), 20), 6);
	assert_int_equal(world_passed(IP6(UDP), 20), 1);
	assert_int_equal(world_passed(IP4(UDP, .from = "192.0.2.2"), 20), 9);
	world_policy("limits: [{name: web, node_rate: 1000000 packets/s, burst: 4 packets}]");
	/* More is owed than the new burst: all of it is, and no more than that. */
	assert_int_equal(world_passed(IP4(UDP), 20), 0);
	world_pass_time(2100);
	assert_int_equal(world_passed(IP4(UDP), 20), 2);
}

static void limits_that_do_not_change_keep_what_they_had(void **state)
{
	world_policy("limits:\n" LIMIT("a", "1", "1", "5") LIMIT("b", "udp", "1", "5")
			     LIMIT("c", "tcp", "1", "5") LIMIT("d", "250", "1", "5")
				     LIMIT("e", "251", "1", "5"));
	assert_int_equal(world_passed(IP4(UDP), 2), 2);
	assert_int_equal(world_passed(IP4(TCP), 20), 5);
	assert_int_equal(world_passed(IP4(.proto = 251, .body = 8), 1), 1);
	/* Five become three, in another order, and one of them with another burst. */
	world_policy("limits:\n" LIMIT("e", "251", "1", "5") LIMIT("c", "tcp", "1", "5")
			     LIMIT("b", "udp", "1", "6"));
	world_pass_time(2 * SECOND_NS);
	assert_int_equal(world_passed(IP4(TCP), 20), 0);
	assert_int_equal(world_passed(IP4(.proto = 251, .body = 8), 20), 4);
	assert_int_equal(world_passed(IP4(UDP), 20), 4);
	assert_int_equal(world_passed(IP4(.proto = 250, .body = 8), 20), 20);
	assert_int_equal(world_passed(IP4(.proto = IPPROTO_ICMP, .icmp_type = 8), 20), 20);
	/* The counters of a name go on too. */
	assert_int_equal(world_limit("c").counts.admitted.packets, 5);
}

static void a_policy_with_an_error_changes_nothing(void **state)
{
	world_policy("limits:\n" LIMIT("a", "udp", "1", "5"));
	assert_int_equal(world_passed(IP4(UDP), 3), 3);
	assert_int_not_equal(world_try_policy("limits:\n" LIMIT("a", "udp", "0", "50")), 0);
	assert_int_not_equal(world_try_policy("limits:\n- {name: a}\n"), 0);
	/* What cannot be held is found when the policy is compiled. */
	assert_int_not_equal(world_try_policy("limits: [{name: a, node_rate: 1 packets/h, "
					      "burst: 100G packets}]"),
			     0);
	assert_int_equal(world_passed(IP4(UDP), 20), 2);
}

static void a_hundred_reloads_refill_nothing(void **state)
{
	static const char *const rates[] = { "1", "2", "3", "5000", "1" };
	uint64_t passed = 0;
	char text[512];

	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text),
			 "limits:\n- {name: a, node_rate: %s packets/h, burst: 9 packets}\n%s",
			 rates[i % 5], i & 1 ? LIMIT("b", "udp", "1", "1000") : "");
		world_policy("%s", text);
		passed += world_passed(IP4(UDP), 3);
	}
	/* Units are rounded up at each, so the last token is not whole. */
	assert_in_range(passed, 8, 9);
}

static void a_limit_that_counts_otherwise_starts_without_tokens(void **state)
{
	world_policy("limits: [{name: a, node_rate: 1 packets/s, burst: 5 packets}]");
	assert_int_equal(world_passed(IP4(UDP), 5), 5);
	/* Another width of source: who was who is not known any more. */
	world_policy(
		"limits: [{name: a, source: {ipv4: 24}, node_rate: 1 packets/s, burst: 5 packets}]");
	assert_int_equal(world_passed(IP4(UDP), 5), 0);
	assert_int_equal(world_passed(IP4(UDP, .from = "10.0.0.1"), 5), 0);
	world_pass_time(2100 * MS_NS);
	assert_int_equal(world_passed(IP4(UDP), 5), 2);
	world_policy("limits: [{name: a, source: {ipv4: 24}, node_rate: 100 B/s, burst: 2000 B}]");
	assert_int_equal(world_passed(IP4(UDP), 5), 0);
}

static void a_limit_of_a_new_name_starts_full(void **state)
{
	world_policy("limits:\n" LIMIT("a", "udp", "1", "5"));
	assert_int_equal(world_passed(IP4(UDP), 9), 5);
	world_policy("limits:\n" LIMIT("z", "udp", "1", "5"));
	assert_int_equal(world_passed(IP4(UDP), 9), 5);
}

static void lists_change_with_the_limits(void **state)
{
	world_policy("never_limit: [10.0.0.0/8]\nlimits:\n" LIMIT("a", "udp", "1", "1"));
	assert_reason(IP4(UDP, .from = "10.1.1.1"), WEIR_EXEMPT);
	world_policy("always_drop: [10.0.0.0/8]\n");
	assert_reason(IP4(UDP, .from = "10.1.1.1"), WEIR_DENIED);
	world_policy(
		"limits: [{name: a, match: {from: 10.1.0.0/16}, node_rate: 1 packets/h, burst: 1 packets}]");
	assert_reason(IP4(UDP, .from = "10.1.1.1"), WEIR_CONFORMS);
	assert_reason(IP4(UDP, .from = "10.1.1.1"), WEIR_OVER_LIMIT);
	assert_reason(IP4(UDP, .from = "10.2.1.1"), WEIR_NO_LIMIT);
	world_policy("metrics: {listen: 127.0.0.1:9477}\n");
	assert_reason(IP4(UDP, .from = "10.1.1.1"), WEIR_NO_LIMIT);
}

/* Case 17. */
static void whoever_takes_over_finds_all_as_it_was(void **state)
{
	unsigned int passed = 0;

	world_policy("limits:\n" LIMIT("a", "udp", "1", "9") LIMIT("b", "tcp", "1", "5"));
	for (int i = 0; i < 5; i++) {
		passed += world_passed(IP4(UDP), 2);
		world_restart();
		/* By the policy of before, and by the same one anew. */
		passed += world_passed(IP4(UDP), 1);
		world_policy("limits:\n" LIMIT("a", "udp", "1", "9") LIMIT("b", "tcp", "1", "5"));
	}
	assert_int_equal(passed, 9);
	assert_int_equal(world_passed(IP4(TCP), 9), 5);
	assert_int_equal(world_limit("a").counts.admitted.packets, 9);
}

static void slots_are_used_again_without_end(void **state)
{
	for (int i = 0; i < WEIR_SLOTS + 20; i++) {
		world_policy(
			"limits: [{name: n%d, node_rate: 1 packets/h, burst: 3 packets, buckets: 64}]",
			i);
		assert_int_equal(world_passed(IP4(UDP), 9), 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_rate_under_the_same_name_holds_from_the_next_packet,
				       world_clear),
		cmocka_unit_test_setup(debts_are_kept_in_tokens, world_clear),
		cmocka_unit_test_setup(limits_that_do_not_change_keep_what_they_had, world_clear),
		cmocka_unit_test_setup(a_policy_with_an_error_changes_nothing, world_clear),
		cmocka_unit_test_setup(a_hundred_reloads_refill_nothing, world_clear),
		cmocka_unit_test_setup(a_limit_that_counts_otherwise_starts_without_tokens,
				       world_clear),
		cmocka_unit_test_setup(a_limit_of_a_new_name_starts_full, world_clear),
		cmocka_unit_test_setup(lists_change_with_the_limits, world_clear),
		cmocka_unit_test_setup(whoever_takes_over_finds_all_as_it_was, world_clear),
		cmocka_unit_test_setup(slots_are_used_again_without_end, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
