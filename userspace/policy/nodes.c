// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Looking at the nodes of a policy: keys of a mapping, text of a scalar, items of a list.
 */
#include "policy/document.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "policy/nearest.h"

bool weir_node_is_null(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

const char *weir_node_found(const yaml_node_t *node, char *buf)
{
	char quoted[WEIR_QUOTE_LEN];

	if (node->type == YAML_SEQUENCE_NODE)
		return "a list";
	if (node->type == YAML_MAPPING_NODE)
		return "a mapping";
	if (weir_node_is_null(node))
		return "nothing";
	snprintf(buf, WEIR_QUOTE_LEN + 3, "\"%s\"",
		 weir_quote((const char *)node->data.scalar.value, quoted, sizeof(quoted)));
	return buf;
}

/* Text of a scalar that has no NUL byte inside, else NULL. */
static const char *plain_text(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	if (node->type != YAML_SCALAR_NODE || strlen(text) != node->data.scalar.length)
		return NULL;
	return text;
}

const char *weir_scalar_text(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			     const char *would_do)
{
	char found[WEIR_QUOTE_LEN + 3];

	if (node->type != YAML_SCALAR_NODE || weir_node_is_null(node)) {
		weir_reading_fault(reading, node, key, "found %s; %s would do",
				   weir_node_found(node, found), would_do);
		return NULL;
	}
	if (!plain_text(node)) {
		weir_reading_fault(reading, node, key, "found a NUL byte in %s; %s would do",
				   weir_node_found(node, found), would_do);
		return NULL;
	}
	return plain_text(node);
}

static void tell_unknown(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			 const struct weir_key *keys, size_t n_keys)
{
	char known[512];
	const char *near = NULL;
	size_t i, used = 0;

	if (reading->faults->n_errors >= WEIR_FAULTS_MAX) {
		reading->faults->n_more_errors++;
		return;
	}
	if (strcmp(key, "<<") == 0) {
		weir_reading_fault(reading, node, "",
				   "merge keys (<<) are not taken; write the keys out");
		return;
	}
	near = weir_nearest_key(key, keys, n_keys);
	if (near) {
		weir_reading_fault(reading, node, key, "unknown key; %s is the nearest known",
				   near);
		return;
	}
	for (i = 0; i < n_keys && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
					 keys[i].name);
	weir_reading_fault(reading, node, key, "unknown key; known here: %s", known);
}

static void collect_pair(struct weir_reading *reading, const yaml_node_t *key_node,
			 yaml_node_t *value, const struct weir_key *keys, size_t n_keys,
			 yaml_node_t **nodes)
{
	const char *key = plain_text(key_node);
	char found[WEIR_QUOTE_LEN + 3];
	size_t i;

	if (!key) {
		weir_reading_fault(reading, key_node, "", "found %s as a key; a name would do",
				   weir_node_found(key_node, found));
		return;
	}
	for (i = 0; i < n_keys; i++) {
		if (strcmp(keys[i].name, key) != 0)
			continue;
		if (nodes[i])
			weir_reading_fault(reading, key_node, key,
					   "given twice, first with the value on line %u",
					   weir_node_mark(nodes[i]).line);
		else
			nodes[i] = value;
		return;
	}
	tell_unknown(reading, key_node, key, keys, n_keys);
}

bool weir_mapping_collect(struct weir_reading *reading, const yaml_node_t *node,
			  const struct weir_key *keys, size_t n_keys, yaml_node_t **ret_nodes)
{
	char found[WEIR_QUOTE_LEN + 3];
	const yaml_node_pair_t *pair;
	size_t i;

	memset(ret_nodes, 0, n_keys * sizeof(ret_nodes[0]));
	if (node->type != YAML_MAPPING_NODE) {
		weir_reading_fault(reading, node, "",
				   "found %s; a mapping with the keys %s%s%s "
				   "would do",
				   weir_node_found(node, found), keys[0].name,
				   n_keys > 1 ? ", " : "", n_keys > 1 ? keys[1].name : "");
		return false;
	}
	for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++)
		collect_pair(reading, yaml_document_get_node(reading->yaml, pair->key),
			     yaml_document_get_node(reading->yaml, pair->value), keys, n_keys,
			     ret_nodes);
	for (i = 0; i < n_keys; i++) {
		if (keys[i].would_do && !ret_nodes[i])
			weir_reading_fault(reading, node, keys[i].name, "missing; %s would do",
					   keys[i].would_do);
	}
	return true;
}

size_t weir_items_count(const yaml_node_t *node)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return 1;
	return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
}

yaml_node_t *weir_items_at(struct weir_reading *reading, yaml_node_t *node, size_t index)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return node;
	return yaml_document_get_node(reading->yaml, node->data.sequence.items.start[index]);
}
