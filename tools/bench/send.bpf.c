// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The sender between interfaces: BPF_PROG_RUN turns one packet into millions of live frames, each
 * gets a source and a header checksum that is right, and goes out of the target.
 */
#include "front.bpf.h"

struct bench_target target SEC(".data.target") = {};

/** Of an IPv4 header without options whose checksum field counts as zero; RFC 1071. */
static __always_inline __u16 header_checksum(const __u8 *header)
{
	__u32 sum = 0;

	for (int i = 0; i < 10; i++)
		sum += i == 5 ? 0 : ((const __u16 *)header)[i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

SEC("xdp")
int send(struct xdp_md *ctx)
{
	__u8 *packet = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (packet + BENCH_IP + 20 > end)
		return XDP_DROP;
	front_draw(ctx);
	*(__u16 *)(packet + BENCH_IP + 10) = header_checksum(packet + BENCH_IP);
	return bpf_redirect(target.ifindex, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
