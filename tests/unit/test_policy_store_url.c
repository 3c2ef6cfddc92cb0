// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Store URLs and listening addresses: taken apart, or refused without showing a secret. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policy/listen.h"
#include "policy/store_url.h"

static struct weir_store_url parsed(const char *text)
{
	struct weir_error error = { .text = "" };
	struct weir_store_url url;

	if (weir_store_url_parse(text, &error, &url) != 0)
		fail_msg("%s: %s", text, error.text);
	return url;
}

static void refused(const char *text, const char *why)
{
	struct weir_store_url url = { .port = 77 };
	struct weir_error error = { .text = "" };

	if (weir_store_url_parse(text, &error, &url) == 0)
		fail_msg("%s was taken", text);
	if (!strstr(error.text, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, error.text, why);
	if (strstr(error.text, "hunter2"))
		fail_msg("%s: \"%s\" shows the secret", text, error.text);
	assert_int_equal(url.port, 77);
}

static void urls_are_taken_apart(void **state)
{
	struct weir_store_url url = parsed("redis://redis.example");

	assert_int_equal(url.kind, WEIR_STORE_TCP);
	assert_string_equal(url.host, "redis.example");
	assert_int_equal(url.port, 6379);
	assert_int_equal(url.db, 0);
	assert_string_equal(url.user, "");
	url = parsed("rediss://weir-1@[2001:db8::5]:6380/15");
	assert_int_equal(url.kind, WEIR_STORE_TLS);
	assert_string_equal(url.host, "2001:db8::5");
	assert_int_equal(url.port, 6380);
	assert_int_equal(url.db, 15);
	assert_string_equal(url.user, "weir-1");
	assert_string_equal(parsed("redis://[::1]").host, "::1");
	assert_int_equal(parsed("redis://127.0.0.1:1/").port, 1);
	assert_int_equal(parsed("embedded").kind, WEIR_STORE_EMBEDDED);
	url = parsed("unix:///run/redis.sock");
	assert_int_equal(url.kind, WEIR_STORE_UNIX);
	assert_string_equal(url.path, "/run/redis.sock");
}

static void what_is_no_store_is_refused(void **state)
{
	refused("", "no store known");
	refused("Embedded", "no store known");
	refused("http://127.0.0.1", "no store known");
	refused("redis:127.0.0.1", "no store known");
	refused("127.0.0.1:6379", "no store known");
	refused("redis://", "no name or address");
	refused("redis://:6379", "no name or address");
	refused("redis://a b", "no name or address");
	refused("redis://-x", "no name or address");
	refused("redis://h:0", "port");
	refused("redis://h:65536", "port");
	refused("redis://h:", "port");
	refused("redis://h:06379", "port");
	refused("redis://h/one", "database");
	refused("redis://h/-1", "database");
	refused("redis://h/0/1", "database");
	refused("redis://::1", "[ ]");
	refused("redis://[::1", "closes");
	refused("redis://[::1]6379", "between");
	refused("redis://[127.0.0.1]", "no IPv6 address");
	refused("redis://@h", "user");
	refused("redis://us er@h", "user");
	refused("unix://run/redis.sock", "absolute");
	refused("unix:///", "absolute");
	refused("redis+sentinel://a,b/m", "not in this version");
	refused("redis+cluster://a,b", "not in this version");
}

static void a_password_is_refused_and_never_shown(void **state)
{
	refused("redis://user:hunter2@h", "password_file");
	refused("redis://:hunter2@h", "password_file");
	refused("redis://user:hunter2@h:99999", "password_file");
	refused("redis://user:hun@hunter2@h", "password_file");
	refused("redis://user:hunter2/x@h", "password_file");
	refused("rediss://user:hunter2@", "password_file");
	refused("http://user:hunter2@h", "no store known");
	refused("user:hunter2@h", "no store known");
	refused("redis+sentinel://user:hunter2@a,b/m", "not in this version");
	refused("redis://h/0?password=hunter2", "options");
	refused("unix:///run/s?password=hunter2", "options");
	refused("redis://user:hunter2", "port");
	refused("redis://hunter2%40@h", "%-codes");
}

static void listening_addresses_are_taken_apart(void **state)
{
	struct weir_listen listen;
	struct weir_error error;

	assert_int_equal(weir_listen_parse("127.0.0.1:9477", &error, &listen), 0);
	assert_int_equal(listen.address.family, 4);
	assert_int_equal(listen.address.addr[0], 127);
	assert_int_equal(listen.port, 9477);
	assert_true(listen.is_loopback);
	assert_int_equal(weir_listen_parse("[::1]:1", &error, &listen), 0);
	assert_int_equal(listen.address.family, 6);
	assert_true(listen.is_loopback);
	assert_int_equal(weir_listen_parse("[::]:65535", &error, &listen), 0);
	assert_false(listen.is_loopback);
	assert_int_equal(weir_listen_parse("192.0.2.1:80", &error, &listen), 0);
	assert_false(listen.is_loopback);
}

static void what_nobody_can_listen_at_is_refused(void **state)
{
	static const char *const texts[] = { "",
					     "9477",
					     ":9477",
					     "127.0.0.1",
					     "127.0.0.1:",
					     "127.0.0.1:0",
					     "127.0.0.1:x",
					     "::1:9477",
					     "[::1]",
					     "[127.0.0.1]:1",
					     "127.0.0.1:65536",
					     "localhost:9477",
					     "[]:1",
					     "]:1" };
	struct weir_listen listen;
	struct weir_error error;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (weir_listen_parse(texts[i], &error, &listen) == 0)
			fail_msg("%s was taken", texts[i]);
		assert_non_null(strstr(error.text, "would do"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_are_taken_apart),
		cmocka_unit_test(what_is_no_store_is_refused),
		cmocka_unit_test(a_password_is_refused_and_never_shown),
		cmocka_unit_test(listening_addresses_are_taken_apart),
		cmocka_unit_test(what_nobody_can_listen_at_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
