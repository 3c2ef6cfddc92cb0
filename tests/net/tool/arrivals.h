/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What arrived: a record of every packet, by source, and how it stands to a bound. Knows nothing of
 * sockets.
 */
#ifndef WEIR_TESTS_NET_ARRIVALS_H
#define WEIR_TESTS_NET_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/prefix.h"

struct arrival {
	uint64_t stamp_ns; /* CLOCK_REALTIME, when the network stack got it */
	uint64_t sent_ns; /* the same clock, from the trailer; without one, the stamp less the lag */
	uint32_t source;  /* index */
	uint32_t bytes;	  /* of the frame with its tags */
};

struct source {
	struct weir_prefix prefix;
	uint64_t packets;
	uint64_t bytes;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t gap_ns; /* the longest time between two */
	double used;	 /* tokens up to here */
	double origin;	 /* the largest of rate * sent(i) - tokens before i */
	double excess;	 /* the most above the bound over any interval; at most 0: held */
};

struct arrivals {
	double rate_per_s; /* 0: no bound */
	double burst;
	bool by_bytes;
	bool all; /* one source for everyone */
	unsigned int ipv4_bits;
	unsigned int ipv6_bits;
	uint64_t lag_ns; /* a frame without a trailer was let through up to this long before its stamp */
	size_t listed; /* sources to print, those with the most packets first */

	struct arrival *list;
	size_t n_list;
	struct source *sources;
	size_t n_sources;
	uint32_t *table; /* from a prefix's hash to 1 + index, open addressing */
	size_t table_size;
	uint64_t arp;
	uint64_t discovery; /* ICMPv6 133 to 137, and listener reports */
	uint64_t other;
	uint64_t lost; /* by the socket: must be 0 for the counts to mean anything */
};

/** Reads the command line; @return the interface. Wrong: says so and exits with 2. */
const char *arrivals_options(struct arrivals *arrivals, int argc, char **argv);

/**
 * Records one frame.
 * @arrival  stamp and bytes are given
 * @frame    @len bytes, all of it or its start
 */
void arrivals_add(struct arrivals *arrivals, struct arrival *arrival, const uint8_t *frame,
		  size_t len);

/** Prints all that is known as JSON. @return 0, or 1 if that failed */
int arrivals_print(struct arrivals *arrivals, FILE *out);

void arrivals_free(struct arrivals *arrivals);

#endif
