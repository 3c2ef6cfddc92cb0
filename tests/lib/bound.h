/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The promise, kept by arithmetic of its own: over every interval (s, t] a source is admitted at most
 * burst + rate * (t - s).
 *
 * Where the numbers change, intervals on either side are held to their own, and those that reach over
 * the change to the larger of both.
 *
 * The largest excess over all intervals that end now is one number, a level that drains at the rate
 * and rises by what is admitted: it may not rise above the burst. Levels are tokens times the rate's
 * period in ns, so every step is exact.
 */
#ifndef TESTS_LIB_BOUND_H
#define TESTS_LIB_BOUND_H

#include <stdint.h>

struct bound_rate {
	uint64_t tokens; /* every */
	uint64_t per_ns;
	uint64_t burst; /* tokens */
};

/** What is known of a source; all zero: nothing was admitted yet. */
struct bound {
	unsigned __int128 level;
	uint64_t at_ns;
};

static inline void bound_drain(struct bound *bound, const struct bound_rate *rate, uint64_t now_ns)
{
	unsigned __int128 drained;

	if (now_ns <= bound->at_ns)
		return;
	drained = (unsigned __int128)(now_ns - bound->at_ns) * rate->tokens;
	bound->level -= drained < bound->level ? drained : bound->level;
	bound->at_ns = now_ns;
}

/** Notes that so many tokens were admitted. @return 1 when that was within the bound */
static inline int bound_admit(struct bound *bound, const struct bound_rate *rate, uint64_t now_ns,
			      uint64_t tokens)
{
	bound_drain(bound, rate, now_ns);
	bound->level += (unsigned __int128)tokens * rate->per_ns;
	return bound->level <= (unsigned __int128)rate->burst * rate->per_ns;
}

#endif
