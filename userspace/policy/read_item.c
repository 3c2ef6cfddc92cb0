// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What limits and quotas have in common: their number, their names, their mode.
 */
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "policy/sections.h"
#include "policy/values.h"

bool weir_items_room(struct weir_reading *reading, yaml_node_t *node, const char *key,
		     size_t n_before, size_t *ret_n)
{
	char found[WEIR_QUOTE_LEN + 3];
	size_t n;

	*ret_n = 0;
	if (weir_node_is_null(node))
		return true;
	if (node->type != YAML_SEQUENCE_NODE) {
		weir_reading_fault(reading, node, key, "found %s; a list would do",
				   weir_node_found(node, found));
		return false;
	}
	n = weir_items_count(node);
	if (n_before + n > WEIR_POLICY_LIMITS_MAX) {
		size_t fits = WEIR_POLICY_LIMITS_MAX - n_before;

		weir_reading_fault(reading, weir_items_at(reading, node, fits), key,
				   "this is number %d: at most %d limits and quotas together would "
				   "do, and there are %zu",
				   WEIR_POLICY_LIMITS_MAX + 1, WEIR_POLICY_LIMITS_MAX,
				   n_before + n);
		n = fits;
	}
	*ret_n = n;
	return true;
}

static const char *peek_name(struct weir_reading *reading, const yaml_node_t *item)
{
	const yaml_node_pair_t *pair;

	if (item->type != YAML_MAPPING_NODE)
		return NULL;
	for (pair = item->data.mapping.pairs.start; pair < item->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(reading->yaml, pair->key);
		const yaml_node_t *value = yaml_document_get_node(reading->yaml, pair->value);

		if (key->type == YAML_SCALAR_NODE && value->type == YAML_SCALAR_NODE &&
		    strcmp((const char *)key->data.scalar.value, "name") == 0)
			return (const char *)value->data.scalar.value;
	}
	return NULL;
}

size_t weir_path_enter_item(struct weir_reading *reading, const yaml_node_t *item, size_t index)
{
	const char *name = peek_name(reading, item);
	char label[WEIR_NAME_LEN + 8];

	if (name && *name)
		snprintf(label, sizeof(label), "%.*s", WEIR_NAME_LEN, name);
	else
		snprintf(label, sizeof(label), "#%zu", index + 1);
	return weir_path_enter(reading, label);
}

bool weir_read_limit_name(struct weir_reading *reading, const yaml_node_t *node, char *ret_name)
{
	static const char would_do[] = "1 to 31 of a-z, 0-9 and -";
	char found[WEIR_QUOTE_LEN + 3];
	const char *text;

	if (!node)
		return false;
	text = weir_scalar_text(reading, node, "name", would_do);
	if (!text)
		return false;
	if (!*text || strlen(text) > WEIR_NAME_LEN ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(text)) {
		weir_reading_fault(reading, node, "name", "found %s; %s would do",
				   weir_node_found(node, found), would_do);
		return false;
	}
	memcpy(ret_name, text, strlen(text) + 1);
	return true;
}

bool weir_read_run_mode(struct weir_reading *reading, const yaml_node_t *node,
			enum weir_run_mode *ret_mode)
{
	static const struct weir_choice modes[] = { { "enforce", WEIR_RUN_ENFORCE },
						    { "observe", WEIR_RUN_OBSERVE } };
	int mode = (int)*ret_mode;

	if (!weir_read_choice(reading, node, "mode", modes, 2, &mode))
		return false;
	*ret_mode = mode;
	return true;
}
