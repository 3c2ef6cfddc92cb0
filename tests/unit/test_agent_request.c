// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Lines on the control socket: what is a request, and what is refused saying what would do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/reply.h"
#include "agent/request.h"
#include "policy/faults.h"

static struct weir_request parsed(const char *line)
{
	struct weir_request request = { .kind = (enum weir_request_kind)99, .seconds = 99 };
	struct weir_error error;

	assert_int_equal(weir_request_parse(line, strlen(line), &error, &request), 0);
	return request;
}

static void refused(const char *line, size_t len, const char *part)
{
	struct weir_request request = { .kind = (enum weir_request_kind)99 };
	struct weir_error error = { "" };

	assert_int_equal(weir_request_parse(line, len, &error, &request), -EINVAL);
	assert_int_equal(request.kind, 99);
	if (!strstr(error.text, part))
		fail_msg("\"%s\" not in \"%s\"", part, error.text);
}

static void each_request_is_known(void **state)
{
	assert_int_equal(parsed("ping").kind, WEIR_REQUEST_PING);
	assert_int_equal(parsed("keep").kind, WEIR_REQUEST_KEEP);
	assert_int_equal(parsed("reload").kind, WEIR_REQUEST_RELOAD);
	assert_int_equal(parsed("reload").seconds, 0);
	assert_int_equal(parsed("reload try 60").kind, WEIR_REQUEST_TRY);
	assert_int_equal(parsed("reload try 60").seconds, 60);
}

static void spaces_and_a_carriage_return_do_no_harm(void **state)
{
	assert_int_equal(parsed("  reload   try  1 \r").seconds, 1);
	assert_int_equal(parsed("ping\r").kind, WEIR_REQUEST_PING);
}

static void seconds_have_bounds(void **state)
{
	assert_int_equal(parsed("reload try 86400").seconds, 86400);
	refused("reload try 86401", 16, "86400");
	refused("reload try 0", 12, "from 1");
	refused("reload try -1", 13, "from 1");
	refused("reload try 1x", 13, "\"1x\"");
	refused("reload try 18446744073709551676", 31, "86400");
	refused("reload try 4294967297", 21, "86400");
}

static void anything_else_is_refused_and_shown_escaped(void **state)
{
	refused("", 0, "unknown request \"\"");
	refused("reload now", 10, "reload try SECONDS");
	refused("reload try", 10, "would do");
	refused("reload try 1 2", 14, "would do");
	refused("ping ping", 9, "would do");
	refused("\x1b[31mping", 9, "\\x1b[31mping");
	refused("ping\0ping", 9, "one line of text");
}

static void a_line_of_any_length_is_safe(void **state)
{
	/* Right at the end of its memory, so that a read past it is seen. */
	for (size_t len = 0; len <= 2 * WEIR_REQUEST_MAX; len++) {
		char *line = malloc(len ? len : 1);
		struct weir_request request;
		struct weir_error error;

		assert_non_null(line);
		memset(line, 'a', len);
		assert_int_equal(weir_request_parse(line, len, &error, &request), -EINVAL);
		free(line);
	}
}

static void a_reply_is_one_line_of_json(void **state)
{
	struct weir_reply reply = { .ok = true, .message.text = "say \"x\"\n" };
	char *line;
	size_t len;

	assert_int_equal(weir_reply_render(&reply, &line, &len), 0);
	assert_string_equal(line, "{\"ok\":true,\"message\":\"say \\\"x\\\"\\n\",\"errors\":[]}\n");
	assert_int_equal(len, strlen(line));
	free(line);
	weir_reply_clear(&reply);
}

static void a_reply_lists_each_fault_with_its_place(void **state)
{
	struct weir_reply reply = { .ok = false };
	char *line;
	size_t len;

	weir_faults_add(&reply.faults, "a.yaml", (struct weir_mark){ 3, 7 }, "bad %d", 1);
	weir_faults_add(&reply.faults, "b.txt", (struct weir_mark){ 4, 1 }, "bad %d", 2);
	assert_int_equal(weir_reply_render(&reply, &line, &len), 0);
	assert_string_equal(
		line, "{\"ok\":false,\"message\":\"\",\"errors\":["
		      "{\"file\":\"a.yaml\",\"line\":3,\"column\":7,\"message\":\"bad 1\"},"
		      "{\"file\":\"b.txt\",\"line\":4,\"column\":1,\"message\":\"bad 2\"}]}\n");
	free(line);
	weir_reply_clear(&reply);
	assert_int_equal(reply.faults.n_errors, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_request_is_known),
		cmocka_unit_test(spaces_and_a_carriage_return_do_no_harm),
		cmocka_unit_test(seconds_have_bounds),
		cmocka_unit_test(anything_else_is_refused_and_shown_escaped),
		cmocka_unit_test(a_line_of_any_length_is_safe),
		cmocka_unit_test(a_reply_is_one_line_of_json),
		cmocka_unit_test(a_reply_lists_each_fault_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
