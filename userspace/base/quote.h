/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Foreign text made safe to show: nothing of a file or a packet reaches a terminal or a log raw.
 */
#ifndef WEIR_BASE_QUOTE_H
#define WEIR_BASE_QUOTE_H

#include <stddef.h>

/** Enough for what an error message shows of a value. */
#define WEIR_QUOTE_LEN 96

/**
 * Writes @text with everything but printable ASCII as \xNN, and \" and \\ escaped. No quotes are
 * put around it. Cut text ends in "...".
 *
 * @buf   at least 8 bytes
 * Returns @buf.
 */
const char *weir_quote(const char *text, char *buf, size_t size);

#endif
