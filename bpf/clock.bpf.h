/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The clocks of the packet path, both CLOCK_MONOTONIC. The coarse one is the last tick's and costs
 * a tenth of the precise one; rules that cannot afford its lag say so (WEIR_RULE_COARSE).
 */
#ifndef WEIR_CLOCK_BPF_H
#define WEIR_CLOCK_BPF_H

#include <weir/maps.h>

#include "maps.bpf.h"

static __always_inline __u64 clock_coarse_ns(const struct weir_ctl *c)
{
	if (weir_knobs.injected_clock)
		return *(volatile const __u64 *)&c->injected_ns;
	return bpf_ktime_get_coarse_ns();
}

static __always_inline __u64 clock_precise_ns(const struct weir_ctl *c)
{
	if (weir_knobs.injected_clock)
		return *(volatile const __u64 *)&c->injected_ns;
	return bpf_ktime_get_ns();
}

#endif
