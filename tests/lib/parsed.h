/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Described frames through the parser, each in a heap block that ends where the frame ends; and short
 * words for both, for cmocka tests.
 */
#ifndef TESTS_LIB_PARSED_H
#define TESTS_LIB_PARSED_H

#include <stdlib.h>
#include <string.h>

#include <weir/packet.h>

#include "lib/frames.h"

/*
 * Where a copy begins, so that the network header is aligned as the compiler may assume (the kernel's
 * NET_IP_ALIGN).
 */
#define FRAME_ALIGN 2

/** @return a copy of which a sanitizer lets nobody read beyond the end; free() it by frame_free() */
static inline uint8_t *frame_copy(const uint8_t *frame, size_t bytes)
{
	uint8_t *block = malloc(FRAME_ALIGN + bytes);

	if (!block)
		abort();
	return memcpy(block + FRAME_ALIGN, frame, bytes);
}

static inline void frame_free(uint8_t *copy)
{
	free(copy - FRAME_ALIGN);
}

static inline enum weir_parse parse_bytes(const uint8_t *frame, size_t bytes,
					  struct weir_packet *pkt)
{
	uint8_t *copy = frame_copy(frame, bytes);
	enum weir_parse parsed = weir_packet_parse(copy, copy + bytes, (__u32)bytes, pkt);

	frame_free(copy);
	return parsed;
}

static inline enum weir_parse parse_frame(const struct frame *frame, struct weir_packet *pkt)
{
	static uint8_t bytes[FRAME_BYTES_MAX];

	return parse_bytes(bytes, frame_build(frame, bytes), pkt);
}

#define TCP		 .proto = IPPROTO_TCP, .dport = 443
#define UDP		 .proto = IPPROTO_UDP, .dport = 53
#define ETHER(type, ...) ((struct frame){ .ethertype = (type), __VA_ARGS__ })
#define IP4(...)	 ((struct frame){ .family = 4, __VA_ARGS__ })
#define IP6(...)	 ((struct frame){ .family = 6, __VA_ARGS__ })

static inline struct weir_packet parsed_as(int line, struct frame frame, enum weir_parse expected)
{
	struct weir_packet pkt;
	enum weir_parse seen = parse_frame(&frame, &pkt);

	if (seen != expected)
		fail_msg("line %d: parsed as %d, not as %d", line, seen, expected);
	return pkt;
}

/* The packet a frame is parsed to; the test fails here when it comes out as another kind. */
#define ip(frame)	 parsed_as(__LINE__, frame, WEIR_PARSE_IP)
#define malformed(frame) parsed_as(__LINE__, frame, WEIR_PARSE_MALFORMED)
#define protected(frame) parsed_as(__LINE__, frame, WEIR_PARSE_PROTECTED)
#define not_ip(frame) parsed_as(__LINE__, frame, WEIR_PARSE_NOT_IP)

static inline void assert_ports(struct weir_packet pkt, uint16_t port)
{
	assert_int_equal(pkt.flags & WEIR_PACKET_PORTS, WEIR_PACKET_PORTS);
	assert_int_equal(pkt.dport, port);
}

static inline void assert_no_ports(struct weir_packet pkt)
{
	assert_int_equal(pkt.flags & WEIR_PACKET_PORTS, 0);
}

static inline void assert_flags(struct weir_packet pkt, uint32_t flags)
{
	assert_int_equal(pkt.flags, flags);
}

#endif
