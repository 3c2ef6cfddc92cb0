// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Quantities as people write them.
 *
 * What each kind of quantity is made of, in the steps of a cursor: number, scale, unit, period,
 * end. Must not know which key of which file it reads for.
 */
#include "base/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cursor.h"

struct unit_name {
	const char *name;
	enum weir_unit unit;
	bool is_bits;
};

static const struct unit_name units[] = {
	{ "packets", WEIR_UNIT_PACKETS, false }, { "packet", WEIR_UNIT_PACKETS, false },
	{ "bytes", WEIR_UNIT_BYTES, false },	 { "B", WEIR_UNIT_BYTES, false },
	{ "bit", WEIR_UNIT_BYTES, true },	 { "units", WEIR_UNIT_UNITS, false },
	{ "unit", WEIR_UNIT_UNITS, false },
};

static const struct weir_named periods[] = {
	{ "s", WEIR_NS_PER_S },
	{ "min", 60 * WEIR_NS_PER_S },
	{ "h", 3600 * WEIR_NS_PER_S },
	{ "day", 86400 * WEIR_NS_PER_S },
};

static const struct weir_named durations[] = {
	{ "us", 1000 },
	{ "ms", WEIR_NS_PER_MS },
	{ "s", WEIR_NS_PER_S },
	{ "min", 60 * WEIR_NS_PER_S },
	{ "h", 3600 * WEIR_NS_PER_S },
	{ "day", 86400 * WEIR_NS_PER_S },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct unit_name *find_unit(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < COUNT(units); i++) {
		if (strlen(units[i].name) == len && memcmp(units[i].name, word, len) == 0)
			return &units[i];
	}
	return NULL;
}

/* Number, scale and unit, in tokens or in bits. */
static int read_amount(struct weir_text_cursor *cursor, struct unit_name *ret_unit,
		       uint64_t *ret_value)
{
	const struct unit_name *unit;
	uint64_t value;
	size_t len;
	int err;

	err = weir_cursor_whole(cursor, &value);
	if (err)
		return err;
	weir_cursor_skip_space(cursor);
	err = weir_cursor_scale(cursor, &value);
	if (err)
		return err;
	weir_cursor_skip_space(cursor);
	len = weir_cursor_word(cursor);
	if (len == 0 && (!*cursor->at || *cursor->at == '/'))
		return weir_cursor_refuse(cursor, "the unit is missing");
	unit = find_unit(cursor->at, len);
	if (!unit)
		return weir_cursor_refuse(
			cursor, "the unit is none of packets, B, bytes, bit (K M G T, Ki Mi "
				"Gi Ti in front)");
	cursor->at += len;
	*ret_unit = *unit;
	*ret_value = value;
	return 0;
}

int weir_quantity_parse_amount(const char *text, struct weir_error *error,
			       struct weir_amount *ret_amount)
{
	struct weir_text_cursor cursor = {
		.text = text,
		.at = text,
		.error = error,
		.would_do = "an amount such as 2000 packets, 64 KiB or 100 Mbit"
	};
	struct unit_name unit = { 0 };
	uint64_t value = 0;
	int err;

	err = read_amount(&cursor, &unit, &value);
	if (!err)
		err = weir_cursor_end(&cursor);
	if (err)
		return err;
	if (unit.is_bits && value % 8)
		return weir_cursor_refuse(&cursor, "the bits are no whole number of bytes");
	ret_amount->unit = unit.unit;
	ret_amount->tokens = unit.is_bits ? value / 8 : value;
	return 0;
}

static int check_rate(const struct weir_text_cursor *cursor, const struct weir_pace *rate)
{
	bool packets = rate->unit == WEIR_UNIT_PACKETS;
	uint64_t max = packets ? WEIR_RATE_PACKETS_PER_S_MAX : WEIR_RATE_BYTES_PER_S_MAX;

	if (rate->unit == WEIR_UNIT_UNITS)
		return weir_cursor_refuse(cursor, "a rate is in packets, bytes or bits");
	if ((unsigned __int128)rate->tokens * WEIR_NS_PER_S <=
	    (unsigned __int128)max * rate->per_ns)
		return 0;
	return weir_cursor_refuse(cursor,
				  packets ? "more than the largest rate, 1 Gpackets/s"
					  : "more than the largest rate, 1 Tbit/s (125 GB/s)");
}

static int read_period(struct weir_text_cursor *cursor, uint64_t *ret_per_ns)
{
	const struct weir_named *period;
	size_t len;

	if (*cursor->at != '/')
		return weir_cursor_refuse(
			cursor, *cursor->at ? "something stands where /s, /min, /h or /day "
					      "belongs"
					    : "the period is missing (/s, /min, /h or /day)");
	cursor->at++;
	len = weir_cursor_word(cursor);
	period = weir_cursor_named(periods, COUNT(periods), cursor->at, len);
	if (!period)
		return weir_cursor_refuse(cursor, "the period is none of s, min, h, day");
	cursor->at += len;
	*ret_per_ns = period->value;
	return weir_cursor_end(cursor);
}

