/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Address prefixes: parse, print, order, contain.
 *
 * One form for both families. An IPv4 prefix holds its address in the first four bytes of addr and
 * zero in the rest; bits counts within the family (0..32 or 0..128). Bits past the prefix are zero.
 */
#ifndef WEIR_BASE_PREFIX_H
#define WEIR_BASE_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define WEIR_PREFIX_STRLEN 64

struct weir_prefix {
	uint8_t family; /* 4 or 6 */
	uint8_t bits;
	uint8_t addr[16]; /* network order */
};

/**
 * Parses "ADDR" or "ADDR/BITS".
 *
 * Host bits that are set are refused (the error names the prefix that was probably meant), and so
 * is an IPv4-mapped IPv6 address (the error names the IPv4 address: on the wire the mapped form is
 * an IPv6 source).
 * @error  optional
 * Returns 0, or -EINVAL with @error set.
 */
int weir_prefix_parse(const char *text, struct weir_error *error, struct weir_prefix *ret_prefix);

/** Prints as "ADDR/BITS", without "/BITS" for a whole address. @buf has WEIR_PREFIX_STRLEN. */
const char *weir_prefix_print(const struct weir_prefix *prefix, char *buf);

/** Total order: family, address, bits. For qsort(). */
int weir_prefix_compare(const void *a, const void *b);

/** True when @outer covers @inner (equal counts). */
bool weir_prefix_covers(const struct weir_prefix *outer, const struct weir_prefix *inner);

#endif
