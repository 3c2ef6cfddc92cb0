// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The section `limits`.
 *
 * Which keys a limit may have depends on whether its number holds for the fleet or for each node,
 * and on its mode for store loss. What is decided about failure is always written, never a default.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "policy/faults.h"
#include "policy/sections.h"
#include "policy/values.h"

#define BUCKETS_DEFAULT (256U << 10)
#define BUCKETS_MIN	8U /* one line of the table */
#define BUCKETS_MAX	(16U << 20)
#define SHARE_RATE_PPM	30000
#define SHARE_BURST_PPM 250000

enum {
	NAME,
	MODE,
	MATCH,
	SOURCE,
	FLEET_RATE,
	NODE_RATE,
	BURST,
	SHARE,
	FIRST_PACKET,
	ON_STORE_LOSS,
	FALLBACK,
	BUCKETS,
	OVER,
	N_KEYS
};

static const struct weir_key limit_keys[N_KEYS] = {
	[NAME] = { "name", "a name of a-z, 0-9 and -, at most 31 letters," },
	[MODE] = { "mode", NULL },
	[MATCH] = { "match", NULL },
	[SOURCE] = { "source", NULL },
	[FLEET_RATE] = { "fleet_rate", NULL },
	[NODE_RATE] = { "node_rate", NULL },
	[BURST] = { "burst", "an amount in the rate's kind, such as 2000 packets," },
	[SHARE] = { "share", NULL },
	[FIRST_PACKET] = { "first_packet", NULL },
	[ON_STORE_LOSS] = { "on_store_loss", NULL },
	[FALLBACK] = { "fallback", NULL },
	[BUCKETS] = { "buckets", NULL },
	[OVER] = { "over", NULL },
};

/* A limit while it is read. */
struct form {
	struct weir_reading *reading;
	const yaml_node_t *item;
	yaml_node_t *nodes[N_KEYS];
	struct weir_limit *limit;
	bool rate_known; /* the rate's kind can be compared with */
};

/* A rate counts packets or bytes; so does whatever goes with it. */
static bool check_kind(struct form *form, const yaml_node_t *node, const char *key,
		       enum weir_token token)
{
	char found[WEIR_QUOTE_LEN + 3];

	if (token == WEIR_TOKEN_UNIT) {
		weir_reading_fault(form->reading, node, key,
				   "found %s: units are for quotas; %s "
				   "would do",
				   weir_node_found(node, found),
				   form->rate_known ? weir_token_name(form->limit->token)
						    : "packets or bytes");
		return false;
	}
	if (!form->rate_known || token == form->limit->token)
		return true;
	weir_reading_fault(
		form->reading, node, key,
		"found %s: %s, while the limit's rate counts %s; an amount of %s would do",
		weir_node_found(node, found), weir_token_name(token),
		weir_token_name(form->limit->token), weir_token_name(form->limit->token));
	return false;
}

static void read_rate(struct form *form)
{
	const yaml_node_t *fleet = form->nodes[FLEET_RATE], *node = form->nodes[NODE_RATE];
	struct weir_limit *limit = form->limit;

	limit->scope = fleet ? WEIR_SCOPE_FLEET : WEIR_SCOPE_NODE;
	if (!fleet && !node) {
		weir_reading_fault(form->reading, form->item, "fleet_rate",
				   "missing, and so is node_rate; exactly one of them, such as "
				   "fleet_rate: 1000 packets/s, would do");
		return;
	}
	if (fleet && node)
		weir_reading_fault(form->reading, node, "node_rate",
				   "found beside fleet_rate; exactly one of them would do");
	form->rate_known = weir_read_rate(form->reading, fleet ? fleet : node,
					  fleet ? "fleet_rate" : "node_rate", &limit->token,
					  &limit->rate);
}

static void read_burst(struct form *form)
{
	const yaml_node_t *node = form->nodes[BURST];
	enum weir_token token;

	if (!node)
		return;
	form->limit->burst_mark = weir_node_mark(node);
	if (weir_read_amount(form->reading, node, "burst", WEIR_BURST_TOKENS_MAX, &token,
			     &form->limit->burst_tokens))
		check_kind(form, node, "burst", token);
}

