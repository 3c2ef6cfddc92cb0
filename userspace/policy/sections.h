/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The readers of the policy's sections, and what is checked across them. Inside userspace/policy
 * only: the way in is weir_policy_read().
 *
 * A reader fills its part of the policy and adds a fault for whatever is wrong; the policy is
 * given to a caller only when there was none.
 */
#ifndef WEIR_POLICY_SECTIONS_H
#define WEIR_POLICY_SECTIONS_H

#include "policy/document.h"

/* Bounds of what one match may list, so that a packet's cost stays bounded as well. */
#define WEIR_MATCH_PORTS_MAX	256
#define WEIR_MATCH_PREFIXES_MAX 16384

/** `match`. Returns false when something in it was wrong. */
bool weir_read_match(struct weir_reading *reading, yaml_node_t *node, struct weir_match *match);

/** `source`. */
bool weir_read_source(struct weir_reading *reading, yaml_node_t *node,
		      struct weir_source_spec *source);

/** `mode` of a limit or quota. */
bool weir_read_run_mode(struct weir_reading *reading, const yaml_node_t *node,
			enum weir_run_mode *ret_mode);

/**
 * `name` of a limit or quota: [a-z0-9-], 1 to WEIR_NAME_LEN. @node may be NULL, the missing key
 * having been told.
 */
bool weir_read_limit_name(struct weir_reading *reading, const yaml_node_t *node, char *ret_name);

/**
 * Goes down the path to an item of `limits` or `quotas`, by its name or else its number. Returns
 * what weir_path_leave() wants.
 */
size_t weir_path_enter_item(struct weir_reading *reading, const yaml_node_t *item, size_t index);

/**
 * How many items of a list of limits or quotas there is room for; one too many is a fault.
 *
 * @n_before  limits and quotas there are already
 * Returns false when @node is no list. A key without a value is an empty one.
 */
bool weir_items_room(struct weir_reading *reading, yaml_node_t *node, const char *key,
		     size_t n_before, size_t *ret_n);

/** `limits` and `quotas`; nodes may be NULL. Limits are read first. */
void weir_read_limits(struct weir_reading *reading, yaml_node_t *node, struct weir_policy *policy);
void weir_read_quotas(struct weir_reading *reading, yaml_node_t *node, struct weir_policy *policy);

/** `store`. */
void weir_read_store(struct weir_reading *reading, yaml_node_t *node,
		     struct weir_store_spec *store);

/** `never_limit` and `always_drop`, which must not share a prefix; nodes may be NULL. */
void weir_read_lists(struct weir_reading *reading, yaml_node_t *never, yaml_node_t *always,
		     struct weir_policy *policy);

/**
 * What no section sees alone: two limits of one name, limits that can never match. Adds faults, or
 * warnings when there are no faults at all.
 */
void weir_policy_validate(struct weir_reading *reading, const struct weir_policy *policy);

/** Warnings about limits that are in each other's way, or that fragments get round. */
void weir_policy_warn(struct weir_reading *reading, const struct weir_policy *policy);

/** Sorts and drops what stands twice; returns how many are left. */
size_t weir_prefixes_settle(struct weir_prefix *prefixes, size_t n);

#endif
