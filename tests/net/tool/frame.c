// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A packet is made whole behind the network header and then cut, so that checksums and the trailer
 * are those of the whole packet.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <string.h>

#include "frame.h"

#define ETHER_BYTES	 14
#define TAG_BYTES	 4
#define IPV4_BYTES	 20
#define IPV6_BYTES	 40
#define FRAGMENT_BYTES	 8
#define PACKET_BYTES_MAX 65535

static void put16(uint8_t *at, uint16_t value)
{
	value = htons(value);
	memcpy(at, &value, sizeof(value));
}

static void put32(uint8_t *at, uint32_t value)
{
	value = htonl(value);
	memcpy(at, &value, sizeof(value));
}

/* The Internet checksum (RFC 1071), unfolded. */
static uint32_t sum(uint32_t start, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2)
		start += bytes[i] << 8 | bytes[i + 1];
	if (len & 1)
		start += bytes[len - 1] << 8;
	return start;
}

static uint16_t fold(uint32_t total)
{
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return ~total;
}

/* The mixing step of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Adds to a number of @len bytes that lies in network order. */
static void add(uint8_t *number, size_t len, uint64_t value)
{
	while (len-- && value) {
		value += number[len];
		number[len] = value;
		value >>= 8;
	}
}

static void source_of(const struct frame_spec *spec, uint64_t index, uint8_t addr[16])
{
	uint64_t which = (spec->random ? mix(index) : index) % spec->n_sources;

	memcpy(addr, spec->source.addr, 16);
	if (spec->source.family == 4)
		add(addr, 4, which);
	else
		add(addr, spec->by_prefix ? 8 : 16, which);
}

static size_t address_bytes(const struct frame_spec *spec)
{
	return spec->dest.family == 4 ? 4 : 16;
}

static size_t network_bytes(const struct frame_spec *spec)
{
	return spec->dest.family == 4 ? IPV4_BYTES : IPV6_BYTES;
}

static size_t link_bytes(const struct frame_spec *spec)
{
	return ETHER_BYTES + TAG_BYTES * spec->n_tags;
}

static size_t transport_bytes(uint8_t proto)
{
	switch (proto) {
	case IPPROTO_TCP:
		return 20;
	case IPPROTO_UDP:
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return 8;
	}
	return 0;
}

/* Each extension header is made 8 bytes long, AH 16: enough for what it has to hold. */
static size_t header_bytes(uint8_t number)
{
	return number == IPPROTO_AH ? 16 : 8;
}

static size_t headers_bytes(const struct frame_spec *spec)
{
	size_t total = 0;

	for (size_t i = 0; i < spec->n_headers; i++)
		total += header_bytes(spec->headers[i]);
	return total;
}

size_t frame_size_min(const struct frame_spec *spec)
{
	return link_bytes(spec) + network_bytes(spec) + headers_bytes(spec) +
	       transport_bytes(spec->proto) + sizeof(struct frame_trailer);
}

static size_t put_link(const struct frame_spec *spec, uint8_t *at)
{
	uint8_t *start = at;

	memcpy(at, spec->to, 6);
	memcpy(at + 6, spec->from, 6);
	at += 12;
	for (size_t i = 0; i < spec->n_tags; i++, at += TAG_BYTES) {
		put16(at, spec->tags[i].ethertype);
		put16(at + 2, spec->tags[i].id);
	}
	put16(at, spec->dest.family == 4 ? 0x0800 : 0x86dd);
	return at + 2 - start;
}

/** @fragment  offset in units of 8 bytes, with the flag for more in 0x2000 */
static size_t put_ipv4(const struct frame_spec *spec, const uint8_t *source, uint16_t id,
		       uint16_t fragment, size_t payload, uint8_t *at)
{
	memset(at, 0, IPV4_BYTES);
	at[0] = 0x45;
	put16(at + 2, IPV4_BYTES + payload);
	put16(at + 4, id);
	put16(at + 6, fragment);
	at[8] = 64;
	at[9] = spec->proto;
	memcpy(at + 12, source, 4);
	memcpy(at + 16, spec->dest.addr, 4);
	put16(at + 10, fold(sum(0, at, IPV4_BYTES)));
	return IPV4_BYTES;
}

static size_t put_ipv6(const struct frame_spec *spec, const uint8_t *source, uint8_t next,
		       size_t payload, uint8_t *at)
{
	memset(at, 0, 8);
	at[0] = 0x60;
	put16(at + 4, payload);
	at[6] = next;
	at[7] = spec->proto == IPPROTO_ICMPV6 && spec->icmp_type >= 133 ? 255 : 64;
	memcpy(at + 8, source, 16);
	memcpy(at + 24, spec->dest.addr, 16);
	return IPV6_BYTES;
}

static uint8_t next_header(const struct frame_spec *spec, size_t index)
{
	return index < spec->n_headers ? spec->headers[index] : spec->proto;
}

