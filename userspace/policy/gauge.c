// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A limit's unit of time and its numbers in it. All divisions are exact or rounded to the limit's
 * disadvantage: what is admitted is never above what the file says.
 */
#include <errno.h>
#include <string.h>

#include "policy/compile.h"

/* Values reach at most a quarter of the wrap ahead, in units. */
#define REACH_UNITS (1ULL << (WEIR_TAT_BITS - 2))
/* A byte limit goes by the coarse clock only where a jumbo frame still fits its shortened burst. */
#define LARGEST_FRAME_BYTES 16384
#define UNIT_COARSEST	    40

typedef unsigned __int128 wide;

static wide divide_up(wide a, wide b)
{
	return (a + b - 1) / b;
}

/** Nanoseconds in units of 2^k ns, rounded up. */
static wide units_up(wide ns, int k)
{
	return k > 0 ? divide_up(ns, (wide)1 << k) : ns << -k;
}

/**
 * A token's time in units of 2^k ns. Where a unit is more than a nanosecond, reading the clock
 * rounds down by up to one unit, and each token pays for that.
 */
static wide token_units(const struct weir_rate *rate, int k)
{
	wide denominator = rate->tokens;
	wide ns = rate->per_ns;

	if (k > 0)
		return divide_up(ns, denominator << k) + 1;
	return divide_up(ns << -k, denominator);
}

static int choose_unit(const struct weir_rate *rate, uint64_t burst_tokens)
{
	int k = -WEIR_UNIT_FINEST;

	while (k < UNIT_COARSEST && token_units(rate, k + 1) >= WEIR_TOKEN_UNITS)
		k++;
	while (k < UNIT_COARSEST && burst_tokens * token_units(rate, k) > REACH_UNITS)
		k++;
	return k;
}

/**
 * Whether the limit can afford to give up what two ticks are worth. Not where that is less than a
 * token: the burst would be short of a whole one.
 */
static bool may_be_coarse(const struct weir_rate *rate, uint64_t burst_tokens, bool bytes,
			  uint64_t tick_ns)
{
	wide lost = divide_up((wide)2 * tick_ns * rate->tokens, rate->per_ns);

	if ((wide)2 * tick_ns * rate->tokens < rate->per_ns || lost * 10 > burst_tokens)
		return false;
	return !bytes || burst_tokens - lost >= LARGEST_FRAME_BYTES;
}

int weir_compile_gauge(const struct weir_rate *rate, uint64_t burst_tokens, bool bytes,
		       uint64_t tick_ns, struct weir_gauge *ret_gauge, bool *ret_coarse)
{
	int k = choose_unit(rate, burst_tokens);
	wide token = token_units(rate, k);
	wide burst = burst_tokens * token;
	bool coarse = may_be_coarse(rate, burst_tokens, bytes, tick_ns);
	struct weir_gauge gauge = {};

	if (burst > REACH_UNITS || (k > -WEIR_UNIT_FINEST && token < WEIR_TOKEN_UNITS_MIN))
		return -ERANGE;
	if (coarse)
		burst -= units_up((wide)2 * tick_ns, k);
	gauge.token = (uint64_t)token << WEIR_TAT_SHIFT;
	gauge.burst = (uint64_t)burst << WEIR_TAT_SHIFT;
	gauge.now_right = k > 0 ? k : 0;
	gauge.now_left = k > 0 ? WEIR_TAT_SHIFT : WEIR_TAT_SHIFT - k;
	*ret_gauge = gauge;
	*ret_coarse = coarse;
	return 0;
}

void weir_compile_change(const struct weir_gauge *before, const struct weir_gauge *after,
			 struct weir_change *ret_change)
{
	wide old = before->token >> WEIR_TAT_SHIFT, new = after->token >> WEIR_TAT_SHIFT;
	wide full = divide_up((after->burst >> WEIR_TAT_SHIFT) * old, new);
	struct weir_change change = {};
	int shift = 0;

	/* The largest 22-bit multiplier: debts have 42 bits, so the product fits a word. */
	while (shift < 62 && divide_up(new << (shift + 1), old) < 1 << 22)
		shift++;
	while (shift > -40 && (shift >= 0 ? divide_up(new << shift, old)
					  : divide_up(new, old << -shift)) >= 1 << 22)
		shift--;
	change.mul = shift >= 0 ? divide_up(new << shift, old) : divide_up(new, old << -shift);
	change.shift = shift;
	change.full_old = full < REACH_UNITS ? full : REACH_UNITS;
	*ret_change = change;
}
