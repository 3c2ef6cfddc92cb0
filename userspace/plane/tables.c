// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Bucket tables: made before the policy that needs them, removed after the last packet that read it. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "plane/internal.h"
#include "weir.skel.h"

#define AN_EIGHTH_OF_THE_WRAP (1ULL << 61)

uint64_t table_base(const struct weir_gauge *gauge, uint64_t now_ns)
{
	return (weir_gauge_now(gauge, now_ns) - AN_EIGHTH_OF_THE_WRAP) & ~WEIR_LOW_MASK;
}

/** A map's name may hold no '-'. */
static void table_map_name(const char *limit, char *buf, size_t size)
{
	snprintf(buf, size, "t_%s", limit);
	for (char *c = buf; *c; c++) {
		if (*c == '-')
			*c = '_';
	}
}

static int chunk_map(struct weir_plane *plane, const char *limit)
{
	const struct bpf_object *object = plane->skeleton->obj;
	const struct btf *types = bpf_object__btf(object);
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	int key = btf__find_by_name(types, "__u32");
	int value = btf__find_by_name(types, "weir_line");
	char name[BPF_OBJ_NAME_LEN];

	if (key > 0 && value > 0) {
		options.btf_fd = (uint32_t)bpf_object__btf_fd(object);
		options.btf_key_type_id = (uint32_t)key;
		options.btf_value_type_id = (uint32_t)value;
	}
	table_map_name(limit, name, sizeof(name));
	return bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t), sizeof(struct weir_line),
			      WEIR_CHUNK_LINES, &options);
}

static void fill(struct weir_line *lines, uint32_t count, uint64_t word)
{
	for (uint32_t i = 0; i < count; i++) {
		for (int way = 0; way < WEIR_WAYS; way++)
			WEIR_WORD(&lines[i], way) = word;
	}
}

static int make_chunks(struct weir_plane *plane, const char *name, const struct weir_rule *rule)
{
	for (uint32_t i = 0; i < table_chunks(rule); i++) {
		_cleanup_close_ int fd = chunk_map(plane, name);
		uint32_t chunk = rule->chunk + i;

		if (fd < 0 || bpf_map_update_elem(plane->map_fd[MAP_TABLES], &chunk, &fd, BPF_ANY))
			return -errno;
	}
	return 0;
}

int table_create(struct weir_plane *plane, const char *name, struct weir_rule *rule,
		 enum table_start start)
{
	uint64_t now_ns = plane_now_ns(plane, rule);
	const struct table_view *view;
	uint64_t word;
	int err = make_chunks(plane, name, rule);

	if (err)
		return err;
	view = mapping_table(plane, rule);
	if (!view)
		return -ENOMEM;
	rule->base = table_base(&rule->gauge, now_ns);
	word = rule->base;
	if (start == TABLE_WITHOUT_TOKENS)
		word = weir_gauge_now(&rule->gauge, now_ns) + rule->gauge.burst;
	fill(view->lines, view->count, (word & ~WEIR_LOW_MASK) | rule->gauge.generation);
	return 0;
}

void table_remove(struct weir_plane *plane, const struct weir_rule *rule)
{
	mapping_forget_table(plane, rule->slot);
	for (uint32_t i = 0; i < table_chunks(rule); i++) {
		uint32_t chunk = rule->chunk + i;

		bpf_map_delete_elem(plane->map_fd[MAP_TABLES], &chunk);
	}
}

void table_remove_strays(struct weir_plane *plane)
{
	const struct weir_rules *rules = plane_rules(plane);
	bool used[WEIR_CHUNKS_MAX] = {};

	for (uint32_t i = 0; i < rules->count; i++) {
		for (uint32_t k = 0; k < table_chunks(&rules->rule[i]); k++)
			used[(rules->rule[i].chunk + k) % WEIR_CHUNKS_MAX] = true;
	}
	for (uint32_t chunk = 0; chunk < WEIR_CHUNKS_MAX; chunk++) {
		uint32_t id;

		if (!used[chunk] && !bpf_map_lookup_elem(plane->map_fd[MAP_TABLES], &chunk, &id))
			bpf_map_delete_elem(plane->map_fd[MAP_TABLES], &chunk);
	}
	/* The next table at such a place is another map. */
	for (uint32_t slot = 0; slot < WEIR_SLOTS; slot++) {
		const struct table_view *view = &plane->tables[slot];

		if (view->lines && !used[view->chunk % WEIR_CHUNKS_MAX])
			mapping_forget_table(plane, slot);
	}
}

void table_settle(struct weir_plane *plane, const struct weir_rule *rule)
{
	const struct table_view *view = mapping_table(plane, rule);
	uint64_t now = weir_gauge_now(&rule->gauge, plane_now_ns(plane, rule));

	for (uint32_t i = 0; view && i < view->count; i++)
		weir_line_settle(&view->lines[i], &rule->gauge, now);
}
