// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Every kind of frame gets one verdict and is counted once, under the reason for it. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/parsed.h"

static void each_kind_of_frame_without_a_limit(void **state)
{
	for (const struct frame_kind *kind = frame_kinds; kind->name; kind++) {
		static const uint32_t reasons[] = {
			[WEIR_PARSE_IP] = WEIR_NO_LIMIT,
			[WEIR_PARSE_PROTECTED] = WEIR_PROTECTED,
			[WEIR_PARSE_NOT_IP] = WEIR_NOT_IP,
			[WEIR_PARSE_MALFORMED] = WEIR_MALFORMED,
		};
		struct weir_packet pkt;
		uint32_t expected = reasons[parse_frame(&kind->frame, &pkt)];
		uint32_t seen = world_reason(kind->frame);

		if (seen != expected)
			fail_msg("%s: %s, not %s", kind->name, weir_reason_name(seen),
				 weir_reason_name(expected));
	}
}

static void each_kind_of_frame_under_one_limit(void **state)
{
	world_policy(
		"limits: [{name: all, node_rate: 10 packets/s, burst: 1000 packets, source: all}]");
	for (const struct frame_kind *kind = frame_kinds; kind->name; kind++) {
		struct weir_packet pkt;

		if (parse_frame(&kind->frame, &pkt) == WEIR_PARSE_IP)
			assert_reason(kind->frame, WEIR_CONFORMS);
	}
}

static void the_limit_refuses_what_is_above_it(void **state)
{
	world_policy("limits: [{name: few, node_rate: 1 packets/s, burst: 3 packets}]");
	for (int i = 0; i < 3; i++) {
		assert_reason(IP4(TCP), WEIR_CONFORMS);
		assert_reason(IP6(UDP), WEIR_CONFORMS);
	}
	assert_reason(IP4(TCP), WEIR_OVER_LIMIT);
	assert_reason(IP6(UDP), WEIR_OVER_LIMIT);
	assert_reason(IP4(TCP, .from = "192.0.2.2"), WEIR_CONFORMS);
	assert_int_equal(world_limit("few").counts.admitted.packets, 7);
	assert_int_equal(world_limit("few").counts.refused.packets, 2);
}

static void a_malformed_frame_takes_nothing(void **state)
{
	world_policy("limits: [{name: few, node_rate: 1 packets/s, burst: 1 packets}]");
	for (int i = 0; i < 5; i++)
		assert_reason(IP4(TCP, .length = 30), WEIR_MALFORMED);
	assert_reason(IP4(TCP), WEIR_CONFORMS);
}

/* Case 13. */
static void the_protected_class_passes_a_limit_that_is_used_up(void **state)
{
	world_policy(
		"always_drop: [2001:db8::/32, 192.0.2.0/24]\n"
		"limits: [{name: none, source: all, node_rate: 1 packets/h, burst: 1 packets}]");
	assert_reason(IP4(TCP, .from = "10.0.0.1"), WEIR_CONFORMS);
	assert_reason(IP6(.proto = IPPROTO_ICMPV6, .icmp_type = 128, .from = "fd00::1"),
		      WEIR_OVER_LIMIT);
	assert_reason(IP6(.proto = IPPROTO_ICMPV6, .icmp_type = 135, .ttl = 255), WEIR_PROTECTED);
	assert_reason(IP6(.proto = IPPROTO_ICMPV6, .icmp_type = 2), WEIR_PROTECTED);
	assert_reason(IP4(.proto = IPPROTO_ICMP, .icmp_type = 3, .icmp_code = 4), WEIR_PROTECTED);
	assert_reason(ETHER(ETH_P_ARP, .body = 28), WEIR_PROTECTED);
	assert_reason(IP6(.proto = IPPROTO_ICMPV6, .icmp_type = 135, .ttl = 64), WEIR_DENIED);
	assert_reason(IP4(TCP), WEIR_DENIED);
}

/* Cases 7, 8 and 10. */
static void ports_tags_and_prefixes_do_not_make_a_source(void **state)
{
	world_policy("limits: [{name: few, node_rate: 1 packets/h, burst: 4 packets}]");
	assert_reason(IP4(TCP, .sport = 1), WEIR_CONFORMS);
	assert_reason(IP4(UDP, .sport = 2), WEIR_CONFORMS);
	assert_reason(IP4(TCP, .tag = { 0x8100 }), WEIR_CONFORMS);
	assert_reason(IP4(TCP, .tag = { 0x88a8, 0x8100 }), WEIR_CONFORMS);
	assert_reason(IP4(TCP, .sport = 3), WEIR_OVER_LIMIT);
	for (int i = 0; i < 4; i++)
		assert_reason(IP6(TCP, .from = i & 1 ? "2001:db8:1:2::9" : "2001:db8:1:2:ff::"),
			      WEIR_CONFORMS);
	assert_reason(IP6(TCP, .from = "2001:db8:1:2:3:4:5:6"), WEIR_OVER_LIMIT);
	assert_reason(IP6(TCP, .from = "2001:db8:1:3::9"), WEIR_CONFORMS);
}

/* Case 14. */
static void a_frame_of_several_buffers_is_counted_whole(void **state)
{
	world_policy("limits: [{name: jumbo, node_rate: 1 B/s, burst: 30000 B}]");
	assert_reason(IP6(UDP, .body = 9000 - 48), WEIR_CONFORMS);
	assert_reason(IP6(TCP, .body = 9000 - 60), WEIR_CONFORMS);
	assert_int_equal(world_limit("jumbo").counts.admitted.bytes, 2 * 9014);
	assert_reason(IP6(UDP, .body = 30000 - 2 * 9014 - 62 + 1), WEIR_OVER_LIMIT);
	assert_reason(IP6(UDP, .body = 30000 - 2 * 9014 - 62), WEIR_CONFORMS);
	assert_reason(IP6(UDP), WEIR_OVER_LIMIT);
	assert_reason(IP4(UDP, .body = 9000, .length = 9100), WEIR_MALFORMED);
}

/* Bytes that no IP header counts have crossed the wire all the same. */
static void what_follows_the_packet_is_counted_too(void **state)
{
	world_policy("limits: [{name: jumbo, node_rate: 1 B/s, burst: 100000 B}]");
	assert_reason(IP4(UDP, .padding = 1000), WEIR_CONFORMS);
	assert_reason(IP4(UDP, .padding = 9000), WEIR_CONFORMS);
	assert_reason(IP6(UDP, .padding = 9000), WEIR_CONFORMS);
	assert_reason(IP6(UDP, .chain = { FRAME_HOP_BY_HOP }, .length_zero = true, .body = 9000),
		      WEIR_CONFORMS);
	assert_reason(ETHER(0x88cc, .body = 9000), WEIR_NOT_IP);
	assert_int_equal(world_limit("jumbo").counts.admitted.bytes,
			 42 + 1000 + 42 + 9000 + 62 + 9000 + 70 + 9000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_kind_of_frame_without_a_limit, world_clear),
		cmocka_unit_test_setup(each_kind_of_frame_under_one_limit, world_clear),
		cmocka_unit_test_setup(the_limit_refuses_what_is_above_it, world_clear),
		cmocka_unit_test_setup(a_malformed_frame_takes_nothing, world_clear),
		cmocka_unit_test_setup(the_protected_class_passes_a_limit_that_is_used_up,
				       world_clear),
		cmocka_unit_test_setup(ports_tags_and_prefixes_do_not_make_a_source, world_clear),
		cmocka_unit_test_setup(a_frame_of_several_buffers_is_counted_whole, world_clear),
		cmocka_unit_test_setup(what_follows_the_packet_is_counted_too, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
