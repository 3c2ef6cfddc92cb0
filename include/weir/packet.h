/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From a frame to what the limits look at. Pure: no helper is called and nothing is kept, so the
 * same lines run in the kernel and under a fuzzer on the host.
 *
 * The source depends on the network header alone: an unknown or over-long chain of extension
 * headers still has one. Ports are read where ports are, never in a later fragment and never in
 * payload; the end of the packet is where its own header says, so that padding is not read as one.
 */
#ifndef WEIR_PACKET_H
#define WEIR_PACKET_H

#ifndef __bpf__
#include <netinet/in.h> /* where libc has the names first, the kernel's headers leave them alone */
#endif
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/types.h>

#include <weir/verifier.h>

/* The same on both sides, without either side's headers. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define weir_ntohs(x) __builtin_bswap16(x)
#else
#define weir_ntohs(x) ((__u16)(x))
#endif
#define weir_htons(x) weir_ntohs(x)

#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif

/* Extension headers walked before the chain counts as unknown. */
#define WEIR_IPV6_CHAIN_MAX 8

enum weir_parse {
	WEIR_PARSE_IP,
	WEIR_PARSE_PROTECTED,
	WEIR_PARSE_NOT_IP,
	WEIR_PARSE_MALFORMED,
};

enum weir_packet_flags {
	WEIR_PACKET_FRAGMENT = 1, /* any fragment, the first included */
	WEIR_PACKET_LATER = 2,	  /* a fragment that is not the first */
	WEIR_PACKET_SYN = 4,	  /* TCP, SYN set and ACK clear */
	WEIR_PACKET_PORTS = 8,	  /* dport was read */
};

/** An address as it lies on the wire. IPv4: lo's first four bytes in memory, the rest zero. */
struct weir_addr {
	__u64 hi;
	__u64 lo;
};

struct weir_packet {
	struct weir_addr source;
	struct weir_addr dest;
	__u32 bytes;  /* of the frame from its Ethernet header, tags included, without FCS */
	__u16 dport;  /* host order */
	__u8 family;  /* 4 or 6 */
	__u8 proto;   /* transport protocol, or the next-header value where the chain was left */
	__u32 flags;  /* enum weir_packet_flags */
	__u32 offset; /* the parser's: how far it is into an IPv6 chain */
	__u32 left;   /* the parser's: what the chain's end leaves of the payload */
};

/* Where the parser is: `left` is what the network header says is still to come. */
struct weir_cursor {
	const __u8 *at;
	const __u8 *end;
	__u32 left;
};

struct weir_vlan {
	__be16 tci;
	__be16 proto;
};

static __always_inline enum weir_parse weir_parse_tcp(struct weir_cursor *c,
						      struct weir_packet *pkt)
{
	/* Twenty bytes also in a first fragment: RFC 1858's tiny fragments hide the flags. */
	if (c->left < 20 || c->at + 20 > c->end)
		return WEIR_PARSE_MALFORMED;
	pkt->dport = weir_ntohs(*(const __be16 *)(c->at + 2));
	pkt->flags |= WEIR_PACKET_PORTS;
	if ((c->at[13] & 0x12) == 0x02)
		pkt->flags |= WEIR_PACKET_SYN;
	return WEIR_PARSE_IP;
}

static __always_inline enum weir_parse weir_parse_udp(struct weir_cursor *c,
						      struct weir_packet *pkt)
{
	if (c->left < 8 || c->at + 8 > c->end)
		return WEIR_PARSE_MALFORMED;
	pkt->dport = weir_ntohs(*(const __be16 *)(c->at + 2));
	pkt->flags |= WEIR_PACKET_PORTS;
	return WEIR_PARSE_IP;
}

/** "Fragmentation needed", without which path-MTU discovery dies. */
static __always_inline enum weir_parse weir_parse_icmp(struct weir_cursor *c,
						       const struct weir_packet *pkt)
{
	if (c->left < 8 || c->at + 8 > c->end)
		return WEIR_PARSE_MALFORMED;
	if (!(pkt->flags & WEIR_PACKET_FRAGMENT) && c->at[0] == 3 && c->at[1] == 4)
		return WEIR_PARSE_PROTECTED;
	return WEIR_PARSE_IP;
}

/**
 * Packet Too Big, and discovery messages 133 to 137. A discovery message with another hop limit
 * than 255 came through a router and every host ignores it (RFC 4861, 7.1), so it has no claim to
 * protection.
 */
