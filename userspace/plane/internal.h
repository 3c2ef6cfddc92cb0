/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of plane/ share. Nobody else includes this. */
#ifndef WEIR_PLANE_INTERNAL_H
#define WEIR_PLANE_INTERNAL_H

#include "plane/plane.h"

/* Every pinned map, by the name it has in <weir/maps.h>. */
enum map_id {
	MAP_CTL,
	MAP_RULES,
	MAP_PORTS,
	MAP_FROM,
	MAP_TO,
	MAP_TABLES,
	MAP_CHUNKS,
	MAP_NAMES,
	MAP_REASONS,
	MAP_LIMITS,
	MAP_SOURCES,
	MAP_DOORKEEPER,
	MAP_BUDGET,
	MAP_JOBS,
	MAP_SWEEP,
	MAP_COUNT,
};

const char *map_name(enum map_id id);

struct table_view {
	struct weir_line *lines; /* mapped, chunk after chunk; or NULL */
	uint32_t count;
	uint32_t map_id; /* of the first chunk: another table has another */
};

struct weir_plane {
	char *pins_dir;
	int lock_fd;		   /* the folder, held by the agent; -1 for a reader */
	struct weir_bpf *skeleton; /* the agent's loaded program; NULL for a reader */
	int map_fd[MAP_COUNT];
	bool pinned; /* these maps are the ones under pins_dir */
	int n_cpus;
	bool injected_clock;
	uint64_t tick_ns;    /* of the coarse clock */
	uint64_t expired_ns; /* CLOCK_BOOTTIME of the last weir_plane_expire_sources() */
	/* Mapped for as long as the plane is open. */
	struct weir_ctl *ctl;
	struct weir_rules *rules;	      /* [2] */
	struct weir_port_rules *ports;	      /* [2] */
	struct weir_chunk *chunks;	      /* [WEIR_CHUNKS_MAX] */
	struct weir_name *names;	      /* [WEIR_SLOTS] */
	struct table_view tables[WEIR_SLOTS]; /* mapped when first asked for */
};

/* pins.c */
#define PINS_LINK "link-" /* what the pin of an interface's link begins with */
int pins_path(const char *dir, const char *name, char *buf, size_t size);
int pins_check(const char *dir, bool create, struct weir_error *error);
int pins_lock(const char *dir, struct weir_error *error, int *ret_fd);
/** Opens the pinned maps into @fds (all or none). -ENOENT when nothing is pinned, -EPROTO when not all. */
int pins_open_maps(const char *dir, int fds[MAP_COUNT]);
/** Pins the maps over whatever has their names, each in one step, and removes other maps. */
int pins_put_maps(const char *dir, const int fds[MAP_COUNT]);
/** Calls @visit for each name in the folder that starts with @prefix. */
int pins_each(const char *dir, const char *prefix, int (*visit)(const char *name, void *arg),
	      void *arg);

/* mapping.c */
int mapping_open(struct weir_plane *plane, struct weir_error *error);
void mapping_close(struct weir_plane *plane);
/** A rule's table. @return NULL when it cannot be had */
const struct table_view *mapping_table(struct weir_plane *plane, const struct weir_rule *rule);
void mapping_forget_table(struct weir_plane *plane, uint32_t slot);

/** The rules in force. */
static inline const struct weir_rules *plane_rules(const struct weir_plane *plane)
{
	return &plane->rules[*(volatile __u32 *)&plane->ctl->active & 1];
}

/**
 * How many rules there are, read once: to a reader the slot may be written anew while it looks, by two
 * reloads in a row.
 */
static inline uint32_t plane_rules_count(const struct weir_rules *rules)
{
	uint32_t count = *(volatile const __u32 *)&rules->count;

	return count < WEIR_RULES_MAX ? count : WEIR_RULES_MAX;
}

/** Now by the clock that the rule goes by; for a coarse rule up to a tick ahead of packets. */
uint64_t plane_now_ns(const struct weir_plane *plane, const struct weir_rule *rule);
/** CLOCK_MONOTONIC, or the injected clock. */
uint64_t plane_monotonic_ns(const struct weir_plane *plane);

/** Waits until no packet is in flight that began before the call. */
int plane_grace(void);

/* outer.c: changes to a map of maps, which the kernel makes wait for a grace period each */
struct outer_change {
	uint32_t index;
	int fd; /* -1: nothing is to be there any more */
	int err;
};
struct outer_changes {
	struct outer_change *list; /* owned, with the fds */
	size_t count;
};
int outer_add(struct outer_changes *changes, uint32_t index, int fd);
/** Makes all changes, several at a time. @return the first failure */
int outer_apply(int outer_fd, struct outer_changes *changes);
void outer_clear(struct outer_changes *changes);

/* tables.c */
enum table_start { TABLE_FULL_OF_TOKENS, TABLE_WITHOUT_TOKENS };
/**
 * Makes the table of a rule that has its slot, key and chunk, and sets the rule's base. Its chunks
 * are yet to be put into `tables`: they are added to @changes.
 */
int table_create(struct weir_plane *plane, const char *name, struct weir_rule *rule,
		 enum table_start start, struct outer_changes *changes);
static inline uint32_t table_chunks(const struct weir_rule *rule)
{
	return rule->hash.line_bits > WEIR_CHUNK_BITS
		       ? 1u << (rule->hash.line_bits - WEIR_CHUNK_BITS)
		       : 1;
}
/** Removes the chunks that no rule of the policy in force uses. */
void table_remove_strays(struct weir_plane *plane);
/** Brings all words of a rule's table to its generation. */
void table_settle(struct weir_plane *plane, const struct weir_rule *rule);
/** The lowest TAT that the words of a table made or changed at @now_ns may have. */
uint64_t table_base(const struct weir_gauge *gauge, uint64_t now_ns);

/* publish.c */
void publish_remove_strays(struct weir_plane *plane);

/* sources.c */
/** Removes the sources of limits that are not in force. */
void sources_remove_strays(struct weir_plane *plane);

/* attach.c */
void attach_link_name(const char *interface, char *buf, size_t size);

/* tries.c */
int trie_publish(struct weir_plane *plane, enum map_id outer, uint32_t index, const void *prefixes,
		 size_t count);

/* look.c: what a packet of a source would meet at a rule. */
struct bucket_view {
	struct weir_place place;
	struct weir_look look;
	double tokens;	/* left now */
	double token_s; /* seconds a token takes to come back */
};

void look_packet(const struct weir_prefix *source, struct weir_packet *ret_packet);
int look_bucket(struct weir_plane *plane, const struct weir_rule *rule,
		const struct weir_packet *packet, struct bucket_view *ret_view);
/** A packet's source as the rule counts it. */
struct weir_prefix look_prefix(const struct weir_rule *rule, const struct weir_name *name,
			       const struct weir_packet *packet);

#endif
