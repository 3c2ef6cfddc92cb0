/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stage in front of every program that is measured: it draws a source and writes it into the
 * packet. BPF_PROG_RUN hands a program the same packet again and again; with this each one sees as
 * many sources as it should, and all of them pay the same for it.
 *
 * The real packet path is built with this file put before bpf/weir.bpf.c on the compiler's command
 * line. The macro at its end then turns the entry point into two: the one that is loaded draws and
 * calls, and the one that was written there becomes what it calls. Not a line of it is copied. What
 * passes is dropped afterwards, so that between interfaces only the way to the verdict is measured.
 */
#ifndef WEIR_BENCH_FRONT_BPF_H
#define WEIR_BENCH_FRONT_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#include "front.h"

struct bench_front front SEC(".data.front") = {};

/* One-to-one on 32 bits, so no source comes up more often than another. */
static __always_inline __u32 front_index(void)
{
	__u32 x = (__u32)front.serial++;

	x *= 0x9e3779b1u;
	x ^= x >> 15;
	x *= 0x85ebca6bu;
	x ^= x >> 13;
	return x & *(volatile __u32 *)&front.mask;
}

/** Writes the packet's source. The compiler may keep nothing of the packet that it knew before. */
static __always_inline void front_draw(struct xdp_md *ctx)
{
	__u8 *packet = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (!*(volatile __u32 *)&front.drawing || packet + BENCH_SOURCE + 4 > end)
		return;
	*(volatile __u32 *)(packet + BENCH_SOURCE) =
		__builtin_bswap32(BENCH_NETWORK | front_index());
	asm volatile("" ::: "memory");
}

/** The end of every program: the verdict is reached, and the packet dropped. */
static __always_inline int front_drop(int verdict)
{
	asm volatile("" : : "r"(verdict));
	return XDP_DROP;
}

#ifdef BENCH_ENTRY
static __always_inline int product(struct xdp_md *ctx);
#define weir(argument)                           \
	weir(argument)                           \
	{                                        \
		front_draw(ctx);                 \
		return front_drop(product(ctx)); \
	}                                        \
	static __always_inline int product(argument)
#endif

#endif
