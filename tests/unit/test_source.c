// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Where sources land: one place for each IPv4 source, all lines used alike, prefixes as a limit
 * counts them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <weir/rules.h>

#include "lib/parsed.h"
#include "lib/random.h"

/* 256 Ki buckets: 2^15 lines, where the place is exactly as wide as it must be. */
#define LINE_BITS 15
#define ADDRESSES (1u << 22)

static struct weir_hash random_hash(struct random *random, __u32 line_bits)
{
	struct weir_hash hash = { .key = { .add = random_next(random),
					   .fold = random_next(random),
					   .mul_a = random_next(random) | 1,
					   .mul_b = random_next(random) | 1 } };

	weir_hash_shape(&hash, line_bits);
	return hash;
}

static struct weir_place place_of(const struct weir_hash *hash, uint32_t address)
{
	struct weir_addr source = { .lo = address };

	return weir_source_place(hash, &source, 4);
}

/* The inverse of an odd number modulo 2^64, by Newton's iteration. */
static __u64 inverse(__u64 odd)
{
	__u64 x = odd;

	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

static __u64 unfold(const struct weir_hash *hash, __u64 x)
{
	return x ^ x >> hash->half;
}

/* weir_hash_permute() backwards, step by step. */
static __u64 unpermute(const struct weir_hash *hash, __u64 x)
{
	x = unfold(hash, x);
	x = (x * inverse(hash->key.mul_b)) & hash->width_mask;
	x = unfold(hash, x);
	return ((x * inverse(hash->key.mul_a)) ^ hash->key.add) & hash->width_mask;
}

/* The address at a place, from the place alone: so no two addresses have one. */
static uint32_t address_at(const struct weir_hash *hash, struct weir_place place)
{
	__u64 x = unpermute(hash, (__u64)place.tag << hash->line_bits | place.line);

	if (!(x >> 32 & 1))
		x = unpermute(hash, x);
	return (uint32_t)x;
}

static void every_ipv4_place_leads_back_to_its_address(void **state)
{
	struct random random = { 7 };

	for (__u32 line_bits = LINE_BITS; line_bits <= 20; line_bits++) {
		struct weir_hash hash = random_hash(&random, line_bits);

		for (uint32_t i = 0; i < ADDRESSES / 4; i++) {
			uint32_t address = i & 1 ? (uint32_t)random_next(&random) : i;
			struct weir_place place = place_of(&hash, address);

			assert_in_range(place.tag, 1, WEIR_TAG_MASK);
			assert_true(place.line < 1u << line_bits);
			if (address_at(&hash, place) != address)
				fail_msg("%08x with %u line bits", address, line_bits);
		}
	}
}

/* The addresses whose first place has the reserved tag 0, found from the places. */
static void places_that_were_moved_off_tag_zero_lead_back_too(void **state)
{
	struct random random = { 11 };
	uint32_t moved = 0;

	for (int keys = 0; keys < 8; keys++) {
		struct weir_hash hash = random_hash(&random, LINE_BITS);

		for (__u64 line = 0; line < 1u << LINE_BITS; line++) {
			__u64 x = unpermute(&hash, line);
			struct weir_place place = place_of(&hash, (uint32_t)x);

			if (!(x >> 32 & 1))
				continue;
			moved++;
			assert_in_range(place.tag, 1, WEIR_TAG_MASK);
			assert_int_equal(address_at(&hash, place), (uint32_t)x);
		}
	}
	assert_in_range(moved, 100000, 200000);
}

static int by_value(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* The same without trusting the way back: sorted, no two places are equal. */
static void no_two_of_four_million_addresses_share_a_place(void **state)
{
	__u64 *places = malloc(ADDRESSES * sizeof(*places));
	struct random random = { 13 };
	struct weir_hash hash = random_hash(&random, LINE_BITS);

	assert_non_null(places);
	for (uint32_t i = 0; i < ADDRESSES; i++) {
		/* Half in a row, half that differ in their upper bits only, as in botnets and scans. */
		uint32_t address = i & 1 ? i << 10 | i >> 12 : 0x0a000000 + i;
		struct weir_place place;

		if ((i & 1) && address - 0x0a000000 < ADDRESSES && !(address & 1))
			address = i; /* would be there twice */
		place = place_of(&hash, address);
		places[i] = (__u64)place.line << WEIR_TAG_BITS | place.tag;
	}
	qsort(places, ADDRESSES, sizeof(*places), by_value);
	for (uint32_t i = 1; i < ADDRESSES; i++)
		assert_int_not_equal(places[i - 1], places[i]);
	free(places);
}

/* Chi-square over the lines, 2^17 sources over 2^10 lines: mean 1023, standard deviation 45. */
static void assert_spread(const struct weir_hash *hash, uint8_t family, uint32_t step, bool upper)
{
	const uint32_t sources = 1u << 17, lines = 1u << hash->line_bits;
	uint32_t *count = calloc(lines, sizeof(*count));
	double chi = 0, mean = (double)sources / lines;

	assert_non_null(count);
	for (uint32_t i = 0; i < sources; i++) {
		struct weir_addr source = { 0 };
		struct weir_place place;

		if (upper)
			source.hi = (__u64)i * step << 32;
		else
			source.lo = (uint32_t)(i * step);
		place = weir_source_place(hash, &source, family);
		count[place.line]++;
		assert_in_range(place.tag, 1, WEIR_TAG_MASK);
	}
	for (uint32_t i = 0; i < lines; i++)
		chi += (count[i] - mean) * (count[i] - mean) / mean;
	free(count);
	if (chi > 2 * lines)
		fail_msg("chi-square %.0f over %u lines, family %u, step %u", chi, lines, family,
			 step);
}

static void structured_sources_spread_over_all_lines(void **state)
{
	struct random random = { 17 };

	for (int keys = 0; keys < 20; keys++) {
		struct weir_hash hash = random_hash(&random, 10);

		assert_spread(&hash, 4, 1, false);
		assert_spread(&hash, 4, 256, false);
		assert_spread(&hash, 4, 0x01000001, false);
		assert_spread(&hash, 6, 1, true);
		assert_spread(&hash, 6, 0x100, true);
		assert_spread(&hash, 6, 1, false);
	}
}

static struct weir_rule rule_of(struct random *random)
{
	struct weir_rule rule = {
		.mask4 = { .lo = 0xffffffff },
		.mask6 = { .hi = ~0ull },
		.hash = random_hash(random, LINE_BITS),
	};

	return rule;
}

static struct weir_place place_in(const struct weir_rule *rule, struct frame frame)
{
	struct weir_packet pkt = ip(frame);

	return weir_rule_place(rule, &pkt);
}

/* Case 7. */
static void a_thousand_ports_of_one_address_have_one_bucket(void **state)
{
	struct random random = { 19 };
	struct weir_rule rule = rule_of(&random);
	struct weir_place first = place_in(&rule, IP4(TCP)), place;

	for (uint16_t port = 1; port <= 1000; port++) {
		place = place_in(&rule, IP4(UDP, .sport = port));
		assert_memory_equal(&place, &first, sizeof(place));
	}
}

/* Case 8. */
static void a_prefix_of_ipv6_has_one_bucket_and_the_next_another(void **state)
{
	struct random random = { 23 };
	struct weir_rule rule = rule_of(&random);
	struct weir_place first = place_in(&rule, IP6(TCP, .from = "2001:db8:0:7::1")), place;
	char text[64];

	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "2001:db8:0:7:%x:%x::%x", i, i * 7, i * 31);
		place = place_in(&rule, IP6(UDP, .from = text));
		assert_memory_equal(&place, &first, sizeof(place));
		snprintf(text, sizeof(text), "2001:db8:0:%x::1", 8 + i);
		place = place_in(&rule, IP6(UDP, .from = text));
		assert_memory_not_equal(&place, &first, sizeof(place));
	}
}

static void one_bucket_for_everyone_is_one_for_both_families(void **state)
{
	struct random random = { 29 };
	struct weir_rule rule = { .flags = WEIR_RULE_ALL, .hash = random_hash(&random, 0) };
	struct weir_place four = place_in(&rule, IP4(TCP)), six = place_in(&rule, IP6(TCP));

	assert_memory_equal(&four, &six, sizeof(four));
	assert_int_equal(four.line, 0);
	six = place_in(&rule, IP6(TCP, .from = "fd00::1"));
	assert_memory_equal(&four, &six, sizeof(four));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ipv4_place_leads_back_to_its_address),
		cmocka_unit_test(places_that_were_moved_off_tag_zero_lead_back_too),
		cmocka_unit_test(no_two_of_four_million_addresses_share_a_place),
		cmocka_unit_test(structured_sources_spread_over_all_lines),
		cmocka_unit_test(a_thousand_ports_of_one_address_have_one_bucket),
		cmocka_unit_test(a_prefix_of_ipv6_has_one_bucket_and_the_next_another),
		cmocka_unit_test(one_bucket_for_everyone_is_one_for_both_families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
