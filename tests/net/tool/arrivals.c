// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Arrivals are kept one by one and judged at the end, in the order of their timestamps. */
#include <err.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "base/json.h"
#include "frame.h"

#define NS_PER_S 1e9

static void *grown(void *array, size_t count, size_t size)
{
	/* Doubled whenever the count is a power of two. */
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? count * 2 : 1) * size);
	if (!array)
		err(1, "memory");
	return array;
}

static void mask(struct weir_prefix *prefix, unsigned int bits)
{
	prefix->bits = bits;
	for (unsigned int i = 0; i < 16; i++) {
		unsigned int keep = bits > i * 8 ? bits - i * 8 : 0;

		if (keep < 8)
			prefix->addr[i] &= 0xff00u >> keep;
	}
}

static uint64_t hash(const struct weir_prefix *prefix)
{
	uint64_t x = prefix->family;

	for (int i = 0; i < 16; i++)
		x = (x ^ prefix->addr[i]) * 0x100000001b3ull;
	return x ^ x >> 29;
}

/* The slot that holds the prefix, or the free one where it would go. */
static uint32_t *slot_of(struct arrivals *a, const struct weir_prefix *prefix)
{
	for (size_t i = hash(prefix);; i++) {
		uint32_t *slot = &a->table[i & (a->table_size - 1)];

		if (!*slot || !weir_prefix_compare(&a->sources[*slot - 1].prefix, prefix))
			return slot;
	}
}

static void widen(struct arrivals *a)
{
	if (a->n_sources * 2 < a->table_size)
		return;
	a->table_size = a->table_size ? a->table_size * 4 : 4096;
	free(a->table);
	a->table = calloc(a->table_size, sizeof(*a->table));
	if (!a->table)
		err(1, "memory");
	for (size_t i = 0; i < a->n_sources; i++)
		*slot_of(a, &a->sources[i].prefix) = i + 1;
}

static uint32_t source_index(struct arrivals *a, const struct weir_prefix *prefix)
{
	uint32_t *slot;

	widen(a);
	slot = slot_of(a, prefix);
	if (!*slot) {
		a->sources = grown(a->sources, a->n_sources, sizeof(*a->sources));
		a->sources[a->n_sources++] = (struct source){ .prefix = *prefix };
		*slot = a->n_sources;
	}
	return *slot - 1;
}

/* The network header behind any tags. @return its EtherType, 0 when the frame ends before */
static uint16_t network_header(const uint8_t **at, const uint8_t *end)
{
	uint16_t type = 0x8100;

	for (*at += 12; *at + 2 <= end; *at += 4) {
		type = (*at)[0] << 8 | (*at)[1];
		if (type != 0x8100 && type != 0x88a8) {
			*at += 2;
			return type;
		}
	}
	return 0;
}

/* The link's own talk: neighbours and routers, and the multicast groups that hosts listen to. */
static bool is_discovery(const uint8_t *ip, const uint8_t *end)
{
	if (ip + 49 > end)
		return false;
	if (ip[6] == IPPROTO_HOPOPTS)
		return ip[40] == IPPROTO_ICMPV6 && ip[48] == 143;
	return ip[6] == IPPROTO_ICMPV6 && ip[40] >= 133 && ip[40] <= 137;
}

static void record(struct arrivals *a, struct arrival *arrival, struct weir_prefix *source,
		   const uint8_t *end)
{
	struct frame_trailer trailer;

	mask(source, source->family == 4 ? a->ipv4_bits : a->ipv6_bits);
	if (a->all)
		*source = (struct weir_prefix){ .family = 4 };
	memcpy(&trailer, end - sizeof(trailer), sizeof(trailer));
	arrival->sent_ns = trailer.magic == FRAME_TRAILER_MAGIC ? trailer.sent_ns
								: arrival->stamp_ns - a->lag_ns;
	arrival->source = source_index(a, source);
	a->list = grown(a->list, a->n_list, sizeof(*a->list));
	a->list[a->n_list++] = *arrival;
}

void arrivals_add(struct arrivals *a, struct arrival *arrival, const uint8_t *frame, size_t len)
{
	const uint8_t *at = frame, *end = frame + len;
	uint16_t type = network_header(&at, end);
	struct weir_prefix source = {};

	if (type == 0x0800 && at + 20 <= end) {
		source.family = 4;
		memcpy(source.addr, at + 12, 4);
	} else if (type == 0x86dd && at + 40 <= end) {
		if (is_discovery(at, end)) {
			a->discovery++;
			return;
		}
		source.family = 6;
		memcpy(source.addr, at + 8, 16);
	} else if (type == 0x0806) {
		a->arp++;
		return;
	} else {
		a->other++;
		return;
	}
	record(a, arrival, &source, end);
}

static int by_stamp(const void *left, const void *right)
{
	const struct arrival *a = left, *b = right;

	return (a->stamp_ns > b->stamp_ns) - (a->stamp_ns < b->stamp_ns);
}

static int by_packets(const void *left, const void *right)
{
	const struct source *a = left, *b = right;

	return (a->packets < b->packets) - (a->packets > b->packets);
}

/*
 * One step of the oracle: over all intervals that end with this packet,
 *   tokens(i..j) - rate * (stamp(j) - sent(i)) - burst
 * is largest where rate * sent(i) - tokens before i is.
 */
