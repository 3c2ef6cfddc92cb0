/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Numbers that look random and are the same in every run (xorshift64*, Vigna 2016). */
#ifndef TESTS_LIB_RANDOM_H
#define TESTS_LIB_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state; /* not zero */
};

static inline uint64_t random_next(struct random *random)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * 0x2545f4914f6cdd1dull;
}

/** 0 .. @count - 1 */
static inline uint64_t random_below(struct random *random, uint64_t count)
{
	return (uint64_t)(((unsigned __int128)random_next(random) * count) >> 64);
}

/** Each power of two as likely as the next: small numbers and large ones. */
static inline uint64_t random_skewed(struct random *random, unsigned int bits_max)
{
	return random_next(random) >> (64 - 1 - random_below(random, bits_max));
}

#endif
