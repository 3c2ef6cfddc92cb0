// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The parser on whole frames: what of each the limits get to see, and what is protected from them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/parsed.h"

static void both_families_give_source_destination_and_port(void **state)
{
	static const uint8_t four[4] = { 10, 1, 2, 3 }, four_to[4] = { 203, 0, 113, 9 };
	static const uint8_t six[16] = { 0x20, 1, 0xd, 0xb8, 0, 7, [15] = 1 };
	static const uint8_t six_to[16] = { 0xfd, [15] = 9 };
	struct weir_packet pkt = ip(IP4(TCP, .from = "10.1.2.3", .to = "203.0.113.9"));

	assert_int_equal(pkt.family, 4);
	assert_int_equal(pkt.proto, IPPROTO_TCP);
	assert_memory_equal(&pkt.source.lo, four, 4);
	assert_memory_equal(&pkt.dest.lo, four_to, 4);
	assert_int_equal(pkt.source.hi, 0);
	assert_int_equal(pkt.bytes, 14 + 20 + 20);
	assert_ports(pkt, 443);

	pkt = ip(IP6(UDP, .from = "2001:db8:7::1", .to = "fd00::9", .body = 5));
	assert_int_equal(pkt.family, 6);
	assert_int_equal(pkt.proto, IPPROTO_UDP);
	assert_memory_equal(&pkt.source, six, 16);
	assert_memory_equal(&pkt.dest, six_to, 16);
	assert_int_equal(pkt.bytes, 14 + 40 + 8 + 5);
	assert_ports(pkt, 53);
}

