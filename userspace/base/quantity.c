// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Quantities as people write them.
 *
 * One cursor walks the text once: number, scale, unit, period, end. Whatever does not fit stops it
 * with the reason, so that a message always shows the text, what is wrong with it, and an example
 * of what would do. Must not know which key of which file it reads for.
 */
#include "base/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/quote.h"

struct cursor {
	const char *text;
	const char *at;
	bool spaced; /* the one space is used up */
	const char *would_do;
	struct weir_error *error;
};

struct named_value {
	const char *name;
	uint64_t value;
};

struct unit_name {
	const char *name;
	enum weir_unit unit;
	bool is_bits;
};

/* Longer names first: "Ki" before "K". */
static const struct named_value scales[] = {
	{ "Ki", 1ULL << 10 },	{ "Mi", 1ULL << 20 },	   { "Gi", 1ULL << 30 },
	{ "Ti", 1ULL << 40 },	{ "K", 1000ULL },	   { "M", 1000000ULL },
	{ "G", 1000000000ULL }, { "T", 1000000000000ULL },
};

static const struct unit_name units[] = {
	{ "packets", WEIR_UNIT_PACKETS, false }, { "packet", WEIR_UNIT_PACKETS, false },
	{ "bytes", WEIR_UNIT_BYTES, false },	 { "B", WEIR_UNIT_BYTES, false },
	{ "bit", WEIR_UNIT_BYTES, true },	 { "units", WEIR_UNIT_UNITS, false },
	{ "unit", WEIR_UNIT_UNITS, false },
};

static const struct named_value periods[] = {
	{ "s", WEIR_NS_PER_S },
	{ "min", 60 * WEIR_NS_PER_S },
	{ "h", 3600 * WEIR_NS_PER_S },
	{ "day", 86400 * WEIR_NS_PER_S },
};

static const struct named_value durations[] = {
	{ "us", 1000 },
	{ "ms", WEIR_NS_PER_MS },
	{ "s", WEIR_NS_PER_S },
	{ "min", 60 * WEIR_NS_PER_S },
	{ "h", 3600 * WEIR_NS_PER_S },
	{ "day", 86400 * WEIR_NS_PER_S },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int refuse(const struct cursor *cursor, const char *why)
{
	char quoted[WEIR_QUOTE_LEN];

	if (!*cursor->text)
		return weir_error_set(cursor->error, -EINVAL, "found nothing; %s would do",
				      cursor->would_do);
	return weir_error_set(cursor->error, -EINVAL, "found \"%s\": %s; %s would do",
			      weir_quote(cursor->text, quoted, sizeof(quoted)), why,
			      cursor->would_do);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The run of letters at the cursor, which does not move. */
static size_t word_length(const struct cursor *cursor)
{
	size_t len = 0;

	while (is_letter(cursor->at[len]))
		len++;
	return len;
}

static void skip_space(struct cursor *cursor)
{
	if (*cursor->at == ' ' && !cursor->spaced) {
		cursor->at++;
		cursor->spaced = true;
	}
}

static int read_digits(struct cursor *cursor, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (*cursor->at == '-' || *cursor->at == '+')
		return refuse(cursor, "a number here has no sign");
	if (!is_digit(*cursor->at))
		return refuse(cursor, "it does not begin with a number");
	if (cursor->at[0] == '0' && is_digit(cursor->at[1]))
		return refuse(cursor, "the number begins with 0");
	for (; is_digit(*cursor->at); cursor->at++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*cursor->at - '0'), &value))
			return refuse(cursor, "the number is too large");
	}
	*ret_value = value;
	return 0;
}

static int read_whole(struct cursor *cursor, uint64_t *ret_value)
{
	uint64_t value;
	int err = read_digits(cursor, &value);

	if (err)
		return err;
	if (*cursor->at == '.' || *cursor->at == ',' || *cursor->at == '_')
		return refuse(cursor, "the number is not written in digits alone");
	if (value == 0)
		return refuse(cursor, "it is zero");
	*ret_value = value;
	return 0;
}

static const struct unit_name *find_unit(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < COUNT(units); i++) {
		if (strlen(units[i].name) == len && memcmp(units[i].name, word, len) == 0)
			return &units[i];
	}
	return NULL;
}

