// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Somebody else's XDP program, which sits on an interface before weir comes. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("xdp")
int somebody_else(struct xdp_md *ctx __attribute__((unused)))
{
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
