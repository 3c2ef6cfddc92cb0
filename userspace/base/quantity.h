/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Quantities as people write them: "2000 packets", "10 MB/s", "100ms", "3%", "256Ki".
 *
 * Exact or refused. A number is unsigned, whole, above zero, in plain digits; K M G T multiply by
 * powers of 1000 and Ki Mi Gi Ti by powers of 1024; at most one space may stand between the number
 * and its unit, and nothing after it. Each function returns 0, or -EINVAL with @error (optional)
 * saying what was found and what would do; outputs are untouched on failure.
 */
#ifndef WEIR_BASE_QUANTITY_H
#define WEIR_BASE_QUANTITY_H

#include <stdint.h>

#include "base/error.h"

#define WEIR_NS_PER_MS 1000000ULL
#define WEIR_NS_PER_S  1000000000ULL

/* The largest rates: a token's time stays well above what the packet path can resolve. */
#define WEIR_RATE_PACKETS_PER_S_MAX 1000000000ULL
#define WEIR_RATE_BYTES_PER_S_MAX   125000000000ULL

enum weir_unit { WEIR_UNIT_PACKETS, WEIR_UNIT_BYTES, WEIR_UNIT_UNITS };

/** So many packets, bytes or units. */
struct weir_amount {
	enum weir_unit unit;
	uint64_t tokens;
};

/** `tokens` every `per_ns`, exactly as written. */
struct weir_pace {
	enum weir_unit unit;
	uint64_t tokens;
	uint64_t per_ns;
};

/**
 * "2000 packets", "1 packet", "64 KiB", "100 Mbit", "5000 units". Bits become bytes and must be a
 * whole number of them.
 */
int weir_quantity_parse_amount(const char *text, struct weir_error *error,
			       struct weir_amount *ret_amount);

/**
 * An amount of packets, bytes or bits per s, min, h or day. Bits that are no whole number of bytes
 * are taken over eight periods, so that the rate stays exact. The largest are
 * WEIR_RATE_PACKETS_PER_S_MAX and WEIR_RATE_BYTES_PER_S_MAX (1 Tbit/s).
 */
int weir_quantity_parse_rate(const char *text, struct weir_error *error,
			     struct weir_pace *ret_rate);

/** "100ms": us, ms, s, min, h or day. */
int weir_quantity_parse_duration(const char *text, struct weir_error *error, uint64_t *ret_ns);

/**
 * "3%", "0.5%": parts of a million. The one quantity that may be zero or have decimals (four at
 * most). 100% is the largest.
 */
int weir_quantity_parse_percent(const char *text, struct weir_error *error, uint32_t *ret_ppm);

/** A bare count: "12", "256Ki". */
int weir_quantity_parse_count(const char *text, struct weir_error *error, uint64_t *ret_count);

/** Events a second without a unit: "20000/s". */
int weir_quantity_parse_per_second(const char *text, struct weir_error *error, uint64_t *ret_per_s);

#endif
