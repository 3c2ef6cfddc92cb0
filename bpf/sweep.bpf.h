/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The sweep: a timer that keeps every table's words within reach of now and lets go of idle pins.
 * It belongs to the pinned map, so it goes on when the agent is dead.
 */
#ifndef WEIR_SWEEP_BPF_H
#define WEIR_SWEEP_BPF_H

#include "clock.bpf.h"
#include "maps.bpf.h"

#define SWEEP_REACH	      (1ull << 61) /* in place: an eighth of the wrap */
#define SWEEP_BEHIND	      (1ull << 56) /* in place: more than clocks differ by, at least 67 ms */
#define SWEEP_IDLE_NS	      10000000000ull /* a pinned source this long without debt is let go */
#define SWEEP_APART_NS	      1000000000ull
#define SWEEP_PERIOD_MIN_US   200
#define SWEEP_CLOCK_MONOTONIC 1

/** A duration in place, at most a sixteenth of the wrap. */
static __always_inline __u64 sweep_span(const struct weir_gauge *gauge, __u64 ns)
{
	__u64 units = ns >> gauge->now_right, most = 1ull << 60;

	return units > most >> gauge->now_left ? most : units << gauge->now_left;
}

/** One line to sweep; on the stack of who asks for it. */
struct sweep_job {
	struct weir_sweep step;
	__u32 active; /* slot of rules */
	__u32 rule;
	__u32 line;
	__u32 reserved;
};

/* Global, so that the verifier proves one line and not a step's sixty-four. */
__noinline int sweep_line(struct sweep_job *job)
{
	const struct weir_rules *all;
	const struct weir_rule *rule;
	struct weir_line *line;

	if (!job)
		return 0;
	all = map_rules(job->active);
	if (!all)
		return 0;
	rule = &all->rule[job->rule & (WEIR_RULES_MAX - 1)];
	line = map_line(rule, job->line);
	if (line)
		weir_line_sweep(line, &rule->gauge, rule->base, &job->step);
	return 0;
}

/** Up to WEIR_SWEEP_LINES lines of one rule's table. @return 1 when its pass is done */
static __always_inline int sweep_table(struct weir_sweeper *s, struct weir_rule *rule,
				       struct sweep_job *job, const struct weir_ctl *c)
{
	const struct weir_gauge *gauge = &rule->gauge;
	__u64 now_ns = rule->flags & WEIR_RULE_COARSE ? clock_coarse_ns(c) : clock_precise_ns(c);
	__u32 lines = 1u << (rule->hash.line_bits & 31);

	job->step.now = weir_gauge_now(gauge, now_ns);
	if (!s->line) {
		s->floor = job->step.now - SWEEP_REACH;
		/*
		 * This CPU's clock may be behind the one that dated the base. A floor below the base
		 * would pass for one far above it, and lower every word. Further away than clocks
		 * can be it is one far above it: a machine that was stopped for a while.
		 */
		if (rule->base - s->floor < SWEEP_BEHIND)
			s->floor = rule->base;
	}
	job->step.floor = s->floor;
	job->step.idle = sweep_span(gauge, SWEEP_IDLE_NS);
	job->step.apart = sweep_span(gauge, SWEEP_APART_NS);
	for (int i = 0; i < WEIR_SWEEP_LINES && s->line < lines; i++, s->line++) {
		job->line = s->line;
		sweep_line(job);
	}
	if (s->line < lines)
		return 0;
	rule->base = s->floor;
	return 1;
}

/**
 * Goes on in a new policy with the table that the last one left off at: reloads in a row, each sooner
 * than a pass takes, would otherwise keep the sweep from what comes late in it. A table that is not
 * there any more, or whose numbers have changed, has nothing old in it.
 */
static __always_inline void sweep_follow(struct weir_sweeper *s, const struct weir_rules *all)
{
	for (__u32 i = 0; i < WEIR_RULES_MAX && i < all->count; i++) {
		if (all->rule[i].slot == s->slot && all->rule[i].since_ns == s->rule_since_ns) {
			s->rule = i;
			return;
		}
	}
	s->rule++;
	s->line = 0;
}

static __always_inline void sweep_step(struct weir_sweeper *s, const struct weir_ctl *c)
{
	struct sweep_job job = { .active = c->active };
	struct weir_rules *all = map_rules(job.active);
	struct weir_rule *rule;

	if (!all)
		return;
	if (s->policy_since_ns != all->since_ns) {
		s->policy_since_ns = all->since_ns;
		sweep_follow(s, all);
	}
	if (s->rule >= all->count) {
		s->passes += !!s->rule;
		s->rule = 0;
		s->line = 0;
	}
	if (!all->count)
		return;
	job.rule = s->rule;
	rule = &all->rule[s->rule & (WEIR_RULES_MAX - 1)];
	s->slot = rule->slot;
	s->rule_since_ns = rule->since_ns;
	if (sweep_table(s, rule, &job, c)) {
		s->rule++;
		s->line = 0;
	}
}

static int sweep_tick(void *map __attribute__((unused)), __u32 *key __attribute__((unused)),
		      struct weir_sweeper *s)
{
	const struct weir_ctl *c = map_ctl();
	__u64 period_us = SWEEP_PERIOD_MIN_US;

	if (!c)
		return 0;
	sweep_step(s, c);
	if (c->sweep_period_us > period_us)
		period_us = c->sweep_period_us;
	bpf_timer_start(&s->timer, period_us * 1000, 0);
	return 0;
}

/** Starts the sweep, or hands a running one to this program. Run once by the agent. */
SEC("xdp")
int weir_arm(struct xdp_md *ctx __attribute__((unused)))
{
	__u32 zero = 0;
	struct weir_sweeper *s = bpf_map_lookup_elem(&sweep, &zero);

	if (!s)
		return XDP_ABORTED;
	bpf_timer_init(&s->timer, &sweep, SWEEP_CLOCK_MONOTONIC); /* -EBUSY: it is one already */
	if (bpf_timer_set_callback(&s->timer, sweep_tick))
		return XDP_ABORTED;
	if (bpf_timer_start(&s->timer, 0, 0))
		return XDP_ABORTED;
	return XDP_PASS;
}

/** One step of the sweep at a time, for tests with an injected clock. */
SEC("xdp")
int weir_sweep_step(struct xdp_md *ctx __attribute__((unused)))
{
	__u32 zero = 0;
	struct weir_sweeper *s = bpf_map_lookup_elem(&sweep, &zero);
	const struct weir_ctl *c = map_ctl();

	if (!s || !c)
		return XDP_ABORTED;
	sweep_step(s, c);
	return XDP_PASS;
}

/**
 * Measures how far the coarse clock is behind CLOCK_MONOTONIC at the start of a tick: the least of
 * many runs. Userspace cannot read ticks.
 */
SEC("xdp")
int weir_calibrate(struct xdp_md *ctx __attribute__((unused)))
{
	struct weir_ctl *c = map_ctl();
	__u64 behind;

	if (!c)
		return XDP_ABORTED;
	behind = clock_precise_ns(c) - clock_coarse_ns(c);
	if (behind < c->coarse_behind_ns)
		c->coarse_behind_ns = behind;
	return XDP_PASS;
}

#endif