static const struct named_value *find_value(const struct named_value *table, size_t n,
					    const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strlen(table[i].name) == len && memcmp(table[i].name, word, len) == 0)
			return &table[i];
	}
	return NULL;
}

/* Takes a scale where one stands. A word that is a unit as it is (none begins like a scale) stays. */
static int read_scale(struct cursor *cursor, uint64_t *value)
{
	size_t i;

	for (i = 0; i < COUNT(scales); i++) {
		size_t len = strlen(scales[i].name);

		if (strncmp(cursor->at, scales[i].name, len) != 0)
			continue;
		if (__builtin_mul_overflow(*value, scales[i].value, value))
			return refuse(cursor, "the number is too large");
		cursor->at += len;
		return 0;
	}
	return 0;
}

static int read_end(const struct cursor *cursor)
{
	if (*cursor->at)
		return refuse(cursor, "something follows what belongs here");
	return 0;
}

/* Number, scale and unit, in tokens or in bits. */
static int read_amount(struct cursor *cursor, const struct unit_name **ret_unit,
		       uint64_t *ret_value)
{
	const struct unit_name *unit;
	uint64_t value;
	size_t len;
	int err;

	err = read_whole(cursor, &value);
	if (err)
		return err;
	skip_space(cursor);
	err = read_scale(cursor, &value);
	if (err)
		return err;
	skip_space(cursor);
	len = word_length(cursor);
	if (len == 0 && (!*cursor->at || *cursor->at == '/'))
		return refuse(cursor, "the unit is missing");
	unit = find_unit(cursor->at, len);
	if (!unit)
		return refuse(cursor, "the unit is none of packets, B, bytes, bit (K M G T, Ki Mi "
				      "Gi Ti in front)");
	cursor->at += len;
	*ret_unit = unit;
	*ret_value = value;
	return 0;
}

int weir_quantity_parse_amount(const char *text, struct weir_error *error,
			       struct weir_amount *ret_amount)
{
	struct cursor cursor = { .text = text,
				 .at = text,
				 .error = error,
				 .would_do = "an amount such as 2000 packets, 64 KiB or 100 Mbit" };
	const struct unit_name *unit = NULL;
	uint64_t value = 0;
	int err;

	err = read_amount(&cursor, &unit, &value);
	if (!err)
		err = read_end(&cursor);
	if (err)
		return err;
	if (unit->is_bits && value % 8)
		return refuse(&cursor, "the bits are no whole number of bytes");
	ret_amount->unit = unit->unit;
	ret_amount->tokens = unit->is_bits ? value / 8 : value;
	return 0;
}

static int check_rate(const struct cursor *cursor, const struct weir_pace *rate)
{
	bool packets = rate->unit == WEIR_UNIT_PACKETS;
	uint64_t max = packets ? WEIR_RATE_PACKETS_PER_S_MAX : WEIR_RATE_BYTES_PER_S_MAX;

	if (rate->unit == WEIR_UNIT_UNITS)
		return refuse(cursor, "a rate is in packets, bytes or bits");
	if ((unsigned __int128)rate->tokens * WEIR_NS_PER_S <=
	    (unsigned __int128)max * rate->per_ns)
		return 0;
	return refuse(cursor, packets ? "more than the largest rate, 1 Gpackets/s"
				      : "more than the largest rate, 1 Tbit/s (125 GB/s)");
}

static int read_period(struct cursor *cursor, uint64_t *ret_per_ns)
{
	const struct named_value *period;
	size_t len;

	if (*cursor->at != '/')
		return refuse(cursor, *cursor->at ? "something stands where /s, /min, /h or /day "
						    "belongs"
						  : "the period is missing (/s, /min, /h or /day)");
	cursor->at++;
	len = word_length(cursor);
	period = find_value(periods, COUNT(periods), cursor->at, len);
	if (!period)
		return refuse(cursor, "the period is none of s, min, h, day");
	cursor->at += len;
	*ret_per_ns = period->value;
	return read_end(cursor);
}

