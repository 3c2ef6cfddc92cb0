// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The log: its line, its levels, and repeats that are counted instead of written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/log.h"

#define SECOND 1000000000ULL

static char lines[64][1024];
static enum weir_log_level levels[64];
static size_t n_lines;
static uint64_t now;

static void keep(void *context, enum weir_log_level level, const char *line)
{
	assert_ptr_equal(context, lines);
	assert_true(n_lines < 64);
	snprintf(lines[n_lines], sizeof(lines[0]), "%s", line);
	levels[n_lines++] = level;
}

static uint64_t fake_now(void)
{
	return now;
}

static int set_up(void **state)
{
	weir_log_set_sink(keep, lines);
	weir_log_flush();
	weir_log_set_clock(fake_now);
	weir_log_set_level(WEIR_LOG_INFO);
	n_lines = 0;
	now = 1000 * SECOND;
	return 0;
}

static void a_line_is_text_and_fields(void **state)
{
	weir_log(WEIR_LOG_WARNING, "interface is gone", WEIR_LOG_TEXT("interface", "eth0"),
		 WEIR_LOG_NUMBER("index", 7), WEIR_LOG_SIGNED("step_s", -3),
		 WEIR_LOG_ERRNO(-ENODEV));
	weir_log(WEIR_LOG_NOTICE, "ready");
	assert_int_equal(n_lines, 2);
	assert_string_equal(lines[0], "interface is gone interface=\"eth0\" index=7 step_s=-3 "
				      "error=\"No such device\"");
	assert_int_equal(levels[0], WEIR_LOG_WARNING);
	assert_string_equal(lines[1], "ready");
}

static void values_are_escaped(void **state)
{
	weir_log(WEIR_LOG_ERROR, "odd name", WEIR_LOG_TEXT("name", "a\"b\n\x1b[31m\xff"),
		 WEIR_LOG_TEXT("none", NULL));
	assert_string_equal(lines[0], "odd name name=\"a\\\"b\\x0a\\x1b[31m\\xff\" none=\"\"");
}

static void a_long_value_is_cut_and_the_line_stays_whole(void **state)
{
	char value[5000];

	memset(value, 'v', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	weir_log(WEIR_LOG_ERROR, "long", WEIR_LOG_TEXT("a", value), WEIR_LOG_TEXT("b", value),
		 WEIR_LOG_TEXT("c", value));
	assert_int_equal(n_lines, 1);
	assert_non_null(strstr(lines[0], "v...\" b="));
}

static void less_urgent_messages_are_left_out(void **state)
{
	weir_log(WEIR_LOG_DEBUG, "detail");
	assert_int_equal(n_lines, 0);
	weir_log_set_level(WEIR_LOG_DEBUG);
	weir_log(WEIR_LOG_DEBUG, "detail");
	assert_int_equal(n_lines, 1);
	weir_log_set_level(WEIR_LOG_ERROR);
	weir_log(WEIR_LOG_WARNING, "warned");
	assert_int_equal(n_lines, 1);
}

static void fail_once(const char *kind, uint64_t age)
{
	weir_log(WEIR_LOG_WARNING, "store does not answer", WEIR_LOG_TEXT("kind", kind),
		 WEIR_LOG_NUMBER("age_ms", age));
}

static void repeats_are_counted_and_told(void **state)
{
	int i;

	for (i = 0; i < 50; i++) {
		fail_once("timeout", (uint64_t)i);
		now += SECOND / 10;
	}
	assert_int_equal(n_lines, 1);
	now += 6 * SECOND;
	fail_once("timeout", 99);
	assert_int_equal(n_lines, 2);
	assert_string_equal(lines[1],
			    "store does not answer kind=\"timeout\" age_ms=99 repeated=49");
}

static void another_kind_is_no_repeat(void **state)
{
	fail_once("timeout", 1);
	fail_once("refused", 1);
	fail_once("timeout", 2);
	fail_once("refused", 2);
	assert_int_equal(n_lines, 2);
}

static void the_end_tells_what_was_counted(void **state)
{
	fail_once("timeout", 1);
	fail_once("timeout", 2);
	fail_once("timeout", 3);
	weir_log_flush();
	assert_int_equal(n_lines, 2);
	assert_string_equal(lines[1], "store does not answer repeated=2");
	weir_log_flush();
	assert_int_equal(n_lines, 2);
}

static void a_flood_of_different_messages_loses_no_count(void **state)
{
	char kind[16];
	int i;

	fail_once("first", 0);
	fail_once("first", 0);
	for (i = 0; i < 20; i++) {
		now++;
		snprintf(kind, sizeof(kind), "kind%d", i);
		fail_once(kind, 0);
	}
	assert_int_equal(n_lines, 22);
	for (i = 0; i < 22; i++) {
		if (strcmp(lines[i], "store does not answer repeated=1") == 0)
			return;
	}
	fail_msg("the count of the message that was pushed out was not told");
}

static void errno_is_kept(void **state)
{
	errno = ENOSPC;
	fail_once("timeout", 1);
	assert_int_equal(errno, ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_line_is_text_and_fields, set_up),
		cmocka_unit_test_setup(values_are_escaped, set_up),
		cmocka_unit_test_setup(a_long_value_is_cut_and_the_line_stays_whole, set_up),
		cmocka_unit_test_setup(less_urgent_messages_are_left_out, set_up),
		cmocka_unit_test_setup(repeats_are_counted_and_told, set_up),
		cmocka_unit_test_setup(another_kind_is_no_repeat, set_up),
		cmocka_unit_test_setup(the_end_tells_what_was_counted, set_up),
		cmocka_unit_test_setup(a_flood_of_different_messages_loses_no_count, set_up),
		cmocka_unit_test_setup(errno_is_kept, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
