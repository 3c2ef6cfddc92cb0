// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What no section of the policy sees alone: names used twice, and matches that the lists leave
 * nothing of.
 */
#include <string.h>

#include "base/cleanup.h"
#include "policy/faults.h"
#include "policy/match.h"
#include "policy/sections.h"

/* A limit or a quota, as far as they are alike. */
struct item {
	const char *section;
	const char *name;
	const struct weir_match *match;
	struct weir_mark mark;
	struct weir_mark match_mark;
};

static struct item item_at(const struct weir_policy *policy, size_t index)
{
	const struct weir_quota *quota;

	if (index < policy->n_limits) {
		const struct weir_limit *limit = &policy->limits[index];

		return (struct item){ "limits", limit->name, &limit->match, limit->mark,
				      limit->match_mark };
	}
	quota = &policy->quotas[index - policy->n_limits];
	return (struct item){ "quotas", quota->name, &quota->match, quota->mark,
			      quota->match_mark };
}

static void check_names(struct weir_reading *reading, const struct weir_policy *policy)
{
	size_t n = policy->n_limits + policy->n_quotas, i, j;

	for (i = 1; i < n; i++) {
		struct item later = item_at(policy, i);

		for (j = 0; j < i && *later.name; j++) {
			struct item first = item_at(policy, j);

			if (strcmp(first.name, later.name) != 0)
				continue;
			weir_faults_add(reading->faults, reading->file, later.mark,
					"%s.%s.name: found twice, first on line %u; a name of its "
					"own would do",
					later.section, later.name, first.mark.line);
			break;
		}
	}
}

/* True when each source that can match is in a list, which decides before any limit does. */
static bool all_listed(const struct weir_match *match, const struct weir_cover *listed)
{
	static const struct weir_prefix everyone[] = { { .family = 4 }, { .family = 6 } };
	unsigned int families = weir_match_families(match);
	const struct weir_prefix *from = match->n_from ? match->from : everyone;
	size_t i, n = match->n_from ? match->n_from : 2;

	for (i = 0; i < n; i++) {
		unsigned int family = from[i].family == 4 ? WEIR_FAMILY_IPV4 : WEIR_FAMILY_IPV6;

		if ((families & family) && !weir_cover_has(listed, &from[i]))
			return false;
	}
	return true;
}

static void check_lists(struct weir_reading *reading, const struct weir_policy *policy)
{
	_cleanup_(weir_cover_free) struct weir_cover listed = { .prefixes = NULL };
	size_t n = policy->n_limits + policy->n_quotas, i;

	if (policy->n_never_limit + policy->n_always_drop == 0 || n == 0)
		return;
	if (weir_cover_build(policy->never_limit, policy->n_never_limit, policy->always_drop,
			     policy->n_always_drop, &listed) != 0) {
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"out of memory");
		return;
	}
	for (i = 0; i < n; i++) {
		struct item item = item_at(policy, i);

		if (reading->unsound & 1ULL << i || !all_listed(item.match, &listed))
			continue;
		weir_faults_add(
			reading->faults, reading->file, item.match_mark,
			"%s.%s.match: every source it could match is in never_limit or "
			"always_drop, so nothing can match; sources outside the lists would "
			"do",
			item.section, *item.name ? item.name : "?");
	}
}

void weir_policy_validate(struct weir_reading *reading, const struct weir_policy *policy)
{
	check_names(reading, policy);
	check_lists(reading, policy);
}
