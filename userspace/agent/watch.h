/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A line a second on what passes and what is refused, for a person who looks on:
 *
 *	12:00:01  passed 1,234/s  refused 56/s (over_limit 56: syn)
 *
 * Named after a refusal: the reason that had most of it, and where limits refused, the limit that
 * refused most. It never waits for who reads: a line that cannot be written at once is left out.
 */
#ifndef WEIR_AGENT_WATCH_H
#define WEIR_AGENT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "plane/plane.h"

#define WEIR_WATCH_LINE 256

struct weir_watch {
	bool is_on;
	uint64_t last_ns; /* 0: nothing seen yet */
	struct weir_count reasons[WEIR_REASONS];
	uint64_t refused[WEIR_SLOTS]; /* packets, and would-be refusals while observing */
	char names[WEIR_SLOTS][WEIR_NAME_LEN + 1];
};

/**
 * What happened since the last call, as a line without its newline. Pure but for @watch.
 * @now_ns   CLOCK_MONOTONIC
 * @clock    the time of day to print
 * @ret_line WEIR_WATCH_LINE bytes
 * Returns false at the first call, when there is nothing to compare with.
 */
bool weir_watch_line(struct weir_watch *watch, uint64_t now_ns, const struct tm *clock,
		     const struct weir_count reasons[WEIR_REASONS],
		     const struct weir_limit_view *limits, size_t n, char *ret_line);

/** Writes the line to stdout, if there is room. Switches the watch off when nobody reads. */
void weir_watch_show(struct weir_watch *watch, const char *line);

#endif
