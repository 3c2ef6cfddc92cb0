// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Lists and match keys: who is exempt, who is dropped, which limits a packet meets. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/parsed.h"
#include "lib/random.h"

static void the_longest_prefix_wins_over_both_lists(void **state)
{
	world_policy(
		"never_limit: [10.1.0.0/16, 10.1.2.128/25, \"2001:db8:1::/48\"]\n"
		"always_drop: [10.0.0.0/8, 10.1.2.0/24, \"2001:db8::/32\", 2001:db8:1:2::/64]\n"
		"limits: [{name: none, source: all, node_rate: 1 packets/h, burst: 1 packets}]");
	assert_reason(IP4(TCP), WEIR_CONFORMS);
	assert_reason(IP4(TCP), WEIR_OVER_LIMIT);
	assert_reason(IP4(TCP, .from = "10.2.0.1"), WEIR_DENIED);
	assert_reason(IP4(TCP, .from = "10.1.0.1"), WEIR_EXEMPT);
	assert_reason(IP4(TCP, .from = "10.1.2.1"), WEIR_DENIED);
	assert_reason(IP4(TCP, .from = "10.1.2.129"), WEIR_EXEMPT);
	assert_reason(IP6(TCP, .from = "2001:db8:2::1"), WEIR_DENIED);
	assert_reason(IP6(TCP, .from = "2001:db8:1::1"), WEIR_EXEMPT);
	assert_reason(IP6(TCP, .from = "2001:db8:1:2::1"), WEIR_DENIED);
	assert_reason(IP6(TCP, .from = "2001:db9::1"), WEIR_OVER_LIMIT);
	/* The lists ask for the source alone. */
	assert_reason(IP4(TCP, .to = "10.1.0.1"), WEIR_OVER_LIMIT);
	assert_reason(IP4(TCP, .from = "10.2.0.1", .fragment = 9, .headless = true), WEIR_DENIED);
}

static void families_never_meet_in_a_list(void **state)
{
	world_policy("always_drop: [32.1.13.184/32, \"::/1\"]\n"
		     "never_limit: [192.0.2.0/24]");
	/* The same four bytes begin 2001:db8::. */
	assert_reason(IP6(TCP, .from = "2001:db8::1"), WEIR_DENIED);
	assert_reason(IP4(TCP, .from = "32.1.13.184"), WEIR_DENIED);
	assert_reason(IP4(TCP, .from = "32.1.13.185"), WEIR_NO_LIMIT);
	assert_reason(IP4(TCP), WEIR_EXEMPT);
	assert_reason(IP6(TCP, .from = "c000:200::"), WEIR_NO_LIMIT);
}

#define ALWAYS_THERE "node_rate: 1 packets/h, burst: 1000 packets"

/* Which of the limits a packet meets, as letters: those that counted it. */
static void assert_meets(int line, struct frame frame, const char *wanted)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct weir_limit_view before[8];
	char met[9] = "";

	for (size_t i = 0; i < 8; i++)
		before[i] = world_limit(names[i]);
	world_reason(frame);
	for (size_t i = 0; i < 8; i++) {
		if (world_limit(names[i]).counts.admitted.packets !=
		    before[i].counts.admitted.packets)
			strcat(met, names[i]);
	}
	if (strcmp(met, wanted) != 0)
		fail_msg("line %d: meets \"%s\", not \"%s\"", line, met, wanted);
}

#define meets(frame, wanted) assert_meets(__LINE__, frame, wanted)

static void each_key_of_match_lets_its_packets_through(void **state)
{
	world_policy("limits:\n"
		     "- {name: a, " ALWAYS_THERE "}\n"
		     "- {name: b, " ALWAYS_THERE ", match: {port: [53, \"8000-8010\"]}}\n"
		     "- {name: c, " ALWAYS_THERE ", match: {proto: tcp, flags: syn}}\n"
		     "- {name: d, " ALWAYS_THERE ", match: {proto: 253}}\n"
		     "- {name: e, " ALWAYS_THERE ", match: {from: [10.0.0.0/8, 2001:db8:1::/48]}}\n"
		     "- {name: f, " ALWAYS_THERE ", match: {to: 203.0.113.0/24, proto: udp}}\n"
		     "- {name: g, " ALWAYS_THERE ", match: {fragment: true}}\n"
		     "- {name: h, " ALWAYS_THERE
		     ", match: {fragment: false, from: 10.1.0.0/16}}\n");
	meets(IP4(UDP), "ab");
	meets(IP4(TCP), "a");
	meets(IP4(.proto = IPPROTO_TCP, .dport = 8000, .tcp_flags = FRAME_SYN), "abc");
	meets(IP4(.proto = IPPROTO_TCP, .dport = 8010), "ab");
	meets(IP4(.proto = IPPROTO_TCP, .dport = 8011), "a");
	meets(IP4(.proto = IPPROTO_TCP, .dport = 7999), "a");
	meets(IP4(.proto = 253, .body = 8), "ad");
	meets(IP4(TCP, .from = "10.9.0.1"), "ae");
	meets(IP4(TCP, .from = "10.1.0.1"), "aeh");
	meets(IP6(UDP, .from = "2001:db8:1:5::1"), "abe");
	meets(IP6(TCP), "a");
	meets(IP4(UDP, .to = "203.0.113.77"), "abf");
	meets(IP4(TCP, .to = "203.0.113.77"), "a");
	/* Case 12. */
	meets(IP4(UDP, .more_fragments = true), "abg");
	meets(IP4(.proto = IPPROTO_UDP, .fragment = 5, .headless = true), "ag");
	meets(IP4(TCP, .from = "10.1.0.1", .fragment = 5, .headless = true), "aeg");
	meets(IP6(UDP, .chain = { IPPROTO_FRAGMENT }, .chain_fragment = 3, .headless = true), "ag");
	/* Case 11. */
	meets(IP6(UDP, .chain = { FRAME_HOP_BY_HOP, IPPROTO_ROUTING, IPPROTO_DSTOPTS }), "ab");
	meets(IP6(.proto = 253, .chain = { FRAME_HOP_BY_HOP }, .body = 20), "ad");
}

