// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * How commands speak.
 */
#include "cli/show.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void weir_show_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte >= 0x20 && byte < 0x7f)
			fputc(byte, out);
		else
			fprintf(out, "\\x%02x", byte);
	}
}

void weir_complain(const char *format, ...)
{
	char text[2048];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fputs("weir: ", stderr);
	weir_show_text(stderr, text);
	fputc('\n', stderr);
}

static bool colour_wanted(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

void weir_show_colour(enum weir_colour colour)
{
	static const char *const codes[] = {
		[WEIR_COLOUR_PLAIN] = "\033[0m",
		[WEIR_COLOUR_GOOD] = "\033[32m",
		[WEIR_COLOUR_BAD] = "\033[1;31m",
		[WEIR_COLOUR_DIM] = "\033[2m",
	};

	if (colour_wanted())
		fputs(codes[colour], stdout);
}

const char *weir_show_span(double seconds, char *buf)
{
	uint64_t whole = seconds < 1e15 ? (uint64_t)seconds : 0;

	if (!(seconds < 1e15))
		snprintf(buf, WEIR_SPAN_LEN, "for ever");
	else if (seconds < 0.01)
		snprintf(buf, WEIR_SPAN_LEN, "%.2g s", seconds);
	else if (seconds < 60)
		snprintf(buf, WEIR_SPAN_LEN, "%.*f s", seconds < 10 ? 2 : 0, seconds);
	else if (whole < 3600)
		snprintf(buf, WEIR_SPAN_LEN, "%u min %u s", (unsigned int)(whole / 60),
			 (unsigned int)(whole % 60));
	else if (whole < 86400)
		snprintf(buf, WEIR_SPAN_LEN, "%u h %u min", (unsigned int)(whole / 3600),
			 (unsigned int)(whole / 60 % 60));
	else
		snprintf(buf, WEIR_SPAN_LEN, "%llu d %u h", (unsigned long long)(whole / 86400),
			 (unsigned int)(whole / 3600 % 24));
	return buf;
}

const char *weir_show_source(const struct weir_prefix *prefix, char *buf)
{
	return prefix->bits ? weir_prefix_print(prefix, buf) : "all";
}

void weir_json_faults(struct weir_json *json, const struct weir_fault *faults, size_t n)
{
	size_t i;

	weir_json_array_open(json);
	for (i = 0; i < n; i++) {
		weir_json_object_open(json);
		weir_json_member(json, "file", faults[i].file);
		weir_json_member_u64(json, "line", faults[i].line);
		weir_json_member_u64(json, "column", faults[i].column);
		weir_json_member(json, "message", faults[i].message);
		weir_json_object_close(json);
	}
	weir_json_array_close(json);
}

void weir_json_count(struct weir_json *json, const struct weir_count *count)
{
	weir_json_object_open(json);
	weir_json_member_u64(json, "packets", count->packets);
	weir_json_member_u64(json, "bytes", count->bytes);
	weir_json_object_close(json);
}

void weir_json_seconds(struct weir_json *json, double seconds)
{
	if (seconds < 0)
		weir_json_null(json);
	else
		weir_json_double(json, seconds < 1e9 ? (double)(uint64_t)(seconds * 1e6 + 0.5) / 1e6
						     : seconds);
}

void weir_json_member(struct weir_json *json, const char *key, const char *value)
{
	weir_json_key(json, key);
	weir_json_string(json, value);
}

void weir_json_member_bool(struct weir_json *json, const char *key, bool value)
{
	weir_json_key(json, key);
	weir_json_bool(json, value);
}

void weir_json_member_u64(struct weir_json *json, const char *key, uint64_t value)
{
	weir_json_key(json, key);
	weir_json_u64(json, value);
}

void weir_json_member_double(struct weir_json *json, const char *key, double value)
{
	weir_json_key(json, key);
	weir_json_double(json, value);
}
