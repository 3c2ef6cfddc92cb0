// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "lib/frames.h"

#include <arpa/inet.h>
#include <assert.h>
#include <net/ethernet.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	uint8_t *out;
	size_t at;
};

static uint8_t *take(struct writer *w, size_t bytes)
{
	uint8_t *start = w->out + w->at;

	if (bytes > FRAME_BYTES_MAX - w->at)
		abort();
	memset(start, 0, bytes);
	w->at += bytes;
	return start;
}

static void put16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put_address(int family, const char *text, uint8_t *at)
{
	if (inet_pton(family, text, at) != 1)
		abort();
}

/* Bytes that would be a port, a flag or a header if they were read as one. */
static void put_body(struct writer *w, size_t bytes)
{
	uint8_t *at = take(w, bytes);

	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(0x02 + 29 * i);
}

static void put_ethernet(struct writer *w, const struct frame *frame)
{
	static const uint8_t addresses[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	uint16_t type = frame->ethertype;

	if (!type)
		type = frame->family == 6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP;
	memcpy(take(w, 12), addresses, 12);
	for (int i = 0; i < FRAME_TAGS_MAX && frame->tag[i]; i++) {
		put16(take(w, 2), frame->tag[i]);
		put16(take(w, 2), 100u + i);
	}
	put16(take(w, 2), type);
}

static void put_transport(struct writer *w, const struct frame *frame)
{
	uint16_t sport = frame->sport ? frame->sport : 40000;
	uint8_t *at;

	if (frame->headless)
		return;
	switch (frame->proto) {
	case IPPROTO_TCP:
		at = take(w, 20);
		put16(at, sport);
		put16(at + 2, frame->dport);
		at[12] = 5 << 4;
		at[13] = frame->tcp_flags;
		break;
	case IPPROTO_UDP:
		at = take(w, 8);
		put16(at, sport);
		put16(at + 2, frame->dport);
		put16(at + 4, 8 + frame->body);
		break;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		at = take(w, 8);
		at[0] = frame->icmp_type;
		at[1] = frame->icmp_code;
		break;
	}
}

static void put_checksum(uint8_t *header, size_t bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < bytes; i += 2)
		sum += (uint32_t)header[i] << 8 | header[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(header + 10, ~sum & 0xffff);
}

static void put_ipv4(struct writer *w, const struct frame *frame)
{
	size_t header = 20u + frame->options, start = w->at, length;
	uint8_t *ip = take(w, header);

	assert(frame->options % 4 == 0 && frame->options <= 40);
	ip[0] = (uint8_t)(0x40 | header / 4);
	put16(ip + 6, frame->fragment | (frame->more_fragments ? 0x2000 : 0));
	ip[8] = frame->ttl ? frame->ttl : 64;
	ip[9] = frame->proto;
	put_address(AF_INET, frame->from ? frame->from : "192.0.2.1", ip + 12);
	put_address(AF_INET, frame->to ? frame->to : "198.51.100.1", ip + 16);
	memset(ip + 20, 1, frame->options); /* no operation */
	put_transport(w, frame);
	put_body(w, frame->body);
	length = frame->length || frame->length_zero ? frame->length : w->at - start;
	put16(ip + 2, length);
	put_checksum(ip, header);
}

/** @return where the next header's type is to be written */
static uint8_t *put_extension(struct writer *w, const struct frame *frame, uint8_t type)
{
	size_t bytes = 8;
	uint8_t *at;

	if (type == IPPROTO_AH)
		bytes = 12 + 4u * frame->chain_extra;
	else if (type != IPPROTO_FRAGMENT)
		bytes = 8 + 8u * frame->chain_extra;
	at = take(w, bytes);
	if (type == IPPROTO_AH) {
		at[1] = (uint8_t)(bytes / 4 - 2);
	} else if (type == IPPROTO_FRAGMENT) {
		put16(at + 2, (size_t)frame->chain_fragment << 3 | frame->chain_more);
	} else {
		at[1] = (uint8_t)(bytes / 8 - 1);
		if (type != IPPROTO_ROUTING) {
			at[2] = 1; /* PadN */
			at[3] = 4;
		}
	}
	return at;
}

static void put_ipv6(struct writer *w, const struct frame *frame)
{
	uint8_t *ip = take(w, 40), *next = ip + 6;
	size_t start = w->at, length;

	ip[0] = 0x60;
	ip[7] = frame->ttl ? frame->ttl : 64;
	put_address(AF_INET6, frame->from ? frame->from : "2001:db8::1", ip + 8);
	put_address(AF_INET6, frame->to ? frame->to : "2001:db8:ffff::1", ip + 24);
	for (int i = 0; i < FRAME_CHAIN_MAX && frame->chain[i]; i++) {
		uint8_t type = frame->chain[i] == FRAME_HOP_BY_HOP ? IPPROTO_HOPOPTS
								   : frame->chain[i];

		*next = type;
		next = put_extension(w, frame, type);
	}
	*next = frame->proto;
	put_transport(w, frame);
	put_body(w, frame->body);
	length = frame->length || frame->length_zero ? frame->length : w->at - start;
	put16(ip + 4, length);
}

size_t frame_build(const struct frame *frame, uint8_t *out)
{
	struct writer w = { .out = out };

	put_ethernet(&w, frame);
	if (frame->family == 4)
		put_ipv4(&w, frame);
	else if (frame->family == 6)
		put_ipv6(&w, frame);
	else
		put_body(&w, frame->body);
	put_body(&w, frame->padding);
	return w.at;
}
