/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The packet at hand. It lives in a per-CPU map and not on the stack, which has 512 bytes for all
 * functions together; a packet is not interrupted by another on its CPU.
 */
#ifndef WEIR_JOB_BPF_H
#define WEIR_JOB_BPF_H

#include "maps.bpf.h"

/* Beside enum weir_reason: the policy changed under the packet's feet, read it again; */
#define RETRY 255
/* several rules match, they are in job->set. */
#define SEVERAL 254

/** What several rules said: sets of rules, as in struct weir_rules. */
struct tally {
	__u64 refused;	/* enforcing rules that refused */
	__u64 would;	/* observing rules that would have */
	__u64 lost;	/* rules whose charge was lost to another CPU */
	__s64 least_ns; /* headroom of the rule `least` */
	__u32 reason;	/* of the first refusal in file order */
	__u32 least;	/* the conforming rule with the least headroom */
};

/** What the look at one rule of several leaves for the charge and the count. */
struct seen {
	__u64 word; /* as read */
	__u64 next; /* as it is to be when the packet passes */
	__u32 line;
	__u8 way;
	__u8 notice; /* for known_notice() */
	__u8 inherits;
	__u8 reserved;
};

/**
 * One packet on its way through the rules. Global functions get nothing else: the verifier then
 * does not follow what is in here from call to call, and proves each function once.
 */
struct job {
	struct weir_packet pkt;
	struct tally tally;
	__u64 set; /* rules that match and are not done with */
	__u64 coarse_ns;
	__u64 precise_ns;
	__u32 parsed;  /* enum weir_parse */
	__u32 active;  /* slot of rules */
	__u32 observe; /* the panic switch */
	__u32 rule;    /* index of the rule looked at, for the calls below */
	__u32 outcome; /* enum weir_outcome of charge_rule() */
	__u32 refused; /* for known_count(): what became of the packet, */
	__u32 shift;   /* and that it stands for 2^shift */
	__u32 reserved;
	struct weir_prefix_key prefix;
	struct weir_source_key key;
	struct weir_source fresh;
	struct seen seen[WEIR_RULES_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct job);
} jobs SEC(".maps");

/**
 * The packet at hand. Functions that hand parts of it to helpers ask for it anew: before Linux 6.2 a
 * global function's argument is no memory that a helper may take a key from.
 */
static __always_inline struct job *job_at_hand(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&jobs, &zero);
}

#endif
