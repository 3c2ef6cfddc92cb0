// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The agent's answer: what the one side writes the other reads, and nothing else is an answer. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "cli/control_client.h"
#include "cli/reply_read.h"
#include "policy/faults.h"

static int reads(const char *text, struct weir_reply *ret_reply)
{
	return weir_reply_read(text, strlen(text), ret_reply);
}

static void what_the_agent_writes_is_read_back(void **state)
{
	struct weir_reply sent = { .ok = false }, got;
	struct weir_mark mark = { .line = 12, .column = 7 };
	size_t len;
	char *line;

	weir_error_set(&sent.message, -EINVAL, "the file \"%s\" has faults", "a\\b.yaml");
	weir_faults_add(&sent.faults, "/etc/a.yaml", mark, "burst: found \"x\ty\"");
	weir_faults_add(&sent.faults, "list.txt", (struct weir_mark){ 1, 1 }, "caf\xc3\xa9");
	assert_int_equal(weir_reply_render(&sent, &line, &len), 0);
	assert_int_equal(weir_reply_read(line, len, &got), 0);
	free(line);

	assert_false(got.ok);
	assert_string_equal(got.message.text, sent.message.text);
	assert_int_equal(got.faults.n_errors, 2);
	assert_string_equal(got.faults.errors[0].file, "/etc/a.yaml");
	assert_int_equal(got.faults.errors[0].line, 12);
	assert_int_equal(got.faults.errors[0].column, 7);
	assert_string_equal(got.faults.errors[0].message, "burst: found \"x?y\"");
	assert_string_equal(got.faults.errors[1].message, "caf\xc3\xa9");
	weir_reply_clear(&got);
	weir_reply_clear(&sent);
}

static void members_of_a_newer_agent_are_passed_over(void **state)
{
	struct weir_reply got;

	assert_int_equal(reads("{\"since\":{\"a\":[1,-2.5e3,null,{}],\"b\":\"}\\\"\"},\"ok\":true,"
			       "\"more\":[],\"message\":\"\\u0041\\/\",\"errors\":[]}\n",
			       &got),
			 0);
	assert_true(got.ok);
	assert_string_equal(got.message.text, "A/");
	weir_reply_clear(&got);
}

static void what_a_terminal_obeys_is_not_read_back(void **state)
{
	struct weir_reply got;

	assert_int_equal(reads("{\"ok\":true,\"message\":\"a\\u001b[2J\\u009bb\\u007f\"}", &got),
			 0);
	assert_string_equal(got.message.text, "a?[2J?b?");
	weir_reply_clear(&got);
}

static void what_is_no_answer_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"ok",
		"{",
		"{\"ok\"}",
		"{\"ok\":tru}",
		"{\"ok\":true",
		"{\"ok\":true}}",
		"{\"ok\":true,}",
		"{\"message\":\"cut",
		"{\"message\":\"bad \\x escape\"}",
		"{\"message\":\"\\u00\"}",
		"{\"message\":\"\\u0000\"}",
		"{\"message\":\"raw \n line\"}",
		"{\"errors\":[{\"file\":\"a\"}]}",
		"{\"errors\":[{\"file\":\"a\",\"message\":\"b\",\"line\":\"c\"}]}",
		"{\"x\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}",
		"{\"x\":}",
	};
	struct weir_reply got = { .ok = true };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (reads(wrong[i], &got) != -EPROTO)
			fail_msg("\"%s\" was taken", wrong[i]);
	}
	assert_int_equal(weir_reply_read("{\"ok\":true}\0{}", 14, &got), -EPROTO);
}

/* A socket in a folder of its own that the test answers at, or does not. */
struct server {
	char dir[64];
	char path[96];
	int fd;
};

static void serve(struct server *server)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strcpy(server->dir, "/tmp/weir-reply-XXXXXX");
	assert_non_null(mkdtemp(server->dir));
	snprintf(server->path, sizeof(server->path), "%s/control.sock", server->dir);
	strcpy(address.sun_path, server->path);
	server->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_true(server->fd >= 0);
	assert_int_equal(bind(server->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(server->fd, 4), 0);
}

static void end(struct server *server)
{
	close(server->fd);
	unlink(server->path);
	rmdir(server->dir);
}

static void an_agent_that_never_answers_costs_the_deadline_and_no_more(void **state)
{
	uint64_t start = weir_clock_monotonic_ns(), took_ms;
	struct weir_reply got = { .ok = true };
	struct weir_error error = { "" };
	struct server server;

	serve(&server);
	assert_int_equal(weir_control_ask(server.dir, "ping", 150, &error, &got), -ETIMEDOUT);
	took_ms = (weir_clock_monotonic_ns() - start) / 1000000;
	assert_in_range(took_ms, 149, 10000);
	assert_non_null(strstr(error.text, server.path));
	end(&server);
}

static void no_agent_is_told_from_a_silent_one(void **state)
{
	struct weir_reply got = { .ok = true };
	struct weir_error error = { "" };
	struct server server;
	char dir[64];

	serve(&server);
	strcpy(dir, server.dir);
	close(server.fd);
	/* The file is there, nobody listens. */
	assert_int_equal(weir_control_ask(dir, "ping", 5000, &error, &got), -ECONNREFUSED);
	assert_non_null(strstr(error.text, "weir run"));
	server.fd = -1;
	end(&server);
	assert_int_equal(weir_control_ask(dir, "ping", 5000, &error, &got), -ENOENT);
	assert_non_null(strstr(error.text, "weir run"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_agent_writes_is_read_back),
		cmocka_unit_test(members_of_a_newer_agent_are_passed_over),
		cmocka_unit_test(what_a_terminal_obeys_is_not_read_back),
		cmocka_unit_test(what_is_no_answer_is_refused),
		cmocka_unit_test(an_agent_that_never_answers_costs_the_deadline_and_no_more),
		cmocka_unit_test(no_agent_is_told_from_a_silent_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
