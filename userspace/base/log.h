/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The log of a program: constant text plus key=value.
 *
 * Only programs log, each failure once. A message that comes again within ten seconds of the last
 * time it was written is counted instead of written, and the count is told with the next one that
 * is. "The same" means level, text and the text fields; numbers may differ. Values are escaped, so
 * nothing from outside reaches a terminal raw. Safe from any thread; keeps errno.
 *
 *	weir_log(WEIR_LOG_WARNING, "interface is gone, waiting for it",
 *		 WEIR_LOG_TEXT("interface", name), WEIR_LOG_NUMBER("index", index));
 */
#ifndef WEIR_BASE_LOG_H
#define WEIR_BASE_LOG_H

#include <stddef.h>
#include <stdint.h>

/* Values are those of syslog, so that a sink can pass them on. */
enum weir_log_level {
	WEIR_LOG_ERROR = 3,
	WEIR_LOG_WARNING = 4,
	WEIR_LOG_NOTICE = 5,
	WEIR_LOG_INFO = 6,
	WEIR_LOG_DEBUG = 7,
};

enum weir_log_kind { WEIR_LOG_KIND_NONE, WEIR_LOG_KIND_TEXT, WEIR_LOG_KIND_U64, WEIR_LOG_KIND_I64 };

struct weir_log_field {
	const char *key;
	enum weir_log_kind kind;
	const char *text;
	uint64_t u64;
	int64_t i64;
};

#define WEIR_LOG_TEXT(name, value) \
	((struct weir_log_field){ .key = (name), .kind = WEIR_LOG_KIND_TEXT, .text = (value) })
#define WEIR_LOG_NUMBER(name, value) \
	((struct weir_log_field){ .key = (name), .kind = WEIR_LOG_KIND_U64, .u64 = (value) })
#define WEIR_LOG_SIGNED(name, value) \
	((struct weir_log_field){ .key = (name), .kind = WEIR_LOG_KIND_I64, .i64 = (value) })
/** A negative errno (or a positive one) as error="its text". */
#define WEIR_LOG_ERRNO(code) WEIR_LOG_TEXT("error", weir_log_errno_text(code))

/** Where lines go. @line has no newline. Called with the log's lock held: must not log. */
typedef void weir_log_sink(void *context, enum weir_log_level level, const char *line);

/** @sink  NULL for the default: one line to stderr, "weir: warning: …" */
void weir_log_set_sink(weir_log_sink *sink, void *context);

/** Messages less urgent than @level are not written. The default is WEIR_LOG_INFO. */
void weir_log_set_level(enum weir_log_level level);

/** The clock that repeats are judged by, for tests. NULL for the default, weir_clock_coarse_ns(). */
void weir_log_set_clock(uint64_t (*now_ns)(void));

/** Writes what is still counted as repeated, and forgets it. For the end of a program. */
void weir_log_flush(void);

const char *weir_log_errno_text(int code);

/** Use weir_log(). @text is a constant: it is remembered by its address. */
void weir_log_write(enum weir_log_level level, const char *text,
		    const struct weir_log_field *fields, size_t n_fields);

/* The first field is a filler, so that a message without fields is no empty initialiser. */
#define weir_log(level, text, ...)                                                                 \
	weir_log_write((level), (text),                                                            \
		       (const struct weir_log_field[]){ { .key = NULL }, ##__VA_ARGS__ } + 1,      \
		       sizeof((const struct weir_log_field[]){ { .key = NULL }, ##__VA_ARGS__ }) / \
				       sizeof(struct weir_log_field) -                             \
			       1)

#endif
