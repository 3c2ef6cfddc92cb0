// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * An address to listen at.
 */
#include "policy/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/quote.h"
#include "policy/values.h"

static int refuse(struct weir_error *error, const char *text, const char *why)
{
	char quoted[WEIR_QUOTE_LEN];

	return weir_error_set(error, -EINVAL,
			      "found \"%s\": %s; an address and port such as 127.0.0.1:9477 or "
			      "[::1]:9477 would do",
			      weir_quote(text, quoted, sizeof(quoted)), why);
}

int weir_listen_parse(const char *text, struct weir_error *error, struct weir_listen *ret_listen)
{
	static const struct weir_prefix loopback4 = { .family = 4, .bits = 8, .addr = { 127 } };
	static const struct weir_prefix loopback6 = { .family = 6,
						      .bits = 128,
						      .addr = { [15] = 1 } };
	struct weir_listen listen = { .address = { .family = 4, .bits = 32 } };
	const char *colon = strrchr(text, ':');
	char address[WEIR_PREFIX_STRLEN];
	unsigned int port;
	size_t len;

	if (!colon || !weir_parse_digits(colon + 1, 65535, &port) || port == 0)
		return refuse(error, text, "no port from 1 to 65535 ends it");
	len = (size_t)(colon - text);
	if (len >= sizeof(address))
		return refuse(error, text, "no address");
	memcpy(address, text, len);
	address[len] = '\0';
	if (address[0] == '[' && address[len - 1] == ']') {
		address[len - 1] = '\0';
		listen.address.family = 6;
		listen.address.bits = 128;
		if (inet_pton(AF_INET6, address + 1, listen.address.addr) != 1)
			return refuse(error, text, "no IPv6 address stands in [ ]");
	} else if (inet_pton(AF_INET, address, listen.address.addr) != 1) {
		return refuse(error, text, "no address (names are not taken)");
	}
	listen.port = (uint16_t)port;
	listen.is_loopback = weir_prefix_covers(&loopback4, &listen.address) ||
			     weir_prefix_covers(&loopback6, &listen.address);
	*ret_listen = listen;
	return 0;
}