/* Case 12: with `fragment: true` beside it, a limit on ports has no way round. */
static void fragments_are_no_way_round_a_limit(void **state)
{
	world_policy(
		"limits:\n"
		"- {name: dns, match: {proto: udp, port: 53}, node_rate: 1 packets/h, burst: 2 packets}\n"
		"- {name: rest, match: {proto: udp, fragment: true}, node_rate: 1 packets/h,"
		" burst: 3 packets}\n");
	assert_reason(IP4(UDP, .more_fragments = true), WEIR_CONFORMS);
	assert_reason(IP4(UDP, .fragment = 5, .more_fragments = true, .headless = true),
		      WEIR_CONFORMS);
	assert_reason(IP4(UDP, .fragment = 9, .headless = true), WEIR_CONFORMS);
	assert_reason(IP4(UDP, .fragment = 9, .headless = true), WEIR_OVER_LIMIT);
	assert_reason(IP4(UDP, .headless = true, .body = 7, .more_fragments = true),
		      WEIR_MALFORMED);
	assert_reason(IP4(UDP), WEIR_CONFORMS);
	assert_reason(IP4(UDP), WEIR_OVER_LIMIT);
}

static const char *address(uint32_t host, char *buf, size_t size)
{
	snprintf(buf, size, "%u.%u.%u.%u", host >> 24, host >> 16 & 255, host >> 8 & 255,
		 host & 255);
	return buf;
}

#define PREFIXES 100000

/* Every second of them in a file: the even ones, or the odd ones. */
static void write_prefixes(const char *path, uint32_t first)
{
	FILE *file = fopen(path, "w");
	char buf[32];

	assert_non_null(file);
	for (uint32_t i = first; i < PREFIXES; i += 2)
		fprintf(file, "%s/32\n", address(0x0b000000 + i * 37, buf, sizeof(buf)));
	assert_int_equal(fclose(file), 0);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void lists_of_a_hundred_thousand_prefixes_hold_each_of_them(void **state)
{
	char even[] = "/tmp/weir-test-XXXXXX", odd[] = "/tmp/weir-test-XXXXXX", buf[32];
	struct random random = { 31 };
	double begin;

	close(mkstemp(even));
	close(mkstemp(odd));
	write_prefixes(even, 0);
	write_prefixes(odd, 1);
	begin = seconds();
	world_policy("always_drop: [\"file: %s\"]\nnever_limit: [\"file: %s\"]\n", even, odd);
	print_message("put in force in %.2f s, under sanitizers\n", seconds() - begin);
	unlink(even);
	unlink(odd);
	for (int n = 0; n < 3000; n++) {
		uint32_t i = n < 2   ? (uint32_t)n
			     : n < 4 ? PREFIXES - 1 - (n & 1)
				     : (uint32_t)random_below(&random, PREFIXES);

		assert_reason(IP4(TCP, .from = address(0x0b000000 + i * 37, buf, sizeof(buf))),
			      i & 1 ? WEIR_EXEMPT : WEIR_DENIED);
		assert_reason(IP4(TCP, .from = address(0x0b000001 + i * 37, buf, sizeof(buf))),
			      WEIR_NO_LIMIT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_longest_prefix_wins_over_both_lists, world_clear),
		cmocka_unit_test_setup(families_never_meet_in_a_list, world_clear),
		cmocka_unit_test_setup(each_key_of_match_lets_its_packets_through, world_clear),
		cmocka_unit_test_setup(fragments_are_no_way_round_a_limit, world_clear),
		cmocka_unit_test_setup(lists_of_a_hundred_thousand_prefixes_hold_each_of_them,
				       world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
