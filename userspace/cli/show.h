/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How commands speak: complaints on stderr, text for people on stdout, pieces of JSON that several
 * share. Text from files, maps and packets goes through here and leaves no control byte.
 */
#ifndef WEIR_CLI_SHOW_H
#define WEIR_CLI_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/prefix.h"
#include "plane/plane.h"
#include "policy/policy.h"

/** "weir: TEXT" on stderr. */
void weir_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Writes text with everything but printable ASCII as \xNN; quotes and backslashes stay. */
void weir_show_text(FILE *out, const char *text);

enum weir_colour { WEIR_COLOUR_PLAIN, WEIR_COLOUR_GOOD, WEIR_COLOUR_BAD, WEIR_COLOUR_DIM };

/** Switches stdout's colour; writes nothing unless it is a terminal and NO_COLOR is not set. */
void weir_show_colour(enum weir_colour colour);

/** "3 h 12 min", "0.25 s": two places at most. @buf has WEIR_SPAN_LEN. */
#define WEIR_SPAN_LEN 32
const char *weir_show_span(double seconds, char *buf);

/** A source as a limit counts it: "all" where the limit counts everyone as one. */
const char *weir_show_source(const struct weir_prefix *prefix, char *buf);

/** The array of {"file","line","column","message"}. */
void weir_json_faults(struct weir_json *json, const struct weir_fault *faults, size_t n);

/** {"packets","bytes"} */
void weir_json_count(struct weir_json *json, const struct weir_count *count);

/** The number, or null where there is none (a negative one). */
void weir_json_seconds(struct weir_json *json, double seconds);

/** Members in one line each. */
void weir_json_member(struct weir_json *json, const char *key, const char *value);
void weir_json_member_bool(struct weir_json *json, const char *key, bool value);
void weir_json_member_u64(struct weir_json *json, const char *key, uint64_t value);
void weir_json_member_double(struct weir_json *json, const char *key, double value);

#endif
