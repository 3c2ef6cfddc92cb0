/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The packet path as seen from userspace: one program and its maps, under one folder of pins.
 *
 * The only part of userspace that knows libbpf. It owns what is pinned and attached; it does not
 * know the policy file's text, the control socket or the metrics, and it never logs: what a person
 * should hear comes back in a struct weir_error or in a result.
 *
 * Two ways in. weir_plane_open() is for commands that look: it opens what is pinned and works with
 * the agent dead. weir_plane_start() is for the agent: it locks the folder, takes over maps of its
 * own ABI as they are, loads the program, and from then on may publish policies and attach.
 * Nothing here is thread-safe. All functions return 0 or a negative errno.
 */
#ifndef WEIR_PLANE_PLANE_H
#define WEIR_PLANE_PLANE_H

#include <netinet/in.h> /* before <linux/in.h>, which then leaves libc's names alone */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/maps.h>

#include "base/error.h"
#include "base/prefix.h"
#include "policy/policy.h"

struct weir_plane;

/* What weir_plane_start() found under the pins. */
enum weir_takeover {
	WEIR_TAKEOVER_NONE,	/* nothing: a first start, or after weir_plane_detach() or a boot */
	WEIR_TAKEOVER_KEPT,	/* maps of this ABI: buckets, counters and sources go on */
	WEIR_TAKEOVER_REPLACED, /* maps of another ABI: in force until this one's program is attached */
};

struct weir_plane_options {
	bool injected_clock; /* tests: time is what weir_plane_set_clock() says */
	bool no_timer;	     /* tests: no sweep but weir_plane_sweep_step() */
};

/**
 * Opens what is pinned, for reading and for the panic switch.
 * -ENOENT nothing is pinned there; -EPROTO pins of another ABI; -EPERM not root.
 */
int weir_plane_open(const char *pins_dir, struct weir_error *error, struct weir_plane **ret_plane);

/**
 * Takes the folder (made if missing, for root alone), loads the program and its maps. Packets go by
 * what was attached before until weir_plane_attach().
 * @options  NULL: none
 * -EBUSY another agent holds the folder; -EPERM not root; -ENOTSUP the kernel lacks something
 * (named in @error, with what to do).
 */
int weir_plane_start(const char *pins_dir, const struct weir_plane_options *options,
		     struct weir_error *error, enum weir_takeover *ret_takeover,
		     struct weir_plane **ret_plane);

/** Lets go: fds and lock. What is pinned and attached stays. NULL is fine. */
void weir_plane_close(struct weir_plane *plane);

/**
 * Puts a policy in force for all packets at once. A limit of the same name keeps its buckets; where
 * its numbers change, debts are kept in tokens. On failure the policy in force is unchanged.
 * Returns only when every bucket is settled.
 */
int weir_plane_publish(struct weir_plane *plane, const struct weir_policy *policy,
		       struct weir_error *error);

/* --- interfaces ------------------------------------------------------------------------- */

struct weir_attachment {
	char name[16];
	uint32_t ifindex;
	enum weir_attach mode; /* NATIVE or GENERIC; AUTO: not attached now */
};

/**
 * Attaches to one interface, or replaces the program of an earlier agent in place.
 * @mode  AUTO tries native, then generic
 * -ENODEV no such interface; -EBUSY another XDP program is there (its name and id are in @error; it
 * is left alone); -EOPNOTSUPP native was asked for and the driver has none.
 */
int weir_plane_attach(struct weir_plane *plane, const char *interface, enum weir_attach mode,
		      struct weir_error *error, enum weir_attach *ret_mode);

/** Forgets the pinned link of an interface that is gone, or detaches from one that is there. */
int weir_plane_detach_interface(struct weir_plane *plane, const char *interface);

/**
 * What is pinned as attached (by any agent). Links whose interface is gone have mode AUTO.
 * @ret_attachments  owned by the caller, free()
 */
int weir_plane_attachments(struct weir_plane *plane, struct weir_attachment **ret_attachments,
			   size_t *ret_count);

/**
 * Removes programs and pins of weir under @pins_dir, of whatever ABI, and the folder if it is empty
 * then. -ENOENT when there is nothing; -EBUSY while an agent runs (it holds the folder).
 */
int weir_plane_detach(const char *pins_dir, struct weir_error *error);

/* --- state ------------------------------------------------------------------------------ */

/** The words every packet reads, mapped; valid until the plane is closed. */
const struct weir_ctl *weir_plane_ctl(const struct weir_plane *plane);
void weir_plane_set_observe(struct weir_plane *plane, bool observe);
/** True when nothing is refused: by the policy in force, or by the panic switch. */
bool weir_plane_observes(const struct weir_plane *plane);
void weir_plane_set_heartbeat(struct weir_plane *plane, uint64_t boottime_ns);
/** The agent ends: nobody need wait for its heartbeat to grow old. */
void weir_plane_set_ended(struct weir_plane *plane, uint64_t boottime_ns);
void weir_plane_set_clock(struct weir_plane *plane, uint64_t monotonic_ns);

