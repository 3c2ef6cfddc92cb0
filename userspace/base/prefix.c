// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Address prefixes: parse, print, order, contain.
 *
 * Strict on purpose. A prefix that only almost says what its writer meant (host bits set, an IPv4
 * address in IPv6 clothes) is refused, with the one that was probably meant.
 */
#include "base/prefix.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

#define WANTED "an address or prefix such as 192.0.2.0/24 or 2001:db8::/32 would do"

static int refuse(struct weir_error *error, const char *text, const char *why)
{
	char quoted[WEIR_QUOTE_LEN];

	return weir_error_set(error, -EINVAL, "found \"%s\": %s; " WANTED,
			      weir_quote(text, quoted, sizeof(quoted)), why);
}

static unsigned int family_bits(uint8_t family)
{
	return family == 4 ? 32 : 128;
}

/* The bits after the slash: plain digits, no sign, no leading zero. */
static bool parse_bits(const char *text, unsigned int max, uint8_t *ret_bits)
{
	unsigned int bits = 0;
	const char *at;

	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (at = text; *at; at++) {
		if (*at < '0' || *at > '9' || at - text >= 3)
			return false;
		bits = bits * 10 + (unsigned int)(*at - '0');
	}
	if (bits > max)
		return false;
	*ret_bits = (uint8_t)bits;
	return true;
}

static struct weir_prefix masked(struct weir_prefix prefix)
{
	unsigned int whole = prefix.bits / 8, rest = prefix.bits % 8;

	if (rest) {
		prefix.addr[whole] &= (uint8_t)(0xff << (8 - rest));
		whole++;
	}
	memset(prefix.addr + whole, 0, sizeof(prefix.addr) - whole);
	return prefix;
}

static bool is_mapped(const struct weir_prefix *prefix)
{
	static const uint8_t head[12] = { [10] = 0xff, [11] = 0xff };

	return prefix->family == 6 && prefix->bits >= 96 &&
	       memcmp(prefix->addr, head, sizeof(head)) == 0;
}

static int refuse_mapped(struct weir_error *error, const char *text,
			 const struct weir_prefix *prefix)
{
	struct weir_prefix inner = { .family = 4, .bits = (uint8_t)(prefix->bits - 96) };
	char quoted[WEIR_QUOTE_LEN], meant[WEIR_PREFIX_STRLEN];

	memcpy(inner.addr, prefix->addr + 12, 4);
	return weir_error_set(error, -EINVAL,
			      "found \"%s\": on the wire that is an IPv6 source; for the IPv4 one "
			      "%s would do",
			      weir_quote(text, quoted, sizeof(quoted)),
			      weir_prefix_print(&inner, meant));
}

/* Splits at the slash and reads the address; what follows is left for the caller. */
static int parse_address(const char *text, struct weir_error *error, struct weir_prefix *prefix,
			 const char **ret_slash)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	char address[WEIR_PREFIX_STRLEN];

	if (len == 0)
		return refuse(error, text, "no address");
	if (len >= sizeof(address))
		return refuse(error, text, "no address is that long");
	memcpy(address, text, len);
	address[len] = '\0';
	if (strchr(address, '%'))
		return refuse(error, text, "an address here has no scope");
	if (inet_pton(AF_INET, address, prefix->addr) == 1)
		prefix->family = 4;
	else if (inet_pton(AF_INET6, address, prefix->addr) == 1)
		prefix->family = 6;
	else
		return refuse(error, text, "no address");
	*ret_slash = slash;
	return 0;
}

int weir_prefix_parse(const char *text, struct weir_error *error, struct weir_prefix *ret_prefix)
{
	struct weir_prefix prefix = { 0 }, meant;
	char buf[WEIR_PREFIX_STRLEN], quoted[WEIR_QUOTE_LEN];
	const char *slash = NULL;
	int err;

	err = parse_address(text, error, &prefix, &slash);
	if (err)
		return err;
	prefix.bits = (uint8_t)family_bits(prefix.family);
	if (slash && !parse_bits(slash + 1, family_bits(prefix.family), &prefix.bits))
		return refuse(error, text,
			      prefix.family == 4 ? "an IPv4 prefix has 0 to 32 bits"
						 : "an IPv6 prefix has 0 to 128 bits");
	meant = masked(prefix);
	if (is_mapped(&meant))
		return refuse_mapped(error, text, &meant);
	if (memcmp(meant.addr, prefix.addr, sizeof(meant.addr)) != 0)
		return weir_error_set(error, -EINVAL,
				      "found \"%s\": bits past the prefix are set; %s would do",
				      weir_quote(text, quoted, sizeof(quoted)),
				      weir_prefix_print(&meant, buf));
	*ret_prefix = prefix;
	return 0;
}

const char *weir_prefix_print(const struct weir_prefix *prefix, char *buf)
{
	size_t len;

	if (!inet_ntop(prefix->family == 4 ? AF_INET : AF_INET6, prefix->addr, buf,
		       WEIR_PREFIX_STRLEN))
		memcpy(buf, "?", 2);
	len = strlen(buf);
	if (prefix->bits != family_bits(prefix->family))
		snprintf(buf + len, WEIR_PREFIX_STRLEN - len, "/%u", prefix->bits);
	return buf;
}

int weir_prefix_compare(const void *a, const void *b)
{
	const struct weir_prefix *left = a, *right = b;
	int order;

	if (left->family != right->family)
		return left->family < right->family ? -1 : 1;
	order = memcmp(left->addr, right->addr, sizeof(left->addr));
	if (order)
		return order;
	return (left->bits > right->bits) - (left->bits < right->bits);
}

bool weir_prefix_covers(const struct weir_prefix *outer, const struct weir_prefix *inner)
{
	unsigned int whole = outer->bits / 8, rest = outer->bits % 8;
	uint8_t mask = (uint8_t)(0xff << (8 - rest));

	if (outer->family != inner->family || outer->bits > inner->bits)
		return false;
	if (memcmp(outer->addr, inner->addr, whole) != 0)
		return false;
	return rest == 0 || ((outer->addr[whole] ^ inner->addr[whole]) & mask) == 0;
}