int weir_quantity_parse_rate(const char *text, struct weir_error *error, struct weir_pace *ret_rate)
{
	struct weir_text_cursor cursor = {
		.text = text,
		.at = text,
		.error = error,
		.would_do = "a rate such as 1000 packets/s, 10 MB/s or 100 Mbit/s"
	};
	struct unit_name unit = { 0 };
	struct weir_pace rate = { 0 };
	int err;

	err = read_amount(&cursor, &unit, &rate.tokens);
	if (!err)
		err = read_period(&cursor, &rate.per_ns);
	if (err)
		return err;
	rate.unit = unit.unit;
	if (unit.is_bits && rate.tokens % 8 == 0)
		rate.tokens /= 8;
	else if (unit.is_bits)
		rate.per_ns *= 8;
	err = check_rate(&cursor, &rate);
	if (err)
		return err;
	*ret_rate = rate;
	return 0;
}

int weir_quantity_parse_duration(const char *text, struct weir_error *error, uint64_t *ret_ns)
{
	struct weir_text_cursor cursor = { .text = text,
					   .at = text,
					   .error = error,
					   .would_do = "a time such as 100ms, 2s or 5min" };
	const struct weir_named *unit;
	uint64_t value, ns;
	size_t len;
	int err;

	err = weir_cursor_whole(&cursor, &value);
	if (err)
		return err;
	weir_cursor_skip_space(&cursor);
	len = weir_cursor_word(&cursor);
	if (len == 0 && !*cursor.at)
		return weir_cursor_refuse(&cursor, "the unit is missing");
	unit = weir_cursor_named(durations, COUNT(durations), cursor.at, len);
	if (!unit)
		return weir_cursor_refuse(&cursor, "the unit is none of us, ms, s, min, h, day");
	cursor.at += len;
	err = weir_cursor_end(&cursor);
	if (err)
		return err;
	if (__builtin_mul_overflow(value, unit->value, &ns))
		return weir_cursor_refuse(&cursor, "the time is too long");
	*ret_ns = ns;
	return 0;
}

/* Up to four decimals, as parts of ten thousand. */
static int read_decimals(struct weir_text_cursor *cursor, uint64_t *ret_parts)
{
	uint64_t parts = 0, weight = 1000;

	if (*cursor->at == '.') {
		cursor->at++;
		if (!weir_cursor_is_digit(*cursor->at))
			return weir_cursor_refuse(cursor, "no digit follows the point");
		for (; weir_cursor_is_digit(*cursor->at); cursor->at++, weight /= 10) {
			if (weight == 0)
				return weir_cursor_refuse(cursor, "finer than 0.0001%");
			parts += weight * (uint64_t)(*cursor->at - '0');
		}
	}
	*ret_parts = parts;
	return 0;
}

int weir_quantity_parse_percent(const char *text, struct weir_error *error, uint32_t *ret_ppm)
{
	struct weir_text_cursor cursor = { .text = text,
					   .at = text,
					   .error = error,
					   .would_do = "a percentage such as 3% or 0.5%" };
	uint64_t whole = 0, parts = 0;
	int err;

	err = weir_cursor_digits(&cursor, &whole);
	if (!err)
		err = read_decimals(&cursor, &parts);
	if (err)
		return err;
	weir_cursor_skip_space(&cursor);
	if (*cursor.at != '%')
		return weir_cursor_refuse(&cursor, *cursor.at ? "no % follows the number"
							      : "the % is missing");
	cursor.at++;
	err = weir_cursor_end(&cursor);
	if (err)
		return err;
	if (whole > 100 || (whole == 100 && parts))
		return weir_cursor_refuse(&cursor, "more than 100%");
	*ret_ppm = (uint32_t)(whole * 10000 + parts);
	return 0;
}

int weir_quantity_parse_count(const char *text, struct weir_error *error, uint64_t *ret_count)
{
	struct weir_text_cursor cursor = {
		.text = text, .at = text, .error = error, .would_do = "a number such as 12 or 256Ki"
	};
	uint64_t value;
	int err;

	err = weir_cursor_whole(&cursor, &value);
	if (err)
		return err;
	weir_cursor_skip_space(&cursor);
	err = weir_cursor_scale(&cursor, &value);
	if (!err)
		err = !*cursor.at && cursor.at[-1] == ' '
			      ? weir_cursor_refuse(&cursor, "a space ends it")
			      : weir_cursor_end(&cursor);
	if (err)
		return err;
	*ret_count = value;
	return 0;
}

int weir_quantity_parse_per_second(const char *text, struct weir_error *error, uint64_t *ret_per_s)
{
	struct weir_text_cursor cursor = { .text = text,
					   .at = text,
					   .error = error,
					   .would_do = "a number a second such as 20000/s" };
	uint64_t value;
	int err;

	err = weir_cursor_whole(&cursor, &value);
	if (err)
		return err;
	weir_cursor_skip_space(&cursor);
	err = weir_cursor_scale(&cursor, &value);
	if (err)
		return err;
	if (strcmp(cursor.at, "/s") != 0)
		return weir_cursor_refuse(&cursor, "/s does not end it");
	*ret_per_s = value;
	return 0;
}
