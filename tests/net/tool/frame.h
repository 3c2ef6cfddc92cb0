/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Frames for the traffic tools: what one is made of, and how its bytes are laid out.
 *
 * Owns the making of Ethernet, VLAN, IPv4, IPv6 with extension headers, TCP, UDP and ICMP, and the
 * cutting into fragments. It knows nothing of sockets or time. A stream is numbered from 0: packet
 * number i takes its source and ports from i, so that a test can say which packets were sent.
 */
#ifndef WEIR_TESTS_NET_FRAME_H
#define WEIR_TESTS_NET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prefix.h"

#define FRAME_BYTES_MAX	  9232
#define FRAME_TAGS_MAX	  3
#define FRAME_HEADERS_MAX 12
/* Pieces of one packet: 64 KiB in pieces of 1,024 bytes. */
#define FRAME_PIECES_MAX 64

/*
 * The last 16 bytes of a packet's payload, where there is room: when it was sent. With the receive
 * timestamp this encloses the moment at which the packet path saw it.
 */
#define FRAME_TRAILER_MAGIC 0x776569722073656eull

struct frame_trailer {
	uint64_t magic;
	uint64_t sent_ns; /* CLOCK_REALTIME */
} __attribute__((packed));

struct frame_tag {
	uint16_t ethertype; /* 0x8100 or 0x88a8 */
	uint16_t id;
};

struct frame_spec {
	uint8_t to[6]; /* MAC addresses */
	uint8_t from[6];
	struct frame_tag tags[FRAME_TAGS_MAX]; /* outermost first */
	size_t n_tags;
	struct weir_prefix source; /* whole addresses; the first source */
	struct weir_prefix dest;
	uint64_t n_sources;
	bool by_prefix; /* IPv6: the next source is the next /64, not the next address */
	bool random;	/* sources in no order, out of n_sources */
	uint8_t proto; /* of the transport header: TCP, UDP, ICMP and ICMPv6 have one, others none */
	uint16_t sport;
	uint16_t dport;
	uint16_t n_sports; /* 1: always the same */
	uint16_t n_dports;
	uint8_t tcp_flags;
	uint8_t icmp_type;
	uint8_t headers[FRAME_HEADERS_MAX]; /* IPv6 extension headers by number, in order */
	size_t n_headers;
	size_t size;	    /* of the frame (of all of a packet's payload, before it is cut) */
	size_t piece;	    /* payload bytes of a fragment; 0: whole */
	size_t first_piece; /* of the first one; 0: like the others */
	bool reverse;	    /* last fragment first */
};

struct frame {
	size_t len;
	uint8_t bytes[FRAME_BYTES_MAX];
};

/** The least size of a frame that has all the headers, and the trailer. */
size_t frame_size_min(const struct frame_spec *spec);

/**
 * Makes packet number @index.
 * @sent_ns     for the trailer
 * @ret_frames  FRAME_PIECES_MAX of them
 * Returns how many frames it is; at least 1.
 */
size_t frame_make(const struct frame_spec *spec, uint64_t index, uint64_t sent_ns,
		  struct frame *ret_frames);

#endif
