// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What sources did between two looks: both are sorted by source and walked side by side.
 */
#include "cli/top_rows.h"

#include <errno.h>
#include <stdlib.h>

static int by_source(const void *a, const void *b)
{
	const struct weir_source_view *left = a, *right = b;

	if (left->slot != right->slot)
		return left->slot < right->slot ? -1 : 1;
	return weir_prefix_compare(&left->prefix, &right->prefix);
}

static int by_trouble(const void *a, const void *b)
{
	const struct weir_top_row *left = a, *right = b;

	if (left->refused_per_s != right->refused_per_s)
		return left->refused_per_s > right->refused_per_s ? -1 : 1;
	if (left->offered_per_s != right->offered_per_s)
		return left->offered_per_s > right->offered_per_s ? -1 : 1;
	return by_source(left->source, right->source);
}

static double tokens(const struct weir_source_view *source, const struct weir_count *count)
{
	return (double)(source->bytes ? count->bytes : count->packets);
}

/* A count that is read while it is written may seem to go back a little. */
static double per_s(double before, double after, double seconds)
{
	return after > before ? (after - before) / seconds : 0;
}

static void fill(struct weir_top_row *row, const struct weir_source_view *before,
		 const struct weir_source_view *after, double seconds)
{
	bool same = before && before->first_seen_ns == after->first_seen_ns;
	double admitted = same ? tokens(before, &before->admitted) : 0;
	double refused = same ? tokens(before, &before->refused) : 0;

	row->source = after;
	row->admitted_per_s = per_s(admitted, tokens(after, &after->admitted), seconds);
	row->refused_per_s = per_s(refused, tokens(after, &after->refused), seconds);
	row->offered_per_s = row->admitted_per_s + row->refused_per_s;
	row->headroom = after->rate_per_s > 0 ? 1 - row->offered_per_s / after->rate_per_s : 0;
	if (row->headroom < 0)
		row->headroom = 0;
}

int weir_top_rows(struct weir_source_view *before, size_t n_before, struct weir_source_view *after,
		  size_t n_after, double seconds, struct weir_top_row **ret_rows)
{
	struct weir_top_row *rows = calloc(n_after + 1, sizeof(*rows));
	size_t at = 0, i;

	if (!rows)
		return -ENOMEM;
	if (n_before)
		qsort(before, n_before, sizeof(*before), by_source);
	if (n_after)
		qsort(after, n_after, sizeof(*after), by_source);
	for (i = 0; i < n_after; i++) {
		while (at < n_before && by_source(&before[at], &after[i]) < 0)
			at++;
		fill(&rows[i],
		     at < n_before && by_source(&before[at], &after[i]) == 0 ? &before[at] : NULL,
		     &after[i], seconds);
	}
	qsort(rows, n_after, sizeof(*rows), by_trouble);
	*ret_rows = rows;
	return 0;
}
