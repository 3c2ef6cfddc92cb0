/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Frames changed at random, mostly in their headers. */
#ifndef TESTS_LIB_MUTATE_H
#define TESTS_LIB_MUTATE_H

#include "lib/frames.h"
#include "lib/random.h"

/** One of the kinds of frames. */
static inline const struct frame_kind *frame_kind_at(uint64_t number)
{
	size_t count = 0;

	while (frame_kinds[count].name)
		count++;
	return &frame_kinds[number % count];
}

/** Changes one to four bytes; one frame in four is cut short too. @return its size */
static inline size_t mutate(struct random *random, uint8_t *bytes, size_t size)
{
	for (uint64_t n = 1 + random_below(random, 4); n; n--) {
		uint64_t most = random_next(random) & 1 && size > 64 ? 64 : size;
		uint64_t at = random_below(random, most);

		if (random_next(random) & 1)
			bytes[at] ^= (uint8_t)(1u << random_below(random, 8));
		else
			bytes[at] = (uint8_t)random_next(random);
	}
	return random_below(random, 4) ? size : 1 + random_below(random, size);
}

#endif
