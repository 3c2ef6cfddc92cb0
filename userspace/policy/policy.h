/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The policy file as values.
 *
 * Owns the meaning of every key of the file once it has been read: numbers in base units, prefixes
 * in network order, times in nanoseconds. It knows nothing of maps, sockets or the clock. A
 * struct weir_policy is either complete and valid or it does not exist: weir_policy_read() gives
 * all faults of a file at once and no half-read policy.
 */
#ifndef WEIR_POLICY_POLICY_H
#define WEIR_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prefix.h"

/* Limits and quotas together; one bit each in the packet path's match word. */
#define WEIR_POLICY_LIMITS_MAX 64
/* Letters of a limit's or quota's name, without the closing NUL. */
#define WEIR_NAME_LEN 31

enum weir_run_mode { WEIR_RUN_INHERIT, WEIR_RUN_ENFORCE, WEIR_RUN_OBSERVE };
enum weir_attach { WEIR_ATTACH_AUTO, WEIR_ATTACH_NATIVE, WEIR_ATTACH_GENERIC };
enum weir_token { WEIR_TOKEN_PACKET, WEIR_TOKEN_BYTE, WEIR_TOKEN_UNIT };
enum weir_scope { WEIR_SCOPE_FLEET, WEIR_SCOPE_NODE };
enum weir_on_loss {
	WEIR_LOSS_NONE,
	WEIR_LOSS_OPEN,
	WEIR_LOSS_CLOSED,
	WEIR_LOSS_SHARE,
	WEIR_LOSS_FALLBACK
};
enum weir_first { WEIR_FIRST_WAIT, WEIR_FIRST_ADMIT };
enum weir_over { WEIR_OVER_DROP };
enum weir_period { WEIR_PERIOD_HOUR, WEIR_PERIOD_DAY, WEIR_PERIOD_WEEK, WEIR_PERIOD_MONTH };
enum weir_durability { WEIR_DURABILITY_EXACT, WEIR_DURABILITY_UNVERIFIED };
enum weir_fragment { WEIR_FRAGMENT_ANY, WEIR_FRAGMENT_ONLY, WEIR_FRAGMENT_WHOLE };

/** A place in the policy file, from 1; line 0 where a value is a default. */
struct weir_mark {
	unsigned int line;
	unsigned int column;
};

/**
 * A rate: `tokens` every `per_ns` nanoseconds. Exact as written: "1 packets/h" is {1, 3600e9}.
 * Bits are turned into bytes when read (a bit rate that is no whole number of bytes over its
 * period is scaled so that it stays exact). tokens is never 0 in a valid policy.
 */
struct weir_rate {
	uint64_t tokens;
	uint64_t per_ns;
};

/** Destination ports first..last, host order. */
struct weir_ports {
	uint16_t first;
	uint16_t last;
};

struct weir_match {
	bool has_proto; /* false: any protocol (TCP and UDP where ports are given) */
	uint8_t proto;
	bool syn; /* SYN set and ACK clear */
	enum weir_fragment fragment;
	struct weir_ports *ports; /* owned; any-of */
	size_t n_ports;
	struct weir_prefix *to; /* owned; any-of; empty: any */
	size_t n_to;
	struct weir_prefix *from;
	size_t n_from;
};

/** What counts as one source. `all`: one bucket for everyone, both families. */
struct weir_source_spec {
	bool all;
	uint8_t ipv4_bits;
	uint8_t ipv6_bits;
};

/** Parts of 1,000,000 of the whole limit (3 % is 30000), for all nodes together. */
struct weir_share {
	uint32_t rate_ppm;
	uint32_t burst_ppm;
};

struct weir_limit {
	char name[WEIR_NAME_LEN + 1];
	struct weir_mark mark;
	enum weir_run_mode mode;
	struct weir_match match;
	struct weir_source_spec source;
	enum weir_scope scope;
	enum weir_token token; /* PACKET or BYTE */
	struct weir_rate rate;
	uint64_t burst_tokens;
	struct weir_share share; /* fleet only */
	enum weir_first first_packet;
	enum weir_on_loss on_store_loss; /* NONE for node limits only */
	struct weir_rate fallback_rate;	 /* with WEIR_LOSS_FALLBACK only */
	uint64_t fallback_burst_tokens;
	uint32_t buckets; /* words of the first-tier table, a power of two, >= 8 */
	enum weir_over over;
	struct weir_mark match_mark; /* of the limit itself where it has no match */
	struct weir_mark burst_mark;
	struct weir_mark fallback_mark; /* of fallback.burst */
};

