// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Which limits a packet meets: what each key of `match` lets through, and what fragments meet. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <weir/rules.h>

#include "lib/parsed.h"

/* One limit for each way of asking. */
enum { ANY, WEB, SYNS, FRAGMENTS, WEB_FRAGMENTS, WHOLE, ICMP_ONLY, FROM, TO, LIMITS };

static struct weir_rules rules_of_all_kinds(void)
{
	struct weir_rules rules = {
		.count = LIMITS,
		.transport = 1 << WEB | 1 << SYNS | 1 << WEB_FRAGMENTS,
		.fragments = 1 << FRAGMENTS | 1 << WEB_FRAGMENTS,
		.whole = 1 << WHOLE,
		.syn = 1 << SYNS,
		.from_any = ((1 << LIMITS) - 1) & ~(1 << FROM),
		.to_any = ((1 << LIMITS) - 1) & ~(1 << TO),
	};
	__u64 any = 1 << ANY | 1 << FRAGMENTS | 1 << WHOLE | 1 << FROM | 1 << TO;

	for (int proto = 0; proto < 256; proto++)
		rules.proto[proto] = any;
	rules.proto[IPPROTO_TCP] |= 1 << WEB | 1 << SYNS | 1 << WEB_FRAGMENTS;
	rules.proto[IPPROTO_UDP] |= 1 << WEB | 1 << WEB_FRAGMENTS;
	rules.proto[IPPROTO_ICMP] |= 1 << ICMP_ONLY;
	return rules;
}

static __u64 matched(struct frame frame)
{
	struct weir_rules rules = rules_of_all_kinds();
	struct weir_packet pkt = ip(frame);
	__u64 by_port = ~(1ull << WEB | 1ull << WEB_FRAGMENTS);

	if (pkt.dport == 443)
		by_port = ~0ull;
	return weir_rules_match(&rules, &pkt, by_port, 1 << FROM, 0);
}

#define ALWAYS (1 << ANY | 1 << FROM)

static void ports_and_flags_hold_where_they_are_read(void **state)
{
	assert_int_equal(matched(IP4(TCP)), ALWAYS | 1 << WHOLE | 1 << WEB);
	assert_int_equal(matched(IP4(TCP, .tcp_flags = FRAME_SYN)),
			 ALWAYS | 1 << WHOLE | 1 << WEB | 1 << SYNS);
	assert_int_equal(matched(IP6(TCP, .tcp_flags = FRAME_SYN | FRAME_ACK)),
			 ALWAYS | 1 << WHOLE | 1 << WEB);
	assert_int_equal(matched(IP4(.proto = IPPROTO_TCP, .dport = 80, .tcp_flags = FRAME_SYN)),
			 ALWAYS | 1 << WHOLE | 1 << SYNS);
	assert_int_equal(matched(IP6(.proto = IPPROTO_UDP, .dport = 443)),
			 ALWAYS | 1 << WHOLE | 1 << WEB);
	assert_int_equal(matched(IP6(UDP)), ALWAYS | 1 << WHOLE);
}

static void a_protocol_without_ports_meets_no_port_limit(void **state)
{
	assert_int_equal(matched(IP4(.proto = IPPROTO_ICMP, .icmp_type = 8)),
			 ALWAYS | 1 << WHOLE | 1 << ICMP_ONLY);
	assert_int_equal(matched(IP6(.proto = IPPROTO_ICMPV6, .icmp_type = 128)),
			 ALWAYS | 1 << WHOLE);
	assert_int_equal(matched(IP4(.proto = 132, .body = 20)), ALWAYS | 1 << WHOLE);
	/* The transport protocol is not known here, so neither are its ports. */
	assert_int_equal(matched(IP6(TCP, .chain = { 60, 60, 60, 60, 60, 60, 60, 60, 60 })),
			 ALWAYS | 1 << WHOLE);
}

/* Case 12: a limit on ports sees first fragments; one with `fragment: true` sees them all. */
static void fragments_meet_the_limits_that_ask_for_no_ports_or_for_fragments(void **state)
{
	__u64 later = ALWAYS | 1 << FRAGMENTS | 1 << WEB_FRAGMENTS;

	assert_int_equal(matched(IP4(TCP, .more_fragments = true)),
			 ALWAYS | 1 << WEB | 1 << FRAGMENTS | 1 << WEB_FRAGMENTS);
	assert_int_equal(matched(IP4(UDP, .more_fragments = true)), ALWAYS | 1 << FRAGMENTS);
	assert_int_equal(matched(IP4(TCP, .fragment = 100, .headless = true)), later);
	assert_int_equal(matched(IP6(UDP, .chain = { IPPROTO_FRAGMENT }, .chain_fragment = 100,
				     .headless = true)),
			 later);
	assert_int_equal(matched(IP4(.proto = IPPROTO_ICMP, .fragment = 7, .headless = true)),
			 ALWAYS | 1 << FRAGMENTS | 1 << ICMP_ONLY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_and_flags_hold_where_they_are_read),
		cmocka_unit_test(a_protocol_without_ports_meets_no_port_limit),
		cmocka_unit_test(fragments_meet_the_limits_that_ask_for_no_ports_or_for_fragments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
