// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Quantities: what is taken is taken exactly, what is refused says why and what would do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/quantity.h"

#define HOUR_NS (3600 * WEIR_NS_PER_S)

static void amount_is(const char *text, enum weir_unit unit, uint64_t tokens)
{
	struct weir_error error = { .text = "" };
	struct weir_amount amount = { 0 };

	if (weir_quantity_parse_amount(text, &error, &amount) != 0)
		fail_msg("%s: %s", text, error.text);
	assert_int_equal(amount.unit, unit);
	assert_true(amount.tokens == tokens);
}

static void rate_is(const char *text, enum weir_unit unit, uint64_t tokens, uint64_t per_ns)
{
	struct weir_error error = { .text = "" };
	struct weir_pace rate = { 0 };

	if (weir_quantity_parse_rate(text, &error, &rate) != 0)
		fail_msg("%s: %s", text, error.text);
	assert_int_equal(rate.unit, unit);
	assert_true(rate.tokens == tokens);
	assert_true(rate.per_ns == per_ns);
}

static void says(const struct weir_error *error, const char *text, const char *why)
{
	if (!strstr(error->text, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, error->text, why);
	if (!strstr(error->text, "found"))
		fail_msg("%s: \"%s\" does not say what was found", text, error->text);
	if (!strstr(error->text, "would do"))
		fail_msg("%s: \"%s\" does not say what would do", text, error->text);
}

static void amount_refused(const char *text, const char *why)
{
	struct weir_amount amount = { .tokens = 77 };
	struct weir_error error = { .text = "" };

	if (weir_quantity_parse_amount(text, &error, &amount) == 0)
		fail_msg("%s was taken", text);
	says(&error, text, why);
	assert_true(amount.tokens == 77);
}

static void rate_refused(const char *text, const char *why)
{
	struct weir_pace rate = { .tokens = 77 };
	struct weir_error error = { .text = "" };

	if (weir_quantity_parse_rate(text, &error, &rate) == 0)
		fail_msg("%s was taken", text);
	says(&error, text, why);
	assert_true(rate.tokens == 77);
}

static void amounts_scale_by_thousands_and_by_1024(void **state)
{
	amount_is("2000 packets", WEIR_UNIT_PACKETS, 2000);
	amount_is("1 packet", WEIR_UNIT_PACKETS, 1);
	amount_is("3packets", WEIR_UNIT_PACKETS, 3);
	amount_is("10K packets", WEIR_UNIT_PACKETS, 10000);
	amount_is("10 Kpackets", WEIR_UNIT_PACKETS, 10000);
	amount_is("64 KiB", WEIR_UNIT_BYTES, 65536);
	amount_is("64KB", WEIR_UNIT_BYTES, 64000);
	amount_is("5 MiB", WEIR_UNIT_BYTES, 5ULL << 20);
	amount_is("7 GiB", WEIR_UNIT_BYTES, 7ULL << 30);
	amount_is("2 TiB", WEIR_UNIT_BYTES, 2ULL << 40);
	amount_is("500 GB", WEIR_UNIT_BYTES, 500000000000ULL);
	amount_is("3 TB", WEIR_UNIT_BYTES, 3000000000000ULL);
	amount_is("1500 bytes", WEIR_UNIT_BYTES, 1500);
	amount_is("100 Mbit", WEIR_UNIT_BYTES, 12500000);
	amount_is("8 bit", WEIR_UNIT_BYTES, 1);
	amount_is("5000 units", WEIR_UNIT_UNITS, 5000);
	amount_is("18446744073709551615 B", WEIR_UNIT_BYTES, UINT64_MAX);
}

static void amounts_that_are_not_exact_are_refused(void **state)
{
	amount_refused("", "found nothing");
	amount_refused("packets", "does not begin with a number");
	amount_refused("-5 packets", "no sign");
	amount_refused("+5 packets", "no sign");
	amount_refused("0 packets", "zero");
	amount_refused("0 MB", "zero");
	amount_refused("10", "unit is missing");
	amount_refused("10K", "unit is missing");
	amount_refused("10x0 packets", "unit is none of");
	amount_refused("0x10 packets", "zero");
	amount_refused("010 packets", "begins with 0");
	amount_refused("1.5 MB", "digits alone");
	amount_refused("1,000 packets", "digits alone");
	amount_refused("1_000 packets", "digits alone");
	amount_refused("1e3 packets", "unit is none of");
	amount_refused("10  packets", "unit is none of");
	amount_refused("10 K packets x", "unit is none of");
	amount_refused(" 10 packets", "does not begin with a number");
	amount_refused("10 packets ", "follows");
	amount_refused("10 packets/s", "follows");
	amount_refused("10 mB", "unit is none of");
	amount_refused("10 kB", "unit is none of");
	amount_refused("10 b", "unit is none of");
	amount_refused("12 bit", "no whole number of bytes");
	amount_refused("18446744073709551616 B", "too large");
	amount_refused("99999999999999999999999999 B", "too large");
	amount_refused("18446744073709551615 KB", "too large");
}

static void rates_keep_their_period(void **state)
{
	rate_is("1000 packets/s", WEIR_UNIT_PACKETS, 1000, WEIR_NS_PER_S);
	rate_is("1 packet/min", WEIR_UNIT_PACKETS, 1, 60 * WEIR_NS_PER_S);
	rate_is("7 packets/h", WEIR_UNIT_PACKETS, 7, HOUR_NS);
	rate_is("3 packets/day", WEIR_UNIT_PACKETS, 3, 24 * HOUR_NS);
	rate_is("10 MB/s", WEIR_UNIT_BYTES, 10000000, WEIR_NS_PER_S);
	rate_is("10MiB/s", WEIR_UNIT_BYTES, 10 << 20, WEIR_NS_PER_S);
}

static void bit_rates_become_bytes_and_stay_exact(void **state)
{
	rate_is("100 Mbit/s", WEIR_UNIT_BYTES, 12500000, WEIR_NS_PER_S);
	rate_is("10 Gbit/s", WEIR_UNIT_BYTES, 1250000000, WEIR_NS_PER_S);
	rate_is("12 bit/s", WEIR_UNIT_BYTES, 12, 8 * WEIR_NS_PER_S);
	rate_is("1 bit/day", WEIR_UNIT_BYTES, 1, 8 * 24 * HOUR_NS);
}

static void the_largest_rates_are_taken_and_one_more_is_not(void **state)
{
	rate_is("1 Gpackets/s", WEIR_UNIT_PACKETS, 1000000000, WEIR_NS_PER_S);
	rate_is("125 GB/s", WEIR_UNIT_BYTES, 125000000000, WEIR_NS_PER_S);
	rate_is("1 Tbit/s", WEIR_UNIT_BYTES, 125000000000, WEIR_NS_PER_S);
	rate_is("1000000000000 bit/s", WEIR_UNIT_BYTES, 125000000000, WEIR_NS_PER_S);
	rate_is("3600000000000 packets/h", WEIR_UNIT_PACKETS, 3600000000000, HOUR_NS);
	rate_refused("1000000001 packets/s", "1 Gpackets/s");
	rate_refused("3600000000001 packets/h", "1 Gpackets/s");
	rate_refused("125000000001 B/s", "125 GB/s");
	rate_refused("1000000000001 bit/s", "1 Tbit/s");
	rate_refused("2 Tbit/s", "1 Tbit/s");
	rate_refused("18446744073709551615 B/s", "largest rate");
}

static void rates_that_are_not_exact_are_refused(void **state)
{
	rate_refused("", "found nothing");
	rate_refused("-1000 packets/s", "no sign");
	rate_refused("0 packets/s", "zero");
	rate_refused("1000", "unit is missing");
	rate_refused("1000/s", "unit is missing");
	rate_refused("1000 packets", "period is missing");
	rate_refused("1000 packets/", "period is none of");
	rate_refused("1000 packets/sec", "period is none of");
	rate_refused("1000 packets/week", "period is none of");
	rate_refused("1000 packets/S", "period is none of");
	rate_refused("1000 packets /s", "belongs");
	rate_refused("1000 packets/ s", "period is none of");
	rate_refused("1000 packets/s ", "follows");
	rate_refused("1000 packets/s/s", "follows");
	rate_refused("10x0 packets/s", "unit is none of");
	rate_refused("1000 pps", "unit is none of");
	rate_refused("10 Mbps", "unit is none of");
	rate_refused("5 units/s", "packets, bytes or bits");
}

static void foreign_bytes_are_shown_escaped_and_cut(void **state)
{
	struct weir_error error = { .text = "" };
	struct weir_pace rate;
	char text[2000];

	assert_int_not_equal(weir_quantity_parse_rate("\x1b[2J\xff", &error, &rate), 0);
	assert_non_null(strstr(error.text, "\\x1b[2J\\xff"));
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_not_equal(weir_quantity_parse_rate(text, &error, &rate), 0);
	assert_non_null(strstr(error.text, "xxx...\""));
	assert_non_null(strstr(error.text, "would do"));
}

static void duration_is(const char *text, uint64_t ns)
{
	struct weir_error error = { .text = "" };
	uint64_t got = 0;

	if (weir_quantity_parse_duration(text, &error, &got) != 0)
		fail_msg("%s: %s", text, error.text);
	assert_true(got == ns);
}

static void duration_refused(const char *text, const char *why)
{
	struct weir_error error = { .text = "" };
	uint64_t got = 77;

	if (weir_quantity_parse_duration(text, &error, &got) == 0)
		fail_msg("%s was taken", text);
	says(&error, text, why);
	assert_true(got == 77);
}

static void durations_have_a_unit(void **state)
{
	duration_is("100ms", 100 * WEIR_NS_PER_MS);
	duration_is("1 s", WEIR_NS_PER_S);
	duration_is("5min", 300 * WEIR_NS_PER_S);
	duration_is("2h", 2 * HOUR_NS);
	duration_is("1day", 24 * HOUR_NS);
	duration_is("250us", 250000);
	duration_refused("", "found nothing");
	duration_refused("100", "unit is missing");
	duration_refused("0s", "zero");
	duration_refused("-1s", "no sign");
	duration_refused("1.5s", "digits alone");
	duration_refused("1sec", "unit is none of");
	duration_refused("1s500ms", "follows");
	duration_refused("1  s", "unit is none of");
	duration_refused("18446744073709551615s", "too long");
}

static void percent_is(const char *text, uint32_t ppm)
{
	struct weir_error error = { .text = "" };
	uint32_t got = 77;

	if (weir_quantity_parse_percent(text, &error, &got) != 0)
		fail_msg("%s: %s", text, error.text);
	assert_int_equal(got, ppm);
}

static void percent_refused(const char *text, const char *why)
{
	struct weir_error error = { .text = "" };
	uint32_t got = 77;

	if (weir_quantity_parse_percent(text, &error, &got) == 0)
		fail_msg("%s was taken", text);
	says(&error, text, why);
	assert_int_equal(got, 77);
}

static void percentages_are_parts_of_a_million(void **state)
{
	percent_is("3%", 30000);
	percent_is("0.5%", 5000);
	percent_is("0.0001%", 1);
	percent_is("12.3456%", 123456);
	percent_is("0%", 0);
	percent_is("100%", 1000000);
	percent_is("25 %", 250000);
	percent_refused("", "found nothing");
	percent_refused("3", "% is missing");
	percent_refused("0.03", "% is missing");
	percent_refused("-3%", "no sign");
	percent_refused("100.0001%", "more than 100%");
	percent_refused("101%", "more than 100%");
	percent_refused("18446744073709551616%", "too large");
	percent_refused("3%%", "follows");
	percent_refused("3.%", "no digit");
	percent_refused("0.00001%", "finer");
	percent_refused("three%", "does not begin");
}

static void counts_are_bare_numbers(void **state)
{
	struct weir_error error = { .text = "" };
	uint64_t got = 0;

	assert_int_equal(weir_quantity_parse_count("256Ki", &error, &got), 0);
	assert_int_equal(got, 262144);
	assert_int_equal(weir_quantity_parse_count("12", &error, &got), 0);
	assert_int_equal(got, 12);
	assert_int_equal(weir_quantity_parse_count("16 Mi", &error, &got), 0);
	assert_int_equal(got, 16 << 20);
	assert_int_not_equal(weir_quantity_parse_count("12 ", &error, &got), 0);
	says(&error, "12 ", "space");
	assert_int_not_equal(weir_quantity_parse_count("12 packets", &error, &got), 0);
	says(&error, "12 packets", "follows");
	assert_int_not_equal(weir_quantity_parse_count("0", &error, &got), 0);
	says(&error, "0", "zero");
	assert_int_not_equal(weir_quantity_parse_count("1.5", &error, &got), 0);
	assert_int_not_equal(weir_quantity_parse_count("-1", &error, &got), 0);
	assert_int_not_equal(weir_quantity_parse_count("16777217Ti", &error, &got), 0);
	says(&error, "16777217Ti", "too large");
}

static void numbers_a_second_end_in_per_s(void **state)
{
	struct weir_error error = { .text = "" };
	uint64_t got = 0;

	assert_int_equal(weir_quantity_parse_per_second("20000/s", &error, &got), 0);
	assert_int_equal(got, 20000);
	assert_int_equal(weir_quantity_parse_per_second("20K/s", &error, &got), 0);
	assert_int_equal(got, 20000);
	assert_int_not_equal(weir_quantity_parse_per_second("20000", &error, &got), 0);
	says(&error, "20000", "/s");
	assert_int_not_equal(weir_quantity_parse_per_second("20000/min", &error, &got), 0);
	assert_int_not_equal(weir_quantity_parse_per_second("0/s", &error, &got), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_scale_by_thousands_and_by_1024),
		cmocka_unit_test(amounts_that_are_not_exact_are_refused),
		cmocka_unit_test(rates_keep_their_period),
		cmocka_unit_test(bit_rates_become_bytes_and_stay_exact),
		cmocka_unit_test(the_largest_rates_are_taken_and_one_more_is_not),
		cmocka_unit_test(rates_that_are_not_exact_are_refused),
		cmocka_unit_test(foreign_bytes_are_shown_escaped_and_cut),
		cmocka_unit_test(durations_have_a_unit),
		cmocka_unit_test(percentages_are_parts_of_a_million),
		cmocka_unit_test(counts_are_bare_numbers),
		cmocka_unit_test(numbers_a_second_end_in_per_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