struct weir_quota {
	char name[WEIR_NAME_LEN + 1];
	struct weir_mark mark;
	enum weir_run_mode mode;
	struct weir_match match;
	struct weir_source_spec source;
	enum weir_scope scope;
	enum weir_token token;
	uint64_t tokens;
	enum weir_period period;
	char *time_zone;		 /* owned; "UTC" by default */
	enum weir_on_loss on_store_loss; /* OPEN or CLOSED */
	enum weir_durability durability;
	struct weir_mark match_mark;
};

struct weir_store_spec {
	bool embedded;
	char *url; /* owned, as written; no password in it: that is refused */
	struct weir_mark url_mark;
	char *fleet;	    /* owned; NULL with embedded */
	uint32_t nodes_max; /* 1 with embedded */
	uint64_t timeout_ns;
	uint64_t stale_after_ns;
	uint64_t hold_down_ns;
	uint64_t lease_life_ns;
	uint64_t budget_per_s;
	char *password_file; /* owned or NULL */
};

struct weir_policy {
	char *file;	   /* owned: the path it was read from */
	char *node;	   /* owned */
	char **interfaces; /* owned */
	size_t n_interfaces;
	enum weir_attach attach;
	bool observe;
	struct weir_store_spec store;
	struct weir_prefix *never_limit; /* owned, each prefix once, sorted (weir_prefix_compare) */
	size_t n_never_limit;
	struct weir_prefix *always_drop;
	size_t n_always_drop;
	struct weir_limit *limits; /* owned; their order decides which one a refusal is told by */
	size_t n_limits;
	struct weir_quota *quotas;
	size_t n_quotas;
	char *metrics_listen; /* owned "ADDR:PORT" or "[v6]:PORT" */
	char *pins_dir;	      /* owned */
	char *state_dir;
	char *run_dir;
	struct weir_mark interfaces_mark;
};

/** One fault found in a policy file. */
struct weir_fault {
	char *file; /* owned; a list file's own name where the fault lies there */
	unsigned int line;
	unsigned int column;
	char *message; /* owned: the key, what was found, what would do */
};

/* Errors that are kept; what is wrong beyond them is counted. */
#define WEIR_FAULTS_MAX 1000

/** Every fault and every warning of one reading, in file order. */
struct weir_faults {
	struct weir_fault *errors;
	size_t n_errors;
	size_t n_more_errors; /* not kept: beyond WEIR_FAULTS_MAX, or memory ran out */
	struct weir_fault *warnings;
	size_t n_warnings;
};

/**
 * Reads and validates a policy file and the prefix lists it names.
 *
 * @path        the YAML file
 * @ret_faults  always set; to be released with weir_faults_free()
 * @ret_policy  the policy, owned by the caller (weir_policy_free()); untouched on failure
 * Returns 0; -EINVAL when the file has faults (all of them are in @ret_faults); another negative
 * errno when it cannot be read at all (also a fault, at line 0).
 */
int weir_policy_read(const char *path, struct weir_faults *ret_faults,
		     struct weir_policy **ret_policy);

/**
 * The same for a policy that is in memory already.
 *
 * @path      names the text in faults; list files are looked for beside it
 * @text      @len bytes, which may be anything
 */
int weir_policy_read_text(const char *path, const char *text, size_t len,
			  struct weir_faults *ret_faults, struct weir_policy **ret_policy);

/**
 * Holds byte bursts against the largest frame of the interfaces, which the file does not tell: a
 * burst smaller than a frame would never let that frame pass.
 *
 * @frame_bytes_max  Ethernet header and tags included, without FCS; of the interface with the most
 * @faults           what is found is added
 * Returns 0 or -EINVAL.
 */
int weir_policy_check_frames(const struct weir_policy *policy, uint64_t frame_bytes_max,
			     struct weir_faults *faults);

/** Both take NULL; the second leaves the struct empty. */
void weir_policy_free(struct weir_policy *policy);
void weir_faults_free(struct weir_faults *faults);

/* The words of the file for these values. */
const char *weir_attach_name(enum weir_attach attach);
const char *weir_on_loss_name(enum weir_on_loss loss); /* "none" where there is none */
const char *weir_token_name(enum weir_token token);    /* "packets", "bytes", "units" */
const char *weir_scope_name(enum weir_scope scope);    /* "fleet", "node" */
const char *weir_first_name(enum weir_first first);
const char *weir_period_name(enum weir_period period);
const char *weir_durability_name(enum weir_durability durability);

/** True when what this limit or quota would refuse passes: its own mode, or the policy's. */
bool weir_policy_observes(const struct weir_policy *policy, enum weir_run_mode mode);

#endif
