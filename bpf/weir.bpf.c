// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The packet path: parse, lists, match, account, verdict. One exit, one counted reason.
 *
 * Nothing here waits, allocates or calls out: a packet reads the active policy, looks at a cache
 * line for each limit it matches, and an admitted one changes one word of it. What the maps are and
 * who writes them is in <weir/maps.h>; the bucket arithmetic is in <weir/bucket.h>.
 */
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <weir/abi.h>
#include <weir/maps.h>
#include <weir/packet.h>
#include <weir/rules.h>

#include "job.bpf.h"
#include "maps.bpf.h"
#include "several.bpf.h"
#include "sweep.bpf.h"

/* Linux 5.18; before that there are no frames of several buffers either. */
static __always_inline __u32 frame_bytes(struct xdp_md *ctx, __u32 first_buffer)
{
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_xdp_get_buff_len))
		return bpf_xdp_get_buff_len(ctx);
	return first_buffer;
}

/* No driver that puts a frame into several buffers leaves the first shorter than this. */
#define FIRST_BUFFER_MIN (ETH_HLEN + ETH_DATA_LEN)

/**
 * Parses the frame into the job. Its length costs a call, so it is first taken to end where its first
 * buffer does; an IP packet that fits in there, and a buffer that short, say that this is true.
 */
static __always_inline void parse(struct xdp_md *ctx, struct job *job)
{
	const void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 first_buffer = end - data, bytes;

	job->parsed = weir_packet_parse(data, end, first_buffer, &job->pkt);
	if (job->parsed == WEIR_PARSE_IP && first_buffer <= FIRST_BUFFER_MIN)
		return;
	bytes = frame_bytes(ctx, first_buffer);
	if (bytes != first_buffer)
		job->parsed = weir_packet_parse(data, end, bytes, &job->pkt);
}

static __always_inline void prefix_key(struct weir_prefix_key *key, __u8 family,
				       const struct weir_addr *addr)
{
	__builtin_memset(key, 0, sizeof(*key));
	key->family = family;
	key->bits = family == 4 ? 8 + 32 : 8 + 128;
	if (family == 4)
		__builtin_memcpy(key->addr, &addr->lo, 4);
	else
		__builtin_memcpy(key->addr, addr, 16);
}

static __noinline const struct weir_prefix_value *prefix_lookup(struct job *job, void *trie,
								const struct weir_addr *addr)
{
	prefix_key(&job->prefix, job->pkt.family, addr);
	return bpf_map_lookup_elem(trie, &job->prefix);
}

static __always_inline const struct weir_prefix_value *from_lookup(struct job *job)
{
	__u32 active = job->active;
	void *trie = bpf_map_lookup_elem(&from, &active);

	return trie ? prefix_lookup(job, trie, &job->pkt.source) : 0;
}

static __always_inline const struct weir_prefix_value *to_lookup(struct job *job)
{
	__u32 active = job->active;
	void *trie = bpf_map_lookup_elem(&to, &active);

	return trie ? prefix_lookup(job, trie, &job->pkt.dest) : 0;
}

/** The rules that match, or in @reason what a list says of the source. */
static __always_inline __u64 match_prefixes(struct job *job, const struct weir_rules *all,
					    __u64 by_port, __u32 *reason)
{
	const struct weir_prefix_value *value;
	__u64 by_from = 0, by_to = 0;

	if (all->flags & WEIR_RULES_FROM) {
		value = from_lookup(job);
		if (value && value->list == WEIR_LIST_NEVER)
			*reason = WEIR_EXEMPT;
		else if (value && value->list == WEIR_LIST_ALWAYS)
			*reason = WEIR_DENIED;
		if (value)
			by_from = value->rules;
	}
	if (all->flags & WEIR_RULES_TO) {
		value = to_lookup(job);
		if (value)
			by_to = value->rules;
	}
	return weir_rules_match(all, &job->pkt, by_port, by_from, by_to);
}

static __always_inline __u64 match(struct job *job, const struct weir_rules *all, __u32 *reason)
{
	__u64 by_port = ~0ull;

	if (all->flags & WEIR_RULES_PORTS && job->pkt.flags & WEIR_PACKET_PORTS) {
		__u32 active = job->active;
		const struct weir_port_rules *port = bpf_map_lookup_elem(&ports, &active);

		if (port)
			by_port = port->rules[job->pkt.dport];
	}
	if (all->flags & (WEIR_RULES_FROM | WEIR_RULES_TO))
		return match_prefixes(job, all, by_port, reason);
	return weir_rules_match(all, &job->pkt, by_port, 0, 0);
}

/** What the policy says of a parsed packet. @return enum weir_reason, RETRY, or SEVERAL */
static __always_inline __u32 judge(struct job *job)
{
	const struct weir_ctl *c = map_ctl();
	const struct weir_rules *all;
	__u32 reason = WEIR_NO_LIMIT, active;
	__u64 set = 0;

	if (!c)
		return WEIR_NO_LIMIT;
	active = *(volatile const __u32 *)&c->active;
	job->active = active;
	all = map_rules(active);
	if (!all)
		return WEIR_NO_LIMIT;
	if (job->parsed == WEIR_PARSE_MALFORMED)
		reason = WEIR_MALFORMED;
	else
		set = match(job, all, &reason);
	if (reason != WEIR_NO_LIMIT) {
		int watched = c->observe || all->flags & WEIR_RULES_OBSERVE;

		return watched && weir_reason_drops(reason) ? WEIR_WOULD_REFUSE : reason;
	}
	if (!set)
		return WEIR_NO_LIMIT;
	if (!(set & (set - 1))) {
		__u32 index = lowest(set) & (WEIR_RULES_MAX - 1);

		return account_one(job, c, &all->rule[index], index);
	}
	job->set = set;
	job->observe = c->observe;
	job->coarse_ns = clock_coarse_ns(c);
	job->precise_ns = set & ~all->coarse ? clock_precise_ns(c) : 0;
	return SEVERAL;
}

static __always_inline int verdict(const struct job *job, enum weir_reason reason)
{
	struct weir_reason_count *reached = bpf_map_lookup_elem(&reasons, &reason);

	if (reached)
		count_add(&reached->count, job->pkt.bytes);
	return weir_reason_drops(reason) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int weir(struct xdp_md *ctx)
{
	__u32 parsed, reason = RETRY;
	struct job *job = job_at_hand();

	if (!job)
		return XDP_PASS;
	parse(ctx, job);
	parsed = *(volatile __u32 *)&job->parsed;
	if (parsed == WEIR_PARSE_PROTECTED)
		return verdict(job, WEIR_PROTECTED);
	if (parsed == WEIR_PARSE_NOT_IP)
		return verdict(job, WEIR_NOT_IP);
	/* Once more when the policy changed meanwhile; twice in one packet is a race it may lose. */
	for (__u64 left = 2; left && reason == RETRY; left--) {
		WEIR_ROUND(left);
		reason = judge(job);
		if (reason == SEVERAL)
			reason = account_several(job);
	}
	return verdict(job, reason == RETRY ? WEIR_LOST_RACE : reason);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
