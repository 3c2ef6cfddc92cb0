// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Where a source is in the maps, for who looks with bpftool. */
#include <errno.h>
#include <string.h>

#include "plane/internal.h"

static const struct weir_rule *rule_named(const struct weir_plane *plane, const char *limit)
{
	const struct weir_rules *rules = plane_rules(plane);

	for (uint32_t i = 0; i < rules->count; i++) {
		if (!strncmp(plane->names[rules->rule[i].slot].name, limit, WEIR_NAME_LEN + 1))
			return &rules->rule[i];
	}
	return NULL;
}

int weir_plane_key(struct weir_plane *plane, const char *limit, const struct weir_prefix *source,
		   struct weir_key_view *ret_key)
{
	const struct weir_rule *rule = rule_named(plane, limit);
	struct weir_key_view key = {};
	struct bucket_view bucket;
	struct weir_packet packet;
	struct weir_prefix prefix;
	int err;

	if (!rule)
		return -ENOENT;
	look_packet(source, &packet);
	err = look_bucket(plane, rule, &packet, &bucket);
	if (err)
		return err;
	prefix = look_prefix(rule, &plane->names[rule->slot], &packet);
	key.slot = rule->slot;
	key.key.slot = rule->slot;
	key.key.family = prefix.family;
	memcpy(key.key.addr, prefix.addr, sizeof(key.key.addr));
	key.line = bucket.place.line;
	key.tag = bucket.place.tag;
	key.present = bucket.look.own;
	key.way = bucket.look.way;
	memcpy(&key.bucket, &bucket.look.word, sizeof(key.bucket));
	key.chunk = rule->chunk + (bucket.place.line >> WEIR_CHUNK_BITS);
	key.chunk_line = bucket.place.line & (WEIR_CHUNK_LINES - 1);
	key.table_map_id = plane->chunks[key.chunk % WEIR_CHUNKS_MAX].map_id;
	*ret_key = key;
	return 0;
}
