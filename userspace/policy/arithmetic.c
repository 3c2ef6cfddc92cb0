// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What a limit's numbers amount to.
 *
 * With N nodes, a rate r and a burst B for the whole fleet, each node has a static share: f r / N
 * and a bucket of e tokens. The store leases out the rest: (1 - f) r, and B less all shares. So one
 * node alone can come to (1 - f) r + f r / N, and the shares' part of B is there again for one node
 * only after all shares have refilled.
 */
#include "policy/arithmetic.h"

#include <errno.h>
#include <weir/maps.h>

#include "policy/compile.h"
#include "policy/faults.h"

#define PPM		1000000
#define TICK_NS_DEFAULT 4000000

static double per_second(struct weir_rate rate)
{
	return (double)rate.tokens * 1e9 / (double)rate.per_ns;
}

static uint64_t tick_ns(const struct weir_check_facts *facts)
{
	return facts && facts->tick_ns ? facts->tick_ns : TICK_NS_DEFAULT;
}

/* What has to be there at once for a packet to pass. */
static uint64_t packet_tokens(const struct weir_limit *limit, const struct weir_check_facts *facts)
{
	if (limit->token != WEIR_TOKEN_BYTE)
		return 1;
	return facts && facts->frame_bytes_max ? facts->frame_bytes_max : WEIR_FRAME_BYTES_DEFAULT;
}

/* This node's share of the burst, 0 when no whole packet fits in what may be shared. */
static uint64_t share_burst(const struct weir_limit *limit, uint64_t nodes, uint64_t packet,
			    bool *grown)
{
	uint64_t all =
		(uint64_t)((unsigned __int128)limit->burst_tokens * limit->share.burst_ppm / PPM);
	uint64_t share = all / nodes;

	*grown = false;
	if (limit->share.rate_ppm == 0)
		return 0;
	if (share >= packet)
		return share;
	if (packet > limit->burst_tokens / 2 / nodes)
		return 0;
	*grown = true;
	return packet;
}

static void reckon_share(const struct weir_limit *limit, uint64_t nodes, uint64_t packet,
			 struct weir_sums *sums)
{
	double shared = (double)limit->share.rate_ppm / PPM;
	uint64_t n = nodes;

	sums->share_tokens = share_burst(limit, nodes, packet, &sums->share_grown);
	if (sums->share_tokens == 0)
		shared = 0;
	sums->share_per_s = shared * sums->rate_per_s / (double)n;
	sums->one_node_per_s = (1 - shared) * sums->rate_per_s + sums->share_per_s;
	sums->one_node_tokens = limit->burst_tokens - (n - 1) * sums->share_tokens;
	if (shared > 0)
		sums->refilled_s = (double)(n * sums->share_tokens) / (shared * sums->rate_per_s);
	if (sums->share_tokens)
		sums->first = WEIR_ANSWER_BUCKET;
	else
		sums->first = limit->first_packet == WEIR_FIRST_ADMIT ? WEIR_ANSWER_ADMIT
								      : WEIR_ANSWER_LEASE;
	if (sums->first == WEIR_ANSWER_ADMIT)
		sums->fleet_burst_tokens += n * packet;
}

static void reckon_loss(const struct weir_limit *limit, uint64_t nodes, struct weir_sums *sums)
{
	double n = (double)nodes;

	switch (limit->on_store_loss) {
	case WEIR_LOSS_OPEN:
		sums->loss_unlimited = true;
		break;
	case WEIR_LOSS_SHARE:
		sums->loss_per_s = n * sums->share_per_s;
		sums->loss_tokens = nodes * sums->share_tokens;
		break;
	case WEIR_LOSS_FALLBACK:
		sums->loss_per_s = n * per_second(limit->fallback_rate);
		sums->loss_tokens = nodes * limit->fallback_burst_tokens;
		break;
	case WEIR_LOSS_CLOSED:
	case WEIR_LOSS_NONE:
		break;
	}
}

/* This node is the fleet, or the limit is each node's own: the first tier holds all of it. */
static void reckon_alone(const struct weir_limit *limit, uint64_t nodes, struct weir_sums *sums)
{
	sums->share_per_s = sums->rate_per_s;
	sums->share_tokens = limit->burst_tokens;
	sums->one_node_per_s = sums->rate_per_s;
	sums->one_node_tokens = limit->burst_tokens;
	sums->first = WEIR_ANSWER_BUCKET;
	sums->per_boot = true;
	if (limit->scope == WEIR_SCOPE_NODE) {
		sums->fleet_per_s = (double)nodes * sums->rate_per_s;
		sums->fleet_burst_tokens = nodes * limit->burst_tokens;
	}
}

