// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What would become of a packet: the packet path's own steps over the same maps, in the same order,
 * without charging anything.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "plane/internal.h"

/* A byte limit is asked about a frame of this size. */
#define FRAME_BYTES 1514

static int trie_lookup(struct weir_plane *plane, enum map_id outer, const struct weir_prefix *addr,
		       struct weir_prefix_value *ret_value)
{
	struct weir_prefix_key key = { .bits = addr->family == 4 ? 40 : 136,
				       .family = addr->family };
	uint32_t index = plane->ctl->active & 1, id;
	_cleanup_close_ int fd = -1;

	memset(ret_value, 0, sizeof(*ret_value));
	if (bpf_map_lookup_elem(plane->map_fd[outer], &index, &id))
		return errno == ENOENT ? 0 : -errno;
	fd = bpf_map_get_fd_by_id(id);
	if (fd < 0)
		return -errno;
	memcpy(key.addr, addr->addr, sizeof(key.addr));
	if (bpf_map_lookup_elem(fd, &key, ret_value) && errno != ENOENT)
		return -errno;
	return 0;
}

/** Rules that accept the query's transport; what the query leaves out is no obstacle. */
static uint64_t match_transport(struct weir_plane *plane, const struct weir_rules *rules,
				const struct weir_query *query)
{
	uint64_t set = ~0ULL;

	if (query->has_proto) {
		set &= rules->proto[query->proto];
		if (query->proto != IPPROTO_TCP)
			set &= ~rules->syn;
	}
	if (query->has_port && rules->flags & WEIR_RULES_PORTS) {
		set &= plane->ports[plane->ctl->active & 1].rules[query->port];
		if (!query->has_proto)
			set &= rules->proto[IPPROTO_TCP] | rules->proto[IPPROTO_UDP];
	}
	return rules->count < 64 ? set & ((1ULL << rules->count) - 1) : set;
}

static int match(struct weir_plane *plane, const struct weir_rules *rules,
		 const struct weir_query *query, uint64_t *ret_set, uint32_t *ret_list)
{
	struct weir_prefix_value from = {}, to = {};
	uint64_t set = match_transport(plane, rules, query);
	int err = 0;

	if (rules->flags & WEIR_RULES_FROM)
		err = trie_lookup(plane, MAP_FROM, &query->source, &from);
	if (!err && query->has_to && rules->flags & WEIR_RULES_TO)
		err = trie_lookup(plane, MAP_TO, &query->to, &to);
	if (err)
		return err;
	set &= rules->from_any | from.rules;
	if (query->has_to)
		set &= rules->to_any | to.rules;
	*ret_set = set;
	*ret_list = from.list;
	return 0;
}

static bool is_known(struct weir_plane *plane, const struct weir_rule *rule,
		     const struct weir_prefix *prefix)
{
	struct weir_source_key key = { .slot = rule->slot, .family = prefix->family };
	struct weir_source source;

	memcpy(key.addr, prefix->addr, sizeof(key.addr));
	return !bpf_map_lookup_elem(plane->map_fd[MAP_SOURCES], &key, &source);
}

static int answer(struct weir_plane *plane, const struct weir_rule *rule,
		  const struct weir_packet *packet, struct weir_limit_answer *answer)
{
	const struct weir_name *name = &plane->names[rule->slot];
	double cost = rule->flags & WEIR_RULE_BYTES ? FRAME_BYTES : 1;
	struct bucket_view bucket;
	int err = look_bucket(plane, rule, packet, &bucket);

	if (err)
		return err;
	memset(answer, 0, sizeof(*answer));
	memcpy(answer->name, name->name, WEIR_NAME_LEN);
	answer->observing = plane->ctl->observe || rule->flags & WEIR_RULE_OBSERVE;
	answer->bytes = rule->flags & WEIR_RULE_BYTES;
	answer->inherited = !bucket.look.own;
	answer->prefix = look_prefix(rule, name, packet);
	answer->known = is_known(plane, rule, &answer->prefix);
	answer->tokens = bucket.tokens;
	answer->burst = (double)rule->gauge.burst / (double)rule->gauge.token;
	answer->rate_per_s = 1 / bucket.token_s;
	answer->conforms = bucket.tokens >= cost;
	if (!answer->conforms) {
		double debt = (double)bucket.look.debt / (double)rule->gauge.token;
		double lacking = debt + cost - answer->burst;

		answer->retry_after_s = lacking > 0 ? lacking * bucket.token_s : 0;
	}
	return 0;
}

/** The packet's reason, by the first limit that refuses. */
static void conclude(struct weir_explanation *e, uint64_t set)
{
	e->reason = set ? WEIR_CONFORMS : WEIR_NO_LIMIT;
	for (size_t i = 0; i < e->n_limits; i++) {
		const struct weir_limit_answer *a = &e->limits[i];

		if (a->conforms)
			continue;
		if (a->retry_after_s > e->retry_after_s)
			e->retry_after_s = a->retry_after_s;
		if (e->reason != WEIR_CONFORMS && e->reason != WEIR_WOULD_REFUSE)
			continue;
		e->reason = a->observing   ? WEIR_WOULD_REFUSE
			    : a->inherited ? WEIR_TABLE_FULL
					   : WEIR_OVER_LIMIT;
	}
}

int weir_plane_explain(struct weir_plane *plane, const struct weir_query *query,
		       struct weir_explanation *ret_explanation)
{
	const struct weir_rules *rules = plane_rules(plane);
	struct weir_explanation *e = ret_explanation;
	struct weir_packet packet;
	uint32_t list;
	uint64_t set;
	int err;

	memset(e, 0, sizeof(*e));
	err = match(plane, rules, query, &set, &list);
	if (err)
		return err;
	look_packet(&query->source, &packet);
	e->observing = plane->ctl->observe || rules->flags & WEIR_RULES_OBSERVE;
	e->exempt = list == WEIR_LIST_NEVER;
	e->dropped_by_list = list == WEIR_LIST_ALWAYS;
	for (uint32_t i = 0; !err && i < rules->count; i++) {
		if (set >> i & 1)
			err = answer(plane, &rules->rule[i], &packet, &e->limits[e->n_limits++]);
	}
	if (err)
		return err;
	if (!e->exempt && !e->dropped_by_list)
		conclude(e, set);
	else if (e->exempt)
		e->reason = WEIR_EXEMPT;
	else
		e->reason = e->observing ? WEIR_WOULD_REFUSE : WEIR_DENIED;
	return 0;
}
