// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The log of a program.
 *
 * A line is built on the stack and handed to one sink. Repeats live in a small fixed table, a slot
 * for each message seen lately; when it is full the slot unused for longest is told and given away,
 * so a flood of different messages cannot make it grow.
 */
#include "base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/quote.h"

#define LINE_LEN 1024
#define SLOTS	 16
#define QUIET_NS 10000000000ULL

struct slot {
	const char *text; /* NULL: free */
	enum weir_log_level level;
	uint64_t hash;
	uint64_t written_ns;
	uint64_t seen_ns;
	uint64_t repeats;
};

struct log_line {
	char text[LINE_LEN];
	size_t len;
};

static void to_stderr(void *context, enum weir_log_level level, const char *line);

static struct {
	pthread_mutex_t lock;
	weir_log_sink *sink;
	void *context;
	enum weir_log_level level;
	uint64_t (*now_ns)(void);
	struct slot slots[SLOTS];
} state = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.sink = to_stderr,
	.level = WEIR_LOG_INFO,
	.now_ns = weir_clock_coarse_ns,
};

static const char *level_name(enum weir_log_level level)
{
	switch (level) {
	case WEIR_LOG_ERROR:
		return "error";
	case WEIR_LOG_WARNING:
		return "warning";
	case WEIR_LOG_NOTICE:
		return "notice";
	case WEIR_LOG_INFO:
		return "info";
	case WEIR_LOG_DEBUG:
		return "debug";
	}
	return "unknown";
}

static void to_stderr(void *context, enum weir_log_level level, const char *line)
{
	(void)context;
	fprintf(stderr, "weir: %s: %s\n", level_name(level), line);
}

__attribute__((format(printf, 2, 3))) static void append(struct log_line *line, const char *format,
							 ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line->text + line->len, sizeof(line->text) - line->len, format, args);
	va_end(args);
	if (len > 0)
		line->len += (size_t)len;
	if (line->len >= sizeof(line->text))
		line->len = sizeof(line->text) - 1;
}

static void append_field(struct log_line *line, const struct weir_log_field *field)
{
	char quoted[LINE_LEN / 2];

	switch (field->kind) {
	case WEIR_LOG_KIND_TEXT:
		append(line, " %s=\"%s\"", field->key,
		       weir_quote(field->text ? field->text : "", quoted, sizeof(quoted)));
		break;
	case WEIR_LOG_KIND_U64:
		append(line, " %s=%" PRIu64, field->key, field->u64);
		break;
	case WEIR_LOG_KIND_I64:
		append(line, " %s=%" PRId64, field->key, field->i64);
		break;
	case WEIR_LOG_KIND_NONE:
		break;
	}
}

/* FNV-1a over the text fields: what tells one message from another. */
static uint64_t identity(const struct weir_log_field *fields, size_t n_fields)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	const char *at;
	size_t i;

	for (i = 0; i < n_fields; i++) {
		if (fields[i].kind != WEIR_LOG_KIND_TEXT || !fields[i].text)
			continue;
		for (at = fields[i].text; *at; at++)
			hash = (hash ^ (unsigned char)*at) * 0x100000001b3ULL;
		hash = (hash ^ 0xff) * 0x100000001b3ULL;
	}
	return hash;
}

static void tell_repeats(struct slot *slot)
{
	struct log_line line = { .len = 0 };

	if (slot->text && slot->repeats) {
		append(&line, "%s repeated=%" PRIu64, slot->text, slot->repeats);
		state.sink(state.context, slot->level, line.text);
	}
	slot->repeats = 0;
}

/* The slot of this message, or a fresh one in place of the free or longest unseen. */
static struct slot *find_slot(enum weir_log_level level, const char *text, uint64_t hash)
{
	struct slot *oldest = &state.slots[0];
	size_t i;

	for (i = 0; i < SLOTS; i++) {
		struct slot *slot = &state.slots[i];

		if (slot->text == text && slot->level == level && slot->hash == hash)
			return slot;
		if (oldest->text && (!slot->text || slot->seen_ns < oldest->seen_ns))
			oldest = slot;
	}
	tell_repeats(oldest);
	*oldest = (struct slot){ .text = text, .level = level, .hash = hash };
	return oldest;
}

void weir_log_write(enum weir_log_level level, const char *text,
		    const struct weir_log_field *fields, size_t n_fields)
{
	struct log_line line = { .len = 0 };
	int saved = errno;
	struct slot *slot;
	uint64_t now;
	size_t i;

	pthread_mutex_lock(&state.lock);
	if (level > state.level)
		goto out;
	now = state.now_ns();
	slot = find_slot(level, text, identity(fields, n_fields));
	slot->seen_ns = now;
	if (slot->written_ns && now - slot->written_ns < QUIET_NS) {
		slot->repeats++;
		goto out;
	}
	append(&line, "%s", text);
	for (i = 0; i < n_fields; i++)
		append_field(&line, &fields[i]);
	if (slot->repeats)
		append(&line, " repeated=%" PRIu64, slot->repeats);
	slot->repeats = 0;
	slot->written_ns = now ? now : 1;
	state.sink(state.context, level, line.text);
out:
	pthread_mutex_unlock(&state.lock);
	errno = saved;
}

void weir_log_flush(void)
{
	size_t i;

	pthread_mutex_lock(&state.lock);
	for (i = 0; i < SLOTS; i++) {
		tell_repeats(&state.slots[i]);
		state.slots[i] = (struct slot){ .text = NULL };
	}
	pthread_mutex_unlock(&state.lock);
}

void weir_log_set_sink(weir_log_sink *sink, void *context)
{
	pthread_mutex_lock(&state.lock);
	state.sink = sink ? sink : to_stderr;
	state.context = sink ? context : NULL;
	pthread_mutex_unlock(&state.lock);
}

void weir_log_set_level(enum weir_log_level level)
{
	pthread_mutex_lock(&state.lock);
	state.level = level;
	pthread_mutex_unlock(&state.lock);
}

void weir_log_set_clock(uint64_t (*now_ns)(void))
{
	pthread_mutex_lock(&state.lock);
	state.now_ns = now_ns ? now_ns : weir_clock_coarse_ns;
	pthread_mutex_unlock(&state.lock);
}

const char *weir_log_errno_text(int code)
{
	return strerror(code < 0 ? -code : code);
}