/* How near the packet path comes to the numbers: a token's time is rounded up to whole units. */
static int reckon_gauge(const struct weir_limit *limit, const struct weir_check_facts *facts,
			struct weir_sums *sums)
{
	struct weir_gauge gauge;
	double token_ns, unit_ns;
	int err, exponent;

	err = weir_compile_gauge(&limit->rate, limit->burst_tokens, limit->token == WEIR_TOKEN_BYTE,
				 tick_ns(facts), &gauge, &sums->coarse);
	if (err)
		return err;
	exponent = gauge.now_right ? (int)gauge.now_right : WEIR_TAT_SHIFT - (int)gauge.now_left;
	unit_ns = exponent < 0 ? 1.0 / (double)(1ULL << -exponent) : (double)(1ULL << exponent);
	token_ns = (double)(gauge.token >> WEIR_TAT_SHIFT) * unit_ns;
	sums->below = 1 - 1e9 / token_ns / sums->rate_per_s;
	if (sums->below < 0)
		sums->below = 0;
	sums->effective_tokens = (double)gauge.burst / (double)gauge.token;
	return 0;
}

static void reckon_table(const struct weir_limit *limit, uint64_t packet, bool fallback_table,
			 struct weir_sums *sums)
{
	uint64_t words = limit->source.all ? WEIR_WAYS : limit->buckets;

	/* A small table has a chunk to itself. */
	if (words < (uint64_t)WEIR_CHUNK_LINES * WEIR_WAYS)
		words = (uint64_t)WEIR_CHUNK_LINES * WEIR_WAYS;
	sums->table_bytes = words * sizeof(uint64_t) * (fallback_table ? 2 : 1);
	if (!limit->source.all)
		sums->new_sources_per_s =
			(double)limit->buckets * sums->share_per_s / (double)packet;
}

int weir_limit_reckon(const struct weir_policy *policy, const struct weir_limit *limit,
		      const struct weir_check_facts *facts, struct weir_sums *ret_sums)
{
	bool leased = limit->scope == WEIR_SCOPE_FLEET && !policy->store.embedded;
	uint64_t nodes = policy->store.nodes_max, packet = packet_tokens(limit, facts);
	struct weir_sums sums = { .rate_per_s = per_second(limit->rate),
				  .burst_tokens = limit->burst_tokens };
	int err;

	sums.fleet_per_s = sums.rate_per_s;
	sums.fleet_burst_tokens = limit->burst_tokens;
	if (leased)
		reckon_share(limit, nodes, packet, &sums);
	else
		reckon_alone(limit, nodes, &sums);
	reckon_loss(limit, nodes, &sums);
	reckon_table(limit, packet, leased && limit->on_store_loss == WEIR_LOSS_FALLBACK, &sums);
	err = reckon_gauge(limit, facts, &sums);
	if (err)
		return err;
	*ret_sums = sums;
	return 0;
}

static bool fits(const struct weir_rate *rate, uint64_t burst, enum weir_token token, uint64_t tick)
{
	struct weir_gauge gauge;
	bool coarse;

	return weir_compile_gauge(rate, burst, token == WEIR_TOKEN_BYTE, tick, &gauge, &coarse) ==
	       0;
}

int weir_policy_check_gauges(const struct weir_policy *policy, uint64_t tick,
			     struct weir_faults *faults)
{
	static const char why[] = "at this rate so large a burst cannot be held exactly; a smaller "
				  "one would do";
	int err = 0;
	size_t i;

	for (i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];

		if (!fits(&limit->rate, limit->burst_tokens, limit->token, tick)) {
			weir_faults_add(faults, policy->file, limit->burst_mark,
					"limits.%s.burst: %s", limit->name, why);
			err = -EINVAL;
		}
		if (limit->on_store_loss == WEIR_LOSS_FALLBACK &&
		    !fits(&limit->fallback_rate, limit->fallback_burst_tokens, limit->token,
			  tick)) {
			weir_faults_add(faults, policy->file, limit->fallback_mark,
					"limits.%s.fallback.burst: %s", limit->name, why);
			err = -EINVAL;
		}
	}
	weir_faults_sort(faults, policy->file);
	return err;
}
