// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The kinds of frames, as a table: what each test that goes through all of them goes through. */
#include "lib/frames.h"

#include <net/ethernet.h>
#include <netinet/in.h>

#define TAG_Q  0x8100
#define TAG_AD 0x88a8

#define TCP_SYN	   .proto = IPPROTO_TCP, .dport = 443, .tcp_flags = FRAME_SYN
#define UDP_DNS	   .proto = IPPROTO_UDP, .dport = 53, .body = 24
#define V4	   .family = 4
#define V6	   .family = 6
#define CHAIN(...) .chain = { __VA_ARGS__ }
#define EVERY_HEADER \
	CHAIN(FRAME_HOP_BY_HOP, IPPROTO_DSTOPTS, IPPROTO_ROUTING, IPPROTO_FRAGMENT, IPPROTO_AH)

const struct frame_kind frame_kinds[] = {
	{ "ipv4-tcp-syn", { V4, TCP_SYN } },
	{ "ipv4-tcp-ack",
	  { V4, .proto = IPPROTO_TCP, .dport = 80, .tcp_flags = FRAME_ACK, .body = 100 } },
	{ "ipv4-udp", { V4, UDP_DNS } },
	{ "ipv4-options-udp", { V4, UDP_DNS, .options = 40 } },
	{ "ipv4-icmp-echo", { V4, .proto = IPPROTO_ICMP, .icmp_type = 8, .body = 32 } },
	{ "ipv4-fragmentation-needed",
	  { V4, .proto = IPPROTO_ICMP, .icmp_type = 3, .icmp_code = 4, .body = 28 } },
	{ "ipv4-first-fragment", { V4, UDP_DNS, .more_fragments = true } },
	{ "ipv4-later-fragment",
	  { V4, .proto = IPPROTO_UDP, .fragment = 185, .headless = true, .body = 40 } },
	{ "ipv4-unknown-protocol", { V4, .proto = 253, .body = 12 } },
	{ "ipv4-padded", { V4, TCP_SYN, .padding = 6 } },
	{ "vlan-ipv4-tcp-syn", { V4, TCP_SYN, .tag = { TAG_Q } } },
	{ "qinq-ipv4-udp", { V4, UDP_DNS, .tag = { TAG_AD, TAG_Q } } },
	{ "three-tags", { V4, UDP_DNS, .tag = { TAG_AD, TAG_Q, TAG_Q } } },
	{ "ipv6-tcp-syn", { V6, TCP_SYN } },
	{ "ipv6-udp", { V6, UDP_DNS } },
	{ "ipv6-echo", { V6, .proto = IPPROTO_ICMPV6, .icmp_type = 128, .body = 32 } },
	{ "ipv6-neighbour-solicitation",
	  { V6, .proto = IPPROTO_ICMPV6, .icmp_type = 135, .ttl = 255, .body = 24 } },
	{ "ipv6-routed-solicitation",
	  { V6, .proto = IPPROTO_ICMPV6, .icmp_type = 135, .ttl = 254, .body = 24 } },
	{ "ipv6-packet-too-big", { V6, .proto = IPPROTO_ICMPV6, .icmp_type = 2, .body = 48 } },
	{ "ipv6-hop-by-hop-udp", { V6, UDP_DNS, CHAIN(FRAME_HOP_BY_HOP) } },
	{ "ipv6-every-header-tcp", { V6, TCP_SYN, EVERY_HEADER } },
	{ "ipv6-long-headers-udp",
	  { V6, UDP_DNS, CHAIN(FRAME_HOP_BY_HOP, IPPROTO_DSTOPTS), .chain_extra = 9 } },
	{ "ipv6-eight-headers-udp", { V6, UDP_DNS, CHAIN(60, 60, 60, 60, 60, 60, 60, 60) } },
	{ "ipv6-nine-headers-udp", { V6, UDP_DNS, CHAIN(60, 60, 60, 60, 60, 60, 60, 60, 60) } },
	{ "ipv6-first-fragment", { V6, UDP_DNS, CHAIN(IPPROTO_FRAGMENT), .chain_more = true } },
	{ "ipv6-later-fragment",
	  { V6, .proto = IPPROTO_UDP, .headless = true, .body = 40, CHAIN(IPPROTO_FRAGMENT),
	    .chain_fragment = 181 } },
	{ "ipv6-atomic-fragment", { V6, TCP_SYN, CHAIN(IPPROTO_FRAGMENT) } },
	{ "ipv6-no-next-header", { V6, .proto = IPPROTO_NONE } },
	{ "ipv6-unknown-header", { V6, .proto = 253, .body = 16 } },
	{ "qinq-ipv6-tcp-syn", { V6, TCP_SYN, .tag = { TAG_AD, TAG_AD } } },
	{ "arp", { .ethertype = ETHERTYPE_ARP, .body = 28 } },
	{ "vlan-arp", { .ethertype = ETHERTYPE_ARP, .body = 28, .tag = { TAG_Q } } },
	{ "lldp", { .ethertype = 0x88cc, .body = 46 } },
	{ "802.3-length", { .ethertype = 60, .body = 60 } },
	{ .name = NULL },
};
