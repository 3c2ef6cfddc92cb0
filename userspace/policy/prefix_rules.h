/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prefixes from several lists as one table for a longest-prefix lookup. */
#ifndef WEIR_POLICY_PREFIX_RULES_H
#define WEIR_POLICY_PREFIX_RULES_H

#include "policy/compile.h"

/**
 * The table of all sources that lists or `from` keys name (@to: of all destinations that `to` keys
 * name). A longest-prefix lookup finds one entry, so each carries what its shorter ones say too.
 */
int weir_prefix_rules(const struct weir_policy *policy, bool to,
		      struct weir_prefix_rule **ret_rules, size_t *ret_count);

#endif
