/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The maps of <weir/maps.h>, declared. Their sizes and pins are settled by the loader. */
#ifndef WEIR_MAPS_BPF_H
#define WEIR_MAPS_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <weir/maps.h>

const volatile struct weir_knobs weir_knobs = {};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct weir_ctl);
} ctl SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct weir_rules);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct weir_port_rules);
} ports SEC(".maps");

/*
 * The inner maps are made by the agent, of these shapes. The two instances are not created; they
 * are there because only a map's own definition brings its types whole into BTF.
 */
struct prefix_trie {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct weir_prefix_key);
	__type(value, struct weir_prefix_value);
} trie_shape SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(values, struct prefix_trie);
} from SEC(".maps"), to SEC(".maps");

struct table_chunk {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WEIR_CHUNK_LINES);
	__type(key, __u32);
	__type(value, struct weir_line);
} chunk_shape SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, WEIR_CHUNKS_MAX);
	__type(key, __u32);
	__array(values, struct table_chunk);
} tables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WEIR_CHUNKS_MAX);
	__type(key, __u32);
	__type(value, struct weir_chunk);
} chunks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WEIR_SLOTS);
	__type(key, __u32);
	__type(value, struct weir_name);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WEIR_REASONS);
	__type(key, __u32); /* enum weir_reason; an array's key is a plain integer */
	__type(value, struct weir_reason_count);
} reasons SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WEIR_SLOTS);
	__type(key, __u32);
	__type(value, struct weir_limit_count);
} limits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WEIR_SOURCES_MAX);
	__type(key, struct weir_source_key);
	__type(value, struct weir_source);
} sources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct weir_doorkeeper);
} doorkeeper SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct weir_budget);
} budget SEC(".maps");

struct weir_sweeper {
	struct bpf_timer timer;
	__u64 policy_since_ns; /* the policy that the last step saw */
	__u64 rule_since_ns; /* with slot, what the step was at: a rule goes on in the next policy */
	__u32 slot;
	__u32 reserved;
	__u32 rule; /* its place in that policy */
	__u32 line;
	__u64 floor;  /* of the pass over this rule's table */
	__u64 passes; /* over all tables, since the program was loaded */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct weir_sweeper);
} sweep SEC(".maps");

/* One-element maps and slots that always exist; the check is the verifier's, not ours. */
static __always_inline struct weir_ctl *map_ctl(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&ctl, &zero);
}

static __always_inline struct weir_rules *map_rules(__u32 active)
{
	return bpf_map_lookup_elem(&rules, &active);
}

static __always_inline struct weir_line *map_line(const struct weir_rule *rule, __u32 line)
{
	__u32 chunk = rule->chunk + (line >> WEIR_CHUNK_BITS), at = line & (WEIR_CHUNK_LINES - 1);
	void *lines = bpf_map_lookup_elem(&tables, &chunk);

	return lines ? bpf_map_lookup_elem(lines, &at) : 0;
}

#endif
