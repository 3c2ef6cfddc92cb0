/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One value each: a node of the file read as a number, a choice, a name.
 *
 * All of them work alike. A NULL node is a key that is not there: the output keeps the default it
 * holds, and the value counts as read. Otherwise the output is set, or it is left alone, a fault is
 * added, and false comes back.
 */
#ifndef WEIR_POLICY_VALUES_H
#define WEIR_POLICY_VALUES_H

#include "base/quantity.h"
#include "policy/document.h"

/* Bursts and budgets stay far from where the packet path's arithmetic would end. */
#define WEIR_BURST_TOKENS_MAX (1ULL << 40)
#define WEIR_QUOTA_TOKENS_MAX (1ULL << 60)

/** A word of the file and what it stands for; value -1 for words of a later version. */
struct weir_choice {
	const char *name;
	int value;
};

#define WEIR_LATER (-1)

/** What a number may be, and how a person would write the ends. */
struct weir_range {
	uint64_t min;
	uint64_t max;
	const char *text; /* "300ms to 10s" */
};

bool weir_read_choice(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		      const struct weir_choice *choices, size_t n_choices, int *ret_value);
bool weir_read_rate(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    enum weir_token *ret_token, struct weir_rate *ret_rate);

/** An amount of at most @max tokens. */
bool weir_read_amount(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		      uint64_t max, enum weir_token *ret_token, uint64_t *ret_tokens);
bool weir_read_duration(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			const struct weir_range *range, uint64_t *ret_ns);
bool weir_read_count(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		     const struct weir_range *range, uint64_t *ret_count);
bool weir_read_per_second(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			  const struct weir_range *range, uint64_t *ret_per_s);
bool weir_read_percent(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		       uint32_t *ret_ppm);

/** true or false, no other words. */
bool weir_read_bool(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    bool *ret_value);

/** Plain digits from 0, without a scale: bits, ports, protocol numbers. */
bool weir_parse_digits(const char *text, unsigned int max, unsigned int *ret_value);

/** Letters, digits, '.', '_' and '-', at most 63 of them. @ret_name is to be freed. */
bool weir_read_name(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    char **ret_name);
bool weir_name_is_valid(const char *name);

/** An absolute path without "..", of at most @len_max letters. @ret_path is to be freed. */
bool weir_read_path(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		    size_t len_max, char **ret_path);

/** Copies @text over what @slot held. A fault when memory runs out. */
bool weir_keep_text(struct weir_reading *reading, const char *text, char **slot);

#endif
