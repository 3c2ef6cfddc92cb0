// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Which node a file is about is found whatever else is wrong with it, and never made up. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "policy/site.h"

static int read_text(const char *text, struct weir_faults *ret_faults, struct weir_site *ret_site)
{
	char path[] = "/tmp/weir-site-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = weir_site_read(path, ret_faults, ret_site);
	unlink(path);
	return err;
}

static void faults_elsewhere_do_not_matter(void **state)
{
	struct weir_faults faults;
	struct weir_site site;

	assert_int_equal(read_text("node: one\n"
				   "interfaces: [eth0, 'a/b', eth1]\n"
				   "limits: [{name: X, node_rate: -1, burst: x}]\n"
				   "colour: red\n"
				   "paths: {pins: /sys/fs/bpf/one, run: /run/one}\n",
				   &faults, &site),
			 0);
	assert_int_equal(faults.n_errors, 0);
	assert_string_equal(site.node, "one");
	assert_int_equal(site.n_interfaces, 2);
	assert_string_equal(site.interfaces[0], "eth0");
	assert_string_equal(site.interfaces[1], "eth1");
	assert_string_equal(site.pins_dir, "/sys/fs/bpf/one");
	assert_string_equal(site.state_dir, "/var/lib/weir");
	assert_string_equal(site.run_dir, "/run/one");
	weir_site_clear(&site);
	weir_faults_free(&faults);
}

static void a_node_that_is_none_is_left_out(void **state)
{
	struct weir_faults faults;
	struct weir_site site;

	assert_int_equal(read_text("node: [a]\n", &faults, &site), 0);
	assert_null(site.node);
	assert_string_equal(site.pins_dir, "/sys/fs/bpf/weir");
	weir_site_clear(&site);
	weir_faults_free(&faults);
}

static void refused(const char *text, unsigned int line)
{
	struct weir_site site = { .n_interfaces = 77 };
	struct weir_faults faults;

	if (read_text(text, &faults, &site) != -EINVAL)
		fail_msg("\"%s\" was taken", text);
	assert_int_equal(site.n_interfaces, 77);
	assert_true(faults.n_errors > 0);
	assert_int_equal(faults.errors[0].line, line);
	weir_faults_free(&faults);
}

static void faults_of_the_paths_themselves_are_told(void **state)
{
	refused("node: one\npaths: {pins: relative}\n", 2);
	refused("node: one\npaths: {pin: /sys/fs/bpf/one}\n", 2);
	refused("node: one\npaths: [/sys/fs/bpf/one]\n", 2);
}

static void what_does_not_parse_names_no_node(void **state)
{
	refused("node: one\npaths: {pins: /sys/fs/bpf/one\n", 3);
	refused("", 1);
	refused("[node, one]\n", 1);
	refused("weir\n", 1);
}

static void a_file_that_is_not_there_is_told_as_such(void **state)
{
	struct weir_site site = { .n_interfaces = 77 };
	struct weir_faults faults;

	assert_int_equal(weir_site_read("/tmp/weir-site-absent/x", &faults, &site), -ENOENT);
	assert_int_equal(faults.n_errors, 1);
	assert_int_equal(site.n_interfaces, 77);
	weir_faults_free(&faults);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_elsewhere_do_not_matter),
		cmocka_unit_test(a_node_that_is_none_is_left_out),
		cmocka_unit_test(faults_of_the_paths_themselves_are_told),
		cmocka_unit_test(what_does_not_parse_names_no_node),
		cmocka_unit_test(a_file_that_is_not_there_is_told_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
