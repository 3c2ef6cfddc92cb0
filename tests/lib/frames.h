/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Frames for tests, written from a description of what is in them. Owns the wire formats as tests
 * see them, apart from the parser's own reading of them; knows nothing of weir.
 */
#ifndef TESTS_LIB_FRAMES_H
#define TESTS_LIB_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_TAGS_MAX	3
#define FRAME_CHAIN_MAX 12
#define FRAME_BYTES_MAX 16384

enum frame_tcp { FRAME_FIN = 1, FRAME_SYN = 2, FRAME_RST = 4, FRAME_PSH = 8, FRAME_ACK = 16 };

/**
 * What is left zero takes the usual value: source 192.0.2.1 or 2001:db8::1, destination 198.51.100.1
 * or 2001:db8:ffff::1, source port 40000, TTL or hop limit 64. Lengths in headers are those of what
 * is there, unless given.
 */
struct frame {
	uint16_t tag[FRAME_TAGS_MAX]; /* EtherTypes of the VLAN tags, outermost first; 0 ends them */
	uint16_t ethertype;	      /* 0: that of the family */
	uint8_t family;		      /* 4, 6, or 0: `body` bytes after the EtherType */
	const char *from;
	const char *to;
	uint8_t proto;
	uint8_t ttl;

	uint8_t options;     /* bytes of IPv4 options, a multiple of 4 */
	uint16_t fragment;   /* offset in units of 8 bytes */
	bool more_fragments; /* with `fragment`: IPv4's own fields */

	uint8_t chain[FRAME_CHAIN_MAX]; /* IPv6 extension headers in order; 0xff: hop-by-hop, 0 ends */
	uint8_t chain_extra;	 /* units beyond the smallest of each header but the fragment's */
	uint16_t chain_fragment; /* offset in the chain's fragment headers, in units of 8 bytes */
	bool chain_more;

	uint16_t sport;
	uint16_t dport;
	uint8_t tcp_flags; /* enum frame_tcp */
	uint8_t icmp_type; /* ICMP and ICMPv6 */
	uint8_t icmp_code;
	bool headless;	/* no transport header: the body comes right after the network's */
	size_t body;	/* bytes of payload */
	size_t padding; /* bytes that no header counts */

	uint16_t length; /* IPv4 total or IPv6 payload length, when it is to be wrong */
	bool length_zero;
};

#define FRAME_HOP_BY_HOP 0xff

/**
 * @out  at least FRAME_BYTES_MAX bytes
 * @return bytes written; a description that makes no sense ends the test
 */
size_t frame_build(const struct frame *frame, uint8_t *out);

/** A frame with a name, for tests that go through all kinds. */
struct frame_kind {
	const char *name;
	struct frame frame;
};

/** One frame of each kind the parser knows apart, none of them malformed; ends with a NULL name. */
extern const struct frame_kind frame_kinds[];

#endif
