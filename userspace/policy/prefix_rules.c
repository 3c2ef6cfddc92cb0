// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/prefix_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct entry {
	struct weir_prefix prefix;
	uint64_t rules;
	uint32_t list;
};

static int entry_compare(const void *a, const void *b)
{
	return weir_prefix_compare(&((const struct entry *)a)->prefix,
				   &((const struct entry *)b)->prefix);
}

static void add(struct entry *entries, size_t *count, const struct weir_prefix *prefixes, size_t n,
		uint64_t rules, uint32_t list)
{
	for (size_t i = 0; i < n; i++)
		entries[(*count)++] =
			(struct entry){ .prefix = prefixes[i], .rules = rules, .list = list };
}

static size_t collect(const struct weir_policy *policy, bool to, struct entry *entries)
{
	size_t count = 0;

	if (!to) {
		add(entries, &count, policy->never_limit, policy->n_never_limit, 0,
		    WEIR_LIST_NEVER);
		add(entries, &count, policy->always_drop, policy->n_always_drop, 0,
		    WEIR_LIST_ALWAYS);
	}
	for (size_t i = 0; i < policy->n_limits; i++) {
		const struct weir_match *match = &policy->limits[i].match;

		add(entries, &count, to ? match->to : match->from, to ? match->n_to : match->n_from,
		    1ULL << i, WEIR_LIST_NONE);
	}
	return count;
}

static size_t space(const struct weir_policy *policy, bool to)
{
	size_t n = to ? 0 : policy->n_never_limit + policy->n_always_drop;

	for (size_t i = 0; i < policy->n_limits; i++)
		n += to ? policy->limits[i].match.n_to : policy->limits[i].match.n_from;
	return n;
}

/** Makes one of entries for the same prefix. No prefix is in both lists. */
static size_t merge(struct entry *entries, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && !entry_compare(&entries[kept - 1], &entries[i])) {
			entries[kept - 1].rules |= entries[i].rules;
			entries[kept - 1].list |= entries[i].list;
		} else {
			entries[kept++] = entries[i];
		}
	}
	return kept;
}

/** In sorted order a prefix comes right before what it covers: the open ones form a stack. */
static void inherit(struct entry *entries, size_t count)
{
	const struct entry *open[130];
	size_t depth = 0;

	for (size_t i = 0; i < count; i++) {
		while (depth && !weir_prefix_covers(&open[depth - 1]->prefix, &entries[i].prefix))
			depth--;
		if (depth) {
			entries[i].rules |= open[depth - 1]->rules;
			if (!entries[i].list)
				entries[i].list = open[depth - 1]->list;
		}
		open[depth++] = &entries[i];
	}
}

static struct weir_prefix_rule rule_of(const struct entry *entry)
{
	struct weir_prefix_rule rule = {
		.key.bits = 8u + entry->prefix.bits,
		.key.family = entry->prefix.family,
		.value.rules = entry->rules,
		.value.list = entry->list,
	};

	memcpy(rule.key.addr, entry->prefix.addr, sizeof(rule.key.addr));
	return rule;
}

int weir_prefix_rules(const struct weir_policy *policy, bool to,
		      struct weir_prefix_rule **ret_rules, size_t *ret_count)
{
	size_t count = space(policy, to);
	_cleanup_free_ struct entry *entries = NULL;
	struct weir_prefix_rule *rules;

	if (!count) {
		*ret_rules = NULL;
		*ret_count = 0;
		return 0;
	}
	entries = calloc(count, sizeof(*entries));
	rules = calloc(count, sizeof(*rules));
	if (!entries || !rules) {
		free(rules);
		return -ENOMEM;
	}
	count = collect(policy, to, entries);
	qsort(entries, count, sizeof(*entries), entry_compare);
	count = merge(entries, count);
	inherit(entries, count);
	for (size_t i = 0; i < count; i++)
		rules[i] = rule_of(&entries[i]);
	*ret_rules = rules;
	*ret_count = count;
	return 0;
}
