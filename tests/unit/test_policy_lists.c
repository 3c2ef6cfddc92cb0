// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The lists, long ones above all; and covers, which tell what a list leaves of a match. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "policy/match.h"
#include "policy/policy.h"

static char folder[] = "/tmp/weir-lists-XXXXXX";

static const char *at(const char *name)
{
	static char path[4][128];
	static unsigned int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", folder, name);
	return path[turn];
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	return mkdir(at("below"), 0700);
}

static int remove_folder(void **state)
{
	unlink(at("policy.yaml"));
	unlink(at("below/list"));
	unlink(at("list"));
	rmdir(at("below"));
	return rmdir(folder);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static struct weir_policy *read_policy(const char *path)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;

	if (weir_policy_read(path, &faults, &policy) != 0)
		fail_msg("%s:%u:%u: %s", faults.errors[0].file, faults.errors[0].line,
			 faults.errors[0].column, faults.errors[0].message);
	weir_faults_free(&faults);
	return policy;
}

#define HEAD "node: n\ninterfaces: [eth0]\nstore: {url: embedded}\n"

static void a_list_is_sorted_and_holds_each_prefix_once(void **state)
{
	struct weir_policy *policy;
	char buf[WEIR_PREFIX_STRLEN];

	write_file(at("below/list"), "2001:db8::/32\n10.0.0.0/8\n\n# 1.1.1.1\n10.0.0.0/8 # again");
	write_file(at("policy.yaml"), HEAD "never_limit: [192.0.2.1, \"file: below/list\", "
					   "10.0.0.0/8, 10.0.0.0/9]\n");
	policy = read_policy(at("policy.yaml"));
	assert_int_equal(policy->n_never_limit, 4);
	assert_string_equal(weir_prefix_print(&policy->never_limit[0], buf), "10.0.0.0/8");
	assert_string_equal(weir_prefix_print(&policy->never_limit[1], buf), "10.0.0.0/9");
	assert_string_equal(weir_prefix_print(&policy->never_limit[2], buf), "192.0.2.1");
	assert_string_equal(weir_prefix_print(&policy->never_limit[3], buf), "2001:db8::/32");
	weir_policy_free(policy);
}

static void a_relative_list_file_lies_beside_the_policy(void **state)
{
	char here[512];
	struct weir_policy *policy;

	write_file(at("list"), "10.0.0.0/8\n");
	write_file(at("policy.yaml"), HEAD "always_drop: [\"file: list\"]\n");
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(folder), 0);
	policy = read_policy("policy.yaml");
	assert_int_equal(policy->n_always_drop, 1);
	weir_policy_free(policy);
	assert_int_equal(chdir("/"), 0);
	policy = read_policy(at("policy.yaml"));
	assert_int_equal(policy->n_always_drop, 1);
	weir_policy_free(policy);
	assert_int_equal(chdir(here), 0);
}

static void a_nul_byte_in_a_list_is_told_with_its_line(void **state)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;
	FILE *file = fopen(at("list"), "w");

	assert_non_null(file);
	assert_int_equal(fwrite("10.0.0.0/8\n10.1.0.0\0/16\n", 1, 24, file), 24);
	assert_int_equal(fclose(file), 0);
	write_file(at("policy.yaml"), HEAD "always_drop: [\"file: list\"]\n");
	assert_int_equal(weir_policy_read(at("policy.yaml"), &faults, &policy), -EINVAL);
	assert_int_equal(faults.n_errors, 1);
	assert_int_equal(faults.errors[0].line, 2);
	assert_non_null(strstr(faults.errors[0].message, "NUL byte"));
	weir_faults_free(&faults);
}

/* The bound leaves room for sanitizers and a busy machine; sorting anew for each would take minutes. */
static void a_hundred_thousand_prefixes_load_at_once(void **state)
{
	FILE *file = fopen(at("list"), "w");
	struct weir_policy *policy;
	uint64_t start, took;
	unsigned int i;

	assert_non_null(file);
	for (i = 0; i < 100000; i++) {
		unsigned int n = i * 2654435761U % 100000;

		if (i % 2)
			fprintf(file, "%u.%u.%u.0/24\n", 11 + n / 65536, n / 256 % 256, n % 256);
		else
			fprintf(file, "2001:db8:%x:%x::/64\n", n / 65536, n % 65536);
	}
	assert_int_equal(fclose(file), 0);
	write_file(at("policy.yaml"), HEAD "always_drop: [\"file: list\", 10.0.0.0/8]\n"
					   "limits: [{name: a, node_rate: 1 packet/s, burst: 1 "
					   "packet, match: {from: 192.0.2.0/24}}]\n");
	start = weir_clock_monotonic_ns();
	policy = read_policy(at("policy.yaml"));
	took = weir_clock_monotonic_ns() - start;
	print_message("100,000 prefixes in %llu ms\n", (unsigned long long)took / 1000000);
	assert_true(policy->n_always_drop > 60000);
	assert_true(took < 2000000000ULL);
	weir_policy_free(policy);
}

