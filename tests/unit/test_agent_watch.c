// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The live view's line, from counters that the test sets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>
#include <cmocka.h>

#include "agent/watch.h"
#include "base/log.h"

#define SECOND 1000000000ULL

static const struct tm noon = { .tm_hour = 12, .tm_sec = 1 };

struct world {
	struct weir_watch watch;
	struct weir_count reasons[WEIR_REASONS];
	struct weir_limit_view limits[2];
	uint64_t now;
	char line[WEIR_WATCH_LINE];
};

static bool next(struct world *world, uint64_t after_ns)
{
	world->now += after_ns;
	return weir_watch_line(&world->watch, world->now, &noon, world->reasons, world->limits, 2,
			       world->line);
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->now = 1000 * SECOND;
	strcpy(world->limits[0].name.name, "syn");
	strcpy(world->limits[1].name.name, "icmp");
	world->limits[1].slot = 1;
	/* An agent that takes over finds counts of before. */
	world->reasons[WEIR_CONFORMS].packets = 5000000;
	world->limits[1].counts.refused.packets = 7000000;
	assert_false(next(world, SECOND));
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static void nothing_happened(void **state)
{
	struct world *world = *state;

	assert_true(next(world, SECOND));
	assert_string_equal(world->line, "12:00:01  passed 0/s  refused 0/s");
}

static void the_limit_that_refused_most_is_named(void **state)
{
	struct world *world = *state;

	world->reasons[WEIR_CONFORMS].packets += 1230;
	world->reasons[WEIR_NO_LIMIT].packets += 4;
	world->reasons[WEIR_OVER_LIMIT].packets += 56;
	world->limits[0].counts.refused.packets += 50;
	world->limits[1].counts.refused.packets += 6;
	assert_true(next(world, SECOND));
	assert_string_equal(world->line,
			    "12:00:01  passed 1,234/s  refused 56/s (over_limit 56: syn)");
}

static void a_reason_without_a_limit_stands_alone(void **state)
{
	struct world *world = *state;

	world->reasons[WEIR_DENIED].packets += 2000000;
	world->reasons[WEIR_OVER_LIMIT].packets += 1;
	world->limits[0].counts.refused.packets += 1;
	assert_true(next(world, SECOND));
	assert_string_equal(world->line,
			    "12:00:01  passed 0/s  refused 2,000,001/s (denied 2,000,000)");
}

static void what_would_be_refused_is_told_as_passed(void **state)
{
	struct world *world = *state;

	world->reasons[WEIR_WOULD_REFUSE].packets += 30;
	world->limits[1].counts.would_refuse.packets += 30;
	assert_true(next(world, SECOND));
	assert_string_equal(world->line,
			    "12:00:01  passed 30/s  refused 0/s  would refuse 30/s (icmp)");
}

static void a_late_line_shows_a_rate_and_no_peak(void **state)
{
	struct world *world = *state;

	world->reasons[WEIR_CONFORMS].packets += 500;
	assert_true(next(world, 5 * SECOND));
	assert_string_equal(world->line, "12:00:01  passed 100/s  refused 0/s");
}

static void a_slot_of_another_limit_starts_anew(void **state)
{
	struct world *world = *state;

	strcpy(world->limits[1].name.name, "dns");
	world->limits[1].counts.refused.packets = 9;
	world->reasons[WEIR_OVER_LIMIT].packets += 9;
	assert_true(next(world, SECOND));
	assert_string_equal(world->line, "12:00:01  passed 0/s  refused 9/s (over_limit 9: dns)");
}

static void counts_made_anew_do_not_wrap(void **state)
{
	struct world *world = *state;

	memset(world->reasons, 0, sizeof(world->reasons));
	world->reasons[WEIR_CONFORMS].packets = 10;
	assert_true(next(world, SECOND));
	assert_string_equal(world->line, "12:00:01  passed 10/s  refused 0/s");
}

static void the_longest_line_fits(void **state)
{
	struct world *world = *state;

	for (int i = 0; i < WEIR_REASONS; i++)
		world->reasons[i].packets += 1000000000000000000ULL;
	memset(world->limits[0].name.name, 'x', WEIR_NAME_LEN);
	world->limits[0].counts.refused.packets += 1000000000000000000ULL;
	assert_true(next(world, SECOND));
	assert_true(strlen(world->line) < WEIR_WATCH_LINE - 1);
}

/* Stdout becomes one end of a pipe for the length of a test. */
static int to_pipe(int ends[2])
{
	int saved = dup(STDOUT_FILENO);

	fflush(stdout);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
	close(ends[1]);
	return saved;
}

static void from_pipe(int saved)
{
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

static void a_full_pipe_never_blocks(void **state)
{
	struct weir_watch watch = { .is_on = true };
	int ends[2], i, saved = to_pipe(ends);

	/* Far more than a pipe holds; it would hang here if it waited. */
	for (i = 0; i < 10000; i++)
		weir_watch_show(&watch, "12:00:01  passed 1,234/s  refused 56/s");
	from_pipe(saved);
	close(ends[0]);
	assert_true(watch.is_on);
}

static void drop_line(void *context, enum weir_log_level level, const char *line)
{
	++*(int *)context;
}

static void the_view_ends_when_nobody_reads(void **state)
{
	struct weir_watch watch = { .is_on = true };
	int ends[2], told = 0, saved = to_pipe(ends);

	signal(SIGPIPE, SIG_IGN);
	weir_log_set_sink(drop_line, &told);
	close(ends[0]);
	weir_watch_show(&watch, "x");
	from_pipe(saved);
	weir_log_set_sink(NULL, NULL);
	assert_false(watch.is_on);
	assert_int_equal(told, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(nothing_happened),
		TEST(the_limit_that_refused_most_is_named),
		TEST(a_reason_without_a_limit_stands_alone),
		TEST(what_would_be_refused_is_told_as_passed),
		TEST(a_late_line_shows_a_rate_and_no_peak),
		TEST(a_slot_of_another_limit_starts_anew),
		TEST(counts_made_anew_do_not_wrap),
		TEST(the_longest_line_fits),
		cmocka_unit_test(a_full_pipe_never_blocks),
		cmocka_unit_test(the_view_ends_when_nobody_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
