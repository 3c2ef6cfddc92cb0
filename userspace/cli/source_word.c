// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Addresses, protocols and ports as words of a command line.
 */
#include "cli/source_word.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/show.h"

static const struct {
	const char *name;
	uint8_t number;
} protocols[] = {
	{ "tcp", IPPROTO_TCP },
	{ "udp", IPPROTO_UDP },
	{ "icmp", IPPROTO_ICMP },
	{ "icmpv6", IPPROTO_ICMPV6 },
};

#define N_PROTOCOLS (sizeof(protocols) / sizeof(protocols[0]))

int weir_word_source(const char *text, const char *what, struct weir_prefix *ret_address)
{
	struct weir_error error;

	if (weir_prefix_parse(text, &error, ret_address) != 0) {
		weir_complain("%s: %s", what, error.text);
		return -EINVAL;
	}
	ret_address->bits = ret_address->family == 4 ? 32 : 128;
	return 0;
}

/* Plain digits only. */
static int read_number(const char *text, unsigned int most, unsigned int *ret_value)
{
	size_t len = strspn(text, "0123456789");
	unsigned int value = 0, i;

	if (!len || len > 5 || text[len])
		return -EINVAL;
	for (i = 0; i < len; i++)
		value = value * 10 + (unsigned int)(text[i] - '0');
	if (value > most)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

static int read_proto(const char *text, struct weir_query *query)
{
	unsigned int number;
	size_t i;

	query->has_proto = true;
	for (i = 0; i < N_PROTOCOLS; i++) {
		if (strcmp(text, protocols[i].name) == 0) {
			query->proto = protocols[i].number;
			return 0;
		}
	}
	if (read_number(text, 255, &number) != 0) {
		weir_complain("explain: --proto: found \"%s\"; tcp, udp, icmp, icmpv6 or a number "
			      "from 0 to 255 would do",
			      text);
		return -EINVAL;
	}
	query->proto = (uint8_t)number;
	return 0;
}

static int read_port(const char *text, struct weir_query *query)
{
	unsigned int number;

	if (read_number(text, 65535, &number) != 0) {
		weir_complain("explain: --port: found \"%s\"; a number from 0 to 65535 would do",
			      text);
		return -EINVAL;
	}
	if (query->has_proto && query->proto != IPPROTO_TCP && query->proto != IPPROTO_UDP) {
		weir_complain("explain: --port: only tcp and udp have ports");
		return -EINVAL;
	}
	query->has_port = true;
	query->port = (uint16_t)number;
	return 0;
}

static int read_to(const char *text, struct weir_query *query)
{
	struct weir_error error;

	if (weir_prefix_parse(text, &error, &query->to) != 0) {
		weir_complain("explain: --to: %s", error.text);
		return -EINVAL;
	}
	if (query->to.bits != (query->to.family == 4 ? 32 : 128)) {
		weir_complain("explain: --to: found \"%s\", a prefix; one address would do", text);
		return -EINVAL;
	}
	if (query->to.family != query->source.family) {
		weir_complain("explain: --to: found \"%s\"; SOURCE is of the other family", text);
		return -EINVAL;
	}
	query->has_to = true;
	return 0;
}

int weir_word_query(const struct weir_call *call, struct weir_query *ret_query)
{
	const char *to = call->value[WEIR_OPTION_TO], *proto = call->value[WEIR_OPTION_PROTO];
	const char *port = call->value[WEIR_OPTION_PORT];
	bool established = weir_call_has(call, WEIR_OPTION_ESTABLISHED);
	struct weir_query query = { .has_to = false };
	int err = weir_word_source(call->words[0], "explain: SOURCE", &query.source);

	if (!err && to)
		err = read_to(to, &query);
	if (!err && proto)
		err = read_proto(proto, &query);
	if (!err && port)
		err = read_port(port, &query);
	if (!err && established && query.has_proto && query.proto != IPPROTO_TCP) {
		weir_complain("explain: --established: only tcp has connections");
		err = -EINVAL;
	}
	if (err)
		return err;
	query.syn = !established && (!query.has_proto || query.proto == IPPROTO_TCP);
	*ret_query = query;
	return 0;
}

const char *weir_word_describe(const struct weir_query *query, char *buf)
{
	char to[WEIR_PREFIX_STRLEN + 8] = "", port[24] = "", proto[24] = "any protocol";
	char prefix[WEIR_PREFIX_STRLEN];
	size_t i;

	if (query->has_proto)
		snprintf(proto, sizeof(proto), "protocol %u", query->proto);
	for (i = 0; query->has_proto && i < N_PROTOCOLS; i++) {
		if (query->proto == protocols[i].number)
			snprintf(proto, sizeof(proto), "%s", protocols[i].name);
	}
	if (query->has_port)
		snprintf(port, sizeof(port), ", port %u", query->port);
	if (query->has_to)
		snprintf(to, sizeof(to), " to %s", weir_prefix_print(&query->to, prefix));
	snprintf(buf, WEIR_QUERY_LEN, "%s%s%s%s", proto, port, to,
		 query->syn ? ", opening a connection if TCP" : "");
	return buf;
}