static struct weir_prefix prefix(const char *text)
{
	struct weir_prefix parsed;
	struct weir_error error;

	if (weir_prefix_parse(text, &error, &parsed) != 0)
		fail_msg("%s", error.text);
	return parsed;
}

static bool has(const struct weir_cover *cover, const char *text)
{
	struct weir_prefix wanted = prefix(text);

	return weir_cover_has(cover, &wanted);
}

static void a_cover_joins_halves_and_drops_what_lies_within(void **state)
{
	struct weir_prefix a[] = { prefix("10.0.0.0/9"), prefix("10.1.0.0/16"),
				   prefix("192.0.2.0/25"), prefix("2001:db8::/32") };
	struct weir_prefix b[] = { prefix("10.128.0.0/10"), prefix("10.192.0.0/10"),
				   prefix("192.0.3.0/25") };
	struct weir_cover cover;

	assert_int_equal(weir_cover_build(a, 4, b, 3, &cover), 0);
	assert_int_equal(cover.n, 4);
	assert_true(has(&cover, "10.0.0.0/8"));
	assert_true(has(&cover, "10.255.255.255"));
	assert_false(has(&cover, "10.0.0.0/7"));
	assert_false(has(&cover, "11.0.0.0/8"));
	assert_false(has(&cover, "9.255.255.255"));
	assert_true(has(&cover, "192.0.2.127"));
	assert_false(has(&cover, "192.0.2.128"));
	assert_false(has(&cover, "192.0.2.0/24"));
	assert_true(has(&cover, "2001:db8:ffff::/48"));
	assert_false(has(&cover, "::/0"));
	assert_false(has(&cover, "0.0.0.0/0"));
	weir_cover_free(&cover);
}

static void a_cover_of_both_halves_of_all_is_all(void **state)
{
	struct weir_prefix a[] = { prefix("0.0.0.0/1"), prefix("::/1") };
	struct weir_prefix b[] = { prefix("128.0.0.0/1"), prefix("8000::/1") };
	struct weir_cover cover;

	assert_int_equal(weir_cover_build(a, 2, b, 2, &cover), 0);
	assert_int_equal(cover.n, 2);
	assert_true(has(&cover, "0.0.0.0/0"));
	assert_true(has(&cover, "::/0"));
	weir_cover_free(&cover);
	assert_int_equal(weir_cover_build(NULL, 0, NULL, 0, &cover), 0);
	assert_false(has(&cover, "10.0.0.1"));
	weir_cover_free(&cover);
}

/* Random short prefixes against the plain definition: each address is in the cover or not. */
static void a_cover_holds_exactly_the_addresses_of_its_prefixes(void **state)
{
	unsigned int seed = 1, round, i, address;

	for (round = 0; round < 200; round++) {
		struct weir_prefix prefixes[12] = { 0 };
		struct weir_cover cover;

		for (i = 0; i < 12; i++) {
			seed = seed * 1103515245 + 12345;
			prefixes[i].family = 4;
			prefixes[i].bits = 3 + (seed >> 16) % 6;
			prefixes[i].addr[0] =
				(uint8_t)((seed >> 24) & (0xff << (8 - prefixes[i].bits)));
		}
		qsort(prefixes, 12, sizeof(prefixes[0]), weir_prefix_compare);
		assert_int_equal(weir_cover_build(prefixes, 6, prefixes + 6, 6, &cover), 0);
		for (address = 0; address < 256; address++) {
			struct weir_prefix one = { .family = 4,
						   .bits = 32,
						   .addr = { (uint8_t)address, 1 } };
			bool expected = false;

			for (i = 0; i < 12; i++)
				expected |= weir_prefix_covers(&prefixes[i], &one);
			assert_int_equal(weir_cover_has(&cover, &one), expected);
		}
		weir_cover_free(&cover);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_sorted_and_holds_each_prefix_once),
		cmocka_unit_test(a_relative_list_file_lies_beside_the_policy),
		cmocka_unit_test(a_nul_byte_in_a_list_is_told_with_its_line),
		cmocka_unit_test(a_hundred_thousand_prefixes_load_at_once),
		cmocka_unit_test(a_cover_joins_halves_and_drops_what_lies_within),
		cmocka_unit_test(a_cover_of_both_halves_of_all_is_all),
		cmocka_unit_test(a_cover_holds_exactly_the_addresses_of_its_prefixes),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
