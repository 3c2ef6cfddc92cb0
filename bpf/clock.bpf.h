/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The clocks of the packet path. The precise one is CLOCK_MONOTONIC, a call. The coarse one counts
 * ticks since some moment at boot, which is one load from memory and no call; rules that cannot
 * afford its lag of up to a tick do not have WEIR_RULE_COARSE. Each rule's times are of one of the
 * two and never compared across.
 */
#ifndef WEIR_CLOCK_BPF_H
#define WEIR_CLOCK_BPF_H

#include <weir/maps.h>

#include "maps.bpf.h"

static __always_inline __u64 clock_coarse_ns(const struct weir_ctl *c)
{
	if (weir_knobs.injected_clock)
		return *(volatile const __u64 *)&c->injected_ns;
	return bpf_jiffies64() * weir_knobs.tick_ns;
}

static __always_inline __u64 clock_precise_ns(const struct weir_ctl *c)
{
	if (weir_knobs.injected_clock)
		return *(volatile const __u64 *)&c->injected_ns;
	return bpf_ktime_get_ns();
}

/**
 * A time by the precise clock that is not before now, without the call, unless the timer interrupt is
 * more than a tick late. Who is over the limit even by then need not ask what time it is.
 */
static __always_inline __u64 clock_at_most_ns(const struct weir_ctl *c)
{
	if (weir_knobs.injected_clock)
		return *(volatile const __u64 *)&c->injected_ns;
	return clock_coarse_ns(c) + c->coarse_behind_ns + 2ull * weir_knobs.tick_ns;
}

#endif
