// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Where the store is. Stricter than RFC 3986 on purpose: what redis-cli or another client might
 * take as a password, an option or an encoded byte is refused, not passed on.
 *
 * What could be a password is never shown, whatever is wrong with the URL: only its scheme is.
 */
#include "policy/store_url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

#define DB_MAX 65535

static const char would_do[] =
	"embedded, redis://[USER@]HOST[:PORT][/DB], rediss://... or unix:///PATH";

/* True for a part that may hold a secret: a user's, an option's, or a "port" that is no number. */
static bool may_hold_secret(const char *rest)
{
	bool in_address = false;
	const char *at;

	if (strpbrk(rest, "@?#"))
		return true;
	for (at = rest; *at; at++) {
		if (*at == '[' || *at == ']')
			in_address = *at == '[';
		else if (*at == ':' && !in_address && at[1] && (at[1] < '0' || at[1] > '9'))
			return true;
	}
	return false;
}

static int refuse(struct weir_error *error, const char *text, const char *why)
{
	const char *slashes = strstr(text, "://");
	size_t scheme = slashes ? (size_t)(slashes - text) + 3 : 0;
	char quoted[WEIR_QUOTE_LEN], shown[WEIR_QUOTE_LEN];

	if (may_hold_secret(text + scheme))
		snprintf(shown, sizeof(shown), "%.*s...", scheme < 32 ? (int)scheme : 0, text);
	else
		snprintf(shown, sizeof(shown), "%s", text);
	return weir_error_set(error, -EINVAL, "found \"%s\": %s; %s would do",
			      weir_quote(shown, quoted, sizeof(quoted)), why, would_do);
}

