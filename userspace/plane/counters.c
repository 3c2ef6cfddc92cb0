// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The words every packet reads, and what packets count. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "plane/internal.h"

const struct weir_ctl *weir_plane_ctl(const struct weir_plane *plane)
{
	return plane->ctl;
}

void weir_plane_set_observe(struct weir_plane *plane, bool observe)
{
	*(volatile __u32 *)&plane->ctl->observe = observe;
}

void weir_plane_set_heartbeat(struct weir_plane *plane, uint64_t boottime_ns)
{
	*(volatile __u64 *)&plane->ctl->heartbeat_ns = boottime_ns;
}

void weir_plane_set_ended(struct weir_plane *plane, uint64_t boottime_ns)
{
	*(volatile __u64 *)&plane->ctl->ended_ns = boottime_ns;
}

void weir_plane_set_clock(struct weir_plane *plane, uint64_t monotonic_ns)
{
	*(volatile __u64 *)&plane->ctl->injected_ns = monotonic_ns;
}

static void count_add(struct weir_count *sum, const struct weir_count *one)
{
	sum->packets += one->packets;
	sum->bytes += one->bytes;
}

int weir_plane_reasons(struct weir_plane *plane, struct weir_count ret_counts[WEIR_REASONS])
{
	_cleanup_free_ struct weir_reason_count *cpus =
		calloc((size_t)plane->n_cpus, sizeof(*cpus));
	struct weir_count sums[WEIR_REASONS] = {};

	if (!cpus)
		return -ENOMEM;
	for (uint32_t reason = 0; reason < WEIR_REASONS; reason++) {
		if (bpf_map_lookup_elem(plane->map_fd[MAP_REASONS], &reason, cpus))
			return -errno;
		for (int cpu = 0; cpu < plane->n_cpus; cpu++)
			count_add(&sums[reason], &cpus[cpu].count);
	}
	memcpy(ret_counts, sums, sizeof(sums));
	return 0;
}

static void limit_add(struct weir_limit_count *sum, const struct weir_limit_count *one)
{
	count_add(&sum->admitted, &one->admitted);
	count_add(&sum->refused, &one->refused);
	count_add(&sum->would_refuse, &one->would_refuse);
	count_add(&sum->refused_by_other, &one->refused_by_other);
	sum->inherited += one->inherited;
	sum->lost_race += one->lost_race;
	sum->not_inserted += one->not_inserted;
	sum->pinned += one->pinned;
}

static int limit_counts(struct weir_plane *plane, uint32_t slot, struct weir_limit_count *ret_sum)
{
	_cleanup_free_ struct weir_limit_count *cpus = calloc((size_t)plane->n_cpus, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	if (bpf_map_lookup_elem(plane->map_fd[MAP_LIMITS], &slot, cpus))
		return -errno;
	memset(ret_sum, 0, sizeof(*ret_sum));
	for (int cpu = 0; cpu < plane->n_cpus; cpu++)
		limit_add(ret_sum, &cpus[cpu]);
	return 0;
}

int weir_plane_limits(struct weir_plane *plane, struct weir_limit_view **ret_limits,
		      size_t *ret_count)
{
	const struct weir_rules *rules = plane_rules(plane);
	uint32_t count = plane_rules_count(rules);
	struct weir_limit_view *limits = calloc(count + 1, sizeof(*limits));
	int err = limits ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < count; i++) {
		const struct weir_rule *rule = &rules->rule[i];
		struct weir_limit_view *view = &limits[i];

		view->name = plane->names[rule->slot % WEIR_SLOTS];
		view->name.name[sizeof(view->name.name) - 1] = '\0';
		view->slot = rule->slot;
		view->index = i;
		view->observing = plane->ctl->observe || rule->flags & WEIR_RULE_OBSERVE;
		view->coarse = rule->flags & WEIR_RULE_COARSE;
		view->tick_ns = plane->tick_ns;
		err = limit_counts(plane, rule->slot, &view->counts);
	}
	if (err) {
		free(limits);
		return err;
	}
	*ret_limits = limits;
	*ret_count = count;
	return 0;
}
