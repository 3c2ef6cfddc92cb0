// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Whether the node as a whole observes.
 */
#include "plane/internal.h"

bool weir_plane_observes(const struct weir_plane *plane)
{
	return plane->ctl->observe || plane_rules(plane)->flags & WEIR_RULES_OBSERVE;
}
