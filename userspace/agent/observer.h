/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who is near a limit and who is at it, seen over time.
 *
 * Fed once a second with the sources that the packet path knows by name, it remembers for each what
 * it had sent ten seconds ago, and since when it is being refused. Pure: time is an argument, and
 * memory is bounded by WEIR_SOURCES_MAX sources.
 */
#ifndef WEIR_AGENT_OBSERVER_H
#define WEIR_AGENT_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include "plane/plane.h"

struct weir_observer;

#define WEIR_OBSERVED_MAX 10
/* What a rate is taken over. */
#define WEIR_OBSERVER_WINDOW_S 10
/* How long the time at a limit is still told after it ended. */
#define WEIR_OBSERVER_KEPT_S 60

struct weir_observed {
	char limit[WEIR_NAME_LEN + 1];
	struct weir_prefix prefix;
	double value;
};

struct weir_observation {
	/* Sources that sent something in the window, least headroom (0 to 1) first. */
	struct weir_observed nearest[WEIR_OBSERVED_MAX];
	size_t n_nearest;
	/* Seconds at the limit, the present or the last time; longest first. */
	struct weir_observed longest[WEIR_OBSERVED_MAX];
	size_t n_longest;
	size_t at_limit[WEIR_SLOTS]; /* sources that are refused at present, by the limit's slot */
};

/**
 * @seed  random, so that nobody outside can choose sources that fall on one place
 * Returns NULL when memory is out.
 */
struct weir_observer *weir_observer_new(const uint64_t seed[2]);
void weir_observer_free(struct weir_observer *observer);

/**
 * Takes the sources as they are now. Beyond WEIR_SOURCES_MAX the rest are not looked at.
 * @now_ns  CLOCK_MONOTONIC
 * Returns 0 or -ENOMEM, and then only what was known before is lost.
 */
int weir_observer_feed(struct weir_observer *observer, uint64_t now_ns,
		       const struct weir_source_view *sources, size_t n);

/** As of the last feed. */
const struct weir_observation *weir_observer_result(const struct weir_observer *observer);

#endif
