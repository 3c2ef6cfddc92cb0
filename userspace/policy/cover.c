// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Covers: many prefixes as few disjoint ones, so that one search tells whether a prefix lies in any.
 *
 * In sorted order a prefix comes right before all those within it, and its two halves come side by
 * side, so one pass with a stack is enough.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/match.h"

static bool bit_at(const struct weir_prefix *prefix, unsigned int bit)
{
	return prefix->addr[bit / 8] >> (7 - bit % 8) & 1;
}

/* The whole that @low and @high are the halves of; false when they are none. */
static bool join(const struct weir_prefix *low, const struct weir_prefix *high,
		 struct weir_prefix *ret_whole)
{
	struct weir_prefix whole = *low;

	if (low->bits == 0 || low->bits != high->bits || low->family != high->family ||
	    bit_at(low, low->bits - 1U))
		return false;
	whole.bits--;
	if (!weir_prefix_covers(&whole, high))
		return false;
	*ret_whole = whole;
	return true;
}

static size_t reduce(struct weir_prefix *prefixes, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++) {
		if (kept && weir_prefix_covers(&prefixes[kept - 1], &prefixes[i]))
			continue;
		prefixes[kept++] = prefixes[i];
		while (kept > 1 &&
		       join(&prefixes[kept - 2], &prefixes[kept - 1], &prefixes[kept - 2]))
			kept--;
	}
	return kept;
}

int weir_cover_build(const struct weir_prefix *a, size_t n_a, const struct weir_prefix *b,
		     size_t n_b, struct weir_cover *ret_cover)
{
	struct weir_prefix *prefixes = calloc(n_a + n_b + 1, sizeof(*prefixes));

	if (!prefixes)
		return -ENOMEM;
	if (n_a)
		memcpy(prefixes, a, n_a * sizeof(*prefixes));
	if (n_b)
		memcpy(prefixes + n_a, b, n_b * sizeof(*prefixes));
	qsort(prefixes, n_a + n_b, sizeof(*prefixes), weir_prefix_compare);
	ret_cover->prefixes = prefixes;
	ret_cover->n = reduce(prefixes, n_a + n_b);
	return 0;
}

void weir_cover_free(struct weir_cover *cover)
{
	free(cover->prefixes);
	*cover = (struct weir_cover){ .prefixes = NULL };
}

bool weir_cover_has(const struct weir_cover *cover, const struct weir_prefix *prefix)
{
	size_t low = 0, high = cover->n;

	/* The last one not after @prefix is the only one that can hold it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (weir_prefix_compare(&cover->prefixes[middle], prefix) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && weir_prefix_covers(&cover->prefixes[low - 1], prefix);
}
