// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Whether the tables of a policy can be looked after: their size in all, and the pace of the sweep, which
 * has to be through all of them before the words of the fastest limit wrap.
 */
#include <errno.h>
#include <stdlib.h>

#include <weir/maps.h>

#include "base/cleanup.h"
#include "policy/arithmetic.h"
#include "policy/compile.h"
#include "policy/faults.h"

#define PASS_NS	      5000000000ULL
#define PERIOD_MIN_US 200
#define PERIOD_MAX_US 50000

/**
 * How long a sixteenth of a rule's wrap is: a pass of the sweep has to be done in it. That of a very
 * slow rule is longer than 64 bits of nanoseconds can say.
 */
static uint64_t bound_of(const struct weir_gauge *gauge)
{
	uint64_t units = 1ULL << 60 >> gauge->now_left;

	return units > UINT64_MAX >> gauge->now_right ? UINT64_MAX : units << gauge->now_right;
}

int weir_compile_pace(const struct weir_rules *rules, uint32_t *ret_period_us, uint32_t *ret_late)
{
	uint64_t bound_ns = PASS_NS, steps = 1, period_us;

	for (uint32_t i = 0; i < rules->count; i++) {
		uint64_t ns = bound_of(&rules->rule[i].gauge);

		bound_ns = ns < bound_ns ? ns : bound_ns;
		steps += (1ULL << rules->rule[i].hash.line_bits) / WEIR_SWEEP_LINES + 1;
	}
	period_us = bound_ns / steps / 1000;
	if (period_us > PERIOD_MAX_US)
		period_us = PERIOD_MAX_US;
	if (period_us < PERIOD_MIN_US)
		period_us = PERIOD_MIN_US;
	/* Up to five seconds is the pace we like; what must hold is the wrap. */
	for (uint32_t i = 0; i < rules->count; i++) {
		if (steps * period_us * 1000 > bound_of(&rules->rule[i].gauge)) {
			*ret_late = i;
			return -ERANGE;
		}
	}
	*ret_period_us = (uint32_t)period_us;
	return 0;
}

/** The part of a policy's rules that the pace depends on. @return false when a gauge does not fit */
static bool fill(const struct weir_policy *policy, uint64_t tick_ns, struct weir_rules *rules)
{
	bool coarse;

	rules->count = (uint32_t)policy->n_limits;
	for (size_t i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];
		uint32_t lines = limit->source.all ? 1 : limit->buckets / WEIR_WAYS;

		weir_hash_shape(&rules->rule[i].hash, (uint32_t)__builtin_ctz(lines));
		if (weir_compile_gauge(&limit->rate, limit->burst_tokens,
				       limit->token == WEIR_TOKEN_BYTE, tick_ns,
				       &rules->rule[i].gauge, &coarse))
			return false;
	}
	return true;
}

/** @return the limit that no room is left for, or NULL */
static const struct weir_limit *too_many(const struct weir_policy *policy)
{
	uint64_t chunks = 0;

	for (size_t i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];
		uint32_t lines = limit->source.all ? 1 : limit->buckets / WEIR_WAYS;

		chunks += lines > WEIR_CHUNK_LINES ? lines / WEIR_CHUNK_LINES : 1;
		if (chunks > WEIR_CHUNKS_MAX)
			return limit;
	}
	return NULL;
}

int weir_policy_check_tables(const struct weir_policy *policy, uint64_t tick_ns,
			     struct weir_faults *faults)
{
	_cleanup_free_ struct weir_rules *rules = calloc(1, sizeof(*rules));
	const struct weir_limit *limit = too_many(policy);
	uint32_t period_us, late;
	int err = 0;

	if (!rules) {
		weir_faults_add(faults, policy->file, (struct weir_mark){ 0 }, "out of memory");
		return -ENOMEM;
	}
	if (limit) {
		weir_faults_add(faults, policy->file, limit->mark,
				"limits.%s.buckets: with it the tables are larger than 128 Mi "
				"buckets in all; fewer would do",
				limit->name);
		err = -EINVAL;
	}
	if (fill(policy, tick_ns, rules) && weir_compile_pace(rules, &period_us, &late)) {
		limit = &policy->limits[late];
		weir_faults_add(faults, policy->file, limit->mark,
				"limits.%s: at its rate the tables of this policy are too large to "
				"be kept in time; fewer buckets, in any of its limits, would do",
				limit->name);
		err = -EINVAL;
	}
	weir_faults_sort(faults, policy->file);
	return err;
}
