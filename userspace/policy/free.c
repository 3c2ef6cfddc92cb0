// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Releases a policy. Every pointer may be NULL: a reading that stops half-way ends here too.
 */
#include "policy/policy.h"

#include <stdlib.h>

static void free_match(struct weir_match *match)
{
	free(match->ports);
	free(match->to);
	free(match->from);
}

static void free_interfaces(struct weir_policy *policy)
{
	size_t i;

	for (i = 0; i < policy->n_interfaces; i++)
		free(policy->interfaces[i]);
	free(policy->interfaces);
}

void weir_policy_free(struct weir_policy *policy)
{
	size_t i;

	if (!policy)
		return;
	for (i = 0; i < policy->n_limits; i++)
		free_match(&policy->limits[i].match);
	for (i = 0; i < policy->n_quotas; i++) {
		free_match(&policy->quotas[i].match);
		free(policy->quotas[i].time_zone);
	}
	free(policy->limits);
	free(policy->quotas);
	free_interfaces(policy);
	free(policy->store.url);
	free(policy->store.fleet);
	free(policy->store.password_file);
	free(policy->never_limit);
	free(policy->always_drop);
	free(policy->metrics_listen);
	free(policy->pins_dir);
	free(policy->state_dir);
	free(policy->run_dir);
	free(policy->node);
	free(policy->file);
	free(policy);
}
