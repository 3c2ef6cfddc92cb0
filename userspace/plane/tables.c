// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Bucket tables: made before the policy that needs them, removed after the last packet that read it. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

/** Makes one chunk and fills it before anybody can see it. */
static int make_chunk(struct weir_plane *plane, const char *name, uint32_t chunk, uint64_t word,
		      struct outer_changes *changes)
{
	const size_t bytes = WEIR_CHUNK_LINES * sizeof(struct weir_line);
	struct bpf_map_info about = {};
	uint32_t size = sizeof(about);
	_cleanup_close_ int fd = chunk_map(plane, name);
	struct weir_line *lines;
	int err;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &about, &size))
		return -errno;
	lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (lines == MAP_FAILED)
		return -errno;
	fill(lines, WEIR_CHUNK_LINES, word);
	munmap(lines, bytes);
	err = outer_add(changes, chunk, fd);
	if (err)
		return err;
	TAKE_FD(fd);
	plane->chunks[chunk].map_id = about.id;
	return 0;
}

int table_create(struct weir_plane *plane, const char *name, struct weir_rule *rule,
		 enum table_start start, struct outer_changes *changes)
{
	uint64_t now_ns = plane_now_ns(plane, rule), word;
	int err = 0;

	rule->base = table_base(&rule->gauge, now_ns);
	word = rule->base;
	if (start == TABLE_WITHOUT_TOKENS)
		word = weir_gauge_now(&rule->gauge, now_ns) + rule->gauge.burst;
	word = (word & ~WEIR_LOW_MASK) | rule->gauge.generation;
	for (uint32_t i = 0; !err && i < table_chunks(rule); i++)
		err = make_chunk(plane, name, rule->chunk + i, word, changes);
	return err;
}

void table_remove_strays(struct weir_plane *plane)
{
	const struct weir_rules *rules = plane_rules(plane);
	struct outer_changes changes = {};
	bool used[WEIR_CHUNKS_MAX] = {};

	for (uint32_t i = 0; i < rules->count; i++) {
		for (uint32_t k = 0; k < table_chunks(&rules->rule[i]); k++)
			used[(rules->rule[i].chunk + k) % WEIR_CHUNKS_MAX] = true;
	}
	for (uint32_t chunk = 0; chunk < WEIR_CHUNKS_MAX; chunk++) {
		if (used[chunk] || !plane->chunks[chunk].map_id)
			continue;
		plane->chunks[chunk].map_id = 0;
		outer_add(&changes, chunk, -1);
	}
	outer_apply(plane->map_fd[MAP_TABLES], &changes);
	outer_clear(&changes);
}

void table_settle(struct weir_plane *plane, const struct weir_rule *rule)
{
	const struct table_view *view = mapping_table(plane, rule);
	uint64_t now = weir_gauge_now(&rule->gauge, plane_now_ns(plane, rule));

	for (uint32_t i = 0; view && i < view->count; i++)
		weir_line_settle(&view->lines[i], &rule->gauge, now);
}
