/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A cursor that walks a quantity's text once.
 *
 * Each step takes what belongs there or stops with the reason, so that a message always shows the
 * whole text, what is wrong with it, and an example of what would do. Inside base/ only: the
 * quantities themselves are in quantity.h.
 */
#ifndef WEIR_BASE_CURSOR_H
#define WEIR_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct weir_text_cursor {
	const char *text;
	const char *at;
	bool spaced; /* the one space is used up */
	const char *would_do;
	struct weir_error *error;
};

struct weir_named {
	const char *name;
	uint64_t value;
};

/** Sets the error; returns -EINVAL. */
int weir_cursor_refuse(const struct weir_text_cursor *cursor, const char *why);

bool weir_cursor_is_digit(char c);

/** The length of the run of letters at the cursor, which does not move. */
size_t weir_cursor_word(const struct weir_text_cursor *cursor);

/** Passes over one space, once in a text. */
void weir_cursor_skip_space(struct weir_text_cursor *cursor);

/** Plain digits without a sign or a leading zero. */
int weir_cursor_digits(struct weir_text_cursor *cursor, uint64_t *ret_value);

/** The same, and neither zero nor followed by decimals. */
int weir_cursor_whole(struct weir_text_cursor *cursor, uint64_t *ret_value);

/** Multiplies *value by K M G T or Ki Mi Gi Ti where one stands. No unit begins like a scale. */
int weir_cursor_scale(struct weir_text_cursor *cursor, uint64_t *value);

/** Nothing may follow. */
int weir_cursor_end(const struct weir_text_cursor *cursor);

/** The entry of @table for the word, or NULL. */
const struct weir_named *weir_cursor_named(const struct weir_named *table, size_t n,
					   const char *word, size_t len);

#endif
