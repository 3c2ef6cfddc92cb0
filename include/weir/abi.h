/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers that the packet path, the agent and an operator's bpftool agree on.
 *
 * A number given here is never used again for something else: pinned maps outlive the program that
 * made them. WEIR_ABI rises when a layout or a meaning in include/weir/ changes; an agent that finds
 * pins of another ABI says so and replaces them only once its own program stands.
 */
#ifndef WEIR_ABI_H
#define WEIR_ABI_H

#include <linux/types.h>

#define WEIR_ABI 1

/* Limits in one policy: one bit each in a match word. */
#define WEIR_RULES_MAX 64
/*
 * A limit keeps its slot (its table, its counters) for as long as its name stays in the policy.
 * Twice the limits, so that an old policy and a new one can be live at the same time.
 */
#define WEIR_SLOTS 128

/** Why a packet passed or was dropped: exactly one for each packet. */
enum weir_reason {
	WEIR_CONFORMS = 0,   /* at least one limit matched, all conformed */
	WEIR_NO_LIMIT = 1,   /* IP, but no limit matched */
	WEIR_EXEMPT = 2,     /* never_limit */
	WEIR_PROTECTED = 3,  /* ARP, neighbour and router discovery, path-MTU messages */
	WEIR_NOT_IP = 4,     /* another EtherType, or more than two VLAN tags */
	WEIR_DENIED = 5,     /* always_drop */
	WEIR_MALFORMED = 6,  /* cut short, or contradicting itself */
	WEIR_OVER_LIMIT = 7, /* the source's own bucket is empty */
	WEIR_TABLE_FULL = 8, /* a newcomer met the debt of the source whose bucket it took over */
	WEIR_LOST_RACE = 9,  /* another CPU kept changing the bucket */
	WEIR_WOULD_REFUSE = 10, /* passed because observing */
};
#define WEIR_REASONS 16 /* size of the counter array */

static inline const char *weir_reason_name(__u32 reason)
{
	static const char *const names[] = {
		"conforms",  "no_limit",   "exempt",	 "protected", "not_ip",	      "denied",
		"malformed", "over_limit", "table_full", "lost_race", "would_refuse",
	};

	return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "";
}

/** True for the reasons that drop a packet. */
static inline int weir_reason_drops(__u32 reason)
{
	return reason >= WEIR_DENIED && reason <= WEIR_LOST_RACE;
}

#endif
