/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What sources did between two looks. Pure.
 */
#ifndef WEIR_CLI_TOP_ROWS_H
#define WEIR_CLI_TOP_ROWS_H

#include "plane/plane.h"

/** Rates are in what the limit counts: packets or bytes a second. */
struct weir_top_row {
	const struct weir_source_view *source; /* of the later look */
	double offered_per_s;
	double admitted_per_s;
	double refused_per_s;
	double headroom; /* max(0, 1 - offered / rate) */
};

/**
 * A row for each source of the later look, the most refused first, then the most offered. A source
 * that was removed between the looks and came back counts from its return.
 *
 * @before, @after  reordered
 * @seconds         between the looks, above 0
 * @ret_rows        @n_after of them, owned by the caller, free(); they refer to @after
 * Returns 0 or -ENOMEM.
 */
int weir_top_rows(struct weir_source_view *before, size_t n_before, struct weir_source_view *after,
		  size_t n_after, double seconds, struct weir_top_row **ret_rows);

#endif
