// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The command line of `send`. A wrong word ends the program: a test must not send something else. */
#include <err.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char usage[] =
	"usage: send --dev IFACE --mac MAC --src ADDR --dst ADDR [OPTION...]\n"
	"  --sources N          N sources from ADDR on (--by-prefix: a /64 each; --random: in no order)\n"
	"  --proto NAME|N       udp (default), tcp, icmp, icmpv6 or a number\n"
	"  --sport P, --sports N, --dport P, --dports N   N ports from P on\n"
	"  --flags N            TCP flags (2: SYN), --icmp-type N\n"
	"  --tag TYPE:ID        a VLAN tag, outermost first (8100:5)\n"
	"  --header N           an IPv6 extension header by its number, in order\n"
	"  --size BYTES         of the frame\n"
	"  --piece N, --first-piece N, --reverse   fragments with N bytes of payload\n"
	"  --rate PPS, --volley N, --count N, --seconds S\n";

enum option_id {
	DEV = 1,
	MAC,
	SRC,
	DST,
	SOURCES,
	BY_PREFIX,
	RANDOM,
	PROTO,
	SPORT,
	SPORTS,
	DPORT,
	DPORTS,
	FLAGS,
	ICMP_TYPE,
	TAG,
	HEADER,
	SIZE,
	PIECE,
	FIRST_PIECE,
	REVERSE,
	RATE,
	VOLLEY,
	COUNT,
	SECONDS,
};

static const struct option names[] = {
	{ "dev", required_argument, NULL, DEV },
	{ "mac", required_argument, NULL, MAC },
	{ "src", required_argument, NULL, SRC },
	{ "dst", required_argument, NULL, DST },
	{ "sources", required_argument, NULL, SOURCES },
	{ "by-prefix", no_argument, NULL, BY_PREFIX },
	{ "random", no_argument, NULL, RANDOM },
	{ "proto", required_argument, NULL, PROTO },
	{ "sport", required_argument, NULL, SPORT },
	{ "sports", required_argument, NULL, SPORTS },
	{ "dport", required_argument, NULL, DPORT },
	{ "dports", required_argument, NULL, DPORTS },
	{ "flags", required_argument, NULL, FLAGS },
	{ "icmp-type", required_argument, NULL, ICMP_TYPE },
	{ "tag", required_argument, NULL, TAG },
	{ "header", required_argument, NULL, HEADER },
	{ "size", required_argument, NULL, SIZE },
	{ "piece", required_argument, NULL, PIECE },
	{ "first-piece", required_argument, NULL, FIRST_PIECE },
	{ "reverse", no_argument, NULL, REVERSE },
	{ "rate", required_argument, NULL, RATE },
	{ "volley", required_argument, NULL, VOLLEY },
	{ "count", required_argument, NULL, COUNT },
	{ "seconds", required_argument, NULL, SECONDS },
	{},
};

static double number(const char *text, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || value < 0 || value > most)
		errx(2, "\"%s\" is no number from 0 to %.0f", text, most);
	return value;
}

static void read_mac(const char *text, uint8_t mac[6])
{
	char *at = (char *)text;

	for (int i = 0; i < 6; i++) {
		mac[i] = strtoul(at, &at, 16);
		if (*at++ != (i < 5 ? ':' : '\0'))
			errx(2, "\"%s\" is no MAC address", text);
	}
}

static struct weir_prefix address(const char *text)
{
	struct weir_prefix prefix = {};
	struct weir_error error;

	if (weir_prefix_parse(text, &error, &prefix))
		errx(2, "%s", error.text);
	if (prefix.bits != (prefix.family == 4 ? 32 : 128))
		errx(2, "\"%s\" is no whole address", text);
	return prefix;
}

static uint8_t protocol(const char *text)
{
	if (!strcmp(text, "udp"))
		return IPPROTO_UDP;
	if (!strcmp(text, "tcp"))
		return IPPROTO_TCP;
	if (!strcmp(text, "icmp"))
		return IPPROTO_ICMP;
	if (!strcmp(text, "icmpv6"))
		return IPPROTO_ICMPV6;
	return number(text, 255);
}

static void add_tag(struct frame_spec *frame, const char *text)
{
	char *end;
	unsigned long type = strtoul(text, &end, 16);

	if (*end != ':' || frame->n_tags == FRAME_TAGS_MAX)
		errx(2, "\"%s\" is no tag, or one too many", text);
	frame->tags[frame->n_tags++] = (struct frame_tag){ type, number(end + 1, 4095) };
}

