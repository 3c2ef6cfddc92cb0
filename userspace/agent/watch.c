// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The live view. Rates are what was counted since the last line over the time that passed, so a
 * loop that was late shows no false peak.
 */
#include "agent/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/quantity.h"

/* The limit that refused most since the last line. */
struct culprit {
	const char *name;
	uint64_t refused;
};

/* What happened since the last line, in packets a second. */
struct rates {
	uint64_t passed;
	uint64_t refused;
	uint64_t would_refuse;
	uint32_t reason; /* that had most of the refused */
	uint64_t of_reason;
};

struct line {
	char *text;
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *line, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->text + line->len, WEIR_WATCH_LINE - line->len, format, args);
	va_end(args);
	if (n > 0)
		line->len += (size_t)n;
	if (line->len >= WEIR_WATCH_LINE)
		line->len = WEIR_WATCH_LINE - 1;
}

/* 1234567 as 1,234,567. */
static void append_number(struct line *line, uint64_t number)
{
	char digits[24];
	int n, i;

	n = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	for (i = 0; i < n; i++)
		append(line, i > 0 && (n - i) % 3 == 0 ? ",%c" : "%c", digits[i]);
}

static uint64_t per_second(uint64_t count, uint64_t span_ns)
{
	return (uint64_t)((double)count * (double)WEIR_NS_PER_S / (double)span_ns + 0.5);
}

/* Counts that went back are of maps made anew. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

static struct culprit find_culprit(struct weir_watch *watch, const struct weir_limit_view *limits,
				   size_t n)
{
	struct culprit worst = { .name = NULL };
	size_t i;

	for (i = 0; i < n; i++) {
		const struct weir_limit_view *limit = &limits[i];
		uint32_t slot = limit->slot % WEIR_SLOTS;
		uint64_t now = limit->counts.refused.packets + limit->counts.would_refuse.packets;
		uint64_t refused = now;

		if (strcmp(watch->names[slot], limit->name.name) == 0)
			refused = since(now, watch->refused[slot]);
		snprintf(watch->names[slot], sizeof(watch->names[slot]), "%s", limit->name.name);
		watch->refused[slot] = now;
		if (refused > worst.refused)
			worst = (struct culprit){ limit->name.name, refused };
	}
	return worst;
}

static struct rates find_rates(struct weir_watch *watch, const struct weir_count *reasons,
			       uint64_t span_ns)
{
	uint64_t passed = 0, refused = 0, most = 0, would = 0;
	struct rates rates = { .reason = WEIR_OVER_LIMIT };
	uint32_t i;

	for (i = 0; i < WEIR_REASONS; i++) {
		uint64_t n = since(reasons[i].packets, watch->reasons[i].packets);

		if (!weir_reason_drops(i)) {
			passed += n;
			would += i == WEIR_WOULD_REFUSE ? n : 0;
			continue;
		}
		refused += n;
		if (n > most) {
			most = n;
			rates.reason = i;
		}
	}
	memcpy(watch->reasons, reasons, sizeof(watch->reasons));
	rates.passed = per_second(passed, span_ns);
	rates.refused = per_second(refused, span_ns);
	rates.would_refuse = per_second(would, span_ns);
	rates.of_reason = per_second(most, span_ns);
	return rates;
}

static bool is_by_limit(uint32_t reason)
{
	return reason == WEIR_OVER_LIMIT || reason == WEIR_TABLE_FULL || reason == WEIR_LOST_RACE;
}

bool weir_watch_line(struct weir_watch *watch, uint64_t now_ns, const struct tm *clock,
		     const struct weir_count reasons[WEIR_REASONS],
		     const struct weir_limit_view *limits, size_t n, char *ret_line)
{
	uint64_t span = watch->last_ns && now_ns > watch->last_ns ? now_ns - watch->last_ns : 0;
	struct culprit worst = find_culprit(watch, limits, n);
	struct rates rates = find_rates(watch, reasons, span ? span : 1);
	struct line line = { .len = 0 };

	line.text = ret_line;
	watch->last_ns = now_ns;
	if (!span)
		return false;
	append(&line, "%02d:%02d:%02d  passed ", clock->tm_hour, clock->tm_min, clock->tm_sec);
	append_number(&line, rates.passed);
	append(&line, "/s  refused ");
	append_number(&line, rates.refused);
	append(&line, "/s");
	if (rates.of_reason) {
		append(&line, " (%s ", weir_reason_name(rates.reason));
		append_number(&line, rates.of_reason);
		if (worst.name && is_by_limit(rates.reason))
			append(&line, ": %s", worst.name);
		append(&line, ")");
	}
	if (rates.would_refuse) {
		append(&line, "  would refuse ");
		append_number(&line, rates.would_refuse);
		append(&line, "/s");
		if (worst.name && !rates.of_reason)
			append(&line, " (%s)", worst.name);
	}
	return true;
}

void weir_watch_show(struct weir_watch *watch, const char *line)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	char text[WEIR_WATCH_LINE + 1];
	int n;

	/* A terminal that is stopped, or a full pipe: the agent has other things to do. */
	if (poll(&out, 1, 0) != 1)
		return;
	n = snprintf(text, sizeof(text), "%s\n", line);
	if (write(STDOUT_FILENO, text, (size_t)n) >= 0 || errno == EINTR || errno == EAGAIN)
		return;
	weir_log(WEIR_LOG_WARNING, "nobody reads what --watch writes; it ends",
		 WEIR_LOG_ERRNO(errno));
	watch->is_on = false;
}