static void judge(const struct arrivals *a, struct source *source, const struct arrival *arrival)
{
	double sent = ((double)arrival->sent_ns - (double)a->list->stamp_ns) / NS_PER_S;
	double stamp = (double)(arrival->stamp_ns - a->list->stamp_ns) / NS_PER_S;
	double origin = a->rate_per_s * sent - source->used, excess;

	if (!source->packets || origin > source->origin)
		source->origin = origin;
	source->used += a->by_bytes ? arrival->bytes : 1;
	excess = source->used + source->origin - a->rate_per_s * stamp - a->burst;
	if (!source->packets || excess > source->excess)
		source->excess = excess;
}

static void tally(struct arrivals *a)
{
	if (a->n_list)
		qsort(a->list, a->n_list, sizeof(*a->list), by_stamp);
	for (size_t i = 0; i < a->n_list; i++) {
		const struct arrival *arrival = &a->list[i];
		struct source *source = &a->sources[arrival->source];

		judge(a, source, arrival);
		if (!source->packets)
			source->first_ns = arrival->stamp_ns;
		else if (arrival->stamp_ns - source->last_ns > source->gap_ns)
			source->gap_ns = arrival->stamp_ns - source->last_ns;
		source->last_ns = arrival->stamp_ns;
		source->packets++;
		source->bytes += arrival->bytes;
	}
}

static void member(struct weir_json *json, const char *key, uint64_t value)
{
	weir_json_key(json, key);
	weir_json_u64(json, value);
}

static void member_double(struct weir_json *json, const char *key, double value)
{
	weir_json_key(json, key);
	weir_json_double(json, value);
}

static void print_source(const struct arrivals *a, const struct source *source,
			 struct weir_json *json)
{
	char text[WEIR_PREFIX_STRLEN];

	weir_json_object_open(json);
	weir_json_key(json, "source");
	weir_json_string(json, a->all ? "all" : weir_prefix_print(&source->prefix, text));
	member(json, "packets", source->packets);
	member(json, "bytes", source->bytes);
	member_double(json, "first_s", source->first_ns / NS_PER_S);
	member_double(json, "last_s", source->last_ns / NS_PER_S);
	member_double(json, "gap_s", source->gap_ns / NS_PER_S);
	if (a->rate_per_s > 0)
		member_double(json, "excess", source->excess);
	weir_json_object_close(json);
}

int arrivals_print(struct arrivals *a, FILE *out)
{
	struct weir_json json;
	uint64_t packets = 0, bytes = 0;
	double excess = 0;

	tally(a);
	for (size_t i = 0; i < a->n_sources; i++) {
		packets += a->sources[i].packets;
		bytes += a->sources[i].bytes;
		if (!i || a->sources[i].excess > excess)
			excess = a->sources[i].excess;
	}
	if (a->n_sources)
		qsort(a->sources, a->n_sources, sizeof(*a->sources), by_packets);
	weir_json_begin(&json, out);
	weir_json_object_open(&json);
	member(&json, "packets", packets);
	member(&json, "bytes", bytes);
	member(&json, "arp", a->arp);
	member(&json, "discovery", a->discovery);
	member(&json, "other", a->other);
	member(&json, "lost", a->lost);
	member(&json, "n_sources", a->n_sources);
	if (a->rate_per_s > 0)
		member_double(&json, "excess", excess);
	weir_json_key(&json, "sources");
	weir_json_array_open(&json);
	for (size_t i = 0; i < a->n_sources && i < a->listed; i++)
		print_source(a, &a->sources[i], &json);
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	return weir_json_finish(&json) ? 1 : 0;
}

static double number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || value < 0)
		errx(2, "\"%s\" is no number", text);
	return value;
}

static const char usage[] =
	"usage: count --dev IFACE [OPTION...]\n"
	"  --rate R --burst B   hold every source to this bound, in packets (--bytes: in bytes)\n"
	"  --lag SECONDS        of a receive timestamp, for frames that `send` did not make\n"
	"  --all                everyone is one source; else --ipv4 BITS (32), --ipv6 BITS (64)\n"
	"  --list N             sources to print, those with the most packets first (2000)\n";

static const struct option names[] = {
	{ "dev", required_argument, NULL, 'd' },   { "rate", required_argument, NULL, 'r' },
	{ "burst", required_argument, NULL, 'b' }, { "bytes", no_argument, NULL, 'B' },
	{ "lag", required_argument, NULL, 'L' },   { "all", no_argument, NULL, 'a' },
	{ "ipv4", required_argument, NULL, '4' },  { "ipv6", required_argument, NULL, '6' },
	{ "list", required_argument, NULL, 'l' },  {},
};

static void read_option(struct arrivals *a, int id)
{
	switch (id) {
	case 'r':
		a->rate_per_s = number(optarg);
		break;
	case 'b':
		a->burst = number(optarg);
		break;
	case 'B':
		a->by_bytes = true;
		break;
	case 'L':
		a->lag_ns = number(optarg) * NS_PER_S;
		break;
	case 'a':
		a->all = true;
		break;
	case '4':
		a->ipv4_bits = number(optarg);
		break;
	case '6':
		a->ipv6_bits = number(optarg);
		break;
	case 'l':
		a->listed = number(optarg);
		break;
	default:
		errx(2, "not understood\n%s", usage);
	}
}

const char *arrivals_options(struct arrivals *a, int argc, char **argv)
{
	const char *interface = NULL;
	int id;

	a->ipv4_bits = 32;
	a->ipv6_bits = 64;
	a->listed = 2000;
	while ((id = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (id == 'd')
			interface = optarg;
		else
			read_option(a, id);
	}
	if (!interface || optind < argc)
		errx(2, "--dev is required, and nothing may follow the options\n%s", usage);
	return interface;
}

void arrivals_free(struct arrivals *a)
{
	free(a->list);
	free(a->sources);
	free(a->table);
	*a = (struct arrivals){};
}
