/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A lane is a veth pair with something at its receiving end. The receiving end is served by a kernel
 * thread of its own (threaded NAPI), so the CPU time its frames cost is that of one thread.
 */
#ifndef WEIR_BENCH_LANE_H
#define WEIR_BENCH_LANE_H

#include <stdint.h>

#include "base/error.h"

struct lane {
	const char *key; /* these four point into the text it was opened with */
	const char *netns;
	const char *receiver;
	const char *sender;
	uint32_t sender_ifindex; /* in the sender's namespace */
	int thread;
	int link_fd; /* -1: no program is attached */
};

struct lane_counts {
	uint64_t packets; /* that the receiving end took in */
	uint64_t cpu_ns;  /* of its thread */
	uint64_t wall_ns; /* CLOCK_MONOTONIC */
};

/** Goes to a network namespace of `ip netns`, with the whole process. */
int lane_enter(const char *netns);

/**
 * @text    KEY:NAMESPACE:RECEIVER:SENDER, kept and changed
 * @sender  the namespace of the sending ends
 * @cpu     where the receiving end's thread is to run
 */
int lane_open(struct lane *lane, char *text, const char *sender, int cpu, struct weir_error *error);
int lane_attach(struct lane *lane, int prog_fd, struct weir_error *error);
void lane_close(const struct lane *lane);

/** Waits until nothing is under way any more, and reads. Leaves the process in the lane's namespace. */
int lane_read(const struct lane *lane, struct lane_counts *ret_counts);

#endif
