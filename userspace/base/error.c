// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The text of a failure, for people: set it, or put the place it came from in front.
 *
 * Owns only the caller's buffer. It must not allocate, log or change errno, since it runs on the
 * way out of things that have failed already.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The function itself, not the name that error.h gives to the analyzer. */
#undef weir_error_set
#undef weir_error_wrap

int weir_error_set(struct weir_error *error, int code, const char *format, ...)
{
	int saved = errno;
	va_list args;

	if (!error)
		return code;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	errno = saved;
	return code;
}

int weir_error_wrap(struct weir_error *error, int code, const char *format, ...)
{
	char inner[WEIR_ERROR_LEN];
	int saved = errno;
	va_list args;
	size_t len;

	if (!error)
		return code;
	memcpy(inner, error->text, sizeof(inner));
	inner[sizeof(inner) - 1] = '\0';
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	len = strlen(error->text);
	snprintf(error->text + len, sizeof(error->text) - len, ": %.*s", (int)(sizeof(inner) - 1),
		 inner);
	errno = saved;
	return code;
}
