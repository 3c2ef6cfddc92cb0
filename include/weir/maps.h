/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The maps: who writes each, who reads it, what happens when it is full. All are pinned under
 * paths.pins by these names.
 *
 *  name        kind                   key             value                   writer
 *  ctl         array, mmap            0               struct weir_ctl         agent (observe: weir observe)
 *  rules       array, mmap            0, 1            struct weir_rules       agent, the inactive one; sweep
 *  ports       array, mmap            0, 1            struct weir_port_rules  agent, the inactive one
 *  from        array of tries         0, 1            trie: weir_prefix_*     agent, the inactive one
 *  to          array of tries         0, 1            trie: weir_prefix_*     agent, the inactive one
 *  tables      array of arrays, mmap  chunk           lines                   packets; agent fills new ones
 *  chunks      array, mmap            chunk           struct weir_chunk       agent
 *  names       array, mmap            slot            struct weir_name        agent
 *  reasons     per-CPU array          weir_reason     struct weir_reason_count packets; agent names them
 *  limits      per-CPU array          slot            struct weir_limit_count packets
 *  sources     hash, preallocated     weir_source_key struct weir_source      packets insert, agent deletes
 *  doorkeeper  array                  0               struct weir_doorkeeper  packets
 *  budget      per-CPU array          0               struct weir_budget      packets
 *  jobs        per-CPU array          0               struct job (bpf/)       the packet at hand
 *  sweep       array                  0               struct weir_sweeper     the timer
 */
#ifndef WEIR_MAPS_H
#define WEIR_MAPS_H

#include <linux/types.h>

#include <weir/abi.h>
#include <weir/bucket.h>
#include <weir/rules.h>

/* Sources known by name. Full: a source stays on its table bucket, counted as not_inserted. */
#define WEIR_SOURCES_MAX 65536

/*
 * A table is one or more chunks of this many lines, next to each other in `tables`: maps of one size
 * are looked up without a call. A small table leaves the rest of its chunk unused.
 */
#define WEIR_CHUNK_BITS	 15
#define WEIR_CHUNK_LINES (1u << WEIR_CHUNK_BITS)
#define WEIR_CHUNKS_MAX	 512

/**
 * The map that `tables` holds at this place. A reader asks here and not there: before Linux 6.8 each
 * look into a map of maps waits for a grace period.
 */
struct weir_chunk {
	__u32 map_id; /* 0: none */
	__u32 reserved;
};

/* Lines of one table that one step of the sweep goes over. */
#define WEIR_SWEEP_LINES 64

/** The few words that every packet reads. */
struct weir_ctl {
	__u32 abi;		/* WEIR_ABI */
	__u32 active;		/* the slot of rules, ports, from and to that packets go by */
	__u32 observe;		/* the panic switch: 1 passes everything that would be refused */
	__u32 sweep_period_us;	/* between two steps of the sweep */
	__u64 heartbeat_ns;	/* CLOCK_BOOTTIME of the agent's last sign of life */
	__u64 injected_ns;	/* the clock of a program loaded with weir_knobs.injected_clock */
	__u64 policy_since_ns;	/* CLOCK_BOOTTIME when the active policy was put in force */
	__u64 coarse_behind_ns; /* CLOCK_MONOTONIC less the coarse clock, at the start of a tick */
	__u64 ended_ns; /* CLOCK_BOOTTIME when an agent last ended by itself; after heartbeat_ns: it is gone */
	__u64 reserved;
};

_Static_assert(sizeof(struct weir_ctl) == 64, "ctl is one cache line");

/** Fixed when the program is loaded; what is off is not in the loaded program at all. */
struct weir_knobs {
	__u32 injected_clock; /* tests: both clocks are ctl.injected_ns */
	__u32 tick_ns;	      /* of the coarse clock, which counts in ticks */
};

/**
 * A slot's limit for those who only have the maps: its name and its numbers as the file gives them.
 * Which slots are in use is what the active rules say.
 */
struct weir_name {
	char name[32];
	__u64 rate_tokens; /* every */
	__u64 rate_per_ns;
	__u64 burst_tokens;
	__u32 buckets;
	__u8 fleet; /* 1: a fleet limit; 0: a node limit */
	__u8 bytes; /* 1: a token is a byte */
	__u8 all;   /* 1: one bucket for everyone */
	__u8 ipv4_bits;
	__u8 ipv6_bits;
	__u8 reserved[63];
};

_Static_assert(sizeof(struct weir_name) == 128, "bpftool and older agents read it");

struct weir_count {
	__u64 packets;
	__u64 bytes;
};

/** Packets counted under one reason; the reason itself is there for who dumps the map. */
struct weir_reason_count {
	struct weir_count count;
	enum weir_reason reason;
	__u32 reserved;
};

/** What became of the packets that a limit matched: each is in exactly one of the four. */
struct weir_limit_count {
	struct weir_count admitted;
	struct weir_count refused;
	struct weir_count would_refuse;	    /* observing */
	struct weir_count refused_by_other; /* conformed here, but not with another limit */
	__u64 inherited;		    /* newcomers that took over a word with debt */
	__u64 lost_race;
	__u64 not_inserted; /* sources that found no place in `sources` or in the budget */
	__u64 pinned;
	__u64 reserved[4];
};

struct weir_source_key {
	__u32 slot;    /* of the limit */
	__u32 family;  /* 4 or 6 */
	__u8 addr[16]; /* masked; IPv4 in the first four */
};

/**
 * A source known by name. Counts are sampled: an update stands for several packets. The bucket is
 * its pinned word in the limit's table.
 */
struct weir_source {
	struct weir_count admitted;
	struct weir_count refused;
	__u64 first_seen_ns; /* CLOCK_MONOTONIC */
	__u64 last_seen_ns;
	__u32 line; /* of its word */
	__u32 tag;
	__u32 dead; /* 1: being removed; deleted a grace period later */
	__u32 reserved;
};

/* Fingerprints of newcomers that were refused lately. */
#define WEIR_DOORKEEPER_CELLS 65536

/**
 * Tells a source that comes back from one of a flood's that is seen once (the doorkeeper of
 * Einziger, Friedman and Manes 2017). Racy on purpose: a cell only decides who may ask for a place
 * in `sources`, never who passes.
 */
struct weir_doorkeeper {
	__u32 cell[WEIR_DOORKEEPER_CELLS];
};

/** Insertions into `sources` that a CPU may still do in its current tick. */
struct weir_budget {
	__u64 tick;
	__u32 left;
	__u32 reserved;
};

/* Insertions into `sources`: this many in 16.8 ms (2^24 ns) on each CPU, about 2,000 a second. */
#define WEIR_BUDGET_SHIFT   24
#define WEIR_BUDGET_INSERTS 32

#endif
