// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* One source's bucket, as the next packet would find it. Reads only. */
#include <errno.h>
#include <string.h>

#include "plane/internal.h"

void look_packet(const struct weir_prefix *source, struct weir_packet *ret_packet)
{
	struct weir_packet packet = { .family = source->family };

	if (source->family == 4)
		memcpy(&packet.source.lo, source->addr, 4);
	else
		memcpy(&packet.source, source->addr, 16);
	*ret_packet = packet;
}

struct weir_prefix look_prefix(const struct weir_rule *rule, const struct weir_name *name,
			       const struct weir_packet *packet)
{
	struct weir_addr source = weir_rule_source(rule, packet);
	struct weir_prefix prefix = { .family = packet->family };

	if (name->all)
		return prefix;
	prefix.bits = packet->family == 4 ? name->ipv4_bits : name->ipv6_bits;
	if (packet->family == 4)
		memcpy(prefix.addr, &source.lo, 4);
	else
		memcpy(prefix.addr, &source, 16);
	return prefix;
}

static double seconds_of(const struct weir_gauge *gauge, uint64_t in_place)
{
	double ns = (double)in_place / (double)(1ULL << gauge->now_left);

	return ns * (double)(1ULL << gauge->now_right) / 1e9;
}

int look_bucket(struct weir_plane *plane, const struct weir_rule *rule,
		const struct weir_packet *packet, struct bucket_view *ret_view)
{
	const struct table_view *table = mapping_table(plane, rule);
	const struct weir_gauge *gauge = &rule->gauge;
	struct bucket_view view = { .place = weir_rule_place(rule, packet) };
	uint64_t now_ns = plane_now_ns(plane, rule);

	if (!table || view.place.line >= table->count)
		return -ENOENT;
	/* A line in motion has settled by the next reading; a reader does not settle it. */
	for (int i = 0; i < WEIR_TRIES; i++) {
		enum weir_outcome outcome = weir_line_look(&table->lines[view.place.line], gauge,
							   rule->base, view.place.tag,
							   weir_gauge_now(gauge, now_ns), 0,
							   &view.look);

		if (outcome != WEIR_STALE && outcome != WEIR_UNSETTLED)
			break;
	}
	view.token_s = seconds_of(gauge, gauge->token);
	if (view.look.headroom > 0)
		view.tokens = (double)view.look.headroom / (double)gauge->token;
	*ret_view = view;
	return 0;
}
