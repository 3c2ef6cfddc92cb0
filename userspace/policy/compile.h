/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From a policy as values to the rules that packets go by. Pure arithmetic: which slot, which hash
 * key and which generation a rule gets is settled by whoever publishes it.
 */
#ifndef WEIR_POLICY_COMPILE_H
#define WEIR_POLICY_COMPILE_H

#include <weir/rules.h>

#include "base/error.h"
#include "policy/policy.h"

struct weir_prefix_rule {
	struct weir_prefix_key key;
	struct weir_prefix_value value;
};

struct weir_compiled {
	struct weir_rules *rules; /* owned; slot, hash.key and generation are still to be set */
	struct weir_port_rules *ports; /* owned; NULL when no rule has ports */
	struct weir_prefix_rule *from; /* owned; each prefix once */
	size_t n_from;
	struct weir_prefix_rule *to;
	size_t n_to;
};

/**
 * @tick_ns  resolution of the coarse clock
 * -ERANGE a limit's burst cannot be held at its rate (named in @error); -ENOMEM.
 */
int weir_compile(const struct weir_policy *policy, uint64_t tick_ns, struct weir_error *error,
		 struct weir_compiled *ret_compiled);
void weir_compiled_clear(struct weir_compiled *compiled);

/**
 * The unit and the numbers of one limit.
 *
 * A unit of 2^k ns is chosen so that a token is at least WEIR_TOKEN_UNITS of them where the burst
 * leaves room, never below WEIR_TOKEN_UNITS_MIN; a token's time is rounded up, so a limit is never
 * above its rate, and by less than 2/WEIR_TOKEN_UNITS below.
 * @ret_coarse  the limit goes by the coarse clock (its burst is then two ticks shorter)
 */
int weir_compile_gauge(const struct weir_rate *rate, uint64_t burst_tokens, bool bytes,
		       uint64_t tick_ns, struct weir_gauge *ret_gauge, bool *ret_coarse);

/** How words made under @before are read under @after; the moment of the change is left 0. */
void weir_compile_change(const struct weir_gauge *before, const struct weir_gauge *after,
			 struct weir_change *ret_change);

/**
 * How far apart two steps of the sweep are, so that it is through all tables in time.
 *
 * @rules     with gauges and the shapes of their tables
 * @ret_late  the rule whose words would wrap before; set on failure alone
 * Returns 0, or -ERANGE when no pace would do.
 */
int weir_compile_pace(const struct weir_rules *rules, uint32_t *ret_period_us, uint32_t *ret_late);

#define WEIR_TOKEN_UNITS     2048
#define WEIR_TOKEN_UNITS_MIN 256
/* The finest unit is 2^-WEIR_UNIT_FINEST ns: a wrap of 17 s, which the sweep keeps up with. */
#define WEIR_UNIT_FINEST 10

#endif