static void add_header(struct frame_spec *frame, const char *text)
{
	if (frame->n_headers == FRAME_HEADERS_MAX)
		errx(2, "more than %d extension headers", FRAME_HEADERS_MAX);
	frame->headers[frame->n_headers++] = number(text, 255);
}

/* Options about a packet's place in its stream, and the stream's in time. @return 0: not such */
static int read_stream(struct options *options, int id)
{
	struct frame_spec *frame = &options->frame;

	switch (id) {
	case SOURCES:
		return frame->n_sources = number(optarg, 1e15);
	case BY_PREFIX:
		return frame->by_prefix = true;
	case RANDOM:
		return frame->random = true;
	case SPORTS:
		return frame->n_sports = number(optarg, 65535);
	case DPORTS:
		return frame->n_dports = number(optarg, 65535);
	case RATE:
		options->rate_per_s = number(optarg, 1e8);
		return 1;
	case VOLLEY:
		return options->volley = number(optarg, 1e6);
	case COUNT:
		options->count = number(optarg, 1e12);
		return 1;
	case SECONDS:
		options->seconds = number(optarg, 3600);
		return 1;
	}
	return 0;
}

/* Options about what is in a packet. @return 0: not such */
static int read_packet(struct frame_spec *frame, int id)
{
	switch (id) {
	case MAC:
		read_mac(optarg, frame->to);
		return 1;
	case SRC:
		frame->source = address(optarg);
		return 1;
	case DST:
		frame->dest = address(optarg);
		return 1;
	case PROTO:
		frame->proto = protocol(optarg);
		return 1;
	case SPORT:
		frame->sport = number(optarg, 65535);
		return 1;
	case DPORT:
		frame->dport = number(optarg, 65535);
		return 1;
	case FLAGS:
		frame->tcp_flags = number(optarg, 255);
		return 1;
	case ICMP_TYPE:
		frame->icmp_type = number(optarg, 255);
		return 1;
	case TAG:
		add_tag(frame, optarg);
		return 1;
	case HEADER:
		add_header(frame, optarg);
		return 1;
	}
	return 0;
}

/* Options about how large it is. @return 0: not such */
static int read_size(struct frame_spec *frame, int id)
{
	switch (id) {
	case SIZE:
		return frame->size = number(optarg, 65535);
	case PIECE:
		return frame->piece = number(optarg, 9000);
	case FIRST_PIECE:
		return frame->first_piece = number(optarg, 9000);
	case REVERSE:
		return frame->reverse = true;
	}
	return 0;
}

static void check(struct options *options)
{
	struct frame_spec *frame = &options->frame;
	size_t least;

	if (!options->interface || !frame->source.family || !frame->dest.family)
		errx(2, "--dev, --src and --dst are required\n%s", usage);
	if (frame->source.family != frame->dest.family)
		errx(2, "source and destination are of two families");
	if (!options->count && options->seconds <= 0)
		errx(2, "it would never end: give --count or --seconds");
	if (frame->piece % 8 || frame->first_piece % 8)
		errx(2, "a piece that is not the last has a multiple of 8 bytes");
	least = frame_size_min(frame);
	if (!frame->size)
		frame->size = least;
	if (frame->size < least || (!frame->piece && frame->size > FRAME_BYTES_MAX))
		errx(2, "--size %zu: from %zu to %d", frame->size, least, FRAME_BYTES_MAX);
}

struct options options_read(int argc, char **argv)
{
	struct options options = {
		.volley = 1,
		.frame = {
			.n_sources = 1, .n_sports = 1, .n_dports = 1,
			.proto = IPPROTO_UDP, .sport = 40000, .dport = 9, .tcp_flags = 2, .icmp_type = 8,
		},
	};
	int id;

	while ((id = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (id == DEV)
			options.interface = optarg;
		else if (!read_stream(&options, id) && !read_packet(&options.frame, id) &&
			 !read_size(&options.frame, id))
			errx(2, "not understood, or zero where it cannot be\n%s", usage);
	}
	if (optind < argc)
		errx(2, "%s: not understood\n%s", argv[optind], usage);
	check(&options);
	return options;
}
