// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The clocks weir reads. These four exist on every kernel that can run the packet path, so a
 * failure is a mistake in this file and not an input.
 */
#include "base/clock.h"

#include <assert.h>
#include <time.h>

#define NS_PER_S 1000000000ULL

static uint64_t to_ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static uint64_t read_clock(clockid_t id)
{
	struct timespec now = { 0 };
	int err = clock_gettime(id, &now);

	assert(err == 0);
	(void)err;
	return to_ns(now);
}

uint64_t weir_clock_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t weir_clock_coarse_ns(void)
{
	return read_clock(CLOCK_MONOTONIC_COARSE);
}

uint64_t weir_clock_boottime_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

uint64_t weir_clock_coarse_tick_ns(void)
{
	struct timespec tick = { 0 };
	int err = clock_getres(CLOCK_MONOTONIC_COARSE, &tick);

	assert(err == 0);
	(void)err;
	return to_ns(tick);
}
