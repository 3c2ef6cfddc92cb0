// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What a person who starts the agent wants to know, one fact a line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/load.h"
#include "agent/state.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quantity.h"
#include "base/quote.h"

#define QUANTITY_LEN 64

void weir_tell_takeover(enum weir_takeover takeover, uint64_t heartbeat_ns)
{
	uint64_t now = weir_clock_boottime_ns();
	uint64_t away_ms = now > heartbeat_ns ? (now - heartbeat_ns) / WEIR_NS_PER_MS : 0;

	switch (takeover) {
	case WEIR_TAKEOVER_NONE:
		weir_log(WEIR_LOG_INFO, "first start: every bucket is full");
		break;
	case WEIR_TAKEOVER_KEPT:
		weir_log(WEIR_LOG_INFO, "taken over from an earlier agent: buckets go on",
			 WEIR_LOG_NUMBER("agent_away_ms", heartbeat_ns ? away_ms : 0));
		break;
	case WEIR_TAKEOVER_REPLACED:
		weir_log(WEIR_LOG_WARNING,
			 "maps of another version are replaced: every bucket is full");
		break;
	}
}

static const char *print_rate(const struct weir_limit *limit, char buf[QUANTITY_LEN])
{
	static const struct {
		uint64_t ns;
		const char *name;
	} periods[] = {
		{ WEIR_NS_PER_S, "s" },
		{ 60 * WEIR_NS_PER_S, "min" },
		{ 3600 * WEIR_NS_PER_S, "h" },
		{ 24 * 3600 * WEIR_NS_PER_S, "day" },
	};
	const char *token = weir_token_name(limit->token);
	size_t i;

	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		if (limit->rate.per_ns == periods[i].ns) {
			snprintf(buf, QUANTITY_LEN, "%" PRIu64 " %s/%s", limit->rate.tokens, token,
				 periods[i].name);
			return buf;
		}
	}
	/* A bit rate that is no whole number of bytes. */
	snprintf(buf, QUANTITY_LEN, "%" PRIu64 " %s in %" PRIu64 " s", limit->rate.tokens, token,
		 (uint64_t)(limit->rate.per_ns / WEIR_NS_PER_S));
	return buf;
}

static const struct weir_limit *find_limit(const struct weir_policy *policy, const char *name)
{
	size_t i;

	for (i = 0; policy && i < policy->n_limits; i++) {
		if (strcmp(policy->limits[i].name, name) == 0)
			return &policy->limits[i];
	}
	return NULL;
}

static bool tells_the_same(const struct weir_policy *before, const struct weir_limit *old,
			   const struct weir_policy *policy, const struct weir_limit *limit)
{
	return old->token == limit->token && old->rate.tokens == limit->rate.tokens &&
	       old->rate.per_ns == limit->rate.per_ns && old->burst_tokens == limit->burst_tokens &&
	       weir_policy_observes(before, old->mode) == weir_policy_observes(policy, limit->mode);
}

static void tell_limit(const struct weir_policy *policy, const struct weir_limit *limit,
		       const char *text)
{
	char rate[QUANTITY_LEN], burst[QUANTITY_LEN];

	snprintf(burst, sizeof(burst), "%" PRIu64 " %s", limit->burst_tokens,
		 weir_token_name(limit->token));
	weir_log(WEIR_LOG_INFO, text, WEIR_LOG_TEXT("name", limit->name),
		 WEIR_LOG_TEXT("rate", print_rate(limit, rate)), WEIR_LOG_TEXT("burst", burst),
		 WEIR_LOG_TEXT("mode",
			       weir_policy_observes(policy, limit->mode) ? "observe" : "enforce"));
}

void weir_tell_policy(const struct weir_policy *before, const struct weir_policy *policy)
{
	size_t i;

	for (i = 0; i < policy->n_limits; i++) {
		const struct weir_limit *limit = &policy->limits[i];
		const struct weir_limit *old = find_limit(before, limit->name);

		if (!old)
			tell_limit(policy, limit, "limit");
		else if (!tells_the_same(before, old, policy, limit))
			tell_limit(policy, limit, "limit has changed");
	}
	for (i = 0; before && i < before->n_limits; i++) {
		if (!find_limit(policy, before->limits[i].name))
			weir_log(WEIR_LOG_INFO, "limit is no more",
				 WEIR_LOG_TEXT("name", before->limits[i].name));
	}
}

void weir_tell_interfaces(const struct weir_interfaces *interfaces)
{
	struct weir_interface_view view;
	size_t i;

	for (i = 0; i < weir_interfaces_count(interfaces); i++) {
		weir_interfaces_view(interfaces, i, &view);
		weir_log(WEIR_LOG_NOTICE, "interface is protected",
			 WEIR_LOG_TEXT("interface", view.name),
			 WEIR_LOG_TEXT("mode", weir_attach_name(view.mode)));
		if (view.mode == WEIR_ATTACH_GENERIC)
			weir_log(WEIR_LOG_WARNING,
				 "generic mode costs more, and packets that GRO has merged count "
				 "as one; a driver with native XDP would do better",
				 WEIR_LOG_TEXT("interface", view.name));
		if (!view.is_up)
			weir_log(WEIR_LOG_WARNING,
				 "interface is down; it is protected once it is up",
				 WEIR_LOG_TEXT("interface", view.name));
	}
}

void weir_tell_observing(const struct weir_agent *agent)
{
	if (agent->options->observe)
		weir_log(WEIR_LOG_WARNING, "started to observe: nothing is refused");
	else if (agent->policy->observe)
		weir_log(WEIR_LOG_WARNING, "the policy says observe: limits refuse nothing, but "
					   "for those that say enforce");
	if (weir_plane_ctl(agent->plane)->observe)
		weir_log(WEIR_LOG_WARNING, "the panic switch is on: nothing is refused until "
					   "`weir observe off`");
}

/* The options that find this agent's pins again. */
static void print_config(const struct weir_agent *agent, char *buf, size_t size)
{
	const char *file = weir_load_file(agent->options);

	if (strcmp(file, WEIR_AGENT_POLICY_FILE) == 0)
		buf[0] = '\0';
	else
		snprintf(buf, size, " -c %s", file);
}

void weir_tell_end(const struct weir_agent *agent)
{
	char config[QUANTITY_LEN * 8], command[sizeof(config) * 2];

	print_config(agent, config, sizeof(config));
	/* As it was called: it need not be on the path. */
	snprintf(command, sizeof(command), "%s detach%s", program_invocation_name, config);
	weir_log(WEIR_LOG_NOTICE,
		 "the agent has ended and the limits stay on; what takes them off is",
		 WEIR_LOG_TEXT("command", command));
}

const char *weir_tell_summary(const struct weir_policy *policy, char *buf, size_t size)
{
	char quoted[WEIR_QUOTE_LEN];
	size_t i, len;
	int n;

	n = snprintf(buf, size, "%zu limit%s on", policy->n_limits,
		     policy->n_limits == 1 ? "" : "s");
	len = n > 0 ? (size_t)n : 0;
	for (i = 0; i < policy->n_interfaces && len < size; i++) {
		n = snprintf(buf + len, size - len, "%s %s", i ? "," : "",
			     weir_quote(policy->interfaces[i], quoted, sizeof(quoted)));
		len += n > 0 ? (size_t)n : 0;
	}
	return buf;
}
