// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What `top` makes of two looks at the sources. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/top_rows.h"

static struct weir_source_view source(uint8_t last, uint64_t admitted, uint64_t refused)
{
	struct weir_source_view view = {
		.limit = "web",
		.slot = 3,
		.prefix = { .family = 4, .bits = 32, .addr = { 10, 0, 0, last } },
		.admitted = { .packets = admitted, .bytes = admitted * 1000 },
		.refused = { .packets = refused, .bytes = refused * 1000 },
		.first_seen_ns = 5,
		.rate_per_s = 100,
	};

	return view;
}

static void rates_are_what_came_in_between(void **state)
{
	struct weir_source_view before[] = { source(1, 100, 10) };
	struct weir_source_view after[] = { source(1, 150, 40) };
	struct weir_top_row *rows;

	assert_int_equal(weir_top_rows(before, 1, after, 1, 2.0, &rows), 0);
	assert_true(rows[0].admitted_per_s == 25);
	assert_true(rows[0].refused_per_s == 15);
	assert_true(rows[0].offered_per_s == 40);
	assert_true(rows[0].headroom > 0.599 && rows[0].headroom < 0.601);
	free(rows);
}

static void byte_limits_are_told_in_bytes(void **state)
{
	struct weir_source_view before[] = { source(1, 0, 0) }, after[] = { source(1, 7, 0) };
	struct weir_top_row *rows;

	before[0].bytes = after[0].bytes = true;
	assert_int_equal(weir_top_rows(before, 1, after, 1, 1.0, &rows), 0);
	assert_true(rows[0].admitted_per_s == 7000);
	assert_true(rows[0].headroom == 0);
	free(rows);
}

static void the_most_refused_come_first_then_the_most_offered(void **state)
{
	struct weir_source_view after[] = { source(1, 5, 0), source(2, 9, 0), source(3, 1, 2),
					    source(4, 0, 8) };
	struct weir_top_row *rows;

	assert_int_equal(weir_top_rows(NULL, 0, after, 4, 1.0, &rows), 0);
	assert_int_equal(rows[0].source->prefix.addr[3], 4);
	assert_int_equal(rows[1].source->prefix.addr[3], 3);
	assert_int_equal(rows[2].source->prefix.addr[3], 2);
	assert_int_equal(rows[3].source->prefix.addr[3], 1);
	free(rows);
}

static void sources_are_paired_by_limit_and_prefix_in_any_order(void **state)
{
	struct weir_source_view before[] = { source(9, 90, 0), source(1, 10, 0), source(5, 50, 0) };
	struct weir_source_view after[] = { source(5, 51, 0), source(1, 12, 0), source(5, 4, 0) };
	struct weir_top_row *rows;

	/* The same address under another limit is another source. */
	after[2].slot = 4;
	assert_int_equal(weir_top_rows(before, 3, after, 3, 1.0, &rows), 0);
	assert_true(rows[0].offered_per_s == 4 && rows[0].source->slot == 4);
	assert_true(rows[1].offered_per_s == 2 && rows[1].source->prefix.addr[3] == 1);
	assert_true(rows[2].offered_per_s == 1 && rows[2].source->prefix.addr[3] == 5);
	free(rows);
}

static void one_that_came_back_counts_from_its_return(void **state)
{
	struct weir_source_view before[] = { source(1, 1000, 500) }, after[] = { source(1, 30, 0) };
	struct weir_top_row *rows;

	after[0].first_seen_ns = 77;
	assert_int_equal(weir_top_rows(before, 1, after, 1, 1.0, &rows), 0);
	assert_true(rows[0].admitted_per_s == 30);
	free(rows);
}

static void a_count_read_while_it_is_written_gives_no_negative_rate(void **state)
{
	struct weir_source_view before[] = { source(1, 1000, 5) }, after[] = { source(1, 999, 5) };
	struct weir_top_row *rows;

	assert_int_equal(weir_top_rows(before, 1, after, 1, 1.0, &rows), 0);
	assert_true(rows[0].admitted_per_s == 0 && rows[0].offered_per_s == 0);
	assert_true(rows[0].headroom == 1);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_what_came_in_between),
		cmocka_unit_test(byte_limits_are_told_in_bytes),
		cmocka_unit_test(the_most_refused_come_first_then_the_most_offered),
		cmocka_unit_test(sources_are_paired_by_limit_and_prefix_in_any_order),
		cmocka_unit_test(one_that_came_back_counts_from_its_return),
		cmocka_unit_test(a_count_read_while_it_is_written_gives_no_negative_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
