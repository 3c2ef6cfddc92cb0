// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Prefix tables for the longest-prefix lookup: a new trie for each policy, swapped in whole. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "plane/internal.h"
#include "policy/compile.h"
#include "weir.skel.h"

static int trie_map(const struct weir_plane *plane, const char *name, size_t count)
{
	const struct bpf_object *object = plane->skeleton->obj;
	const struct btf *types = bpf_object__btf(object);
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
	int key = btf__find_by_name_kind(types, "weir_prefix_key", BTF_KIND_STRUCT);
	int value = btf__find_by_name_kind(types, "weir_prefix_value", BTF_KIND_STRUCT);

	if (key > 0 && value > 0) {
		options.btf_fd = (uint32_t)bpf_object__btf_fd(object);
		options.btf_key_type_id = (uint32_t)key;
		options.btf_value_type_id = (uint32_t)value;
	}
	return bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, name, sizeof(struct weir_prefix_key),
			      sizeof(struct weir_prefix_value), count ? (uint32_t)count : 1,
			      &options);
}

int trie_publish(struct weir_plane *plane, enum map_id outer, uint32_t index, const void *prefixes,
		 size_t count)
{
	const struct weir_prefix_rule *rules = prefixes;
	_cleanup_close_ int fd = -1;

	if (!count) {
		bpf_map_delete_elem(plane->map_fd[outer], &index);
		return 0;
	}
	fd = trie_map(plane, outer == MAP_FROM ? "from_prefixes" : "to_prefixes", count);
	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < count; i++) {
		if (bpf_map_update_elem(fd, &rules[i].key, &rules[i].value, BPF_NOEXIST))
			return -errno;
	}
	return bpf_map_update_elem(plane->map_fd[outer], &index, &fd, BPF_ANY) ? -errno : 0;
}
