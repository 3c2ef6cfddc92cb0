/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a limit's numbers amount to: for the fleet, for one node, in each failure, under a flood.
 *
 * Numbers only; print_check.h has the words. Rates are in tokens a second as doubles: they are for
 * people and for comparison, never what packets go by.
 */
#ifndef WEIR_POLICY_ARITHMETIC_H
#define WEIR_POLICY_ARITHMETIC_H

#include "policy/policy.h"

/* MTU 1500, Ethernet header, two tags: taken where no interface says otherwise. */
#define WEIR_FRAME_BYTES_DEFAULT 1522

/** What the file does not tell. */
struct weir_check_facts {
	uint64_t frame_bytes_max; /* of the interfaces; 0: WEIR_FRAME_BYTES_DEFAULT */
	uint64_t tick_ns;	  /* of the coarse clock; 0: 4 ms */
};

/** Who answers a source's first packet. */
enum weir_first_answer {
	WEIR_ANSWER_BUCKET, /* its own bucket on this node, at once */
	WEIR_ANSWER_LEASE,  /* the store: it waits for a lease */
	WEIR_ANSWER_ADMIT,  /* it is let pass on top of the limit */
};

struct weir_sums {
	double rate_per_s;
	uint64_t burst_tokens;
	double fleet_per_s; /* most for one source on all nodes together, in normal rule */
	uint64_t fleet_burst_tokens;

	/* This node's static share; 0 and 0 where it has none. Meaningless for node limits. */
	double share_per_s;
	uint64_t share_tokens;
	bool share_grown;  /* its burst was raised to hold one whole token */
	double refilled_s; /* until all of the burst is there again for one node; 0: at once */

	double one_node_per_s; /* most for one source whose packets all come to one node */
	uint64_t one_node_tokens;

	bool loss_unlimited; /* on_store_loss: open */
	double loss_per_s;   /* most for one source on all nodes together, without the store */
	uint64_t loss_tokens;

	enum weir_first_answer first;
	bool per_boot;		  /* the bound starts anew with each boot */
	double new_sources_per_s; /* of a flood that the table bears; 0: no source has a bucket */
	uint64_t table_bytes;	  /* first-tier table, with the one for fallback */
	double below;		  /* part of the rate that rounding takes away, 0..1 */
	bool coarse;		  /* goes by the coarse clock */
	double effective_tokens;  /* the burst a source meets in the first tier */
};

/**
 * @facts  NULL for the defaults
 * Returns 0, or -ERANGE when the burst cannot be held at the rate (weir_policy_check_gauges()).
 */
int weir_limit_reckon(const struct weir_policy *policy, const struct weir_limit *limit,
		      const struct weir_check_facts *facts, struct weir_sums *ret_sums);

/**
 * Whether each limit's numbers fit what the packet path reckons in.
 *
 * @faults  what is found is added
 * Returns 0 or -EINVAL.
 */
int weir_policy_check_gauges(const struct weir_policy *policy, uint64_t tick_ns,
			     struct weir_faults *faults);

/**
 * Whether the tables are of a size that can be had, and looked after in time.
 *
 * @faults  what is found is added
 * Returns 0, -EINVAL or -ENOMEM.
 */
int weir_policy_check_tables(const struct weir_policy *policy, uint64_t tick_ns,
			     struct weir_faults *faults);

#endif
