/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What holds of the parser's answer whatever the frame was; for tests and the fuzzer. */
#ifndef TESTS_LIB_SOUND_H
#define TESTS_LIB_SOUND_H

#include <stddef.h>

#include <weir/packet.h>

/* One buffer: the frame is @size bytes. @return NULL, or what does not hold together */
static inline const char *parse_fault(enum weir_parse parsed, const struct weir_packet *pkt,
				      size_t size)
{
	const __u32 flags = pkt->flags;
	int transport = pkt->proto == IPPROTO_TCP || pkt->proto == IPPROTO_UDP;

	if (pkt->bytes != size)
		return "the frame's length is not kept";
	if (parsed > WEIR_PARSE_MALFORMED)
		return "there is no such outcome";
	if (flags & WEIR_PACKET_LATER && !(flags & WEIR_PACKET_FRAGMENT))
		return "a later fragment that is none";
	if (flags & WEIR_PACKET_PORTS && (flags & WEIR_PACKET_LATER || !transport))
		return "ports where there are none";
	if (flags & WEIR_PACKET_SYN && (pkt->proto != IPPROTO_TCP || !(flags & WEIR_PACKET_PORTS)))
		return "SYN without TCP";
	if (!(flags & WEIR_PACKET_PORTS) && pkt->dport)
		return "a port nobody read";
	if (pkt->family == 4 && (pkt->source.hi || pkt->source.lo >> 32 || pkt->dest.hi))
		return "an IPv4 address of more than four bytes";
	if (parsed == WEIR_PARSE_IP) {
		if (pkt->family != 4 && pkt->family != 6)
			return "no family";
		if (size < (pkt->family == 4 ? 34u : 54u))
			return "a source in a frame that is too short for one";
		if (transport && !(flags & (WEIR_PACKET_PORTS | WEIR_PACKET_LATER)))
			return "TCP or UDP without ports";
	}
	if (parsed == WEIR_PARSE_NOT_IP && pkt->family)
		return "a family without IP";
	if (parsed == WEIR_PARSE_PROTECTED && flags)
		return "a fragment or a port is protected";
	return NULL;
}

#endif
