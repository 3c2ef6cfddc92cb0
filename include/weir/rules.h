/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A policy compiled for the packet path: limits as rules, and what finds the ones that match.
 *
 * A set of limits is one 64-bit word, bit i being rule i in file order. Each property of a packet
 * gives the set of rules that accept it, and the rules that match are the intersection; so sixty-four
 * limits cost what one costs. Written by the agent into the slot that no packet reads, then made
 * active by one store to struct weir_ctl. Of the active slot only the sweep writes: each rule's base.
 */
#ifndef WEIR_RULES_H
#define WEIR_RULES_H

#include <linux/types.h>

#include <weir/abi.h>
#include <weir/bucket.h>
#include <weir/packet.h>
#include <weir/source.h>

enum weir_rule_flags {
	WEIR_RULE_BYTES = 1,   /* a token is a byte; else a packet */
	WEIR_RULE_COARSE = 2,  /* goes by the coarse clock; its burst is two ticks shorter for it */
	WEIR_RULE_OBSERVE = 4, /* what it would refuse passes */
	WEIR_RULE_ALL = 8,     /* one bucket for everyone */
};

struct weir_rule {
	__u32 slot;  /* of its counters and its name */
	__u32 flags; /* enum weir_rule_flags */
	__u32 chunk; /* the first of its table */
	__u32 reserved0;
	struct weir_addr mask4; /* what of an IPv4 source counts */
	struct weir_addr mask6;
	struct weir_hash hash;
	struct weir_gauge gauge;
	/*
	 * At or below every word of the table, in place. Raised by the sweep when a pass over the
	 * table is done; a reader that still sees the old one sees the same order of words.
	 */
	__u64 base;
	__u64 promote; /* in place: a debt above it makes a source worth knowing by name */
	__u32 sample;  /* admitted packets of a known source are counted one in 2^sample */
	__u32 reserved[1];
	__u64 since_ns; /* CLOCK_BOOTTIME when it got its table or its numbers; with slot: whose words */
} __attribute__((aligned(64)));

enum weir_rules_flags {
	WEIR_RULES_OBSERVE = 1, /* lists and malformed packets pass too */
	WEIR_RULES_FROM = 2,	/* there are prefixes to look the source up in */
	WEIR_RULES_TO = 4,	/* the same for the destination */
	WEIR_RULES_PORTS = 8,	/* some rule has ports */
};

struct weir_rules {
	__u32 count;
	__u32 flags;	  /* enum weir_rules_flags */
	__u64 since_ns;	  /* CLOCK_BOOTTIME when they were put in force; no two are the same */
	__u64 coarse;	  /* rules on the coarse clock */
	__u64 transport;  /* rules with port or flags: a later fragment cannot match them, */
	__u64 fragments;  /* unless they ask for fragments */
	__u64 whole;	  /* rules for whole packets only */
	__u64 syn;	  /* rules for TCP SYN only */
	__u64 from_any;	  /* rules without `from` */
	__u64 to_any;	  /* rules without `to` */
	__u64 proto[256]; /* by transport protocol */
	struct weir_rule rule[WEIR_RULES_MAX];
};

/** Rules by destination port; TCP and UDP packets only. One for each slot of rules. */
struct weir_port_rules {
	__u64 rules[65536];
};

/** What both lists and all `from` keys say of a source; of a destination only `rules` is used. */
enum weir_list { WEIR_LIST_NONE, WEIR_LIST_NEVER, WEIR_LIST_ALWAYS };

struct weir_prefix_key {
	__u32 bits;    /* of what follows: 8 for the family, then the address's */
	__u8 family;   /* 4 or 6 */
	__u8 addr[16]; /* IPv4 in the first four */
} __attribute__((packed));

struct weir_prefix_value {
	__u64 rules;	     /* whose `from` (`to`) covers this prefix */
	enum weir_list list; /* of the longest covering prefix that is in a list */
	__u32 reserved;
};

/**
 * The rules that a packet matches.
 *
 * @by_port  rules that accept its destination port; only looked at where it has one
 * @by_from  rules whose `from` covers the source, @by_to the same for the destination; both
 *           without the rules that have no such key
 */
static __always_inline __u64 weir_rules_match(const struct weir_rules *rules,
					      const struct weir_packet *pkt, __u64 by_port,
					      __u64 by_from, __u64 by_to)
{
	__u64 set = rules->proto[pkt->proto] & (rules->from_any | by_from) &
		    (rules->to_any | by_to);

	if (pkt->flags & WEIR_PACKET_FRAGMENT)
		set &= ~rules->whole;
	else
		set &= ~rules->fragments;
	if (pkt->flags & WEIR_PACKET_LATER)
		return set & (~rules->transport | rules->fragments);
	if (pkt->flags & WEIR_PACKET_PORTS)
		set &= by_port;
	if (!(pkt->flags & WEIR_PACKET_SYN))
		set &= ~rules->syn;
	return set;
}

/** The part of a packet's source that a rule counts by. */
static __always_inline struct weir_addr weir_rule_source(const struct weir_rule *rule,
							 const struct weir_packet *pkt)
{
	const struct weir_addr *mask = pkt->family == 4 ? &rule->mask4 : &rule->mask6;
	struct weir_addr source = { pkt->source.hi & mask->hi, pkt->source.lo & mask->lo };

	return source;
}

/** A packet's bucket in a rule's table. */
static __always_inline struct weir_place weir_rule_place(const struct weir_rule *rule,
							 const struct weir_packet *pkt)
{
	struct weir_addr source = weir_rule_source(rule, pkt);

	/* Masked to nothing, both families are one source. */
	return weir_source_place(&rule->hash, &source,
				 rule->flags & WEIR_RULE_ALL ? 4 : pkt->family);
}

/** What a packet costs, in place. */
static __always_inline __u64 weir_rule_cost(const struct weir_rule *rule,
					    const struct weir_packet *pkt)
{
	return rule->flags & WEIR_RULE_BYTES ? rule->gauge.token * pkt->bytes : rule->gauge.token;
}

#endif