static void read_share(struct form *form)
{
	static const struct weir_key keys[] = { { "rate", NULL }, { "burst", NULL } };
	struct weir_share *share = &form->limit->share;
	yaml_node_t *node = form->nodes[SHARE], *nodes[2];
	bool sound;
	size_t was;

	if (!node)
		return;
	was = weir_path_enter(form->reading, "share");
	sound = weir_mapping_collect(form->reading, node, keys, 2, nodes);
	sound &= weir_read_percent(form->reading, nodes[0], "rate", &share->rate_ppm);
	sound &= weir_read_percent(form->reading, nodes[1], "burst", &share->burst_ppm);
	if (sound && share->rate_ppm == 0 && share->burst_ppm != 0)
		weir_reading_fault(form->reading, node, "rate",
				   "found 0%% beside a burst: that share would never refill; both "
				   "0%% (leases alone), or a rate, would do");
	weir_path_leave(form->reading, was);
}

static void read_fallback(struct form *form)
{
	static const struct weir_key keys[] = {
		{ "node_rate", "what each node lets pass then, such as 200 packets/s," },
		{ "burst", "an amount in the rate's kind, such as 400 packets," },
	};
	struct weir_limit *limit = form->limit;
	yaml_node_t *nodes[2];
	enum weir_token token;
	size_t was = weir_path_enter(form->reading, "fallback");

	if (weir_mapping_collect(form->reading, form->nodes[FALLBACK], keys, 2, nodes)) {
		if (nodes[0] && weir_read_rate(form->reading, nodes[0], "node_rate", &token,
					       &limit->fallback_rate))
			check_kind(form, nodes[0], "node_rate", token);
		if (nodes[1])
			limit->fallback_mark = weir_node_mark(nodes[1]);
		if (nodes[1] &&
		    weir_read_amount(form->reading, nodes[1], "burst", WEIR_BURST_TOKENS_MAX,
				     &token, &limit->fallback_burst_tokens))
			check_kind(form, nodes[1], "burst", token);
	}
	weir_path_leave(form->reading, was);
}

static void refuse_key(struct form *form, int key, const char *why)
{
	if (form->nodes[key])
		weir_reading_fault(form->reading, form->nodes[key], limit_keys[key].name, "%s",
				   why);
}

static void read_store_loss(struct form *form)
{
	static const struct weir_choice modes[] = {
		{ "open", WEIR_LOSS_OPEN },
		{ "closed", WEIR_LOSS_CLOSED },
		{ "share", WEIR_LOSS_SHARE },
		{ "fallback", WEIR_LOSS_FALLBACK },
	};
	int mode = WEIR_LOSS_NONE;
	bool sound;

	sound = weir_read_choice(form->reading, form->nodes[ON_STORE_LOSS], "on_store_loss", modes,
				 4, &mode);
	form->limit->on_store_loss = mode;
	if (!form->nodes[ON_STORE_LOSS])
		weir_reading_fault(form->reading, form->item, "on_store_loss",
				   "missing; a fleet_rate needs what rules without the store in "
				   "writing: open, closed, share or fallback would do");
	if (form->nodes[FALLBACK]) {
		read_fallback(form);
		if (sound && mode != WEIR_LOSS_FALLBACK)
			refuse_key(form, FALLBACK,
				   "found without on_store_loss: fallback; leave it out");
	} else if (mode == WEIR_LOSS_FALLBACK) {
		weir_reading_fault(form->reading, form->item, "fallback",
				   "missing; on_store_loss: fallback needs its numbers, such as "
				   "{node_rate: 200 packets/s, burst: 400 packets}");
	}
}

static void read_fleet_part(struct form *form)
{
	static const struct weir_choice firsts[] = { { "wait", WEIR_FIRST_WAIT },
						     { "admit", WEIR_FIRST_ADMIT } };
	int first = WEIR_FIRST_WAIT;

	form->limit->share = (struct weir_share){ SHARE_RATE_PPM, SHARE_BURST_PPM };
	read_share(form);
	if (weir_read_choice(form->reading, form->nodes[FIRST_PACKET], "first_packet", firsts, 2,
			     &first))
		form->limit->first_packet = first;
	read_store_loss(form);
}