static bool only_from(const char *text, const char *allowed)
{
	return strspn(text, allowed) == strlen(text);
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS	"0123456789"

/* Digits without a leading zero, at most @max. */
static bool parse_digits(const char *text, unsigned long max, unsigned long *ret_value)
{
	unsigned long value = 0;
	const char *at;

	if (!*text || (text[0] == '0' && text[1]) || strlen(text) > 9 || !only_from(text, DIGITS))
		return false;
	for (at = text; *at; at++)
		value = value * 10 + (unsigned long)(*at - '0');
	if (value > max)
		return false;
	*ret_value = value;
	return true;
}

/* Takes "USER@" off the front of *rest. */
static int take_user(const char *text, char **rest, struct weir_error *error,
		     struct weir_store_url *url)
{
	char *at = strrchr(*rest, '@');

	if (!at)
		return 0;
	*at = '\0';
	if (strchr(*rest, ':'))
		return weir_error_set(error, -EINVAL,
				      "found a password in the URL, where logs and lists of "
				      "processes would show it; password_file: PATH would do");
	if (!**rest || strlen(*rest) > WEIR_STORE_USER_LEN ||
	    !only_from(*rest, LETTERS DIGITS "._-"))
		return refuse(error, text,
			      "the user is no name of up to 63 letters, digits, "
			      "'.', '_' and '-'");
	snprintf(url->user, sizeof(url->user), "%s", *rest);
	*rest = at + 1;
	return 0;
}

static int take_db(const char *text, char *rest, struct weir_error *error,
		   struct weir_store_url *url)
{
	char *slash = strchr(rest, '/');
	unsigned long db;

	if (!slash)
		return 0;
	*slash = '\0';
	if (!slash[1])
		return 0;
	if (!parse_digits(slash + 1, DB_MAX, &db))
		return refuse(error, text, "what follows the / is no database number");
	url->db = (uint32_t)db;
	return 0;
}

/* "[v6]", "[v6]:PORT", "HOST" or "HOST:PORT": cuts the host out and leaves the port's text. */
static const char *split_port(char *rest, char **ret_host, char **ret_port)
{
	char *close;

	if (*rest == '[') {
		close = strchr(rest, ']');
		if (!close)
			return "no ] closes the IPv6 address";
		*close = '\0';
		if (close[1] && close[1] != ':')
			return "something stands between ] and the port";
		*ret_host = rest + 1;
		*ret_port = close[1] ? close + 2 : NULL;
		return NULL;
	}
	close = strchr(rest, ':');
	if (close && strchr(close + 1, ':'))
		return "an IPv6 address stands in [ ]";
	if (close)
		*close = '\0';
	*ret_host = rest;
	*ret_port = close ? close + 1 : NULL;
	return NULL;
}

static int take_host(const char *text, char *rest, struct weir_error *error,
		     struct weir_store_url *url)
{
	bool bracketed = *rest == '[';
	char *host = NULL, *port = NULL;
	unsigned long number = WEIR_STORE_PORT;
	struct in6_addr six;
	const char *why = split_port(rest, &host, &port);

	if (why)
		return refuse(error, text, why);
	if (port && (!parse_digits(port, 65535, &number) || number == 0))
		return refuse(error, text, "the port is no number from 1 to 65535");
	if (bracketed && inet_pton(AF_INET6, host, &six) != 1)
		return refuse(error, text, "no IPv6 address stands in [ ]");
	if (!bracketed && (!*host || strlen(host) > WEIR_STORE_HOST_LEN || host[0] == '-' ||
			   !only_from(host, LETTERS DIGITS "._-")))
		return refuse(error, text, "the host is no name or address");
	snprintf(url->host, sizeof(url->host), "%s", host);
	url->port = (uint16_t)number;
	return 0;
}

static int parse_tcp(const char *text, const char *after, struct weir_error *error,
		     struct weir_store_url *url)
{
	char copy[512];
	char *rest = copy;
	int err;

	if (strlen(after) >= sizeof(copy))
		return refuse(error, text, "too long");
	memcpy(copy, after, strlen(after) + 1);
	if (strpbrk(after, "?#%"))
		return refuse(error, text,
			      "options (?...), fragments (#...) and %-codes are not "
			      "taken");
	err = take_user(text, &rest, error, url);
	if (!err)
		err = take_db(text, rest, error, url);
	if (!err)
		err = take_host(text, rest, error, url);
	return err;
}

static int parse_unix(const char *text, const char *path, struct weir_error *error,
		      struct weir_store_url *url)
{
	if (path[0] != '/' || !path[1])
		return refuse(error, text, "no absolute path follows unix://");
	if (strlen(path) > WEIR_STORE_PATH_LEN)
		return refuse(error, text, "the path is longer than 107 bytes");
	if (strpbrk(path, "?#%"))
		return refuse(error, text,
			      "options (?...), fragments (#...) and %-codes are not "
			      "taken");
	snprintf(url->path, sizeof(url->path), "%s", path);
	return 0;
}

static const char *after_scheme(const char *text, const char *scheme)
{
	size_t len = strlen(scheme);

	return strncmp(text, scheme, len) == 0 ? text + len : NULL;
}

int weir_store_url_parse(const char *text, struct weir_error *error, struct weir_store_url *ret_url)
{
	struct weir_store_url url = { .kind = WEIR_STORE_EMBEDDED };
	const char *rest;
	int err = 0;

	if (strcmp(text, "embedded") == 0) {
		*ret_url = url;
		return 0;
	}
	if (after_scheme(text, "redis+sentinel:") || after_scheme(text, "redis+cluster:"))
		return refuse(error, text, "sentinel and cluster are not in this version");
	if ((rest = after_scheme(text, "redis://"))) {
		url.kind = WEIR_STORE_TCP;
		err = parse_tcp(text, rest, error, &url);
	} else if ((rest = after_scheme(text, "rediss://"))) {
		url.kind = WEIR_STORE_TLS;
		err = parse_tcp(text, rest, error, &url);
	} else if ((rest = after_scheme(text, "unix://"))) {
		url.kind = WEIR_STORE_UNIX;
		err = parse_unix(text, rest, error, &url);
	} else {
		err = refuse(error, text, "no store known here");
	}
	if (err)
		return err;
	*ret_url = url;
	return 0;
}
