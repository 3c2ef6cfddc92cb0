/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a match lets in, compared with another and with the lists.
 */
#ifndef WEIR_POLICY_MATCH_H
#define WEIR_POLICY_MATCH_H

#include "policy/policy.h"

#define WEIR_FAMILY_IPV4 1U
#define WEIR_FAMILY_IPV6 2U

/** The families of packets that can match: WEIR_FAMILY_IPV4 | WEIR_FAMILY_IPV6, or 0 for none. */
unsigned int weir_match_families(const struct weir_match *match);

/**
 * True when every packet of @inner matches @outer as well. False may also mean that it was not
 * found out: ranges are compared one by one, and very long lists not at all.
 */
bool weir_match_covers(const struct weir_match *outer, const struct weir_match *inner);

/**
 * True when later fragments never match, since ports and flags are looked at. A match for fragments
 * alone takes them all the same.
 */
bool weir_match_needs_header(const struct weir_match *match);

/** True when the later fragments of all packets of @match, sent as @proto, match @by. */
bool weir_match_fragments_covered(const struct weir_match *match, uint8_t proto,
				  const struct weir_match *by);

/** Disjoint prefixes in order, made of many. */
struct weir_cover {
	struct weir_prefix *prefixes; /* owned */
	size_t n;
};

/**
 * Joins two sorted lists into a cover: what lies within another prefix is left out, two halves
 * become one whole. Returns 0 or -ENOMEM.
 */
int weir_cover_build(const struct weir_prefix *a, size_t n_a, const struct weir_prefix *b,
		     size_t n_b, struct weir_cover *ret_cover);
void weir_cover_free(struct weir_cover *cover);
bool weir_cover_has(const struct weir_cover *cover, const struct weir_prefix *prefix);

#endif
