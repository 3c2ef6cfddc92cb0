// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The parser on fragments, and on frames that are cut short or contradict themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/parsed.h"

/* Case 12. */
static void only_the_first_fragment_has_ports(void **state)
{
	const __u32 later = WEIR_PACKET_FRAGMENT | WEIR_PACKET_LATER;
	struct weir_packet pkt = ip(IP4(UDP, .more_fragments = true, .body = 1472));

	assert_flags(pkt, WEIR_PACKET_FRAGMENT | WEIR_PACKET_PORTS);
	assert_flags(ip(IP4(UDP, .fragment = 185, .more_fragments = true, .headless = true,
			    .body = 1480)),
		     later);
	assert_flags(ip(IP4(UDP, .fragment = 370, .headless = true, .body = 40)), later);
	assert_flags(ip(IP4(TCP, .fragment = 1, .headless = true, .body = 1)), later);
	assert_flags(ip(IP4(TCP, .fragment = 0x1fff, .headless = true)), later);

	assert_flags(ip(IP6(UDP, .chain = { IPPROTO_FRAGMENT }, .chain_more = true, .body = 1448)),
		     WEIR_PACKET_FRAGMENT | WEIR_PACKET_PORTS);
	assert_flags(ip(IP6(UDP, .chain = { IPPROTO_FRAGMENT }, .chain_fragment = 182,
			    .chain_more = true, .headless = true, .body = 1448)),
		     later);
	assert_flags(ip(IP6(UDP, .chain = { FRAME_HOP_BY_HOP, IPPROTO_FRAGMENT },
			    .chain_fragment = 1, .headless = true, .body = 3)),
		     later);
	/* An atomic fragment (RFC 6946) is whole and still a fragment. */
	assert_flags(ip(IP6(UDP, .chain = { IPPROTO_FRAGMENT })),
		     WEIR_PACKET_FRAGMENT | WEIR_PACKET_PORTS);
}

static void what_follows_in_a_later_fragment_is_not_walked(void **state)
{
	/* Payload that would be a destination-options header of 32 bytes, cut short. */
	struct weir_packet pkt = ip(IP6(.proto = IPPROTO_DSTOPTS, .chain = { IPPROTO_FRAGMENT },
					.chain_fragment = 9, .headless = true, .body = 2));

	assert_int_equal(pkt.proto, IPPROTO_DSTOPTS);
	assert_flags(pkt, WEIR_PACKET_FRAGMENT | WEIR_PACKET_LATER);
}

/* Case 12: flags cannot be hidden in a second fragment (RFC 1858). */
static void a_tiny_first_fragment_is_malformed(void **state)
{
	for (size_t body = 0; body < 20; body++) {
		malformed(IP4(TCP, .headless = true, .body = body, .more_fragments = true));
		malformed(IP6(TCP, .headless = true, .body = body, .chain = { IPPROTO_FRAGMENT },
			      .chain_more = true));
		if (body >= 8)
			continue;
		malformed(IP4(UDP, .headless = true, .body = body, .more_fragments = true));
		malformed(IP6(UDP, .headless = true, .body = body, .chain = { IPPROTO_FRAGMENT },
			      .chain_more = true));
	}
}

static void headers_that_contradict_themselves_are_malformed(void **state)
{
	static const struct frame frames[] = {
		{ .family = 4, TCP, .length = 19 },
		{ .family = 4, TCP, .length = 41 },
		{ .family = 4, TCP, .length = 39 },
		{ .family = 4, TCP, .length = 0xffff },
		{ .family = 4, TCP, .length_zero = true },
		{ .family = 4, TCP, .options = 8, .length = 27 },
		{ .family = 4, UDP, .length = 27 },
		{ .family = 4, .proto = IPPROTO_ICMP, .length = 27 },
		{ .family = 4, TCP, .ethertype = ETH_P_IPV6 },
		{ .family = 6, TCP, .ethertype = ETH_P_IP },
		{ .family = 6, TCP, .length = 21 },
		{ .family = 6, TCP, .length = 19 },
		{ .family = 6, UDP, .length = 7 },
		{ .family = 6, .proto = IPPROTO_ICMPV6, .length = 3 },
		{ .family = 6, TCP, .length_zero = true },
		{ .family = 6, UDP, .length = 7, .chain = { FRAME_HOP_BY_HOP } },
		{ .family = 6, UDP, .length = 15, .chain = { FRAME_HOP_BY_HOP } },
		{ .family = 6, UDP, .length = 23, .chain = { IPPROTO_DSTOPTS }, .chain_extra = 2 },
		{ .family = 6, .proto = IPPROTO_DSTOPTS, .body = 8, .length = 4 },
	};

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct weir_packet pkt;

		if (parse_frame(&frames[i], &pkt) != WEIR_PARSE_MALFORMED)
			fail_msg("frame %zu is taken as whole", i);
	}
}

static void a_header_length_of_ipv4_below_five_is_malformed(void **state)
{
	uint8_t bytes[FRAME_BYTES_MAX];
	size_t size = frame_build(&IP4(TCP), bytes);
	struct weir_packet pkt;

	for (uint8_t ihl = 0; ihl < 5; ihl++) {
		bytes[14] = 0x40 | ihl;
		assert_int_equal(parse_bytes(bytes, size, &pkt), WEIR_PARSE_MALFORMED);
	}
	for (uint8_t version = 0; version < 16; version++) {
		bytes[14] = (uint8_t)(version << 4 | 5);
		assert_int_equal(parse_bytes(bytes, size, &pkt),
				 version == 4 ? WEIR_PARSE_IP : WEIR_PARSE_MALFORMED);
	}
}

static void padding_is_not_read_as_a_header(void **state)
{
	assert_ports(ip(IP4(UDP, .padding = 18)), 53);
	malformed(IP4(UDP, .headless = true, .body = 4, .padding = 22));
	malformed(IP4(TCP, .headless = true, .body = 16, .padding = 30));
	malformed(IP6(UDP, .headless = true, .body = 4, .padding = 22));
	malformed(IP6(.proto = IPPROTO_ICMPV6, .headless = true, .body = 3, .padding = 30));
	malformed(IP6(UDP, .headless = true, .padding = 22));
	malformed(IP6(UDP, .headless = true, .chain = { IPPROTO_DSTOPTS }, .padding = 22));
}

static void a_jumbogram_ends_where_the_frame_ends(void **state)
{
	struct weir_packet pkt = ip(IP6(TCP, .chain = { FRAME_HOP_BY_HOP }, .length_zero = true));

	assert_ports(pkt, 443);
	malformed(IP6(TCP, .headless = true, .body = 12, .chain = { FRAME_HOP_BY_HOP },
		      .length_zero = true));
	/* Without the option that makes a jumbogram, nothing is nothing (RFC 2675, 3). */
	malformed(IP6(TCP, .length_zero = true));
	assert_no_ports(ip(IP6(.proto = IPPROTO_NONE, .padding = 10)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_first_fragment_has_ports),
		cmocka_unit_test(what_follows_in_a_later_fragment_is_not_walked),
		cmocka_unit_test(a_tiny_first_fragment_is_malformed),
		cmocka_unit_test(headers_that_contradict_themselves_are_malformed),
		cmocka_unit_test(a_header_length_of_ipv4_below_five_is_malformed),
		cmocka_unit_test(padding_is_not_read_as_a_header),
		cmocka_unit_test(a_jumbogram_ends_where_the_frame_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