static __always_inline enum weir_parse weir_parse_icmpv6(struct weir_cursor *c, __u8 hop_limit,
							 const struct weir_packet *pkt)
{
	if (c->left < 4 || c->at + 4 > c->end)
		return WEIR_PARSE_MALFORMED;
	if (pkt->flags & WEIR_PACKET_FRAGMENT)
		return WEIR_PARSE_IP;
	if (c->at[0] == 2)
		return WEIR_PARSE_PROTECTED;
	if (c->at[0] >= 133 && c->at[0] <= 137 && hop_limit == 255)
		return WEIR_PARSE_PROTECTED;
	return WEIR_PARSE_IP;
}

static __always_inline enum weir_parse weir_parse_transport(struct weir_cursor *c, __u8 hop_limit,
							    struct weir_packet *pkt)
{
	if (pkt->flags & WEIR_PACKET_LATER)
		return WEIR_PARSE_IP;
	if (pkt->proto == IPPROTO_TCP)
		return weir_parse_tcp(c, pkt);
	if (pkt->proto == IPPROTO_UDP)
		return weir_parse_udp(c, pkt);
	if (pkt->proto == IPPROTO_ICMP && pkt->family == 4)
		return weir_parse_icmp(c, pkt);
	if (pkt->proto == IPPROTO_ICMPV6 && pkt->family == 6)
		return weir_parse_icmpv6(c, hop_limit, pkt);
	return WEIR_PARSE_IP;
}

static __always_inline enum weir_parse weir_parse_ipv4(struct weir_cursor *c,
						       struct weir_packet *pkt)
{
	const struct iphdr *ip = (const void *)c->at;

	if (c->at + sizeof(*ip) > c->end || ip->version != 4 || ip->ihl < 5)
		return WEIR_PARSE_MALFORMED;

	__u32 header = ip->ihl * 4u;
	__u32 total = weir_ntohs(ip->tot_len);

	if (total < header || total > c->left)
		return WEIR_PARSE_MALFORMED;

	pkt->family = 4;
	pkt->proto = ip->protocol;
	pkt->source.lo = ip->saddr;
	pkt->dest.lo = ip->daddr;

	__u16 fragment = weir_ntohs(ip->frag_off);

	if (fragment & 0x3fff)
		pkt->flags |= WEIR_PACKET_FRAGMENT;
	if (fragment & 0x1fff)
		pkt->flags |= WEIR_PACKET_LATER;
	c->left = total - header;
	c->at += header;
	return weir_parse_transport(c, 0, pkt);
}

/* What one step along the chain found. */
enum weir_chain { WEIR_CHAIN_MORE, WEIR_CHAIN_DONE, WEIR_CHAIN_CUT };

/** Length of the extension header at the cursor, 0 when it is none; notes what a fragment is. */
static __always_inline __u32 weir_parse_extension(const struct weir_cursor *c,
						  struct weir_packet *pkt)
{
	switch (pkt->proto) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
		return (c->at[1] + 1u) * 8; /* RFC 8200, 4.3 */
	case IPPROTO_AH:
		return (c->at[1] + 2u) * 4; /* RFC 4302, 2.2 */
	case IPPROTO_FRAGMENT:
		pkt->flags |= WEIR_PACKET_FRAGMENT;
		if (c->at[2] || c->at[3] & 0xf8)
			pkt->flags |= WEIR_PACKET_LATER;
		return 8;
	}
	return 0;
}

static __always_inline int weir_parse_is_extension(__u8 proto)
{
	return proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING || proto == IPPROTO_DSTOPTS ||
	       proto == IPPROTO_AH || proto == IPPROTO_FRAGMENT;
}

/* A longer chain in bytes than this has left the first buffer of any driver. */
#define WEIR_IPV6_CHAIN_BYTES 4096

/*
 * Where the cursor is goes by way of memory from one header to the next: the verifier then forgets
 * how it got there, and the many ways through a chain meet again at each header.
 */
static __always_inline enum weir_chain weir_parse_advance(struct weir_cursor *c, const __u8 *chain,
							  struct weir_packet *pkt, __u32 header)
{
	volatile __u32 *offset = &pkt->offset, *left = &pkt->left;
	__u32 at;

	if (header > *left)
		return WEIR_CHAIN_CUT;
	*left -= header;
	*offset += header;
	at = *offset;
	if (at > WEIR_IPV6_CHAIN_BYTES)
		return WEIR_CHAIN_CUT;
	c->at = chain + at;
	return WEIR_CHAIN_MORE;
}

