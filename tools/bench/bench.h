/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the files of the benchmark share.
 *
 * weir-bench only measures; it prints numbers as JSON and judges nothing. tools/bench/run makes the
 * world it measures in, report.jq says what the numbers mean.
 */
#ifndef WEIR_BENCH_H
#define WEIR_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "front.h"
#include "plane/plane.h"

struct peers;

struct bench_options {
	const char *pins;    /* a folder of a BPF file system, for the bench alone */
	const char *scratch; /* a folder for files */
	unsigned int slices; /* how often each figure is taken; the least counts */
	unsigned int slice_ms;
	const char *sender; /* net: namespace the frames come from */
	char **lanes;	    /* net: KIND:NAMESPACE:RECEIVER:SENDER */
	int n_lanes;
};

/** How many sources there are and what each is held to. */
struct traffic {
	const char *key;
	const char *title;
	uint32_t mask;
	uint32_t rate_per_s;
	uint32_t burst;
	uint32_t fill;	/* packets until the tables know most of the sources */
	bool saturated; /* weir's buckets are to be without tokens before each slice */
};

enum { TRAFFIC_ONE, TRAFFIC_64K, TRAFFIC_1M, TRAFFIC_16M, TRAFFIC_SATURATED, TRAFFICS };
extern const struct traffic bench_traffic[TRAFFICS];

/* The two measurements: each prints one JSON object on stdout. */
int bench_micro(const struct bench_options *options, struct weir_error *error);
int bench_net(const struct bench_options *options, struct weir_error *error);

/* --- programs.c ------------------------------------------------------------------------- */

/** The map of a loaded program by its name. @return fd or a negative errno */
int program_map(int prog_fd, const char *name);

/** Writes the single value of such a map. */
int program_set(int prog_fd, const char *map, const void *value);

/** Sources drawn from mask + 1, or with @drawing false packets as they come. */
int program_draw(int prog_fd, bool drawing, uint32_t mask);

/** Runs @repeat packets. @ret_ns  CPU time of the thread for one of them */
int program_run(int prog_fd, uint32_t repeat, double *ret_ns);

/** The packet everything is measured with: UDP, 64 bytes. */
void program_packet(const uint8_t mac[6], uint8_t packet[64]);

/** Loads what weir is compared with. */
int peers_open(struct weir_error *error, struct peers **ret_peers);
void peers_close(struct peers *peers);
/** Every program of the peers goes by this rate from now on. */
int peers_set_rate(const struct peers *peers, const struct traffic *traffic);
int peers_fd(const struct peers *peers, const char *program);

/* --- policies.c ------------------------------------------------------------------------- */

struct policy_kind {
	const char *key;
	const char *title;
	const char *buckets;
	unsigned int limits;   /* in the policy; one of them matches, */
	bool all_match;	       /* or all */
	unsigned int prefixes; /* in the two lists together */
	bool precise;	       /* a burst too small for the coarse clock */
	bool saturates;	       /* measured in a saturated table too */
};

extern const struct policy_kind bench_policies[];
extern const size_t bench_n_policies;

/** False where the policy says nothing new about such traffic. */
bool policy_has(const struct policy_kind *kind, const struct traffic *traffic);

/**
 * Reads and publishes the policy.
 * @ret_ms  from its text to its being in force; may be NULL
 */
int policy_publish(const struct policy_kind *kind, const struct traffic *traffic,
		   const char *scratch, struct weir_plane *plane, struct weir_error *error,
		   double *ret_ms);

/** Starts the packet path in a folder of its own below @pins. */
int policy_plane(const char *pins, const char *name, bool timer, struct weir_error *error,
		 struct weir_plane **ret_plane);

#endif
