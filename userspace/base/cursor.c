// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A cursor that walks a quantity's text once. The steps that all kinds of quantities have in common.
 */
#include "base/cursor.h"

#include <errno.h>
#include <string.h>

#include "base/quote.h"

/* Longer names first: "Ki" before "K". */
static const struct weir_named scales[] = {
	{ "Ki", 1ULL << 10 },	{ "Mi", 1ULL << 20 },	   { "Gi", 1ULL << 30 },
	{ "Ti", 1ULL << 40 },	{ "K", 1000ULL },	   { "M", 1000000ULL },
	{ "G", 1000000000ULL }, { "T", 1000000000000ULL },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int weir_cursor_refuse(const struct weir_text_cursor *cursor, const char *why)
{
	char quoted[WEIR_QUOTE_LEN];

	if (!*cursor->text)
		return weir_error_set(cursor->error, -EINVAL, "found nothing; %s would do",
				      cursor->would_do);
	return weir_error_set(cursor->error, -EINVAL, "found \"%s\": %s; %s would do",
			      weir_quote(cursor->text, quoted, sizeof(quoted)), why,
			      cursor->would_do);
}

bool weir_cursor_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t weir_cursor_word(const struct weir_text_cursor *cursor)
{
	size_t len = 0;

	while (is_letter(cursor->at[len]))
		len++;
	return len;
}

void weir_cursor_skip_space(struct weir_text_cursor *cursor)
{
	if (*cursor->at == ' ' && !cursor->spaced) {
		cursor->at++;
		cursor->spaced = true;
	}
}

int weir_cursor_digits(struct weir_text_cursor *cursor, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (*cursor->at == '-' || *cursor->at == '+')
		return weir_cursor_refuse(cursor, "a number here has no sign");
	if (!weir_cursor_is_digit(*cursor->at))
		return weir_cursor_refuse(cursor, "it does not begin with a number");
	if (cursor->at[0] == '0' && weir_cursor_is_digit(cursor->at[1]))
		return weir_cursor_refuse(cursor, "the number begins with 0");
	for (; weir_cursor_is_digit(*cursor->at); cursor->at++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*cursor->at - '0'), &value))
			return weir_cursor_refuse(cursor, "the number is too large");
	}
	*ret_value = value;
	return 0;
}

int weir_cursor_whole(struct weir_text_cursor *cursor, uint64_t *ret_value)
{
	uint64_t value;
	int err = weir_cursor_digits(cursor, &value);

	if (err)
		return err;
	if (*cursor->at == '.' || *cursor->at == ',' || *cursor->at == '_')
		return weir_cursor_refuse(cursor, "the number is not written in digits alone");
	if (value == 0)
		return weir_cursor_refuse(cursor, "it is zero");
	*ret_value = value;
	return 0;
}

const struct weir_named *weir_cursor_named(const struct weir_named *table, size_t n,
					   const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strlen(table[i].name) == len && memcmp(table[i].name, word, len) == 0)
			return &table[i];
	}
	return NULL;
}

int weir_cursor_scale(struct weir_text_cursor *cursor, uint64_t *value)
{
	size_t i;

	for (i = 0; i < COUNT(scales); i++) {
		size_t len = strlen(scales[i].name);

		if (strncmp(cursor->at, scales[i].name, len) != 0)
			continue;
		if (__builtin_mul_overflow(*value, scales[i].value, value))
			return weir_cursor_refuse(cursor, "the number is too large");
		cursor->at += len;
		return 0;
	}
	return 0;
}

int weir_cursor_end(const struct weir_text_cursor *cursor)
{
	if (*cursor->at)
		return weir_cursor_refuse(cursor, "something follows what belongs here");
	return 0;
}
