// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What a match lets in. All of it is for telling an operator: the packet path decides by tables of
 * its own.
 */
#include "policy/match.h"

#include <netinet/in.h>

/* Products of list lengths beyond which containment is not looked into. */
#define PAIRS_MAX 65536

static bool has_family(const struct weir_prefix *prefixes, size_t n, uint8_t family)
{
	size_t i;

	for (i = 0; i < n && prefixes[i].family != family; i++)
		;
	return n == 0 || i < n;
}

unsigned int weir_match_families(const struct weir_match *match)
{
	unsigned int left = WEIR_FAMILY_IPV4 | WEIR_FAMILY_IPV6;

	if (match->has_proto && match->proto == IPPROTO_ICMP)
		left &= ~WEIR_FAMILY_IPV6;
	if (match->has_proto && match->proto == IPPROTO_ICMPV6)
		left &= ~WEIR_FAMILY_IPV4;
	if (!has_family(match->to, match->n_to, 4) || !has_family(match->from, match->n_from, 4))
		left &= ~WEIR_FAMILY_IPV4;
	if (!has_family(match->to, match->n_to, 6) || !has_family(match->from, match->n_from, 6))
		left &= ~WEIR_FAMILY_IPV6;
	return left;
}

static bool prefixes_cover(const struct weir_prefix *outer, size_t n_outer,
			   const struct weir_prefix *inner, size_t n_inner)
{
	size_t i, j;

	if (n_outer == 0)
		return true;
	if (n_inner == 0 || n_outer > PAIRS_MAX / n_inner)
		return false;
	for (i = 0; i < n_inner; i++) {
		for (j = 0; j < n_outer && !weir_prefix_covers(&outer[j], &inner[i]); j++)
			;
		if (j == n_outer)
			return false;
	}
	return true;
}

static bool ports_cover(const struct weir_match *outer, const struct weir_match *inner)
{
	size_t i, j;

	if (outer->n_ports == 0)
		return true;
	for (i = 0; i < inner->n_ports; i++) {
		for (j = 0; j < outer->n_ports; j++) {
			if (outer->ports[j].first <= inner->ports[i].first &&
			    outer->ports[j].last >= inner->ports[i].last)
				break;
		}
		if (j == outer->n_ports)
			return false;
	}
	return inner->n_ports > 0;
}

static bool addresses_cover(const struct weir_match *outer, const struct weir_match *inner)
{
	return prefixes_cover(outer->to, outer->n_to, inner->to, inner->n_to) &&
	       prefixes_cover(outer->from, outer->n_from, inner->from, inner->n_from);
}

bool weir_match_covers(const struct weir_match *outer, const struct weir_match *inner)
{
	if (outer->has_proto && !(inner->has_proto && inner->proto == outer->proto))
		return false;
	if (outer->syn && !inner->syn)
		return false;
	if (outer->fragment != WEIR_FRAGMENT_ANY && outer->fragment != inner->fragment)
		return false;
	/* Matches for fragments alone let in later ones, which those that read ports do not. */
	if (weir_match_needs_header(outer) && inner->fragment == WEIR_FRAGMENT_ONLY)
		return false;
	return ports_cover(outer, inner) && addresses_cover(outer, inner);
}

bool weir_match_needs_header(const struct weir_match *match)
{
	return (match->n_ports > 0 || match->syn) && match->fragment != WEIR_FRAGMENT_ONLY;
}

bool weir_match_fragments_covered(const struct weir_match *match, uint8_t proto,
				  const struct weir_match *by)
{
	if (weir_match_needs_header(by) || by->fragment == WEIR_FRAGMENT_WHOLE)
		return false;
	if (by->has_proto && by->proto != proto)
		return false;
	return addresses_cover(by, match);
}
