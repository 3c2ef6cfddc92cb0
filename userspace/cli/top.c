// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir top: looks at the sources known by name twice and prints what they did in between.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quantity.h"
#include "cli/show.h"
#include "cli/top_rows.h"
#include "cli/where.h"

#define INTERVAL_NS_MIN (100 * WEIR_NS_PER_MS)
#define INTERVAL_NS_MAX (3600 * WEIR_NS_PER_S)
#define ROWS_DEFAULT	20

struct look {
	struct weir_source_view *sources; /* owned */
	size_t n;
	uint64_t at_ns;
};

static void look_clear(struct look *look)
{
	free(look->sources);
	*look = (struct look){ .sources = NULL };
}

static int look_at(struct weir_plane *plane, struct look *ret_look)
{
	struct look look = { .at_ns = weir_clock_monotonic_ns() };
	int err = weir_plane_sources(plane, &look.sources, &look.n);

	if (!err)
		*ret_look = look;
	return err;
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = { .tv_sec = (time_t)(at_ns / WEIR_NS_PER_S),
			       .tv_nsec = (long)(at_ns % WEIR_NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static void print_json(const struct weir_top_row *rows, size_t n, double seconds)
{
	char prefix[WEIR_PREFIX_STRLEN];
	struct weir_json json;
	size_t i;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_key(&json, "interval_s");
	weir_json_seconds(&json, seconds);
	weir_json_key(&json, "sources");
	weir_json_array_open(&json);
	for (i = 0; i < n; i++) {
		const struct weir_source_view *source = rows[i].source;

		weir_json_object_open(&json);
		weir_json_member(&json, "limit", source->limit);
		weir_json_member(&json, "source", weir_show_source(&source->prefix, prefix));
		weir_json_member(&json, "counts", source->bytes ? "bytes" : "packets");
		weir_json_member_double(&json, "offered_per_s", rows[i].offered_per_s);
		weir_json_member_double(&json, "admitted_per_s", rows[i].admitted_per_s);
		weir_json_member_double(&json, "refused_per_s", rows[i].refused_per_s);
		weir_json_member_double(&json, "headroom", rows[i].headroom);
		weir_json_member_double(&json, "tokens", source->tokens);
		weir_json_object_close(&json);
	}
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

/* As many as the terminal shows. */
static size_t rows_shown(bool terminal)
{
	struct winsize size;

	if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 8)
		return ROWS_DEFAULT;
	return size.ws_row - 4U;
}

static void print_text(const struct weir_top_row *rows, size_t n, size_t shown)
{
	char prefix[WEIR_PREFIX_STRLEN];
	size_t i;

	printf("%-20s %-39s %12s %12s %12s %8s\n", "limit", "source", "offered/s", "admitted/s",
	       "refused/s", "headroom");
	for (i = 0; i < n && i < shown && rows[i].offered_per_s > 0; i++) {
		const struct weir_top_row *row = &rows[i];
		const char *limit = row->source->limit;

		if (row->refused_per_s > 0)
			weir_show_colour(WEIR_COLOUR_BAD);
		weir_show_text(stdout, limit);
		printf("%*s %-39s %12.0f %12.0f %12.0f %7.0f%%%s", (int)(20 - strnlen(limit, 20)),
		       "", weir_show_source(&row->source->prefix, prefix), row->offered_per_s,
		       row->admitted_per_s, row->refused_per_s, row->headroom * 100,
		       row->source->bytes ? " bytes" : "");
		if (row->refused_per_s > 0)
			weir_show_colour(WEIR_COLOUR_PLAIN);
		putchar('\n');
	}
	if (!n)
		puts("no source is known by name: none is near a limit");
	else if (n > i)
		printf("and %zu more%s\n", n - i, i < shown ? ", quiet now" : "");
}

static int show(struct look *before, struct look *after, const struct weir_call *call, bool renew)
{
	_cleanup_free_ struct weir_top_row *rows = NULL;
	double seconds = (double)(after->at_ns - before->at_ns) / (double)WEIR_NS_PER_S;
	int err =
		weir_top_rows(before->sources, before->n, after->sources, after->n, seconds, &rows);

	if (err)
		return err;
	if (weir_call_has(call, WEIR_OPTION_JSON)) {
		print_json(rows, after->n, seconds);
	} else {
		/* Home, and clear what is below: no flicker, and the last list stays. */
		if (renew)
			fputs("\033[H\033[J", stdout);
		print_text(rows, after->n, rows_shown(isatty(STDOUT_FILENO)));
	}
	return fflush(stdout) == 0 ? 0 : -EIO;
}

static int watch(struct weir_plane *plane, const struct weir_call *call, uint64_t interval_ns)
{
	bool renew = isatty(STDOUT_FILENO) && !weir_call_has(call, WEIR_OPTION_ONCE) &&
		     !weir_call_has(call, WEIR_OPTION_JSON);
	_cleanup_(look_clear) struct look before = { .sources = NULL };
	int err = look_at(plane, &before);

	while (!err) {
		_cleanup_(look_clear) struct look after = { .sources = NULL };

		sleep_until(before.at_ns + interval_ns);
		err = look_at(plane, &after);
		if (!err)
			err = show(&before, &after, call, renew);
		if (err || !renew)
			break;
		look_clear(&before);
		before = after;
		after = (struct look){ .sources = NULL };
	}
	return err;
}

static enum weir_exit read_interval(const struct weir_call *call, uint64_t *ret_ns)
{
	const char *text = call->value[WEIR_OPTION_INTERVAL];
	struct weir_error error;

	if (!text)
		return WEIR_DONE;
	if (weir_quantity_parse_duration(text, &error, ret_ns) != 0) {
		weir_complain("top: --interval: %s", error.text);
		return WEIR_WRONG_INPUT;
	}
	if (*ret_ns < INTERVAL_NS_MIN || *ret_ns > INTERVAL_NS_MAX) {
		weir_complain("top: --interval: 100ms to 1h would do, not \"%s\"", text);
		return WEIR_WRONG_INPUT;
	}
	return WEIR_DONE;
}

enum weir_exit weir_cli_top(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	_cleanup_plane_ struct weir_plane *plane = NULL;
	uint64_t interval_ns = WEIR_NS_PER_S;
	enum weir_exit status;
	int err;

	status = read_interval(call, &interval_ns);
	if (status == WEIR_DONE)
		status = weir_where_find(call, &where);
	if (status == WEIR_DONE)
		status = weir_where_open(&where, &plane);
	if (status != WEIR_DONE)
		return status;
	err = watch(plane, call, interval_ns);
	/* Of output that failed, main() speaks. */
	if (err && err != -EIO)
		weir_complain("reading the maps under %s failed: %s", where.pins_dir,
			      strerror(-err));
	return err ? WEIR_FAILED : WEIR_DONE;
}