static void syn_is_syn_without_ack(void **state)
{
	static const struct {
		uint8_t tcp;
		bool syn;
	} cases[] = {
		{ 0, false },
		{ FRAME_SYN, true },
		{ FRAME_SYN | FRAME_ACK, false },
		{ FRAME_ACK, false },
		{ FRAME_SYN | FRAME_PSH | FRAME_FIN | 0xc0, true },
		{ FRAME_RST, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_packet pkt = ip(IP4(TCP, .tcp_flags = cases[i].tcp));

		assert_int_equal(!!(pkt.flags & WEIR_PACKET_SYN), cases[i].syn);
		pkt = ip(IP6(TCP, .tcp_flags = cases[i].tcp));
		assert_int_equal(!!(pkt.flags & WEIR_PACKET_SYN), cases[i].syn);
	}
	/* The same bit of another protocol's payload says nothing. */
	assert_flags(ip(IP4(UDP, .body = 40)), WEIR_PACKET_PORTS);
}

static void options_of_ipv4_are_stepped_over(void **state)
{
	for (uint8_t options = 0; options <= 40; options += 4) {
		assert_ports(ip(IP4(TCP, .options = options)), 443);
		assert_ports(ip(IP4(UDP, .options = options)), 53);
	}
}

/* Case 10. */
static void the_inner_source_counts_behind_one_and_two_tags(void **state)
{
	static const uint16_t types[] = { 0x8100, 0x88a8 };
	struct weir_packet pkt;

	for (int i = 0; i < 2; i++) {
		pkt = ip(IP4(TCP, .tag = { types[i] }));
		assert_int_equal(pkt.bytes, 14 + 4 + 40);
		assert_ports(pkt, 443);
		for (int j = 0; j < 2; j++) {
			pkt = ip(IP6(UDP, .tag = { types[i], types[j] }, .from = "2001:db8::7"));
			assert_int_equal(((uint8_t *)&pkt.source)[15], 7);
			assert_int_equal(pkt.bytes, 14 + 8 + 48);
			assert_ports(pkt, 53);
			not_ip(IP4(TCP, .tag = { types[i], types[j], 0x8100 }));
		}
	}
	protected(ETHER(ETH_P_ARP, .tag = { 0x8100, 0x88a8 }));
}

static void what_is_not_ip_says_so(void **state)
{
	static const uint16_t types[] = { 0x88cc, 0x8847, 0x8863, 0x88e5, 0x9100, 60, 0x0801 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		not_ip(ETHER(types[i], .body = 46));
}

/* Case 11. */
static void extension_headers_are_walked_to_the_ports(void **state)
{
	static const uint8_t types[] = { FRAME_HOP_BY_HOP, IPPROTO_ROUTING, IPPROTO_DSTOPTS,
					 IPPROTO_AH };

	for (size_t i = 0; i < sizeof(types); i++) {
		for (uint8_t extra = 0; extra < 30; extra += 2) {
			assert_ports(ip(IP6(TCP, .chain = { types[i] }, .chain_extra = extra)),
				     443);
			assert_ports(
				ip(IP6(UDP,
				       .chain = { FRAME_HOP_BY_HOP, types[i], IPPROTO_DSTOPTS },
				       .chain_extra = extra)),
				53);
		}
	}
	assert_ports(ip(IP6(TCP, .chain = { FRAME_HOP_BY_HOP, IPPROTO_DSTOPTS, IPPROTO_ROUTING,
					    IPPROTO_FRAGMENT, IPPROTO_AH, IPPROTO_DSTOPTS })),
		     443);
}

static void a_chain_beyond_eight_headers_has_a_source_and_no_ports(void **state)
{
	struct frame frame = IP6(TCP, .from = "2001:db8::5");
	struct weir_packet pkt;

	for (int i = 0; i < FRAME_CHAIN_MAX; i++) {
		frame.chain[i] = IPPROTO_DSTOPTS;
		pkt = ip(frame);
		assert_int_equal(((uint8_t *)&pkt.source)[15], 5);
		if (i < WEIR_IPV6_CHAIN_MAX) {
			assert_ports(pkt, 443);
			assert_int_equal(pkt.proto, IPPROTO_TCP);
		} else {
			assert_no_ports(pkt);
			assert_int_equal(pkt.proto, IPPROTO_DSTOPTS);
		}
	}
}

static void an_unknown_next_header_has_a_source_and_no_ports(void **state)
{
	/* ESP, none, Shim6, mobility, experimental; for IPv4 the numbers of IPv6 headers too. */
	static const uint8_t protos[] = { 50, 59, 140, 135, 253, 0, 43, 60, 44, IPPROTO_ICMPV6 };

	for (size_t i = 0; i < sizeof(protos); i++) {
		struct weir_packet pkt = ip(IP4(.proto = protos[i], .body = 60));

		assert_int_equal(pkt.proto, protos[i]);
		assert_no_ports(pkt);
		assert_int_equal(pkt.source.lo != 0, 1);
		if (i >= 5)
			continue;
		pkt = ip(IP6(.proto = protos[i], .body = 60, .chain = { FRAME_HOP_BY_HOP }));
		assert_int_equal(pkt.proto, protos[i]);
		assert_no_ports(pkt);
	}
	assert_no_ports(ip(IP6(.proto = IPPROTO_ICMP, .body = 60)));
}

/* Case 13. */
static void discovery_is_protected_on_its_own_link(void **state)
{
	for (int type = 0; type < 256; type++) {
		struct frame frame =
			IP6(.proto = IPPROTO_ICMPV6, .icmp_type = (uint8_t)type, .body = 20);
		bool discovery = type >= 133 && type <= 137, always = type == 2;

		frame.ttl = 255;
		parsed_as(__LINE__, frame,
			  always || discovery ? WEIR_PARSE_PROTECTED : WEIR_PARSE_IP);
		frame.chain[0] = FRAME_HOP_BY_HOP;
		parsed_as(__LINE__, frame,
			  always || discovery ? WEIR_PARSE_PROTECTED : WEIR_PARSE_IP);
		frame.ttl = 254;
		parsed_as(__LINE__, frame, always ? WEIR_PARSE_PROTECTED : WEIR_PARSE_IP);
		/* A fragment could be anything by the time it is whole. */
		frame.ttl = 255;
		frame.chain[0] = IPPROTO_FRAGMENT;
		ip(frame);
		frame.chain_more = true;
		ip(frame);
	}
}

static void path_mtu_messages_of_ipv4_are_protected(void **state)
{
	for (int type = 0; type < 256; type++) {
		for (uint8_t code = 0; code < 8; code++) {
			struct frame frame = IP4(.proto = IPPROTO_ICMP, .icmp_type = (uint8_t)type,
						 .icmp_code = code, .body = 28);
			bool needed = type == 3 && code == 4;

			parsed_as(__LINE__, frame, needed ? WEIR_PARSE_PROTECTED : WEIR_PARSE_IP);
			frame.more_fragments = true;
			ip(frame);
		}
	}
	/* ICMP's number in the other family is just a number. */
	ip(IP6(.proto = IPPROTO_ICMP, .icmp_type = 3, .icmp_code = 4, .body = 28));
	ip(IP4(.proto = IPPROTO_ICMPV6, .icmp_type = 135, .ttl = 255, .body = 28));
}

static void a_frame_of_several_buffers_counts_whole(void **state)
{
	uint8_t bytes[FRAME_BYTES_MAX];
	size_t whole = frame_build(&IP6(UDP, .body = 8900), bytes), first = 3520;
	uint8_t *copy = frame_copy(bytes, first);
	struct weir_packet pkt;

	assert_int_equal(weir_packet_parse(copy, copy + first, (__u32)whole, &pkt), WEIR_PARSE_IP);
	assert_int_equal(pkt.bytes, whole);
	assert_ports(pkt, 53);
	/* The frame is shorter than its header says, wherever the first buffer ends. */
	assert_int_equal(weir_packet_parse(copy, copy + first, (__u32)whole - 1, &pkt),
			 WEIR_PARSE_MALFORMED);
	frame_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_families_give_source_destination_and_port),
		cmocka_unit_test(syn_is_syn_without_ack),
		cmocka_unit_test(options_of_ipv4_are_stepped_over),
		cmocka_unit_test(the_inner_source_counts_behind_one_and_two_tags),
		cmocka_unit_test(what_is_not_ip_says_so),
		cmocka_unit_test(extension_headers_are_walked_to_the_ports),
		cmocka_unit_test(a_chain_beyond_eight_headers_has_a_source_and_no_ports),
		cmocka_unit_test(an_unknown_next_header_has_a_source_and_no_ports),
		cmocka_unit_test(discovery_is_protected_on_its_own_link),
		cmocka_unit_test(path_mtu_messages_of_ipv4_are_protected),
		cmocka_unit_test(a_frame_of_several_buffers_counts_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
