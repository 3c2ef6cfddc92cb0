/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The policy file as a tree of nodes with places.
 *
 * Loads YAML and lets the readers of the sections walk it: which keys a mapping has, what a scalar
 * says, where it stands. Knows no key of the policy. A reader names the keys it takes in a table
 * and gets a node for each; whatever else stands in the mapping is a fault, told with the path of
 * keys that leads to it ("limits.web.burst").
 *
 * What is bounded: the size of the file, the depth of nesting, the number of anchors. Aliases are
 * followed like the node they name.
 */
#ifndef WEIR_POLICY_DOCUMENT_H
#define WEIR_POLICY_DOCUMENT_H

#include <yaml.h>

#include "policy/policy.h"

#define WEIR_POLICY_BYTES_MAX (1U << 20)
#define WEIR_PATH_LEN	      160
#define WEIR_LIST_FILES_MAX   64

/** What a reading carries along. */
struct weir_reading {
	const char *file;
	struct weir_faults *faults;
	yaml_document_t *yaml;
	char path[WEIR_PATH_LEN];
	uint64_t unsound;     /* limits, then quotas, whose match could not be read */
	unsigned int n_files; /* list files read so far */
};

/** A key that a mapping may have. */
struct weir_key {
	const char *name;
	const char *would_do; /* set: the key is required, and this is what would do */
};

/**
 * Parses the text.
 *
 * @ret_yaml  to be deleted with yaml_document_delete() on success
 * Returns 0, -EINVAL with a fault added, or -ENOMEM with a fault added.
 */
int weir_document_load(struct weir_reading *reading, const char *text, size_t len,
		       yaml_document_t *ret_yaml);

struct weir_mark weir_node_mark(const yaml_node_t *node);

/** "nothing", "a list", "a mapping" or the quoted text. @buf has WEIR_QUOTE_LEN + 3. */
const char *weir_node_found(const yaml_node_t *node, char *buf);

/** True for a value left out: `key:`, `key: ~` and `key: null`. */
bool weir_node_is_null(const yaml_node_t *node);

/** Goes one key down the path; returns what weir_path_leave() wants. */
size_t weir_path_enter(struct weir_reading *reading, const char *key);
void weir_path_leave(struct weir_reading *reading, size_t was);

/** A fault at @node about @key below the path; @key "" for what the path itself names. */
void weir_reading_fault(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			const char *format, ...) __attribute__((format(printf, 4, 5)));
void weir_reading_warn(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * Sorts a mapping's values by key.
 *
 * Tells unknown keys (with the nearest known one), keys given twice and required ones that are
 * missing, the last at the place of the mapping.
 *
 * @node       any node; what is no mapping is a fault
 * @ret_nodes  @n_keys of them, NULL where a key is not there; always set
 * Returns true when @node is a mapping.
 */
bool weir_mapping_collect(struct weir_reading *reading, const yaml_node_t *node,
			  const struct weir_key *keys, size_t n_keys, yaml_node_t **ret_nodes);

/**
 * The text of a scalar; NULL with a fault when it is none, says nothing, or holds a NUL byte.
 *
 * @would_do  for the fault: "a rate such as 1000 packets/s"
 */
const char *weir_scalar_text(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			     const char *would_do);

/** Items of a list, or 1 for any other node, which stands for a list of itself. */
size_t weir_items_count(const yaml_node_t *node);
yaml_node_t *weir_items_at(struct weir_reading *reading, yaml_node_t *node, size_t index);

#endif
