// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Byte bursts against the largest frame. Apart from the reading, since it takes an interface to
 * know the frame and the reading asks no network.
 */
#include <errno.h>
#include <inttypes.h>

#include "policy/faults.h"

static void check(const struct weir_policy *policy, const struct weir_limit *limit, const char *key,
		  struct weir_mark mark, uint64_t burst, uint64_t frame, struct weir_faults *faults)
{
	if (burst >= frame)
		return;
	weir_faults_add(faults, policy->file, mark,
			"limits.%s.%s: found %" PRIu64 " bytes: less than the interface's largest "
			"frame, which would then never pass; at least %" PRIu64 " B would do",
			limit->name, key, burst, frame);
}

int weir_policy_check_frames(const struct weir_policy *policy, uint64_t frame_bytes_max,
			     struct weir_faults *faults)
{
	size_t i, before = faults->n_errors + faults->n_more_errors;

	for (i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];

		if (limit->token != WEIR_TOKEN_BYTE)
			continue;
		check(policy, limit, "burst", limit->burst_mark, limit->burst_tokens,
		      frame_bytes_max, faults);
		if (limit->on_store_loss == WEIR_LOSS_FALLBACK)
			check(policy, limit, "fallback.burst", limit->fallback_mark,
			      limit->fallback_burst_tokens, frame_bytes_max, faults);
	}
	weir_faults_sort(faults, policy->file);
	return faults->n_errors + faults->n_more_errors == before ? 0 : -EINVAL;
}
