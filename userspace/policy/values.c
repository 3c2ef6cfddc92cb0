// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * One value each. The text is parsed in base/; here it gets its key, its place and its range.
 */
#include "policy/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "policy/faults.h"

#define NAME_LEN_MAX 63

static bool refuse(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		   const char *why, const char *would_do)
{
	char found[WEIR_QUOTE_LEN + 3];

	weir_reading_fault(reading, node, key, "found %s: %s; %s would do",
			   weir_node_found(node, found), why, would_do);
	return false;
}

/* "a, b, c": the words that can be written in this version. */
static const char *list_choices(const struct weir_choice *choices, size_t n, char *buf, size_t size)
{
	size_t i, used = 0;

	buf[0] = '\0';
	for (i = 0; i < n && used < size; i++) {
		if (choices[i].value != WEIR_LATER)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
						 choices[i].name);
	}
	return buf;
}

bool weir_read_choice(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		      const struct weir_choice *choices, size_t n_choices, int *ret_value)
{
	const char *text;
	char known[256];
	size_t i;

	if (!node)
		return true;
	list_choices(choices, n_choices, known, sizeof(known));
	text = weir_scalar_text(reading, node, key, known);
	if (!text)
		return false;
	for (i = 0; i < n_choices; i++) {
		if (strcmp(choices[i].name, text) != 0)
			continue;
		if (choices[i].value == WEIR_LATER)
			return refuse(reading, node, key, "not in this version", known);
		*ret_value = choices[i].value;
		return true;
	}
	return refuse(reading, node, key, "not a word known here", known);
}

static enum weir_token token_of(enum weir_unit unit)
{
	switch (unit) {
	case WEIR_UNIT_PACKETS:
		return WEIR_TOKEN_PACKET;
	case WEIR_UNIT_BYTES:
		return WEIR_TOKEN_BYTE;
	case WEIR_UNIT_UNITS:
		break;
	}
	return WEIR_TOKEN_UNIT;
}

bool weir_read_rate(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    enum weir_token *ret_token, struct weir_rate *ret_rate)
{
	struct weir_error error;
	struct weir_pace rate;
	const char *text;

	if (!node)
		return true;
	text = weir_scalar_text(reading, node, key, "a rate such as 1000 packets/s or 10 MB/s");
	if (!text)
		return false;
	if (weir_quantity_parse_rate(text, &error, &rate) != 0) {
		weir_reading_fault(reading, node, key, "%s", error.text);
		return false;
	}
	*ret_token = token_of(rate.unit);
	*ret_rate = (struct weir_rate){ .tokens = rate.tokens, .per_ns = rate.per_ns };
	return true;
}

bool weir_read_amount(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		      uint64_t max, enum weir_token *ret_token, uint64_t *ret_tokens)
{
	struct weir_amount amount;
	struct weir_error error;
	const char *text;
	char range[64];

	if (!node)
		return true;
	text = weir_scalar_text(reading, node, key, "an amount such as 2000 packets or 64 KiB");
	if (!text)
		return false;
	if (weir_quantity_parse_amount(text, &error, &amount) != 0) {
		weir_reading_fault(reading, node, key, "%s", error.text);
		return false;
	}
	if (amount.tokens > max) {
		snprintf(range, sizeof(range), "at most %llu", (unsigned long long)max);
		return refuse(reading, node, key, "too large", range);
	}
	*ret_token = token_of(amount.unit);
	*ret_tokens = amount.tokens;
	return true;
}

typedef int parse_number(const char *text, struct weir_error *error, uint64_t *ret_value);

static bool read_number(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			const struct weir_range *range, parse_number *parse, uint64_t *ret_value)
{
	struct weir_error error;
	const char *text;
	uint64_t value;

	if (!node)
		return true;
	text = weir_scalar_text(reading, node, key, range->text);
	if (!text)
		return false;
	if (parse(text, &error, &value) != 0) {
		weir_reading_fault(reading, node, key, "%s", error.text);
		return false;
	}
	if (value < range->min || value > range->max)
		return refuse(reading, node, key, "out of range", range->text);
	*ret_value = value;
	return true;
}

bool weir_read_duration(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			const struct weir_range *range, uint64_t *ret_ns)
{
	return read_number(reading, node, key, range, weir_quantity_parse_duration, ret_ns);
}

bool weir_read_count(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		     const struct weir_range *range, uint64_t *ret_count)
{
	return read_number(reading, node, key, range, weir_quantity_parse_count, ret_count);
}

bool weir_read_per_second(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			  const struct weir_range *range, uint64_t *ret_per_s)
{
	return read_number(reading, node, key, range, weir_quantity_parse_per_second, ret_per_s);
}

bool weir_read_percent(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		       uint32_t *ret_ppm)
{
	struct weir_error error;
	const char *text;
	uint32_t ppm;

	if (!node)
		return true;
	text = weir_scalar_text(reading, node, key, "a percentage such as 3%");
	if (!text)
		return false;
	if (weir_quantity_parse_percent(text, &error, &ppm) != 0) {
		weir_reading_fault(reading, node, key, "%s", error.text);
		return false;
	}
	*ret_ppm = ppm;
	return true;
}

bool weir_read_bool(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    bool *ret_value)
{
	static const struct weir_choice words[] = { { "true", 1 }, { "false", 0 } };
	int value = *ret_value;

	if (!weir_read_choice(reading, node, key, words, 2, &value))
		return false;
	*ret_value = value;
	return true;
}

bool weir_parse_digits(const char *text, unsigned int max, unsigned int *ret_value)
{
	unsigned int value = 0;
	const char *at;

	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (at = text; *at; at++) {
		if (*at < '0' || *at > '9' || at - text >= 9)
			return false;
		value = value * 10 + (unsigned int)(*at - '0');
	}
	if (value > max)
		return false;
	*ret_value = value;
	return true;
}

bool weir_keep_text(struct weir_reading *reading, const char *text, char **slot)
{
	char *copy = strdup(text);

	if (!copy) {
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"out of memory");
		return false;
	}
	free(*slot);
	*slot = copy;
	return true;
}

bool weir_name_is_valid(const char *name)
{
	const char *at;

	for (at = name; *at; at++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
			    *at))
			return false;
	}
	return at != name && at - name <= NAME_LEN_MAX;
}

bool weir_read_name(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    char **ret_name)
{
	static const char would_do[] = "1 to 63 letters, digits, '.', '_' and '-'";
	const char *text;

	if (!node)
		return true;
	text = weir_scalar_text(reading, node, key, would_do);
	if (!text)
		return false;
	if (!weir_name_is_valid(text))
		return refuse(reading, node, key, "no name", would_do);
	return weir_keep_text(reading, text, ret_name);
}

/* A ".." anywhere would let a path lead elsewhere than it seems to. */
static bool climbs(const char *path)
{
	const char *at;

	for (at = strstr(path, ".."); at; at = strstr(at + 1, "..")) {
		if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
			return true;
	}
	return false;
}

bool weir_read_path(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    size_t len_max, char **ret_path)
{
	static const char would_do[] = "an absolute path";
	const char *text;

	if (!node)
		return true;
	text = weir_scalar_text(reading, node, key, would_do);
	if (!text)
		return false;
	if (text[0] != '/')
		return refuse(reading, node, key, "no absolute path", "one that begins with /");
	if (climbs(text))
		return refuse(reading, node, key, "leads up through ..", would_do);
	if (strlen(text) > len_max)
		return refuse(reading, node, key, "too long", "a shorter path");
	return weir_keep_text(reading, text, ret_path);
}
