// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* By the machine's own clocks, which do not count from the same moment. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "lib/parsed.h"

static void pass_with(const char *burst)
{
	world_policy("limits: [{name: fast, node_rate: 1000000 packets/s, burst: %s packets}]",
		     burst);
	/* Far less than the rate: they all pass. */
	assert_int_equal(world_passed(IP4(UDP), 2000), 2000);
}

/*
 * Of these bursts the first, less what the coarse clock takes of it, is the second to the unit of
 * time: the numbers in the rule are the same, but they are of another clock.
 */
static void a_limit_that_goes_to_the_other_clock_keeps_its_tokens(void **state)
{
	pass_with("80000");
	assert_true(world_limit("fast").coarse);
	pass_with("72000");
	assert_false(world_limit("fast").coarse);
	pass_with("80000");
	assert_true(world_limit("fast").coarse);
}

/* Two ticks would be less than a token, and the burst short of a whole one. */
static void a_slow_limit_has_its_burst_to_the_token(void **state)
{
	world_policy(
		"limits:\n"
		"- {name: small, match: {proto: udp}, node_rate: 8 packets/h, burst: 8 packets}\n"
		"- {name: large, match: {proto: tcp}, node_rate: 8 packets/h, burst: 600 packets}\n");
	assert_false(world_limit("small").coarse);
	assert_int_equal(world_passed(IP4(UDP), 100), 8);
	assert_false(world_limit("large").coarse);
	assert_int_equal(world_passed(IP4(TCP), 2000), 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_limit_that_goes_to_the_other_clock_keeps_its_tokens,
				       world_clear),
		cmocka_unit_test_setup(a_slow_limit_has_its_burst_to_the_token, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin_in_real_time, world_end);
}
