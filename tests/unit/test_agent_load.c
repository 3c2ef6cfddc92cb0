// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The policy as a run takes it: the command line's part in it, and what this version cannot do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/interface.h"
#include "agent/load.h"

/* Interfaces that no machine has, so that its own frames are not in the test. */
#define HEAD "node: n\ninterfaces: [none0, none1]\n"
#define ONE  HEAD "store: {url: embedded}\nlimits:\n"
#define WEB  "  - {name: web, node_rate: 5 packets/s, burst: 5 packets"

static char path[64];

static int set_up(void **state)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/weir-load-%d.XXXXXX", getpid());
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	return 0;
}

static int tear_down(void **state)
{
	return unlink(path);
}

static int load(const char *text, const struct weir_agent_options *options,
		struct weir_faults *faults, struct weir_policy **ret_policy)
{
	struct weir_agent_options with_file = *options;
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	with_file.policy_file = path;
	return weir_load_policy(&with_file, faults, ret_policy);
}

static struct weir_policy *loaded(const char *text, const struct weir_agent_options *options)
{
	struct weir_faults faults = { 0 };
	struct weir_policy *policy = NULL;

	if (load(text, options, &faults, &policy) != 0)
		fail_msg("%s", faults.n_errors ? faults.errors[0].message : "no message");
	weir_faults_free(&faults);
	return policy;
}

static void interfaces_of_the_command_line_replace_those_of_the_file(void **state)
{
	const char *const names[] = { "none7" };
	const struct weir_agent_options options = { .interfaces = names, .n_interfaces = 1 };
	struct weir_policy *policy = loaded(ONE WEB "}\n", &options);

	assert_int_equal(policy->n_interfaces, 1);
	assert_string_equal(policy->interfaces[0], "none7");
	weir_policy_free(policy);
}

static void observe_goes_before_a_limit_that_enforces(void **state)
{
	const char *text = ONE WEB ", mode: enforce}\n";
	struct weir_policy *policy = loaded(text, &(struct weir_agent_options){ .observe = false });

	assert_false(weir_policy_observes(policy, policy->limits[0].mode));
	weir_policy_free(policy);
	policy = loaded(text, &(struct weir_agent_options){ .observe = true });
	assert_true(policy->observe);
	assert_true(weir_policy_observes(policy, policy->limits[0].mode));
	weir_policy_free(policy);
}

static void what_this_version_cannot_do_is_named_with_its_place(void **state)
{
	const struct weir_agent_options options = { .observe = false };
	struct weir_faults faults = { 0 };
	struct weir_policy *policy = NULL;
	const char *text = HEAD "store:\n  fleet: prod\n  nodes_max: 3\n  url: redis://host\n"
				"quotas:\n  - {name: month, fleet_quota: 1 GB, period: month, "
				"on_store_loss: closed}\n";

	assert_true(load(text, &options, &faults, &policy) < 0);
	assert_null(policy);
	assert_int_equal(faults.n_errors, 2);
	assert_int_equal(faults.errors[0].line, 6);
	assert_int_equal(faults.errors[0].column, 8);
	assert_non_null(strstr(faults.errors[0].message, "only the embedded store"));
	assert_int_equal(faults.errors[1].line, 8);
	assert_non_null(strstr(faults.errors[1].message, "quotas.month"));
	weir_faults_free(&faults);
}

static void a_burst_below_the_frames_of_an_interface_is_refused(void **state)
{
	const char *const names[] = { "lo" };
	const struct weir_agent_options options = { .interfaces = names, .n_interfaces = 1 };
	struct weir_faults faults = { 0 };
	struct weir_policy *policy = NULL;

	assert_true(load(ONE "  - {name: web, node_rate: 1 MB/s, burst: 60 B}\n", &options, &faults,
			 &policy) < 0);
	assert_int_equal(faults.n_errors, 1);
	assert_int_equal(faults.errors[0].line, 5);
	weir_faults_free(&faults);
}

/* Found before the policy in force is touched, with a place, as by weir check. */
static void what_the_packet_path_cannot_hold_is_refused(void **state)
{
	static const char *const texts[] = {
		ONE "  - {name: web, node_rate: 1 packets/h, burst: 1000G packets}\n",
		ONE "  - {name: web, node_rate: 400 Gbit/s, burst: 1 GB, buckets: 16Mi}\n",
		ONE "  - {name: web, node_rate: 400 Gbit/s, burst: 1 GB}\n"
		    "  - {name: slow, node_rate: 1 packets/s, burst: 5 packets, buckets: 16Mi}\n",
	};
	const struct weir_agent_options options = { .watch = false };
	struct weir_policy *policy = NULL;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_faults faults = { 0 };

		assert_true(load(texts[i], &options, &faults, &policy) < 0);
		assert_int_equal(faults.n_errors, 1);
		assert_int_equal(faults.errors[0].line, 5);
		weir_faults_free(&faults);
	}
}

