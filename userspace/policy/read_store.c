// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The section `store`: where the fleet's numbers are kept, and the times that decide when it counts
 * as lost. With the embedded store this node is the whole fleet; keys that only a fleet needs are
 * then told to be without effect, so that a policy can change sides by its url alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "policy/sections.h"
#include "policy/store_url.h"
#include "policy/values.h"

#define NODES_MAX    10000
#define BUDGET_MAX   1000000
#define PATH_LEN_MAX 4000

enum {
	URL,
	FLEET,
	NODES,
	TIMEOUT,
	STALE_AFTER,
	HOLD_DOWN,
	LEASE_LIFE,
	BUDGET,
	PASSWORD_FILE,
	N_KEYS
};

static const struct weir_key store_keys[N_KEYS] = {
	[URL] = { "url", "embedded, redis://HOST:PORT or unix:///PATH" },
	[FLEET] = { "fleet", NULL },
	[NODES] = { "nodes_max", NULL },
	[TIMEOUT] = { "timeout", NULL },
	[STALE_AFTER] = { "stale_after", NULL },
	[HOLD_DOWN] = { "hold_down", NULL },
	[LEASE_LIFE] = { "lease_life", NULL },
	[BUDGET] = { "budget", NULL },
	[PASSWORD_FILE] = { "password_file", NULL },
};

static const struct weir_range nodes_range = { 1, NODES_MAX, "a number from 1 to 10000" };
static const struct weir_range budget_range = { 1, BUDGET_MAX, "from 1/s to 1000000/s" };
static const struct weir_range timeout_range = { WEIR_NS_PER_MS, 10 * WEIR_NS_PER_S,
						 "a time from 1ms to 10s" };
static const struct weir_range stale_range = { 300 * WEIR_NS_PER_MS, 10 * WEIR_NS_PER_S,
					       "a time from 300ms to 10s" };
static const struct weir_range hold_range = { WEIR_NS_PER_MS, 300 * WEIR_NS_PER_S,
					      "a time from 1ms to 5min" };
static const struct weir_range lease_range = { WEIR_NS_PER_S, 5 * WEIR_NS_PER_S,
					       "a time from 1s to 5s" };

/* Without a readable url nothing that depends on it is judged. */
static bool read_url(struct weir_reading *reading, const yaml_node_t *node,
		     struct weir_store_spec *store)
{
	struct weir_store_url url;
	struct weir_error error;
	const char *text;

	if (!node)
		return false;
	text = weir_scalar_text(reading, node, "url", store_keys[URL].would_do);
	if (!text)
		return false;
	if (weir_store_url_parse(text, &error, &url) != 0) {
		weir_reading_fault(reading, node, "url", "%s", error.text);
		return false;
	}
	store->embedded = url.kind == WEIR_STORE_EMBEDDED;
	store->url_mark = weir_node_mark(node);
	return weir_keep_text(reading, text, &store->url);
}

static void require_fleet_keys(struct weir_reading *reading, const yaml_node_t *section,
			       yaml_node_t **nodes)
{
	if (!nodes[FLEET])
		weir_reading_fault(reading, section, "fleet",
				   "missing; a store that others use needs the fleet's name, such "
				   "as prod");
	if (!nodes[NODES])
		weir_reading_fault(reading, section, "nodes_max",
				   "missing; the shares are reckoned with the most nodes the fleet "
				   "will have, such as 12");
}

/* Read all the same, so that a wrong value is found before the day it matters. */
static void settle_embedded(struct weir_reading *reading, yaml_node_t **nodes,
			    struct weir_store_spec *store)
{
	static const int fleet_only[] = { FLEET, NODES, BUDGET, PASSWORD_FILE };
	size_t i;

	for (i = 0; i < 4; i++) {
		if (nodes[fleet_only[i]])
			weir_reading_warn(reading, nodes[fleet_only[i]],
					  store_keys[fleet_only[i]].name,
					  "has no effect with the embedded store");
	}
	free(store->fleet);
	free(store->password_file);
	store->fleet = NULL;
	store->password_file = NULL;
	store->nodes_max = 1;
}

static void check_times(struct weir_reading *reading, const yaml_node_t *section,
			yaml_node_t **nodes, const struct weir_store_spec *store)
{
	const yaml_node_t *at = nodes[STALE_AFTER] ? nodes[STALE_AFTER] : nodes[LEASE_LIFE];

	if (store->stale_after_ns > store->lease_life_ns)
		weir_reading_fault(reading, at ? at : section, "stale_after",
				   "is longer than lease_life, so leases would end before the mode "
				   "for store loss begins; at most lease_life would do");
	at = nodes[TIMEOUT] ? nodes[TIMEOUT] : nodes[STALE_AFTER];
	if (store->timeout_ns >= store->stale_after_ns)
		weir_reading_fault(reading, at ? at : section, "timeout",
				   "is no shorter than stale_after, so one slow exchange would "
				   "count as store loss; less than stale_after would do");
}

static bool read_times(struct weir_reading *reading, yaml_node_t **nodes,
		       struct weir_store_spec *store)
{
	bool sound;

	sound = weir_read_duration(reading, nodes[TIMEOUT], "timeout", &timeout_range,
				   &store->timeout_ns);
	sound &= weir_read_duration(reading, nodes[STALE_AFTER], "stale_after", &stale_range,
				    &store->stale_after_ns);
	sound &= weir_read_duration(reading, nodes[HOLD_DOWN], "hold_down", &hold_range,
				    &store->hold_down_ns);
	sound &= weir_read_duration(reading, nodes[LEASE_LIFE], "lease_life", &lease_range,
				    &store->lease_life_ns);
	return sound;
}

void weir_read_store(struct weir_reading *reading, yaml_node_t *node, struct weir_store_spec *store)
{
	size_t was = weir_path_enter(reading, "store");
	yaml_node_t *nodes[N_KEYS];
	uint64_t nodes_max = 1;
	bool url_known;

	*store = (struct weir_store_spec){
		.timeout_ns = 100 * WEIR_NS_PER_MS,
		.stale_after_ns = WEIR_NS_PER_S,
		.hold_down_ns = 2 * WEIR_NS_PER_S,
		.lease_life_ns = 3 * WEIR_NS_PER_S,
		.budget_per_s = 20000,
	};
	if (weir_mapping_collect(reading, node, store_keys, N_KEYS, nodes)) {
		url_known = read_url(reading, nodes[URL], store);
		weir_read_name(reading, nodes[FLEET], "fleet", &store->fleet);
		weir_read_count(reading, nodes[NODES], "nodes_max", &nodes_range, &nodes_max);
		store->nodes_max = (uint32_t)nodes_max;
		if (read_times(reading, nodes, store))
			check_times(reading, node, nodes, store);
		weir_read_per_second(reading, nodes[BUDGET], "budget", &budget_range,
				     &store->budget_per_s);
		weir_read_path(reading, nodes[PASSWORD_FILE], "password_file", PATH_LEN_MAX,
			       &store->password_file);
		if (url_known && store->embedded)
			settle_embedded(reading, nodes, store);
		else if (url_known)
			require_fleet_keys(reading, node, nodes);
	}
	weir_path_leave(reading, was);
}
