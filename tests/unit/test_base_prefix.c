// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Prefixes: strict reading, one printed form, a total order, containment. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/prefix.h"

static struct weir_prefix parsed(const char *text)
{
	struct weir_error error = { .text = "" };
	struct weir_prefix prefix = { 0 };

	if (weir_prefix_parse(text, &error, &prefix) != 0)
		fail_msg("%s: %s", text, error.text);
	return prefix;
}

static void refused(const char *text, const char *why)
{
	struct weir_prefix prefix = { .family = 99 };
	struct weir_error error = { .text = "" };

	if (weir_prefix_parse(text, &error, &prefix) == 0)
		fail_msg("%s was taken", text);
	if (!strstr(error.text, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, error.text, why);
	assert_int_equal(prefix.family, 99);
}

static void prints(const char *text, const char *expected)
{
	struct weir_prefix prefix = parsed(text);
	char buf[WEIR_PREFIX_STRLEN];

	assert_string_equal(weir_prefix_print(&prefix, buf), expected);
}

static void both_families_have_one_form(void **state)
{
	struct weir_prefix four = parsed("192.0.2.0/24"), six = parsed("2001:db8:1::/48");
	static const uint8_t four_addr[16] = { 192, 0, 2 };
	static const uint8_t six_addr[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, 1 };

	assert_int_equal(four.family, 4);
	assert_int_equal(four.bits, 24);
	assert_memory_equal(four.addr, four_addr, 16);
	assert_int_equal(six.family, 6);
	assert_int_equal(six.bits, 48);
	assert_memory_equal(six.addr, six_addr, 16);
	assert_int_equal(parsed("198.51.100.7").bits, 32);
	assert_int_equal(parsed("2001:db8::1").bits, 128);
	assert_int_equal(parsed("0.0.0.0/0").bits, 0);
	assert_int_equal(parsed("::/0").bits, 0);
}

static void printing_gives_back_what_was_read(void **state)
{
	prints("192.0.2.0/24", "192.0.2.0/24");
	prints("192.0.2.1/32", "192.0.2.1");
	prints("192.0.2.1", "192.0.2.1");
	prints("0.0.0.0/0", "0.0.0.0/0");
	prints("2001:0db8:0:0::/32", "2001:db8::/32");
	prints("2001:db8::1/128", "2001:db8::1");
	prints("::/0", "::/0");
}

static void set_host_bits_are_refused_with_the_prefix_meant(void **state)
{
	refused("192.0.2.1/24", "192.0.2.0/24 would do");
	refused("10.255.0.0/9", "10.128.0.0/9 would do");
	refused("2001:db8::1/64", "2001:db8::/64 would do");
	refused("1.2.3.4/0", "0.0.0.0/0 would do");
	refused("2001:db8::8001/113", "2001:db8::8000/113 would do");
}

static void mapped_addresses_are_refused_with_the_ipv4_one(void **state)
{
	refused("::ffff:192.0.2.1", "192.0.2.1 would do");
	refused("::ffff:192.0.2.1/128", "192.0.2.1 would do");
	refused("::ffff:192.0.2.0/120", "192.0.2.0/24 would do");
	refused("::ffff:0:0/96", "0.0.0.0/0 would do");
	refused("::ffff:c000:201", "192.0.2.1 would do");
	refused("::ffff:192.0.2.1/120", "192.0.2.0/24 would do");
}

static void what_is_no_prefix_is_refused(void **state)
{
	refused("", "no address");
	refused("/24", "no address");
	refused("banana", "no address");
	refused("10.0.0", "no address");
	refused("10.0.0.0.0/8", "no address");
	refused("010.0.0.0/8", "no address");
	refused("10.0.0.0/33", "0 to 32 bits");
	refused("10.0.0.0/", "0 to 32 bits");
	refused("10.0.0.0/-1", "0 to 32 bits");
	refused("10.0.0.0/+8", "0 to 32 bits");
	refused("10.0.0.0/08", "0 to 32 bits");
	refused("10.0.0.0/8x", "0 to 32 bits");
	refused("10.0.0.0/8 ", "0 to 32 bits");
	refused("10.0.0.0/255.0.0.0", "0 to 32 bits");
	refused("10.0.0.0/4294967304", "0 to 32 bits");
	refused("2001:db8::/129", "0 to 128 bits");
	refused("fe80::1%eth0", "no scope");
	refused(" 10.0.0.0/8", "no address");
	refused("1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd:eeee:ffff",
		"that long");
}

static void order_is_family_then_address_then_bits(void **state)
{
	static const char *const sorted[] = { "0.0.0.0/0",   "10.0.0.0/8",    "10.0.0.0/9",
					      "10.0.0.0/32", "10.0.0.1/32",   "192.0.2.0/24",
					      "::/0",	     "2001:db8::/32", "2001:db8::/48" };
	struct weir_prefix prefixes[9];
	char buf[WEIR_PREFIX_STRLEN];
	size_t i;

	for (i = 0; i < 9; i++)
		prefixes[i] = parsed(sorted[(i * 5 + 3) % 9]);
	qsort(prefixes, 9, sizeof(prefixes[0]), weir_prefix_compare);
	for (i = 0; i < 9; i++) {
		struct weir_prefix expected = parsed(sorted[i]);

		if (weir_prefix_compare(&prefixes[i], &expected) != 0)
			fail_msg("place %zu: %s instead of %s", i,
				 weir_prefix_print(&prefixes[i], buf), sorted[i]);
	}
}

static bool covers(const char *outer, const char *inner)
{
	struct weir_prefix a = parsed(outer), b = parsed(inner);

	return weir_prefix_covers(&a, &b);
}

static void a_prefix_covers_its_own_and_no_others(void **state)
{
	assert_true(covers("10.0.0.0/8", "10.0.0.0/8"));
	assert_true(covers("10.0.0.0/8", "10.1.2.3"));
	assert_true(covers("10.0.0.0/9", "10.127.255.255"));
	assert_false(covers("10.0.0.0/9", "10.128.0.0"));
	assert_false(covers("10.0.0.0/9", "10.0.0.0/8"));
	assert_true(covers("0.0.0.0/0", "255.255.255.255"));
	assert_false(covers("0.0.0.0/0", "::/0"));
	assert_false(covers("::/0", "0.0.0.0/0"));
	assert_true(covers("2001:db8::1", "2001:db8::1"));
	assert_false(covers("2001:db8::1", "2001:db8::2"));
	assert_true(covers("2001:db8:8000::/33", "2001:db8:ffff::1"));
	assert_false(covers("2001:db8:8000::/33", "2001:db8:7fff::1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_families_have_one_form),
		cmocka_unit_test(printing_gives_back_what_was_read),
		cmocka_unit_test(set_host_bits_are_refused_with_the_prefix_meant),
		cmocka_unit_test(mapped_addresses_are_refused_with_the_ipv4_one),
		cmocka_unit_test(what_is_no_prefix_is_refused),
		cmocka_unit_test(order_is_family_then_address_then_bits),
		cmocka_unit_test(a_prefix_covers_its_own_and_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
