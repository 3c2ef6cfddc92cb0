// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Every prefix of every kind of frame, and frames with bytes changed at random: the parser never
 * reads beyond the end (the sanitizer watches), and what it says of a frame holds together.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/mutate.h"
#include "lib/parsed.h"
#include "lib/sound.h"

#define MUTATIONS 200000

/* Bytes up to the end of the network header: without them there is no source. */
static size_t network_end(const struct frame *frame)
{
	size_t end = 14 + (frame->family == 4 ? 20u + frame->options : 40u);

	for (int i = 0; i < FRAME_TAGS_MAX && frame->tag[i]; i++)
		end += 4;
	return end;
}

static void check_prefixes(const struct frame_kind *kind)
{
	uint8_t bytes[FRAME_BYTES_MAX];
	size_t size = frame_build(&kind->frame, bytes);

	for (size_t cut = 0; cut <= size; cut++) {
		struct weir_packet pkt;
		enum weir_parse parsed = parse_bytes(bytes, cut, &pkt);
		const char *fault = parse_fault(parsed, &pkt, cut);

		if (fault)
			fail_msg("%s cut to %zu: %s", kind->name, cut, fault);
		if (cut == size && parsed == WEIR_PARSE_MALFORMED)
			fail_msg("%s is malformed", kind->name);
		if (parsed == WEIR_PARSE_IP && kind->frame.family &&
		    cut < network_end(&kind->frame))
			fail_msg("%s cut to %zu has a source", kind->name, cut);
		if (parsed == WEIR_PARSE_IP && cut + kind->frame.padding < size)
			fail_msg("%s cut to %zu is shorter than it says", kind->name, cut);
	}
}

static void no_prefix_of_a_frame_is_taken_for_more_than_it_is(void **state)
{
	for (const struct frame_kind *kind = frame_kinds; kind->name; kind++)
		check_prefixes(kind);
}

static void each_kind_is_parsed_as_its_name_says(void **state)
{
	for (const struct frame_kind *kind = frame_kinds; kind->name; kind++) {
		struct weir_packet pkt;
		enum weir_parse parsed = parse_frame(&kind->frame, &pkt);
		enum weir_parse expected = WEIR_PARSE_IP;

		if (strstr(kind->name, "arp") || strstr(kind->name, "-needed") ||
		    strstr(kind->name, "-too-big") || strstr(kind->name, "neighbour"))
			expected = WEIR_PARSE_PROTECTED;
		else if (!kind->frame.family || strstr(kind->name, "three-tags"))
			expected = WEIR_PARSE_NOT_IP;
		if (parsed != expected)
			fail_msg("%s: parsed as %d", kind->name, parsed);
		if (expected != WEIR_PARSE_IP)
			continue;
		assert_int_equal(pkt.family, kind->frame.family);
		if (strstr(kind->name, "later") || strstr(kind->name, "nine"))
			assert_no_ports(pkt);
		else if (kind->frame.dport)
			assert_ports(pkt, kind->frame.dport);
	}
}

static void what_is_said_of_a_mutated_frame_holds_together(void **state)
{
	struct random random = { 20261201 };
	size_t seen[4] = { 0 };
	uint8_t bytes[FRAME_BYTES_MAX];

	for (int i = 0; i < MUTATIONS; i++) {
		const struct frame_kind *kind = frame_kind_at(random_next(&random));
		size_t size = mutate(&random, bytes, frame_build(&kind->frame, bytes));
		struct weir_packet pkt;
		enum weir_parse parsed = parse_bytes(bytes, size, &pkt);
		const char *fault = parse_fault(parsed, &pkt, size);

		if (fault)
			fail_msg("mutation %d of %s: %s", i, kind->name, fault);
		seen[parsed]++;
	}
	/* The mutations reach all that the parser can say. */
	for (int i = 0; i < 4; i++)
		assert_in_range(seen[i], MUTATIONS / 100, MUTATIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_prefix_of_a_frame_is_taken_for_more_than_it_is),
		cmocka_unit_test(each_kind_is_parsed_as_its_name_says),
		cmocka_unit_test(what_is_said_of_a_mutated_frame_holds_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
