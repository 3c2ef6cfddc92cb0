// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Warnings: a valid policy that does less than its writer may think.
 */
#include <netinet/in.h>
#include <string.h>

#include "policy/faults.h"
#include "policy/match.h"
#include "policy/sections.h"

#define PPM 1000000

static bool fragments_covered(const struct weir_policy *policy, const struct weir_limit *limit,
			      uint8_t proto)
{
	size_t i;

	for (i = 0; i < policy->n_limits; i++) {
		if (weir_match_fragments_covered(&limit->match, proto, &policy->limits[i].match))
			return true;
	}
	return false;
}

static void warn_of_fragments(struct weir_reading *reading, const struct weir_policy *policy,
			      const struct weir_limit *limit)
{
	const struct weir_match *match = &limit->match;
	bool covered;

	if (!weir_match_needs_header(match))
		return;
	if (match->has_proto)
		covered = fragments_covered(policy, limit, match->proto);
	else
		covered = fragments_covered(policy, limit, IPPROTO_TCP) &&
			  fragments_covered(policy, limit, IPPROTO_UDP);
	if (covered)
		return;
	weir_faults_warn(
		reading->faults, reading->file, limit->match_mark,
		"limits.%s.match: fragments get round it, since only the first of a packet "
		"has ports and flags; a limit without `port` and `flags`, or one with "
		"match: {fragment: true}, would hold them",
		limit->name);
}

static bool no_larger(struct weir_rate a, struct weir_rate b)
{
	return (unsigned __int128)a.tokens * b.per_ns <= (unsigned __int128)b.tokens * a.per_ns;
}

static bool same_source(const struct weir_source_spec *a, const struct weir_source_spec *b)
{
	if (a->all || b->all)
		return a->all && b->all;
	return a->ipv4_bits == b->ipv4_bits && a->ipv6_bits == b->ipv6_bits;
}

/* Whatever @limit would refuse, @by has refused already. */
static bool is_shadowed(const struct weir_policy *policy, const struct weir_limit *limit,
			const struct weir_limit *by)
{
	if (limit->token != by->token || limit->scope != by->scope ||
	    limit->on_store_loss != by->on_store_loss)
		return false;
	if (weir_policy_observes(policy, by->mode) && !weir_policy_observes(policy, limit->mode))
		return false;
	return same_source(&limit->source, &by->source) && no_larger(by->rate, limit->rate) &&
	       by->burst_tokens <= limit->burst_tokens &&
	       weir_match_covers(&by->match, &limit->match);
}

static void warn_of_shadow(struct weir_reading *reading, const struct weir_policy *policy,
			   size_t at)
{
	const struct weir_limit *limit = &policy->limits[at];
	size_t i;

	for (i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *by = &policy->limits[i];

		/* Of two that are alike, the later one is told. */
		if (i == at || !is_shadowed(policy, limit, by) ||
		    (i > at && is_shadowed(policy, by, limit)))
			continue;
		weir_faults_warn(reading->faults, reading->file, limit->mark,
				 "limits.%s: never refuses anything that %s (line %u) does not "
				 "refuse as well",
				 limit->name, by->name, by->mark.line);
		return;
	}
}

static void warn_of_share(struct weir_reading *reading, const struct weir_policy *policy,
			  const struct weir_limit *limit)
{
	if (limit->scope != WEIR_SCOPE_FLEET || policy->store.embedded)
		return;
	if (limit->share.burst_ppm == PPM && limit->share.rate_ppm < PPM)
		weir_faults_warn(reading->faults, reading->file, limit->mark,
				 "limits.%s.share: a burst of 100%% leaves no room for leases, so "
				 "only the rate of the share is ever admitted",
				 limit->name);
}

void weir_policy_warn(struct weir_reading *reading, const struct weir_policy *policy)
{
	size_t i;

	if (policy->n_limits + policy->n_quotas + policy->n_always_drop == 0)
		weir_faults_warn(reading->faults, reading->file, (struct weir_mark){ 1, 1 },
				 "policy: it has no limits, no quotas and no always_drop, so it "
				 "refuses nothing but malformed packets");
	for (i = 0; i < policy->n_limits; i++) {
		warn_of_fragments(reading, policy, &policy->limits[i]);
		warn_of_shadow(reading, policy, i);
		warn_of_share(reading, policy, &policy->limits[i]);
	}
}
