/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A streaming JSON writer.
 *
 * Values go to a FILE as they are given; commas and closing brackets are the writer's business,
 * names and order the caller's. Everything it writes is ASCII or well-formed UTF-8, whatever bytes
 * the strings hold. Misuse (a value in an object without a key, an unbalanced close) is a
 * programmer's error and asserted.
 */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_JSON_DEPTH_MAX 63

struct weir_json {
	FILE *out;
	unsigned int depth;
	uint64_t filled;    /* bit per depth: something stands there already */
	uint64_t in_object; /* bit per depth: an object, not an array */
	bool has_key;	    /* a key waits for its value */
};

/** @out  stays the caller's, who closes it. */
void weir_json_begin(struct weir_json *json, FILE *out);

/** Ends the text with a newline and flushes. Returns 0, or -EIO when anything failed to be written. */
int weir_json_finish(struct weir_json *json);

void weir_json_object_open(struct weir_json *json);
void weir_json_object_close(struct weir_json *json);
void weir_json_array_open(struct weir_json *json);
void weir_json_array_close(struct weir_json *json);

/** The name of the member whose value comes next. */
void weir_json_key(struct weir_json *json, const char *key);

/** NULL is written as null. A byte that is not UTF-8 becomes U+FFFD. */
void weir_json_string(struct weir_json *json, const char *text);
/** For text that may hold NUL bytes. */
void weir_json_string_n(struct weir_json *json, const char *text, size_t len);
void weir_json_u64(struct weir_json *json, uint64_t value);
void weir_json_i64(struct weir_json *json, int64_t value);
/** The shortest form that reads back the same; what is no number (NaN, infinite) is null. */
void weir_json_double(struct weir_json *json, double value);
void weir_json_bool(struct weir_json *json, bool value);
void weir_json_null(struct weir_json *json);

#endif