static size_t put_headers(const struct frame_spec *spec, uint8_t *at)
{
	uint8_t *start = at;

	for (size_t i = 0; i < spec->n_headers; i++) {
		size_t len = header_bytes(spec->headers[i]);

		memset(at, 0, len);
		at[0] = next_header(spec, i + 1);
		if (spec->headers[i] == IPPROTO_AH)
			at[1] = len / 4 - 2;
		else if (spec->headers[i] == IPPROTO_HOPOPTS || spec->headers[i] == IPPROTO_DSTOPTS)
			at[2] = 1, at[3] = 4; /* PadN over the six bytes */
		at += len;
	}
	return at - start;
}

static uint32_t pseudo_sum(const struct frame_spec *spec, const uint8_t *source, size_t len)
{
	size_t bytes = address_bytes(spec);

	return sum(sum(len + spec->proto, source, bytes), spec->dest.addr, bytes);
}

static void put_transport(const struct frame_spec *spec, uint64_t index, const uint8_t *source,
			  uint8_t *at, size_t len)
{
	uint32_t start = spec->proto == IPPROTO_ICMP ? 0 : pseudo_sum(spec, source, len);
	uint8_t *checksum = at + 2;

	if (spec->proto == IPPROTO_TCP || spec->proto == IPPROTO_UDP) {
		put16(at, spec->sport + index % spec->n_sports);
		put16(at + 2, spec->dport + index % spec->n_dports);
	}
	if (spec->proto == IPPROTO_TCP) {
		put32(at + 4, index);
		at[12] = 5 << 4;
		at[13] = spec->tcp_flags;
		put16(at + 14, 65535);
		checksum = at + 16;
	} else if (spec->proto == IPPROTO_UDP) {
		put16(at + 4, len);
		checksum = at + 6;
	} else {
		at[0] = spec->icmp_type;
		put16(at + 6, index);
	}
	put16(checksum, fold(sum(start, at, len)));
}

/* Everything behind the network header and the extension headers, @len bytes. */
static void put_payload(const struct frame_spec *spec, uint64_t index, uint64_t sent_ns,
			const uint8_t *source, uint8_t *at, size_t len)
{
	struct frame_trailer trailer = { FRAME_TRAILER_MAGIC, sent_ns };
	size_t head = transport_bytes(spec->proto);

	memset(at, 0, len);
	if (len >= head + sizeof(trailer))
		memcpy(at + len - sizeof(trailer), &trailer, sizeof(trailer));
	if (head && len >= head)
		put_transport(spec, index, source, at, len);
}

/* One piece of a payload, behind headers of its own. */
static void put_piece(const struct frame_spec *spec, uint64_t index, const uint8_t *source,
		      const uint8_t *payload, size_t offset, size_t len, bool more,
		      struct frame *ret_frame)
{
	uint8_t *at = ret_frame->bytes;

	at += put_link(spec, at);
	if (spec->dest.family == 4) {
		at += put_ipv4(spec, source, index, offset / 8 | (more ? 0x2000 : 0), len, at);
	} else {
		at += put_ipv6(spec, source, IPPROTO_FRAGMENT, FRAGMENT_BYTES + len, at);
		at[0] = spec->proto;
		at[1] = 0;
		put16(at + 2, offset | more);
		put32(at + 4, index);
		at += FRAGMENT_BYTES;
	}
	memcpy(at, payload + offset, len);
	ret_frame->len = at + len - ret_frame->bytes;
}

static size_t make_pieces(const struct frame_spec *spec, uint64_t index, uint64_t sent_ns,
			  const uint8_t *source, struct frame *ret_frames)
{
	static uint8_t payload[PACKET_BYTES_MAX];
	size_t len = spec->size - link_bytes(spec) - network_bytes(spec), count = 0;

	put_payload(spec, index, sent_ns, source, payload, len);
	for (size_t offset = 0; offset < len && count < FRAME_PIECES_MAX; count++) {
		size_t piece = !offset && spec->first_piece ? spec->first_piece : spec->piece;

		if (piece > len - offset)
			piece = len - offset;
		put_piece(spec, index, source, payload, offset, piece, offset + piece < len,
			  &ret_frames[count]);
		offset += piece;
	}
	for (size_t i = 0; spec->reverse && i < count / 2; i++) {
		struct frame last = ret_frames[count - 1 - i];

		ret_frames[count - 1 - i] = ret_frames[i];
		ret_frames[i] = last;
	}
	return count;
}

size_t frame_make(const struct frame_spec *spec, uint64_t index, uint64_t sent_ns,
		  struct frame *ret_frames)
{
	uint8_t *at = ret_frames->bytes;
	uint8_t source[16];
	size_t rest;

	source_of(spec, index, source);
	if (spec->piece)
		return make_pieces(spec, index, sent_ns, source, ret_frames);
	assert(spec->size <= FRAME_BYTES_MAX);
	rest = spec->size - link_bytes(spec) - network_bytes(spec);
	at += put_link(spec, at);
	if (spec->dest.family == 4) {
		at += put_ipv4(spec, source, index, 0, rest, at);
	} else {
		at += put_ipv6(spec, source, next_header(spec, 0), rest, at);
		at += put_headers(spec, at);
		rest -= headers_bytes(spec);
	}
	put_payload(spec, index, sent_ns, source, at, rest);
	ret_frames->len = spec->size;
	return 1;
}