/** One step along the chain; pkt->proto becomes the header that follows. */
static __always_inline enum weir_chain weir_parse_chain(struct weir_cursor *c, const __u8 *chain,
							struct weir_packet *pkt)
{
	__u32 header;
	__u8 next;

	if (!weir_parse_is_extension(pkt->proto))
		return WEIR_CHAIN_DONE;
	if (pkt->left < 8 || c->at + 8 > c->end)
		return WEIR_CHAIN_CUT;
	next = c->at[0];
	header = weir_parse_extension(c, pkt);
	pkt->proto = next;
	if (weir_parse_advance(c, chain, pkt, header) == WEIR_CHAIN_CUT)
		return WEIR_CHAIN_CUT;
	/* What follows in a later fragment is the middle of something. */
	return pkt->flags & WEIR_PACKET_LATER ? WEIR_CHAIN_DONE : WEIR_CHAIN_MORE;
}

static __always_inline enum weir_parse weir_parse_ipv6(struct weir_cursor *c,
						       struct weir_packet *pkt)
{
	const struct ipv6hdr *ip = (const void *)c->at;
	const __u8 *chain;

	if (c->at + sizeof(*ip) > c->end || ip->version != 6)
		return WEIR_PARSE_MALFORMED;

	__u32 payload = weir_ntohs(ip->payload_len);
	__u8 hop_limit = ip->hop_limit;

	if (payload > c->left - sizeof(*ip))
		return WEIR_PARSE_MALFORMED;

	pkt->family = 6;
	pkt->proto = ip->nexthdr;
	__builtin_memcpy(&pkt->source, &ip->saddr, 16);
	__builtin_memcpy(&pkt->dest, &ip->daddr, 16);
	/* A jumbogram (RFC 2675) says 0 and has hop-by-hop options; its end is the frame's. */
	pkt->left = payload;
	if (!payload && pkt->proto == IPPROTO_HOPOPTS)
		pkt->left = c->left - (__u32)sizeof(*ip);
	chain = c->at += sizeof(*ip);

	for (__u64 left = WEIR_IPV6_CHAIN_MAX; left; left--) {
		enum weir_chain step;

		WEIR_ROUND(left);
		step = weir_parse_chain(c, chain, pkt);
		if (step == WEIR_CHAIN_CUT)
			return WEIR_PARSE_MALFORMED;
		if (step == WEIR_CHAIN_DONE)
			break;
	}
	c->left = pkt->left;
	return weir_parse_transport(c, hop_limit, pkt);
}

/**
 * Parses a frame.
 *
 * @data, @end   the bytes that can be read directly (a multi-buffer frame's first buffer)
 * @frame_bytes  the whole frame's length, at least @end - @data
 * @pkt          filled in as far as the result allows; zeroed first
 */
static __always_inline enum weir_parse weir_packet_parse(const void *data, const void *end,
							 __u32 frame_bytes, struct weir_packet *pkt)
{
	struct weir_cursor c = { .at = data, .end = end };
	const struct ethhdr *eth = data;
	__u32 l2 = sizeof(*eth);
	__be16 proto;

	__builtin_memset(pkt, 0, sizeof(*pkt));
	pkt->bytes = frame_bytes;
	if (c.at + sizeof(*eth) > c.end)
		return WEIR_PARSE_MALFORMED;
	proto = eth->h_proto;
	c.at += sizeof(*eth);
	for (int i = 0; i < 2; i++) {
		const struct weir_vlan *vlan = (const void *)c.at;

		if (proto != weir_htons(ETH_P_8021Q) && proto != weir_htons(ETH_P_8021AD))
			break;
		if (c.at + sizeof(*vlan) > c.end)
			return WEIR_PARSE_MALFORMED;
		proto = vlan->proto;
		c.at += sizeof(*vlan);
		l2 += sizeof(*vlan);
	}
	if (frame_bytes < l2)
		return WEIR_PARSE_MALFORMED;
	c.left = frame_bytes - l2;
	if (proto == weir_htons(ETH_P_IP))
		return weir_parse_ipv4(&c, pkt);
	if (proto == weir_htons(ETH_P_IPV6))
		return weir_parse_ipv6(&c, pkt);
	if (proto == weir_htons(ETH_P_ARP))
		return WEIR_PARSE_PROTECTED;
	return WEIR_PARSE_NOT_IP;
}

#endif