int weir_quantity_parse_rate(const char *text, struct weir_error *error, struct weir_pace *ret_rate)
{
	struct cursor cursor = { .text = text,
				 .at = text,
				 .error = error,
				 .would_do =
					 "a rate such as 1000 packets/s, 10 MB/s or 100 Mbit/s" };
	const struct unit_name *unit = NULL;
	struct weir_pace rate = { 0 };
	int err;

	err = read_amount(&cursor, &unit, &rate.tokens);
	if (!err)
		err = read_period(&cursor, &rate.per_ns);
	if (err)
		return err;
	rate.unit = unit->unit;
	if (unit->is_bits && rate.tokens % 8 == 0)
		rate.tokens /= 8;
	else if (unit->is_bits)
		rate.per_ns *= 8;
	err = check_rate(&cursor, &rate);
	if (err)
		return err;
	*ret_rate = rate;
	return 0;
}

int weir_quantity_parse_duration(const char *text, struct weir_error *error, uint64_t *ret_ns)
{
	struct cursor cursor = { .text = text,
				 .at = text,
				 .error = error,
				 .would_do = "a time such as 100ms, 2s or 5min" };
	const struct named_value *unit;
	uint64_t value, ns;
	size_t len;
	int err;

	err = read_whole(&cursor, &value);
	if (err)
		return err;
	skip_space(&cursor);
	len = word_length(&cursor);
	if (len == 0 && !*cursor.at)
		return refuse(&cursor, "the unit is missing");
	unit = find_value(durations, COUNT(durations), cursor.at, len);
	if (!unit)
		return refuse(&cursor, "the unit is none of us, ms, s, min, h, day");
	cursor.at += len;
	err = read_end(&cursor);
	if (err)
		return err;
	if (__builtin_mul_overflow(value, unit->value, &ns))
		return refuse(&cursor, "the time is too long");
	*ret_ns = ns;
	return 0;
}

/* Up to four decimals, as parts of ten thousand. */
static int read_decimals(struct cursor *cursor, uint64_t *ret_parts)
{
	uint64_t parts = 0, weight = 1000;

	if (*cursor->at == '.') {
		cursor->at++;
		if (!is_digit(*cursor->at))
			return refuse(cursor, "no digit follows the point");
		for (; is_digit(*cursor->at); cursor->at++, weight /= 10) {
			if (weight == 0)
				return refuse(cursor, "finer than 0.0001%");
			parts += weight * (uint64_t)(*cursor->at - '0');
		}
	}
	*ret_parts = parts;
	return 0;
}

int weir_quantity_parse_percent(const char *text, struct weir_error *error, uint32_t *ret_ppm)
{
	struct cursor cursor = { .text = text,
				 .at = text,
				 .error = error,
				 .would_do = "a percentage such as 3% or 0.5%" };
	uint64_t whole = 0, parts = 0;
	int err;

	err = read_digits(&cursor, &whole);
	if (!err)
		err = read_decimals(&cursor, &parts);
	if (err)
		return err;
	skip_space(&cursor);
	if (*cursor.at != '%')
		return refuse(&cursor, *cursor.at ? "no % follows the number" : "the % is missing");
	cursor.at++;
	err = read_end(&cursor);
	if (err)
		return err;
	if (whole > 100 || (whole == 100 && parts))
		return refuse(&cursor, "more than 100%");
	*ret_ppm = (uint32_t)(whole * 10000 + parts);
	return 0;
}

int weir_quantity_parse_count(const char *text, struct weir_error *error, uint64_t *ret_count)
{
	struct cursor cursor = {
		.text = text, .at = text, .error = error, .would_do = "a number such as 12 or 256Ki"
	};
	uint64_t value;
	int err;

	err = read_whole(&cursor, &value);
	if (err)
		return err;
	skip_space(&cursor);
	err = read_scale(&cursor, &value);
	if (!err)
		err = !*cursor.at && cursor.at[-1] == ' ' ? refuse(&cursor, "a space ends it")
							  : read_end(&cursor);
	if (err)
		return err;
	*ret_count = value;
	return 0;
}

int weir_quantity_parse_per_second(const char *text, struct weir_error *error, uint64_t *ret_per_s)
{
	struct cursor cursor = { .text = text,
				 .at = text,
				 .error = error,
				 .would_do = "a number a second such as 20000/s" };
	uint64_t value;
	int err;

	err = read_whole(&cursor, &value);
	if (err)
		return err;
	skip_space(&cursor);
	err = read_scale(&cursor, &value);
	if (err)
		return err;
	if (strcmp(cursor.at, "/s") != 0)
		return refuse(&cursor, "/s does not end it");
	*ret_per_s = value;
	return 0;
}
