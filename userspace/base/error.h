/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The text of a failure, for people. A function that fails returns a negative errno; where a person
 * will read about it, it also fills a struct weir_error. Nothing here allocates.
 */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#define WEIR_ERROR_LEN 1024

struct weir_error {
	char text[WEIR_ERROR_LEN];
};

/**
 * Sets the text and passes @code through, so that a failing function ends in
 * `return weir_error_set(error, -EINVAL, "…")`. @error may be NULL. Text that is too long is cut.
 */
int weir_error_set(struct weir_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Puts "WHAT: " in front of the text already there; returns @code. */
int weir_error_wrap(struct weir_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__
/* The analyzer sees one file at a time: this tells it that the code comes back as it was. */
#define weir_error_set(error, code, ...)                           \
	({                                                         \
		int code_ = (code);                                \
		(void)(weir_error_set)(error, code_, __VA_ARGS__); \
		code_;                                             \
	})
#define weir_error_wrap(error, code, ...)                           \
	({                                                          \
		int code_ = (code);                                 \
		(void)(weir_error_wrap)(error, code_, __VA_ARGS__); \
		code_;                                              \
	})
#endif

#endif
