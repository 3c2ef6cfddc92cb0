// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What the kernel has. Probed once; each probe loads a few instructions or asks BTF. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "plane/plane.h"

enum feature {
	FEATURE_BTF,
	FEATURE_XDP,
	FEATURE_TIMER,
	FEATURE_CAS,
	FEATURE_MEMBARRIER,
	FEATURE_FRAGS,
};

static struct weir_feature features[] = {
	[FEATURE_BTF] = { "btf", false, true, "types of the kernel, /sys/kernel/btf/vmlinux" },
	[FEATURE_XDP] = { "xdp", false, true, "XDP programs" },
	[FEATURE_TIMER] = { "timer", false, true, "the sweep that outlives the agent, Linux 5.15" },
	[FEATURE_CAS] = { "compare-and-swap", false, true, "charging a bucket, Linux 5.12" },
	[FEATURE_MEMBARRIER] = { "membarrier", false, true,
				 "waiting for packets in flight; absent with nohz_full" },
	[FEATURE_FRAGS] = { "multi-buffer", false, false,
			    "frames larger than a page, Linux 5.18; without it the driver limits "
			    "the MTU" },
	{ NULL, false, false, NULL },
};

static bool has_call(enum bpf_func_id id)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, id, NULL) == 1;
}

static bool has_membarrier(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return commands >= 0 && commands & MEMBARRIER_CMD_GLOBAL;
}

const struct weir_feature *weir_plane_features(void)
{
	static bool probed;
	struct btf *types;

	if (probed)
		return features;
	types = btf__load_vmlinux_btf();
	features[FEATURE_BTF].found = types != NULL;
	btf__free(types);
	features[FEATURE_XDP].found = libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_XDP, NULL) == 1;
	features[FEATURE_TIMER].found = has_call(BPF_FUNC_timer_init);
	/* Came with the same merge as atomics in the JITs; timers are later still. */
	features[FEATURE_CAS].found = features[FEATURE_TIMER].found;
	features[FEATURE_MEMBARRIER].found = has_membarrier();
	features[FEATURE_FRAGS].found = has_call(BPF_FUNC_xdp_get_buff_len);
	probed = true;
	return features;
}
