// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The agent's answer, read back. One pass over the text, without a tree: the reader of an object is
 * told each key and takes its value or passes over it.
 */
#include "cli/reply_read.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "policy/faults.h"

#define DEPTH_MAX 16

struct reader {
	const char *at; /* ends with a NUL, which no token takes */
};

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t\r\n");
}

static bool take(struct reader *reader, const char *token)
{
	size_t len = strlen(token);

	skip_blanks(reader);
	if (strncmp(reader->at, token, len) != 0)
		return false;
	reader->at += len;
	return true;
}

static int read_hex(const char *at, unsigned int *ret_code)
{
	unsigned int code = 0, i;

	for (i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = at[i] ? strchr(digits, at[i] | 0x20) : NULL;

		if (!digit)
			return -EPROTO;
		code = code << 4 | (unsigned int)(digit - digits);
	}
	*ret_code = code;
	return 0;
}

/* What a terminal would obey has no place in a message. */
static char *put_utf8(char *out, unsigned int code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
		*out++ = '?';
	} else if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 0x3f));
	} else {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	}
	return out;
}

/* One escape sequence, the cursor behind its backslash. A NUL would cut the text short: refused. */
static int read_escape(struct reader *reader, char **out)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/?????";
	const char *letter;
	unsigned int code;

	if (*reader->at == 'u') {
		if (read_hex(reader->at + 1, &code) != 0 || code == 0)
			return -EPROTO;
		reader->at += 5;
		*out = put_utf8(*out, code);
		return 0;
	}
	letter = *reader->at ? strchr(letters, *reader->at) : NULL;
	if (!letter)
		return -EPROTO;
	reader->at++;
	*(*out)++ = bytes[letter - letters];
	return 0;
}

static int read_string(struct reader *reader, char **ret_text)
{
	_cleanup_free_ char *text = NULL;
	char *out;

	if (!take(reader, "\""))
		return -EPROTO;
	/* No escape is shorter than what it stands for. */
	out = text = malloc(strlen(reader->at) + 1);
	if (!text)
		return -ENOMEM;
	while (*reader->at != '"') {
		char c = *reader->at;

		if ((unsigned char)c < 0x20)
			return -EPROTO;
		reader->at++;
		if (c != '\\')
			*out++ = c;
		else if (read_escape(reader, &out) != 0)
			return -EPROTO;
	}
	reader->at++;
	*out = '\0';
	free(*ret_text);
	*ret_text = TAKE_PTR(text);
	return 0;
}

static int read_number(struct reader *reader, unsigned int *ret_value)
{
	unsigned long value;
	char *end;

	skip_blanks(reader);
	if (*reader->at < '0' || *reader->at > '9')
		return -EPROTO;
	value = strtoul(reader->at, &end, 10);
	reader->at = end;
	*ret_value = value > UINT32_MAX ? UINT32_MAX : (unsigned int)value;
	return 0;
}

typedef int value_reader(struct reader *reader, const char *key, void *context);

/* Hands each value to @read_value, which is to pass over it whole. */
static int read_members(struct reader *reader, bool is_object, value_reader *read_value,
			void *context)
{
	const char *close = is_object ? "}" : "]";

	if (!take(reader, is_object ? "{" : "["))
		return -EPROTO;
	if (take(reader, close))
		return 0;
	do {
		_cleanup_free_ char *key = NULL;
		int err = is_object ? read_string(reader, &key) : 0;

		if (!err && is_object && !take(reader, ":"))
			err = -EPROTO;
		if (!err)
			err = read_value(reader, key, context);
		if (err)
			return err;
	} while (take(reader, ","));
	return take(reader, close) ? 0 : -EPROTO;
}

static int skip_value(struct reader *reader, const char *key, void *context)
{
	unsigned int *depth = context;
	_cleanup_free_ char *text = NULL;
	size_t len;
	int err;

	(void)key;
	skip_blanks(reader);
	if (*reader->at == '"')
		return read_string(reader, &text);
	if (*reader->at == '{' || *reader->at == '[') {
		if (++*depth > DEPTH_MAX)
			return -EPROTO;
		err = read_members(reader, *reader->at == '{', skip_value, depth);
		--*depth;
		return err;
	}
	len = strspn(reader->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
	reader->at += len;
	return len ? 0 : -EPROTO;
}

static int skip(struct reader *reader)
{
	unsigned int depth = 0;

	return skip_value(reader, NULL, &depth);
}

struct fault_text {
	char *file;
	char *message;
	struct weir_mark mark;
};

static int read_fault_member(struct reader *reader, const char *key, void *context)
{
	struct fault_text *fault = context;

	if (strcmp(key, "file") == 0)
		return read_string(reader, &fault->file);
	if (strcmp(key, "message") == 0)
		return read_string(reader, &fault->message);
	if (strcmp(key, "line") == 0)
		return read_number(reader, &fault->mark.line);
	if (strcmp(key, "column") == 0)
		return read_number(reader, &fault->mark.column);
	return skip(reader);
}

static int read_fault(struct reader *reader, const char *key, void *context)
{
	struct weir_reply *reply = context;
	struct fault_text fault = { .file = NULL };
	int err = read_members(reader, true, read_fault_member, &fault);

	(void)key;
	if (!err && (!fault.file || !fault.message))
		err = -EPROTO;
	if (!err)
		weir_faults_add(&reply->faults, fault.file, fault.mark, "%s", fault.message);
	free(fault.file);
	free(fault.message);
	return err;
}

static int read_ok(struct reader *reader, bool *ret_ok)
{
	bool ok = take(reader, "true");

	if (!ok && !take(reader, "false"))
		return -EPROTO;
	*ret_ok = ok;
	return 0;
}

static int read_reply_member(struct reader *reader, const char *key, void *context)
{
	struct weir_reply *reply = context;
	_cleanup_free_ char *message = NULL;
	int err;

	if (strcmp(key, "ok") == 0)
		return read_ok(reader, &reply->ok);
	if (strcmp(key, "errors") == 0)
		return read_members(reader, false, read_fault, reply);
	if (strcmp(key, "message") != 0)
		return skip(reader);
	err = read_string(reader, &message);
	if (!err)
		weir_error_set(&reply->message, 0, "%s", message);
	return err;
}

int weir_reply_read(const char *text, size_t len, struct weir_reply *ret_reply)
{
	struct reader reader = { .at = text };
	struct weir_reply reply = { .ok = false };
	int err = read_members(&reader, true, read_reply_member, &reply);

	if (!err)
		skip_blanks(&reader);
	/* An answer that was cut short, or has a NUL in it, is none. */
	if (!err && reader.at != text + len)
		err = -EPROTO;
	if (err) {
		weir_reply_clear(&reply);
		return err;
	}
	*ret_reply = reply;
	return 0;
}
