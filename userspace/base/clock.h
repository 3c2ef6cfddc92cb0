/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The clocks weir reads, in nanoseconds. The same ones the packet path has, so that times can be
 * compared: never the wall clock, which steps.
 */
#ifndef WEIR_BASE_CLOCK_H
#define WEIR_BASE_CLOCK_H

#include <stdint.h>

/** CLOCK_MONOTONIC: what bpf_ktime_get_ns() gives. Stands still while the machine is suspended. */
uint64_t weir_clock_monotonic_ns(void);

/** CLOCK_MONOTONIC_COARSE: what bpf_ktime_get_coarse_ns() gives; late by up to one tick. */
uint64_t weir_clock_coarse_ns(void);

/** CLOCK_BOOTTIME: what bpf_ktime_get_boot_ns() gives; runs on while the machine is suspended. */
uint64_t weir_clock_boottime_ns(void);

/** The length of a tick of the coarse clock (4 ms on a kernel with HZ=250). */
uint64_t weir_clock_coarse_tick_ns(void);

#endif
