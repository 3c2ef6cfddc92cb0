// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/prefix_rules.h"

/* A frame of an ordinary Ethernet: what "one packet" is for a byte limit. */
#define FRAME_BYTES 1514
/* Of a known source so many admitted packets a second are written down one by one. */
#define SAMPLES_PER_S	 16
#define SAMPLE_SHIFT_MAX 6

static struct weir_addr mask_of(unsigned int bits)
{
	uint8_t bytes[16] = {};
	struct weir_addr mask;

	for (unsigned int i = 0; i < bits; i++)
		bytes[i / 8] |= 0x80 >> i % 8;
	memcpy(&mask, bytes, sizeof(mask));
	return mask;
}

/** The IPv4 address lies in lo's first bytes in memory. */
static struct weir_addr mask4_of(unsigned int bits)
{
	struct weir_addr mask = mask_of(bits);

	return (struct weir_addr){ .lo = mask.hi };
}

static uint32_t sample_shift(const struct weir_limit *limit)
{
	double per_s = (double)limit->rate.tokens * 1e9 / (double)limit->rate.per_ns;
	uint32_t shift = 0;

	if (limit->token == WEIR_TOKEN_BYTE)
		per_s /= FRAME_BYTES;
	while (shift < SAMPLE_SHIFT_MAX && per_s / (2u << shift) >= SAMPLES_PER_S)
		shift++;
	return shift;
}

static uint64_t promote_above(const struct weir_rule *rule)
{
	uint64_t packet = rule->gauge.token;

	if (rule->flags & WEIR_RULE_ALL)
		return UINT64_MAX;
	if (rule->flags & WEIR_RULE_BYTES)
		packet *= FRAME_BYTES;
	return packet > rule->gauge.burst / 2 ? packet : rule->gauge.burst / 2;
}

static int compile_rule(const struct weir_limit *limit, bool observe, uint64_t tick_ns,
			struct weir_rule *rule)
{
	uint32_t lines = limit->source.all ? 1 : limit->buckets / WEIR_WAYS;
	bool bytes = limit->token == WEIR_TOKEN_BYTE, coarse;
	int err = weir_compile_gauge(&limit->rate, limit->burst_tokens, bytes, tick_ns,
				     &rule->gauge, &coarse);

	if (err)
		return err;
	rule->flags = (bytes ? WEIR_RULE_BYTES : 0) | (coarse ? WEIR_RULE_COARSE : 0) |
		      (limit->source.all ? WEIR_RULE_ALL : 0);
	if (limit->mode == WEIR_RUN_OBSERVE || (limit->mode == WEIR_RUN_INHERIT && observe))
		rule->flags |= WEIR_RULE_OBSERVE;
	if (!limit->source.all) {
		rule->mask4 = mask4_of(limit->source.ipv4_bits);
		rule->mask6 = mask_of(limit->source.ipv6_bits);
	}
	weir_hash_shape(&rule->hash, (uint32_t)__builtin_ctz(lines));
	rule->promote = promote_above(rule);
	rule->sample = sample_shift(limit);
	return 0;
}

static void allow_protocols(struct weir_rules *rules, const struct weir_match *match, uint64_t bit)
{
	if (match->has_proto) {
		rules->proto[match->proto] |= bit;
	} else if (match->syn) {
		rules->proto[IPPROTO_TCP] |= bit;
	} else if (match->n_ports) {
		rules->proto[IPPROTO_TCP] |= bit;
		rules->proto[IPPROTO_UDP] |= bit;
	} else {
		for (size_t i = 0; i < 256; i++)
			rules->proto[i] |= bit;
	}
}

static void compile_match(struct weir_rules *rules, const struct weir_match *match, uint64_t bit)
{
	allow_protocols(rules, match, bit);
	if (match->n_ports || match->syn)
		rules->transport |= bit;
	if (match->n_ports)
		rules->flags |= WEIR_RULES_PORTS;
	if (match->syn)
		rules->syn |= bit;
	if (match->fragment == WEIR_FRAGMENT_ONLY)
		rules->fragments |= bit;
	if (match->fragment == WEIR_FRAGMENT_WHOLE)
		rules->whole |= bit;
	if (!match->n_from)
		rules->from_any |= bit;
	if (!match->n_to)
		rules->to_any |= bit;
}

static int compile_ports(const struct weir_policy *policy, struct weir_port_rules **ret_ports)
{
	struct weir_port_rules *ports = calloc(1, sizeof(*ports));

	if (!ports)
		return -ENOMEM;
	for (size_t i = 0; i < policy->n_limits; i++) {
		const struct weir_match *match = &policy->limits[i].match;
		struct weir_ports any = { 0, UINT16_MAX };

		for (size_t k = 0; k < (match->n_ports ? match->n_ports : 1); k++) {
			struct weir_ports range = match->n_ports ? match->ports[k] : any;

			for (unsigned int port = range.first; port <= range.last; port++)
				ports->rules[port] |= 1ULL << i;
		}
	}
	*ret_ports = ports;
	return 0;
}

static int compile_rules(const struct weir_policy *policy, uint64_t tick_ns,
			 struct weir_error *error, struct weir_rules *rules)
{
	if (policy->observe)
		rules->flags |= WEIR_RULES_OBSERVE;
	rules->count = (uint32_t)policy->n_limits;
	for (size_t i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];

		if (compile_rule(limit, policy->observe, tick_ns, &rules->rule[i]))
			return weir_error_set(error, -ERANGE,
					      "%s:%u:%u: limit %s: the burst takes too long to "
					      "refill to be held exactly at this rate; use a "
					      "smaller burst (at most 2^34 tokens)",
					      policy->file, limit->mark.line, limit->mark.column,
					      limit->name);
		if (rules->rule[i].flags & WEIR_RULE_COARSE)
			rules->coarse |= 1ULL << i;
		compile_match(rules, &limit->match, 1ULL << i);
	}
	return 0;
}

int weir_compile(const struct weir_policy *policy, uint64_t tick_ns, struct weir_error *error,
		 struct weir_compiled *ret_compiled)
{
	struct weir_compiled compiled = {};
	int err;

	compiled.rules = calloc(1, sizeof(*compiled.rules));
	if (!compiled.rules)
		return weir_error_set(error, -ENOMEM, "out of memory");
	err = compile_rules(policy, tick_ns, error, compiled.rules);
	if (!err && compiled.rules->flags & WEIR_RULES_PORTS)
		err = compile_ports(policy, &compiled.ports);
	if (!err)
		err = weir_prefix_rules(policy, false, &compiled.from, &compiled.n_from);
	if (!err)
		err = weir_prefix_rules(policy, true, &compiled.to, &compiled.n_to);
	if (err) {
		weir_compiled_clear(&compiled);
		return err == -ENOMEM ? weir_error_set(error, err, "out of memory") : err;
	}
	if (compiled.n_from)
		compiled.rules->flags |= WEIR_RULES_FROM;
	if (compiled.n_to)
		compiled.rules->flags |= WEIR_RULES_TO;
	*ret_compiled = compiled;
	return 0;
}

void weir_compiled_clear(struct weir_compiled *compiled)
{
	free(compiled->rules);
	free(compiled->ports);
	free(compiled->from);
	free(compiled->to);
	memset(compiled, 0, sizeof(*compiled));
}
