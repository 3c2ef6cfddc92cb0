// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The sources known by name. Packets put them in; they are taken out here, in two steps with a
 * second between: marked dead, so that nothing new is written to them, then deleted, when no packet
 * that found them before can still be under way (a deleted element is reused at once).
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "plane/internal.h"

#define NS_PER_S      1000000000ULL
#define IDLE_NS	      (2 * NS_PER_S)
#define BATCH	      8192U
#define STEP_APART_NS (NS_PER_S - NS_PER_S / 10)

struct known {
	struct weir_source_key *keys;
	struct weir_source *values;
	uint32_t count;
};

static void known_clear(struct known *known)
{
	free(known->keys);
	free(known->values);
}

/** All sources; those that come or go meanwhile may be missing. */
static int read_all(struct weir_plane *plane, struct known *ret_known)
{
	struct known known = {};
	uint64_t cursor = 0;
	bool more = true;
	int err = 0;

	while (more && !err) {
		uint32_t n = BATCH;
		void *keys = reallocarray(known.keys, known.count + n, sizeof(*known.keys));
		void *values =
			keys ? reallocarray(known.values, known.count + n, sizeof(*known.values))
			     : NULL;

		known.keys = keys ? keys : known.keys;
		known.values = values ? values : known.values;
		if (!values) {
			err = -ENOMEM;
			break;
		}
		err = bpf_map_lookup_batch(plane->map_fd[MAP_SOURCES], known.count ? &cursor : NULL,
					   &cursor, known.keys + known.count,
					   known.values + known.count, &n, NULL);
		if (err && err != -ENOENT)
			break;
		more = !err;
		err = 0;
		known.count += n;
	}
	if (err) {
		known_clear(&known);
		return err;
	}
	*ret_known = known;
	return 0;
}

static const struct weir_rule *rule_of(const struct weir_plane *plane, uint32_t slot)
{
	const struct weir_rules *rules = plane_rules(plane);

	for (uint32_t i = 0; i < rules->count; i++) {
		if (rules->rule[i].slot == slot)
			return &rules->rule[i];
	}
	return NULL;
}

void sources_remove_strays(struct weir_plane *plane)
{
	struct known known;

	if (read_all(plane, &known))
		return;
	for (uint32_t i = 0; i < known.count; i++) {
		if (!rule_of(plane, known.keys[i].slot))
			bpf_map_delete_elem(plane->map_fd[MAP_SOURCES], &known.keys[i]);
	}
	known_clear(&known);
}

/** The source's word, if its line has it pinned. */
static bool is_pinned(struct weir_plane *plane, uint32_t slot, const struct weir_source *source)
{
	const struct weir_rule *rule = rule_of(plane, slot);
	const struct table_view *table = rule ? mapping_table(plane, rule) : NULL;

	if (!table || source->line >= table->count)
		return false;
	for (int way = 0; way < WEIR_WAYS; way++) {
		uint64_t word = WEIR_WORD(&table->lines[source->line], way);

		if ((word & WEIR_TAG_MASK) == source->tag)
			return word & WEIR_PINNED;
	}
	return false;
}

static void expire(struct weir_plane *plane, const struct weir_source_key *key,
		   struct weir_source *source, uint64_t now_ns)
{
	int fd = plane->map_fd[MAP_SOURCES];

	if (source->dead) {
		bpf_map_delete_elem(fd, key);
		return;
	}
	if (now_ns < source->last_seen_ns + IDLE_NS || is_pinned(plane, key->slot, source))
		return;
	source->dead = 1;
	bpf_map_update_elem(fd, key, source, BPF_EXIST);
}

int weir_plane_expire_sources(struct weir_plane *plane)
{
	uint64_t boot_ns = weir_clock_boottime_ns(), now_ns = plane_monotonic_ns(plane);
	struct known known;
	int err;

	if (boot_ns < plane->expired_ns + STEP_APART_NS)
		return 0;
	plane->expired_ns = boot_ns;
	err = read_all(plane, &known);
	if (err)
		return err;
	for (uint32_t i = 0; i < known.count; i++)
		expire(plane, &known.keys[i], &known.values[i], now_ns);
	known_clear(&known);
	return 0;
}

int weir_plane_sources_used(struct weir_plane *plane, size_t *ret_used, size_t *ret_size)
{
	struct known known;
	int err = read_all(plane, &known);

	if (err)
		return err;
	*ret_used = known.count;
	*ret_size = WEIR_SOURCES_MAX;
	known_clear(&known);
	return 0;
}

static void view_source(struct weir_plane *plane, const struct weir_rule *rule,
			const struct weir_source_key *key, const struct weir_source *source,
			struct weir_source_view *view)
{
	const struct weir_name *name = &plane->names[key->slot];
	struct weir_prefix prefix = { .family = (uint8_t)key->family };
	struct bucket_view bucket = {};
	struct weir_packet packet;

	memcpy(prefix.addr, key->addr, sizeof(prefix.addr));
	prefix.bits = key->family == 4 ? name->ipv4_bits : name->ipv6_bits;
	look_packet(&prefix, &packet);
	look_bucket(plane, rule, &packet, &bucket);
	memcpy(view->limit, name->name, WEIR_NAME_LEN);
	view->slot = key->slot;
	view->prefix = prefix;
	view->admitted = source->admitted;
	view->refused = source->refused;
	view->first_seen_ns = source->first_seen_ns;
	view->last_seen_ns = source->last_seen_ns;
	view->tokens = bucket.tokens;
	view->rate_per_s = (double)name->rate_tokens * 1e9 / (double)name->rate_per_ns;
	view->bytes = name->bytes;
}

int weir_plane_sources(struct weir_plane *plane, struct weir_source_view **ret_sources,
		       size_t *ret_count)
{
	struct weir_source_view *views;
	struct known known;
	size_t count = 0;
	int err = read_all(plane, &known);

	if (err)
		return err;
	views = calloc(known.count + 1, sizeof(*views));
	for (uint32_t i = 0; views && i < known.count; i++) {
		const struct weir_rule *rule = rule_of(plane, known.keys[i].slot);

		if (rule && !known.values[i].dead)
			view_source(plane, rule, &known.keys[i], &known.values[i], &views[count++]);
	}
	known_clear(&known);
	if (!views)
		return -ENOMEM;
	*ret_sources = views;
	*ret_count = count;
	return 0;
}
