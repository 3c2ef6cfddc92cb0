// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The parser in the kernel says what the same lines say on the host: for every prefix of every kind
 * of frame and for frames changed at random. The program is asked by its verdicts: a used-up limit
 * drops exactly the packets that it matches.
 */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "lib/mutate.h"
#include "lib/parsed.h"

#define MUTATIONS 40000 /* for each question */
#define FRAME_MIN 14	/* BPF_PROG_RUN takes no less */

enum { ABORTED = 0, DROP = 1, PASS = 2 };

/* What a limit's match asks of a packet, in the policy's words and in C. */
struct question {
	const char *match;
	bool (*asks)(const struct weir_packet *pkt);
	struct frame used_up_by; /* matches */
};

static bool anything(const struct weir_packet *pkt)
{
	return true;
}

static bool low_ports(const struct weir_packet *pkt)
{
	return pkt->flags & WEIR_PACKET_PORTS && pkt->dport && pkt->dport < 1024;
}

static bool syn(const struct weir_packet *pkt)
{
	return pkt->flags & WEIR_PACKET_SYN;
}

static bool fragments(const struct weir_packet *pkt)
{
	return pkt->flags & WEIR_PACKET_FRAGMENT;
}

static bool udp(const struct weir_packet *pkt)
{
	return pkt->proto == IPPROTO_UDP;
}

static bool usual_source(const struct weir_packet *pkt)
{
	const uint8_t *four = (const uint8_t *)&pkt->source.lo,
		      *six = (const uint8_t *)&pkt->source;

	if (pkt->family == 4)
		return four[0] == 192 && four[1] == 0 && four[2] == 2;
	return six[0] == 0x20 && six[1] == 0x01 && six[2] == 0x0d && six[3] == 0xb8;
}

static const struct question questions[] = {
	{ "{}", anything, { .family = 4, UDP } },
	{ "{port: \"1-1023\"}", low_ports, { .family = 4, UDP } },
	{ "{proto: tcp, flags: syn}", syn, { .family = 4, TCP, .tcp_flags = FRAME_SYN } },
	{ "{fragment: true}", fragments, { .family = 4, UDP, .more_fragments = true } },
	{ "{proto: udp}", udp, { .family = 4, UDP } },
	{ "{from: [192.0.2.0/24, \"2001:db8::/32\"]}", usual_source, { .family = 4, UDP } },
};

static void use_up(const struct question *question)
{
	assert_int_equal(world_clear(NULL), 0);
	world_policy("limits:\n- {name: l, source: all, node_rate: 1 packets/h, burst: 1 packets, "
		     "match: %s}\n",
		     question->match);
	assert_reason(question->used_up_by, WEIR_CONFORMS);
	assert_reason(question->used_up_by, WEIR_OVER_LIMIT);
}

static uint64_t host_says[4];

static void ask(const struct question *question, const char *name, const uint8_t *bytes,
		size_t size)
{
	struct weir_packet pkt;
	enum weir_parse parsed = parse_bytes(bytes, size, &pkt);
	uint32_t verdict = world_run(bytes, size, 1), expected = PASS;

	host_says[parsed]++;
	if (parsed == WEIR_PARSE_MALFORMED || (parsed == WEIR_PARSE_IP && question->asks(&pkt)))
		expected = DROP;
	if (verdict != expected)
		fail_msg("%s of %zu bytes, match %s: verdict %u, not %u", name, size,
			 question->match, verdict, expected);
}

static void the_kernel_agrees_on_every_prefix(void **state)
{
	uint8_t bytes[FRAME_BYTES_MAX];

	for (size_t q = 0; q < sizeof(questions) / sizeof(questions[0]); q++) {
		use_up(&questions[q]);
		for (const struct frame_kind *kind = frame_kinds; kind->name; kind++) {
			size_t size = frame_build(&kind->frame, bytes);

			for (size_t cut = FRAME_MIN; cut <= size; cut++)
				ask(&questions[q], kind->name, bytes, cut);
		}
	}
}

/* Nothing that the host says is said less often by the counters. */
static void assert_counted(const struct weir_count *before, const struct weir_count *after)
{
	uint64_t seen[WEIR_REASONS];

	for (int i = 0; i < WEIR_REASONS; i++)
		seen[i] = after[i].packets - before[i].packets;
	assert_int_equal(seen[WEIR_MALFORMED], host_says[WEIR_PARSE_MALFORMED]);
	assert_int_equal(seen[WEIR_PROTECTED], host_says[WEIR_PARSE_PROTECTED]);
	assert_int_equal(seen[WEIR_NOT_IP], host_says[WEIR_PARSE_NOT_IP]);
	assert_int_equal(seen[WEIR_NO_LIMIT] + seen[WEIR_OVER_LIMIT], host_says[WEIR_PARSE_IP]);
}

static void the_kernel_agrees_on_mutated_frames(void **state)
{
	struct random random = { 20261202 };
	uint8_t bytes[FRAME_BYTES_MAX];

	for (size_t q = 0; q < sizeof(questions) / sizeof(questions[0]); q++) {
		struct weir_count before[WEIR_REASONS], after[WEIR_REASONS];

		use_up(&questions[q]);
		memset(host_says, 0, sizeof(host_says));
		assert_int_equal(weir_plane_reasons(world.plane, before), 0);
		for (int i = 0; i < MUTATIONS; i++) {
			const struct frame_kind *kind = frame_kind_at(random_next(&random));
			size_t size = mutate(&random, bytes, frame_build(&kind->frame, bytes));

			if (size >= FRAME_MIN)
				ask(&questions[q], kind->name, bytes, size);
		}
		assert_int_equal(weir_plane_reasons(world.plane, after), 0);
		assert_counted(before, after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_kernel_agrees_on_every_prefix, world_clear),
		cmocka_unit_test_setup(the_kernel_agrees_on_mutated_frames, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