static void refuse_fleet_part(struct form *form)
{
	refuse_key(form, ON_STORE_LOSS,
		   "found beside node_rate, which does not depend on the store; leave it out");
	refuse_key(form, FALLBACK,
		   "found beside node_rate, which does not depend on the store; leave it out");
	refuse_key(form, SHARE, "found beside node_rate, which is not shared; leave it out");
	refuse_key(form, FIRST_PACKET,
		   "found beside node_rate, which waits for no lease; leave it out");
}

static void read_buckets(struct form *form)
{
	static const struct weir_range range = { BUCKETS_MIN, BUCKETS_MAX,
						 "a power of two from 8 to 16Mi" };
	const yaml_node_t *node = form->nodes[BUCKETS];
	char found[WEIR_QUOTE_LEN + 3];
	uint64_t buckets;

	buckets = form->limit->source.all ? BUCKETS_MIN : BUCKETS_DEFAULT;
	if (weir_read_count(form->reading, node, "buckets", &range, &buckets) &&
	    (buckets & (buckets - 1)))
		weir_reading_fault(form->reading, node, "buckets", "found %s; %s would do",
				   weir_node_found(node, found), range.text);
	form->limit->buckets = (uint32_t)buckets;
}

static void read_over(struct form *form)
{
	static const struct weir_choice choices[] = {
		{ "drop", WEIR_OVER_DROP },	{ "reset", WEIR_LATER },    { "icmp", WEIR_LATER },
		{ "dns-truncate", WEIR_LATER }, { "http-429", WEIR_LATER },
	};
	int over = WEIR_OVER_DROP;

	weir_read_choice(form->reading, form->nodes[OVER], "over", choices, 5, &over);
	form->limit->over = over;
}

static void read_limit(struct weir_reading *reading, yaml_node_t *item, size_t index,
		       struct weir_limit *limit)
{
	struct form form = { .reading = reading, .item = item, .limit = limit };
	size_t was = weir_path_enter_item(reading, item, index);

	limit->mark = limit->match_mark = limit->burst_mark = weir_node_mark(item);
	limit->source = (struct weir_source_spec){ .ipv4_bits = 32, .ipv6_bits = 64 };
	if (!weir_mapping_collect(reading, item, limit_keys, N_KEYS, form.nodes)) {
		reading->unsound |= 1ULL << index;
		weir_path_leave(reading, was);
		return;
	}
	weir_read_limit_name(reading, form.nodes[NAME], limit->name);
	weir_read_run_mode(reading, form.nodes[MODE], &limit->mode);
	if (form.nodes[MATCH]) {
		limit->match_mark = weir_node_mark(form.nodes[MATCH]);
		if (!weir_read_match(reading, form.nodes[MATCH], &limit->match))
			reading->unsound |= 1ULL << index;
	}
	if (form.nodes[SOURCE])
		weir_read_source(reading, form.nodes[SOURCE], &limit->source);
	read_rate(&form);
	read_burst(&form);
	if (form.nodes[FLEET_RATE])
		read_fleet_part(&form);
	else if (form.nodes[NODE_RATE])
		refuse_fleet_part(&form);
	read_buckets(&form);
	read_over(&form);
	weir_path_leave(reading, was);
}

void weir_read_limits(struct weir_reading *reading, yaml_node_t *node, struct weir_policy *policy)
{
	size_t i, n, was;

	if (!node || !weir_items_room(reading, node, "limits", 0, &n) || n == 0)
		return;
	policy->limits = calloc(n, sizeof(policy->limits[0]));
	if (!policy->limits) {
		weir_faults_add(reading->faults, reading->file, (struct weir_mark){ 0 },
				"out of memory");
		return;
	}
	policy->n_limits = n;
	was = weir_path_enter(reading, "limits");
	for (i = 0; i < n; i++)
		read_limit(reading, weir_items_at(reading, node, i), i, &policy->limits[i]);
	weir_path_leave(reading, was);
}