/** Counts since the maps were made, summed over CPUs. */
int weir_plane_reasons(struct weir_plane *plane, struct weir_count ret_counts[WEIR_REASONS]);

/** A limit in force, in file order. */
struct weir_limit_view {
	struct weir_name name; /* as it is in the map: name, numbers, source bits */
	uint32_t slot;
	uint32_t index; /* in the policy */
	bool observing; /* itself or by the panic switch */
	bool coarse;
	uint64_t tick_ns; /* what a coarse limit gives up of its burst is two of these at its rate */
	struct weir_limit_count counts;
};

/** @ret_limits  owned by the caller, free() */
int weir_plane_limits(struct weir_plane *plane, struct weir_limit_view **ret_limits,
		      size_t *ret_count);

/** A source known by name. */
struct weir_source_view {
	char limit[WEIR_NAME_LEN + 1];
	uint32_t slot;
	struct weir_prefix prefix;  /* of the limit's width */
	struct weir_count admitted; /* estimates from samples */
	struct weir_count refused;
	uint64_t first_seen_ns; /* CLOCK_MONOTONIC */
	uint64_t last_seen_ns;
	double tokens;	   /* left now */
	double rate_per_s; /* of its limit, tokens */
	bool bytes;
};

/** @ret_sources  owned by the caller, free(); no order */
int weir_plane_sources(struct weir_plane *plane, struct weir_source_view **ret_sources,
		       size_t *ret_count);
int weir_plane_sources_used(struct weir_plane *plane, size_t *ret_used, size_t *ret_size);

/** Removes sources that went idle. To be called about once a second by the agent. */
int weir_plane_expire_sources(struct weir_plane *plane);

/* --- one source ------------------------------------------------------------------------- */

struct weir_query {
	struct weir_prefix source; /* an address: 32 or 128 bits */
	bool has_to;
	struct weir_prefix to; /* same family */
	bool has_proto;
	uint8_t proto;
	bool has_port;
	uint16_t port;
	bool syn; /* as the first packet of a TCP connection */
};

/** One limit's answer to the question. */
struct weir_limit_answer {
	char name[WEIR_NAME_LEN + 1];
	bool observing;
	bool conforms;	/* one more packet (of one full frame, for bytes) would pass */
	bool inherited; /* the source has no bucket; the tokens are those a newcomer would find */
	bool known;	/* in `sources` */
	double tokens;	/* left now */
	double burst;
	double rate_per_s;
	bool bytes;
	double retry_after_s;	   /* 0 when it conforms */
	struct weir_prefix prefix; /* what the limit counts the source as */
};

struct weir_explanation {
	enum weir_reason reason; /* what the next such packet would be counted as */
	bool exempt;
	bool dropped_by_list;
	bool observing; /* the policy or the panic switch */
	double retry_after_s;
	struct weir_limit_answer limits[WEIR_RULES_MAX]; /* those that match, in file order */
	size_t n_limits;
};

/** What would become of a packet; keys left out of the query match any limit. */
int weir_plane_explain(struct weir_plane *plane, const struct weir_query *query,
		       struct weir_explanation *ret_explanation);

struct weir_key_view {
	uint32_t slot;
	struct weir_source_key key; /* of `sources` */
	uint32_t line;		    /* in the limit's table */
	uint32_t chunk;		    /* the key in `tables` of the map that holds the line */
	uint32_t chunk_line;	    /* the line's key in that map */
	uint32_t tag;
	bool present;		   /* the line holds the tag now */
	struct weir_bucket bucket; /* then, its word */
	uint32_t way;
	uint32_t table_map_id; /* that map, for: bpftool map lookup id … */
};

/** -ENOENT: no such limit in force. */
int weir_plane_key(struct weir_plane *plane, const char *limit, const struct weir_prefix *source,
		   struct weir_key_view *ret_key);

/* --- for tests ------------------------------------------------------------------------- */

int weir_plane_program_fd(const struct weir_plane *plane);
/** Runs one step of the sweep (WEIR_SWEEP lines of one table). */
int weir_plane_sweep_step(struct weir_plane *plane);

/* --- the kernel ------------------------------------------------------------------------- */

struct weir_feature {
	const char *name;
	bool found;
	bool required;
	const char *why; /* what it is for, or what goes without it */
};

/** What this kernel has of what weir uses. @return a table that ends with a NULL name */
const struct weir_feature *weir_plane_features(void);

#endif
