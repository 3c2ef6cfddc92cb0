// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The policy that is shipped: valid, without a warning, and no way to lock an operator out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "policy/policy.h"

#define TCP 6
#define SSH 22

static struct weir_policy *policy;

static int read_shipped(void **state)
{
	char here[512], path[600];
	struct weir_faults faults;

	snprintf(here, sizeof(here), "%s", __FILE__);
	snprintf(path, sizeof(path), "%s/../../tools/weir.yaml", dirname(here));
	if (weir_policy_read(path, &faults, &policy) != 0) {
		print_error("%s:%u: %s\n", path, faults.errors[0].line, faults.errors[0].message);
		return -1;
	}
	if (faults.n_warnings) {
		print_error("%s:%u: %s\n", path, faults.warnings[0].line,
			    faults.warnings[0].message);
		return -1;
	}
	weir_faults_free(&faults);
	return 0;
}

static int forget(void **state)
{
	weir_policy_free(policy);
	return 0;
}

static bool has_port(const struct weir_match *match, unsigned int port)
{
	size_t i;

	for (i = 0; i < match->n_ports; i++) {
		if (port >= match->ports[i].first && port <= match->ports[i].last)
			return true;
	}
	return match->n_ports == 0;
}

/* Whether a whole TCP packet to @port can match. */
static bool meets(const struct weir_limit *limit, unsigned int port)
{
	const struct weir_match *match = &limit->match;

	return (!match->has_proto || match->proto == TCP) &&
	       match->fragment != WEIR_FRAGMENT_ONLY && has_port(match, port);
}

static double per_second(const struct weir_limit *limit)
{
	return (double)limit->rate.tokens * 1e9 / (double)limit->rate.per_ns;
}

static void needs_neither_a_fleet_nor_a_name(void **state)
{
	assert_true(policy->store.embedded);
	assert_false(policy->observe);
	assert_int_equal(policy->n_interfaces, 1);
	assert_int_equal(policy->n_never_limit + policy->n_always_drop + policy->n_quotas, 0);
}

static void ssh_meets_one_limit_and_that_a_generous_one(void **state)
{
	size_t i, met = 0;

	for (i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];

		if (!meets(limit, SSH))
			continue;
		met++;
		assert_false(limit->match.syn);
		assert_false(limit->source.all);
		assert_true(per_second(limit) >= 100000);
		assert_true(limit->burst_tokens >= 100000);
	}
	assert_int_equal(met, 1);
}

/* Whoever is held to a limit on other traffic has the whole of the ssh limit left. */
static void no_limit_on_ssh_is_shared_with_other_ports(void **state)
{
	unsigned int port;
	size_t i;

	for (i = 0; i < policy->n_limits; i++) {
		if (!meets(&policy->limits[i], SSH))
			continue;
		for (port = 1; port <= UINT16_MAX; port++)
			assert_int_equal(meets(&policy->limits[i], port), port == SSH);
	}
}

static void every_other_tcp_port_is_limited(void **state)
{
	unsigned int port;
	size_t i, met;

	for (port = 1; port <= UINT16_MAX; port++) {
		for (i = 0, met = 0; i < policy->n_limits; i++)
			met += meets(&policy->limits[i], port);
		assert_true(met >= 1);
	}
}

static void no_number_is_one_a_polite_host_reaches(void **state)
{
	size_t i;

	for (i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];

		assert_int_equal(limit->scope, WEIR_SCOPE_NODE);
		assert_int_equal(limit->token, WEIR_TOKEN_PACKET);
		assert_false(limit->source.all);
		assert_true(per_second(limit) >= 1000);
		assert_true((double)limit->burst_tokens >= per_second(limit));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_neither_a_fleet_nor_a_name),
		cmocka_unit_test(ssh_meets_one_limit_and_that_a_generous_one),
		cmocka_unit_test(no_limit_on_ssh_is_shared_with_other_ports),
		cmocka_unit_test(every_other_tcp_port_is_limited),
		cmocka_unit_test(no_number_is_one_a_polite_host_reaches),
	};

	return cmocka_run_group_tests(tests, read_shipped, forget);
}
