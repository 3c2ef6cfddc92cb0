/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the benchmark and its BPF programs say to each other: one struct, one section each. */
#ifndef WEIR_BENCH_FRONT_H
#define WEIR_BENCH_FRONT_H

#include <linux/types.h>

/* In ".data.front" of every object. */
struct bench_front {
	__u64 serial;  /* packets drawn so far */
	__u32 mask;    /* there are mask + 1 sources, a power of two */
	__u32 drawing; /* 1: each packet gets a source drawn at random; 0: it keeps its own */
};

/* In ".data.rate" of the peers: what they hold a source to. */
struct bench_rate {
	__u64 token_ns;
	__u64 burst_ns;
};

/* In ".data.target" of the sender. */
struct bench_target {
	__u32 ifindex;
	__u32 reserved;
};

/* The bench's one kind of packet: Ethernet, IPv4 without options, UDP. */
#define BENCH_IP      14
#define BENCH_SOURCE  (BENCH_IP + 12)
#define BENCH_NETWORK 0x0a000000u /* sources are in 10.0.0.0/8 */

#endif
