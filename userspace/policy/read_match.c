// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What packets a limit or quota is about: `match` and `source`.
 *
 * A match that contradicts itself would hold back nothing while its writer feels protected, so each
 * contradiction is a fault. Those that take the lists into account are in validate.c.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "policy/faults.h"
#include "policy/match.h"
#include "policy/sections.h"
#include "policy/values.h"

enum { PROTO, PORT, FLAGS, TO, FROM, FRAGMENT, N_KEYS };

static const struct weir_key match_keys[N_KEYS] = {
	[PROTO] = { "proto", NULL }, [PORT] = { "port", NULL }, [FLAGS] = { "flags", NULL },
	[TO] = { "to", NULL },	     [FROM] = { "from", NULL }, [FRAGMENT] = { "fragment", NULL },
};

static bool read_proto(struct weir_reading *reading, const yaml_node_t *node,
		       struct weir_match *match)
{
	static const char would_do[] = "tcp, udp, icmp, icmpv6 or a number from 0 to 255";
	static const struct weir_choice names[] = {
		{ "tcp", IPPROTO_TCP },
		{ "udp", IPPROTO_UDP },
		{ "icmp", IPPROTO_ICMP },
		{ "icmpv6", IPPROTO_ICMPV6 },
	};
	char found[WEIR_QUOTE_LEN + 3];
	unsigned int number = 0;
	const char *text;
	size_t i;

	text = weir_scalar_text(reading, node, "proto", would_do);
	if (!text)
		return false;
	for (i = 0; i < 4 && strcmp(names[i].name, text) != 0; i++)
		;
	if (i < 4) {
		number = (unsigned int)names[i].value;
	} else if (!weir_parse_digits(text, 255, &number)) {
		weir_reading_fault(reading, node, "proto", "found %s; %s would do",
				   weir_node_found(node, found), would_do);
		return false;
	}
	match->has_proto = true;
	match->proto = (uint8_t)number;
	return true;
}

/* "443" or "8000-8010". */
static bool parse_ports(const char *text, struct weir_ports *ret_ports)
{
	const char *dash = strchr(text, '-');
	unsigned int first, last;
	char head[8];

	if (!dash) {
		if (!weir_parse_digits(text, 65535, &first))
			return false;
		last = first;
	} else {
		if ((size_t)(dash - text) >= sizeof(head))
			return false;
		memcpy(head, text, (size_t)(dash - text));
		head[dash - text] = '\0';
		if (!weir_parse_digits(head, 65535, &first) ||
		    !weir_parse_digits(dash + 1, 65535, &last))
			return false;
	}
	if (first == 0 || last < first)
		return false;
	*ret_ports = (struct weir_ports){ .first = (uint16_t)first, .last = (uint16_t)last };
	return true;
}

static bool read_port_item(struct weir_reading *reading, const yaml_node_t *node,
			   struct weir_ports *ret_ports)
{
	static const char would_do[] = "a port from 1 to 65535, or a range such as \"8000-8010\"";
	const char *text = weir_scalar_text(reading, node, "port", would_do);
	char found[WEIR_QUOTE_LEN + 3];

	if (!text)
		return false;
	if (parse_ports(text, ret_ports))
		return true;
	weir_reading_fault(reading, node, "port", "found %s; %s would do",
			   weir_node_found(node, found), would_do);
	return false;
}

/* Room for the items of a list that has to hold between one and @max of them; NULL is a fault. */
static void *room_for_items(struct weir_reading *reading, yaml_node_t *node, const char *key,
			    size_t max, size_t size)
{
	size_t n = weir_items_count(node);
	void *room;

	if (n == 0) {
		weir_reading_fault(reading, node, key,
				   "found an empty list, which nothing can "
				   "match; leave the key out to match all");
		return NULL;
	}
	if (n > max) {
		weir_reading_fault(reading, node, key, "found %zu items; at most %zu would do", n,
				   max);
		return NULL;
	}
	room = calloc(n, size);
	if (!room)
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"out of memory");
	return room;
}

static bool read_ports(struct weir_reading *reading, yaml_node_t *node, struct weir_match *match)
{
	size_t i, n = weir_items_count(node);
	bool sound = true;

	match->ports = room_for_items(reading, node, "port", WEIR_MATCH_PORTS_MAX,
				      sizeof(match->ports[0]));
	if (!match->ports)
		return false;
	for (i = 0; i < n; i++)
		sound &= read_port_item(reading, weir_items_at(reading, node, i), &match->ports[i]);
	match->n_ports = n;
	return sound;
}

static bool read_prefix_item(struct weir_reading *reading, const yaml_node_t *node, const char *key,
			     struct weir_prefix *ret_prefix)
{
	const char *text = weir_scalar_text(reading, node, key, "a prefix such as 192.0.2.0/24");
	struct weir_error error;

	if (!text)
		return false;
	if (weir_prefix_parse(text, &error, ret_prefix) == 0)
		return true;
	weir_reading_fault(reading, node, key, "%s", error.text);
	return false;
}

static bool read_prefixes(struct weir_reading *reading, yaml_node_t *node, const char *key,
			  struct weir_prefix **ret_prefixes, size_t *ret_n)
{
	size_t i, n = weir_items_count(node);
	struct weir_prefix *prefixes;
	bool sound = true;

	prefixes = room_for_items(reading, node, key, WEIR_MATCH_PREFIXES_MAX, sizeof(*prefixes));
	if (!prefixes)
		return false;
	for (i = 0; i < n; i++)
		sound &= read_prefix_item(reading, weir_items_at(reading, node, i), key,
					  &prefixes[i]);
	*ret_prefixes = prefixes;
	*ret_n = sound ? weir_prefixes_settle(prefixes, n) : n;
	return sound;
}

