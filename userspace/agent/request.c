// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Reading a request: at most three words between single spaces or runs of them.
 */
#include "agent/request.h"

#include <errno.h>
#include <string.h>

#include "base/quote.h"

#define WORDS_MAX 3

/* Cuts @text into words in place. Returns how many there are, WORDS_MAX + 1 for more. */
static size_t split(char *text, char *words[WORDS_MAX])
{
	char *rest = NULL, *word;
	size_t n = 0;

	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (n == WORDS_MAX)
			return WORDS_MAX + 1;
		words[n++] = word;
	}
	return n;
}

static int parse_seconds(const char *word, struct weir_error *error, uint32_t *ret_seconds)
{
	char quoted[WEIR_QUOTE_LEN];
	uint32_t seconds = 0;
	const char *at = word;

	while (*at >= '0' && *at <= '9' && seconds <= WEIR_REQUEST_TRY_SECONDS_MAX)
		seconds = seconds * 10 + (uint32_t)(*at++ - '0');
	if (*at || seconds == 0 || seconds > WEIR_REQUEST_TRY_SECONDS_MAX)
		return weir_error_set(
			error, -EINVAL,
			"reload try: found \"%s\"; whole seconds from 1 to %d would do",
			weir_quote(word, quoted, sizeof(quoted)), WEIR_REQUEST_TRY_SECONDS_MAX);
	*ret_seconds = seconds;
	return 0;
}

static int refuse(struct weir_error *error, const char *line)
{
	char quoted[WEIR_QUOTE_LEN];

	return weir_error_set(error, -EINVAL,
			      "unknown request \"%s\"; ping, reload, reload try SECONDS or keep "
			      "would do",
			      weir_quote(line, quoted, sizeof(quoted)));
}

int weir_request_parse(const char *line, size_t len, struct weir_error *error,
		       struct weir_request *ret_request)
{
	struct weir_request request = { .kind = WEIR_REQUEST_PING };
	char text[WEIR_REQUEST_MAX + 1], cut[WEIR_REQUEST_MAX + 1];
	char *words[WORDS_MAX] = { NULL };
	size_t n;
	int err;

	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (len > WEIR_REQUEST_MAX || memchr(line, '\0', len))
		return weir_error_set(error, -EINVAL,
				      "a request is one line of text of at most %d bytes",
				      WEIR_REQUEST_MAX);
	memcpy(text, line, len);
	text[len] = '\0';
	memcpy(cut, text, len + 1);
	n = split(cut, words);
	if (n == 1 && strcmp(words[0], "ping") == 0) {
		request.kind = WEIR_REQUEST_PING;
	} else if (n == 1 && strcmp(words[0], "keep") == 0) {
		request.kind = WEIR_REQUEST_KEEP;
	} else if (n == 1 && strcmp(words[0], "reload") == 0) {
		request.kind = WEIR_REQUEST_RELOAD;
	} else if (n == 3 && strcmp(words[0], "reload") == 0 && strcmp(words[1], "try") == 0) {
		request.kind = WEIR_REQUEST_TRY;
		err = parse_seconds(words[2], error, &request.seconds);
		if (err)
			return err;
	} else {
		return refuse(error, text);
	}
	*ret_request = request;
	return 0;
}
