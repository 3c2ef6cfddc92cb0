// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Foreign text made safe to show. Byte by byte and ASCII only: what is shown never depends on the
 * reader's locale, and no terminal control sequence survives.
 */
#include "base/quote.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static size_t escape(unsigned char byte, char *out)
{
	if (byte == '"' || byte == '\\') {
		out[0] = '\\';
		out[1] = (char)byte;
		return 2;
	}
	if (byte >= 0x20 && byte < 0x7f) {
		out[0] = (char)byte;
		return 1;
	}
	return (size_t)snprintf(out, 5, "\\x%02x", byte);
}

const char *weir_quote(const char *text, char *buf, size_t size)
{
	size_t used = 0, mark = 0;

	assert(size >= 8);
	for (; *text; text++) {
		char piece[5];
		size_t len = escape((unsigned char)*text, piece);

		if (used + len >= size) {
			memcpy(buf + mark, "...", 4);
			return buf;
		}
		memcpy(buf + used, piece, len);
		used += len;
		if (used + 4 <= size)
			mark = used;
	}
	buf[used] = '\0';
	return buf;
}
