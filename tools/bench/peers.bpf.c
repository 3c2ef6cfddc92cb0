// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What weir is compared with: the floor (nothing at all; the parser alone; the parser and a clock),
 * and the same token arithmetic on the kernel's hash tables, as most XDP limiters keep it.
 *
 * They are given every advantage: weir's parser, its cheap clock, one number for a source, one rule
 * that is known beforehand, no counters, no lists, no second policy to change over to.
 */
#include "front.bpf.h"

#include <weir/packet.h>

#define PEER_SOURCES (1u << 20)
#define PEER_LINES   (1u << 15) /* as many as weir's 256 Ki buckets take */

struct bench_rate rate SEC(".data.rate") = {};
const volatile __u32 tick_ns = 0;

struct bucket {
	__u64 tat_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PEER_SOURCES);
	__type(key, struct weir_addr);
	__type(value, struct bucket);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PEER_SOURCES);
	__type(key, struct weir_addr);
	__type(value, struct bucket);
} lru SEC(".maps");

struct line {
	__u64 word[8];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* lines are aligned only so */
	__uint(max_entries, PEER_LINES);
	__type(key, __u32);
	__type(value, struct line);
} lines SEC(".maps");

/** The packet as the parser leaves it; 0 when it is not IP. */
static __always_inline int peer_parse(struct xdp_md *ctx, struct weir_packet *pkt)
{
	const void *start = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	front_draw(ctx);
	return weir_packet_parse(start, end, end - start, pkt) == WEIR_PARSE_IP;
}

/* Of everything the parser found, so that the compiler leaves none of it out. */
static __always_inline int peer_seen(const struct weir_packet *pkt, __u64 now_ns)
{
	__u64 all = pkt->source.hi ^ pkt->source.lo ^ pkt->dest.hi ^ pkt->dest.lo ^ pkt->bytes ^
		    pkt->dport ^ pkt->family ^ pkt->proto ^ pkt->flags ^ now_ns;

	return front_drop(all);
}

static __always_inline __u64 coarse_ns(void)
{
	return bpf_jiffies64() * tick_ns;
}

SEC("xdp.frags")
int empty(struct xdp_md *ctx)
{
	front_draw(ctx);
	return XDP_DROP;
}

SEC("xdp.frags")
int parse(struct xdp_md *ctx)
{
	struct weir_packet pkt;

	return peer_parse(ctx, &pkt) ? peer_seen(&pkt, 0) : XDP_DROP;
}

SEC("xdp.frags")
int parse_precise(struct xdp_md *ctx)
{
	struct weir_packet pkt;

	return peer_parse(ctx, &pkt) ? peer_seen(&pkt, bpf_ktime_get_ns()) : XDP_DROP;
}

SEC("xdp.frags")
int parse_coarse(struct xdp_md *ctx)
{
	struct weir_packet pkt;

	return peer_parse(ctx, &pkt) ? peer_seen(&pkt, bpf_ktime_get_coarse_ns()) : XDP_DROP;
}

SEC("xdp.frags")
int parse_tick(struct xdp_md *ctx)
{
	struct weir_packet pkt;

	return peer_parse(ctx, &pkt) ? peer_seen(&pkt, coarse_ns()) : XDP_DROP;
}

/** The least that a word of its own costs a source, whatever is done with it. */
static __always_inline int touch(struct xdp_md *ctx, int swap)
{
	struct weir_packet pkt;
	struct line *line;
	__u32 index;
	__u64 word;

	if (!peer_parse(ctx, &pkt))
		return XDP_DROP;
	index = pkt.source.lo * 0x9e3779b97f4a7c15ull >> 49;
	line = bpf_map_lookup_elem(&lines, &index);
	if (!line)
		return XDP_DROP;
	word = *(volatile __u64 *)&line->word[0];
	if (swap)
		word = __sync_val_compare_and_swap(&line->word[0], word, word + 1);
	return front_drop(word);
}

SEC("xdp.frags")
int line_read(struct xdp_md *ctx)
{
	return touch(ctx, 0);
}

SEC("xdp.frags")
int line_swap(struct xdp_md *ctx)
{
	return touch(ctx, 1);
}

static __always_inline int bucket_charge(struct bucket *bucket, __u64 now_ns)
{
	__u64 tat = *(volatile __u64 *)&bucket->tat_ns;

	for (int i = 0; i < 4; i++) {
		__u64 next = (tat > now_ns ? tat : now_ns) + rate.token_ns, seen;

		if (next > now_ns + rate.burst_ns)
			return XDP_DROP;
		seen = __sync_val_compare_and_swap(&bucket->tat_ns, tat, next);
		if (seen == tat)
			return XDP_PASS;
		tat = seen;
	}
	return XDP_DROP;
}

static __always_inline int limit_by(void *map, struct xdp_md *ctx)
{
	struct weir_packet pkt;
	struct bucket *bucket, fresh;
	__u64 now_ns;

	if (!peer_parse(ctx, &pkt))
		return XDP_DROP;
	now_ns = coarse_ns();
	bucket = bpf_map_lookup_elem(map, &pkt.source);
	if (bucket)
		return front_drop(bucket_charge(bucket, now_ns));
	fresh.tat_ns = now_ns + rate.token_ns;
	return front_drop(bpf_map_update_elem(map, &pkt.source, &fresh, BPF_NOEXIST));
}

SEC("xdp.frags")
int hash_limit(struct xdp_md *ctx)
{
	return limit_by(&hash, ctx);
}

SEC("xdp.frags")
int lru_limit(struct xdp_md *ctx)
{
	return limit_by(&lru, ctx);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