static void tables_larger_than_there_is_room_for_are_refused(void **state)
{
	const struct weir_agent_options options = { .watch = false };
	char text[8192], *at = text + sprintf(text, ONE);
	struct weir_faults faults = { 0 };
	struct weir_policy *policy = NULL;

	for (int i = 0; i < 9; i++)
		at += sprintf(at,
			      "  - {name: l%d, node_rate: 1 packets/s, burst: 5 packets, "
			      "buckets: 16Mi}\n",
			      i);
	assert_true(load(text, &options, &faults, &policy) < 0);
	assert_int_equal(faults.n_errors, 1);
	assert_int_equal(faults.errors[0].line, 13);
	weir_faults_free(&faults);
}

static void a_file_that_is_not_there_is_a_fault(void **state)
{
	const struct weir_agent_options options = { .policy_file = "/nowhere/weir.yaml" };
	struct weir_faults faults = { 0 };
	struct weir_policy *policy = NULL;

	assert_true(weir_load_policy(&options, &faults, &policy) < 0);
	assert_int_equal(faults.n_errors, 1);
	weir_faults_free(&faults);
}

static void names_and_paths_need_a_restart_and_limits_do_not(void **state)
{
	static const struct {
		const char *text;
		const char *key;
	} changes[] = {
		{ ONE WEB "}\n", NULL },
		{ HEAD "store: {url: embedded}\n", NULL },
		{ ONE WEB "}\nmetrics: {listen: 127.0.0.1:1}\n", NULL },
		{ "node: m\ninterfaces: [none0]\nstore: {url: embedded}\n", "node" },
		{ ONE WEB "}\nattach: generic\n", "attach" },
		{ ONE WEB "}\npaths: {pins: /sys/fs/bpf/x}\n", "paths.pins" },
		{ ONE WEB "}\npaths: {state: /x}\n", "paths.state" },
		{ ONE WEB "}\npaths: {run: /x}\n", "paths.run" },
	};
	const struct weir_agent_options options = { .observe = false };
	struct weir_policy *now = loaded(ONE WEB "}\n", &options);

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct weir_policy *next = loaded(changes[i].text, &options);
		const char *key = weir_load_needs_restart(now, next);

		if (changes[i].key)
			assert_string_equal(key, changes[i].key);
		else
			assert_null(key);
		weir_policy_free(next);
	}
	weir_policy_free(now);
}

/* An interface that cannot be attached to is tried again: soon at first, never in step, never rarely. */
static void waits_double_to_half_a_minute_with_jitter(void **state)
{
	uint64_t longest = 0, ms = 1000000;

	assert_int_equal(weir_interface_backoff_ns(1, 0), 100 * ms);
	assert_int_equal(weir_interface_backoff_ns(2, 0), 200 * ms);
	assert_int_equal(weir_interface_backoff_ns(4, 0), 800 * ms);
	for (unsigned int failures = 1; failures < 100000; failures += failures / 3 + 1) {
		uint64_t most = weir_interface_backoff_ns(failures, 0);
		uint64_t least = weir_interface_backoff_ns(failures, UINT32_MAX);

		assert_true(most >= longest && most <= 30000 * ms);
		assert_in_range(least, most * 3 / 4, most * 4 / 5);
		longest = most;
	}
	assert_int_equal(longest, 30000 * ms);
	assert_int_equal(weir_interface_backoff_ns(UINT32_MAX, 0), 30000 * ms);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(interfaces_of_the_command_line_replace_those_of_the_file),
		TEST(observe_goes_before_a_limit_that_enforces),
		TEST(what_this_version_cannot_do_is_named_with_its_place),
		TEST(a_burst_below_the_frames_of_an_interface_is_refused),
		TEST(what_the_packet_path_cannot_hold_is_refused),
		TEST(tables_larger_than_there_is_room_for_are_refused),
		TEST(a_file_that_is_not_there_is_a_fault),
		TEST(names_and_paths_need_a_restart_and_limits_do_not),
		cmocka_unit_test(waits_double_to_half_a_minute_with_jitter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
