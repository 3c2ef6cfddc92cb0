// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The JSON writer: commas, nesting, and strings of any bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "base/json.h"

static char *text;
static size_t text_len;

static struct weir_json begin(void)
{
	struct weir_json json;
	FILE *out = open_memstream(&text, &text_len);

	assert_non_null(out);
	weir_json_begin(&json, out);
	return json;
}

static void ends_as(struct weir_json *json, const char *expected)
{
	assert_int_equal(weir_json_finish(json), 0);
	assert_int_equal(fclose(json->out), 0);
	assert_true(text_len > 0 && text[text_len - 1] == '\n');
	text[text_len - 1] = '\0';
	assert_string_equal(text, expected);
	free(text);
	text = NULL;
}

static void commas_stand_between_values_and_nowhere_else(void **state)
{
	struct weir_json json = begin();

	weir_json_object_open(&json);
	weir_json_key(&json, "empty");
	weir_json_array_open(&json);
	weir_json_array_close(&json);
	weir_json_key(&json, "list");
	weir_json_array_open(&json);
	weir_json_u64(&json, 1);
	weir_json_object_open(&json);
	weir_json_object_close(&json);
	weir_json_array_open(&json);
	weir_json_bool(&json, true);
	weir_json_bool(&json, false);
	weir_json_array_close(&json);
	weir_json_null(&json);
	weir_json_array_close(&json);
	weir_json_key(&json, "last");
	weir_json_object_open(&json);
	weir_json_key(&json, "a");
	weir_json_string(&json, "b");
	weir_json_object_close(&json);
	weir_json_object_close(&json);
	ends_as(&json, "{\"empty\":[],\"list\":[1,{},[true,false],null],\"last\":{\"a\":\"b\"}}");
}

static void numbers_read_back_the_same(void **state)
{
	struct weir_json json = begin();

	weir_json_array_open(&json);
	weir_json_u64(&json, UINT64_MAX);
	weir_json_i64(&json, INT64_MIN);
	weir_json_double(&json, 0.1);
	weir_json_double(&json, 1000);
	weir_json_double(&json, 1.0 / 3);
	weir_json_double(&json, -0.5);
	weir_json_double(&json, 1e300);
	weir_json_double(&json, NAN);
	weir_json_double(&json, INFINITY);
	weir_json_array_close(&json);
	ends_as(&json, "[18446744073709551615,-9223372036854775808,0.1,1000,0.3333333333333333,"
		       "-0.5,1e+300,null,null]");
}

static void string_is(const char *bytes, size_t len, const char *expected)
{
	struct weir_json json = begin();

	weir_json_string_n(&json, bytes, len);
	ends_as(&json, expected);
}

#define STRING_IS(bytes, expected) string_is(bytes, sizeof(bytes) - 1, expected)

static void strings_escape_what_json_and_terminals_need(void **state)
{
	STRING_IS("plain", "\"plain\"");
	STRING_IS("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	STRING_IS("\n\t\r", "\"\\n\\t\\r\"");
	STRING_IS("\0\x01\x1f\x7f", "\"\\u0000\\u0001\\u001f\\u007f\"");
	STRING_IS("\xc2\x9b[2J", "\"\\u009b[2J\"");
	STRING_IS("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

#define BAD "\xef\xbf\xbd"

static void bytes_that_are_not_utf8_are_replaced(void **state)
{
	STRING_IS("a\xff z", "\"a" BAD " z\"");
	STRING_IS("\x80", "\"" BAD "\"");
	STRING_IS("\xc3", "\"" BAD "\"");
	STRING_IS("\xc0\xaf", "\"" BAD BAD "\"");
	STRING_IS("\xe0\x80\x80", "\"" BAD BAD BAD "\"");
	STRING_IS("\xed\xa0\x80", "\"" BAD BAD BAD "\"");
	STRING_IS("\xf0\x80\x80\x80", "\"" BAD BAD BAD BAD "\"");
	STRING_IS("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"");
	STRING_IS("\xe2\x82 ", "\"" BAD BAD " \"");
	STRING_IS("\xf5", "\"" BAD "\"");
}

/* Whatever two bytes a string holds, the output is printable ASCII or well-formed UTF-8. */
static void no_pair_of_bytes_gets_through_raw(void **state)
{
	unsigned int pair;

	for (pair = 0; pair < 0x10000; pair++) {
		char bytes[2] = { (char)(pair >> 8), (char)pair };
		struct weir_json json = begin();
		size_t i;

		weir_json_string_n(&json, bytes, 2);
		assert_int_equal(weir_json_finish(&json), 0);
		fclose(json.out);
		for (i = 0; i + 1 < text_len; i++)
			assert_true((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
		free(text);
		text = NULL;
	}
}

static void a_missing_string_is_null(void **state)
{
	struct weir_json json = begin();

	weir_json_string(&json, NULL);
	ends_as(&json, "null");
}

static void keys_are_escaped_too(void **state)
{
	struct weir_json json = begin();

	weir_json_object_open(&json);
	weir_json_key(&json, "a\"\n");
	weir_json_u64(&json, 0);
	weir_json_object_close(&json);
	ends_as(&json, "{\"a\\\"\\n\":0}");
}

static void a_full_disk_is_told_at_the_end(void **state)
{
	FILE *out = fopen("/dev/full", "w");
	struct weir_json json;

	assert_non_null(out);
	weir_json_begin(&json, out);
	weir_json_u64(&json, 1);
	assert_int_equal(weir_json_finish(&json), -EIO);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_stand_between_values_and_nowhere_else),
		cmocka_unit_test(numbers_read_back_the_same),
		cmocka_unit_test(strings_escape_what_json_and_terminals_need),
		cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
		cmocka_unit_test(no_pair_of_bytes_gets_through_raw),
		cmocka_unit_test(a_missing_string_is_null),
		cmocka_unit_test(keys_are_escaped_too),
		cmocka_unit_test(a_full_disk_is_told_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
