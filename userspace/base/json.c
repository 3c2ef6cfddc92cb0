// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A streaming JSON writer (RFC 8259). One bit per depth remembers whether a comma is due and what
 * kind of bracket is open, so nothing is allocated. Control characters, DEL and C1 included, are
 * written as \u escapes: the output is safe to show on a terminal.
 */
#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t here(const struct weir_json *json)
{
	return 1ULL << json->depth;
}

/* What stands in front of a value: a comma, unless it is the first or its key stands there. */
static void before_value(struct weir_json *json)
{
	assert(json->depth == 0 || !(json->in_object & here(json)) || json->has_key);
	assert(json->depth > 0 || !(json->filled & here(json)));
	if (!json->has_key && (json->filled & here(json)))
		fputc(',', json->out);
	json->filled |= here(json);
	json->has_key = false;
}

static void open_bracket(struct weir_json *json, char bracket)
{
	before_value(json);
	fputc(bracket, json->out);
	assert(json->depth < WEIR_JSON_DEPTH_MAX);
	json->depth++;
	json->filled &= ~here(json);
	if (bracket == '{')
		json->in_object |= here(json);
	else
		json->in_object &= ~here(json);
}

static void close_bracket(struct weir_json *json, char bracket)
{
	assert(json->depth > 0 && !json->has_key);
	assert(!(json->in_object & here(json)) == (bracket == ']'));
	fputc(bracket, json->out);
	json->depth--;
}

/*
 * Length of the well-formed UTF-8 character at @at, 0 when there is none: RFC 3629, so no overlong
 * form, no surrogate, nothing past U+10FFFF.
 */
static size_t utf8_length(const unsigned char *at, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t len, i;

	if (at[0] < 0x80)
		return 1;
	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	len = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	if (len > left)
		return 0;
	if (at[0] == 0xe0)
		low = 0xa0;
	if (at[0] == 0xed)
		high = 0x9f;
	if (at[0] == 0xf0)
		low = 0x90;
	if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	for (i = 2; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

static void write_ascii(FILE *out, unsigned char byte)
{
	switch (byte) {
	case '"':
		fputs("\\\"", out);
		break;
	case '\\':
		fputs("\\\\", out);
		break;
	case '\n':
		fputs("\\n", out);
		break;
	case '\t':
		fputs("\\t", out);
		break;
	case '\r':
		fputs("\\r", out);
		break;
	default:
		if (byte < 0x20 || byte == 0x7f)
			fprintf(out, "\\u%04x", byte);
		else
			fputc(byte, out);
	}
}

static void write_string(FILE *out, const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + len;

	fputc('"', out);
	while (at < end) {
		size_t n = utf8_length(at, (size_t)(end - at));

		if (n == 0)
			fputs("\xef\xbf\xbd", out);
		else if (n == 1)
			write_ascii(out, *at);
		else if (at[0] == 0xc2 && at[1] < 0xa0)
			fprintf(out, "\\u%04x", at[1]);
		else
			fwrite(at, 1, n, out);
		at += n ? n : 1;
	}
	fputc('"', out);
}

void weir_json_begin(struct weir_json *json, FILE *out)
{
	*json = (struct weir_json){ .out = out };
}

int weir_json_finish(struct weir_json *json)
{
	assert(json->depth == 0 && !json->has_key);
	fputc('\n', json->out);
	if (fflush(json->out) != 0 || ferror(json->out))
		return -EIO;
	return 0;
}

void weir_json_object_open(struct weir_json *json)
{
	open_bracket(json, '{');
}

void weir_json_object_close(struct weir_json *json)
{
	close_bracket(json, '}');
}

void weir_json_array_open(struct weir_json *json)
{
	open_bracket(json, '[');
}

void weir_json_array_close(struct weir_json *json)
{
	close_bracket(json, ']');
}

void weir_json_key(struct weir_json *json, const char *key)
{
	assert(json->depth > 0 && (json->in_object & here(json)) && !json->has_key);
	if (json->filled & here(json))
		fputc(',', json->out);
	write_string(json->out, key, strlen(key));
	fputc(':', json->out);
	json->has_key = true;
}

void weir_json_string_n(struct weir_json *json, const char *text, size_t len)
{
	before_value(json);
	write_string(json->out, text, len);
}

void weir_json_string(struct weir_json *json, const char *text)
{
	if (text)
		weir_json_string_n(json, text, strlen(text));
	else
		weir_json_null(json);
}

void weir_json_u64(struct weir_json *json, uint64_t value)
{
	before_value(json);
	fprintf(json->out, "%" PRIu64, value);
}

void weir_json_i64(struct weir_json *json, int64_t value)
{
	before_value(json);
	fprintf(json->out, "%" PRId64, value);
}

void weir_json_double(struct weir_json *json, double value)
{
	char text[32];
	int digits;

	if (!isfinite(value)) {
		weir_json_null(json);
		return;
	}
	before_value(json);
	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, json->out);
}

void weir_json_bool(struct weir_json *json, bool value)
{
	before_value(json);
	fputs(value ? "true" : "false", json->out);
}

void weir_json_null(struct weir_json *json)
{
	before_value(json);
	fputs("null", json->out);
}