static bool read_flags(struct weir_reading *reading, const yaml_node_t *node,
		       struct weir_match *match)
{
	static const struct weir_choice words[] = { { "syn", 1 } };
	int value = 0;

	if (!weir_read_choice(reading, node, "flags", words, 1, &value))
		return false;
	match->syn = true;
	return true;
}

static bool read_fragment(struct weir_reading *reading, const yaml_node_t *node,
			  struct weir_match *match)
{
	bool fragments = false;

	if (!weir_read_bool(reading, node, "fragment", &fragments))
		return false;
	match->fragment = fragments ? WEIR_FRAGMENT_ONLY : WEIR_FRAGMENT_WHOLE;
	return true;
}

static bool check_families(struct weir_reading *reading, yaml_node_t **nodes,
			   const struct weir_match *match)
{
	bool icmp = match->has_proto &&
		    (match->proto == IPPROTO_ICMP || match->proto == IPPROTO_ICMPV6);

	if (weir_match_families(match))
		return true;
	if (icmp)
		weir_reading_fault(reading, nodes[PROTO], "proto",
				   "found %s with addresses of the other family alone, so nothing "
				   "can match; %s is the one of theirs",
				   match->proto == IPPROTO_ICMP ? "icmp (IPv4)" : "icmpv6",
				   match->proto == IPPROTO_ICMP ? "icmpv6" : "icmp");
	else
		weir_reading_fault(reading, nodes[FROM], "from",
				   "found addresses of another family than those of `to`, so "
				   "nothing can match; both of one family would do");
	return false;
}

static bool check_ports_and_flags(struct weir_reading *reading, yaml_node_t **nodes,
				  const struct weir_match *match)
{
	bool tcp = !match->has_proto || match->proto == IPPROTO_TCP;
	bool udp = !match->has_proto || match->proto == IPPROTO_UDP;

	if (match->n_ports && !tcp && !udp) {
		weir_reading_fault(reading, nodes[PORT], "port",
				   "found beside a protocol that has no ports here, so nothing can "
				   "match; proto: tcp or udp, or no proto, would do");
		return false;
	}
	if (match->syn && !tcp) {
		weir_reading_fault(reading, nodes[FLAGS], "flags",
				   "found syn beside a protocol that has no such flag, so nothing "
				   "can match; proto: tcp would do");
		return false;
	}
	return true;
}

bool weir_read_match(struct weir_reading *reading, yaml_node_t *node, struct weir_match *match)
{
	yaml_node_t *nodes[N_KEYS];
	size_t was = weir_path_enter(reading, "match");
	bool sound = weir_mapping_collect(reading, node, match_keys, N_KEYS, nodes);

	if (sound && nodes[PROTO])
		sound &= read_proto(reading, nodes[PROTO], match);
	if (nodes[PORT])
		sound &= read_ports(reading, nodes[PORT], match);
	if (nodes[FLAGS])
		sound &= read_flags(reading, nodes[FLAGS], match);
	if (nodes[TO])
		sound &= read_prefixes(reading, nodes[TO], "to", &match->to, &match->n_to);
	if (nodes[FROM])
		sound &= read_prefixes(reading, nodes[FROM], "from", &match->from, &match->n_from);
	if (nodes[FRAGMENT])
		sound &= read_fragment(reading, nodes[FRAGMENT], match);
	if (sound) {
		sound &= check_ports_and_flags(reading, nodes, match);
		sound &= check_families(reading, nodes, match);
	}
	/* Only TCP has the flag, so a match on it is a match on TCP. */
	if (sound && match->syn && !match->has_proto) {
		match->has_proto = true;
		match->proto = IPPROTO_TCP;
	}
	weir_path_leave(reading, was);
	return sound;
}

static bool read_bits(struct weir_reading *reading, const yaml_node_t *node, const char *key,
		      unsigned int max, uint8_t *bits)
{
	char found[WEIR_QUOTE_LEN + 3];
	unsigned int number = 0;
	const char *text;

	if (!node)
		return true;
	text = weir_scalar_text(reading, node, key, "a number of bits");
	if (!text)
		return false;
	if (!weir_parse_digits(text, max, &number)) {
		weir_reading_fault(reading, node, key,
				   "found %s; a number of bits from 0 to %u "
				   "would do",
				   weir_node_found(node, found), max);
		return false;
	}
	*bits = (uint8_t)number;
	return true;
}

bool weir_read_source(struct weir_reading *reading, yaml_node_t *node,
		      struct weir_source_spec *source)
{
	static const struct weir_key keys[] = { { "ipv4", NULL }, { "ipv6", NULL } };
	char found[WEIR_QUOTE_LEN + 3];
	yaml_node_t *nodes[2];
	bool sound;
	size_t was;

	if (node->type == YAML_SCALAR_NODE) {
		source->all = strcmp((const char *)node->data.scalar.value, "all") == 0;
		if (!source->all)
			weir_reading_fault(reading, node, "source",
					   "found %s; all, or bits such "
					   "as {ipv4: 32, ipv6: 64} would do",
					   weir_node_found(node, found));
		return source->all;
	}
	was = weir_path_enter(reading, "source");
	sound = weir_mapping_collect(reading, node, keys, 2, nodes);
	sound &= read_bits(reading, nodes[0], "ipv4", 32, &source->ipv4_bits);
	sound &= read_bits(reading, nodes[1], "ipv6", 128, &source->ipv6_bits);
	weir_path_leave(reading, was);
	return sound;
}
