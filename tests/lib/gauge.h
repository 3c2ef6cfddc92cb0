/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Gauges and lines made by hand, for tests of the bucket arithmetic alone. */
#ifndef TESTS_LIB_GAUGE_H
#define TESTS_LIB_GAUGE_H

#include <weir/bucket.h>

/** A number of units as it is held in a word. */
static inline __u64 in_place(__u64 units)
{
	return units << WEIR_TAT_SHIFT;
}

/** A gauge whose unit is a nanosecond. */
static inline struct weir_gauge gauge_of(__u64 token_units, __u64 burst_units)
{
	struct weir_gauge gauge = {
		.token = in_place(token_units),
		.burst = in_place(burst_units),
		.now_left = WEIR_TAT_SHIFT,
	};

	return gauge;
}

static inline __u64 word_of(__u64 tat_units, __u64 tag)
{
	return in_place(tat_units) | tag;
}

/*
 * How words made under @before are read under @after, whose units are the same: the smallest factor
 * of 21 bits that loses no debt. weir_compile_change() does this for all units.
 */
static inline void gauge_change(const struct weir_gauge *before, struct weir_gauge *after,
				__u64 moment_units)
{
	__u64 old = before->token >> WEIR_TAT_SHIFT, new = after->token >> WEIR_TAT_SHIFT;
	__s32 shift = 0;

	while (shift < 40 && ((unsigned __int128)new << (shift + 1)) / old + 1 < 1u << 21)
		shift++;
	after->generation = before->generation ^ WEIR_GENERATION;
	after->changing = 1;
	after->change.old_tat = after->change.new_tat = in_place(moment_units);
	after->change.mul = (__u64)(((unsigned __int128)new << shift) / old) + 1;
	after->change.shift = shift;
	after->change.full_old =
		(__u64)((unsigned __int128)(after->burst >> WEIR_TAT_SHIFT) * old / new) + 1;
}

#endif
