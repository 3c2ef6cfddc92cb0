// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Taking the policy file anew.
 *
 * What can fail comes first and can be undone, publishing is the one step that counts, and what
 * follows it cannot fail. A try keeps the last policy that was meant for good; a second try takes
 * the place of the first and still goes back to that one. A plain reload, by signal or by request,
 * is for good, and ends a try. When the agent ends during a try, the next one reads the file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/interface.h"
#include "agent/load.h"
#include "agent/process.h"
#include "agent/state.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/quantity.h"

#define SUMMARY_LEN 512

static void write_page(void *context, FILE *out)
{
	weir_agent_write_page(context, out);
}

static bool is_healthy(void *context)
{
	return weir_agent_is_healthy(context);
}

static int new_metrics(struct weir_agent *agent, const struct weir_policy *policy,
		       struct weir_error *error, struct weir_metrics **ret_metrics)
{
	const struct weir_metrics_options options = {
		.write_page = write_page,
		.is_healthy = is_healthy,
		.context = agent,
	};

	return weir_metrics_new(agent->loop, policy->metrics_listen, &options, error, ret_metrics);
}

void weir_agent_listen(struct weir_agent *agent)
{
	struct weir_error error = { "" };

	if (agent->metrics)
		return;
	/* Without metrics a node is still protected; without protection metrics are of no use. */
	if (new_metrics(agent, agent->policy, &error, &agent->metrics) != 0)
		weir_log(WEIR_LOG_ERROR, "no metrics are served; a reload tries again",
			 WEIR_LOG_TEXT("error", error.text));
	else
		weir_log(WEIR_LOG_INFO, "metrics are served",
			 WEIR_LOG_TEXT("listen", agent->policy->metrics_listen));
}

static void settle(struct weir_agent *agent, const struct weir_policy *policy)
{
	struct weir_error error = { "" };

	if (weir_interfaces_settle(agent->interfaces, policy, &error) != 0)
		weir_log(WEIR_LOG_ERROR, "not all interfaces are looked after; reload again",
			 WEIR_LOG_TEXT("error", error.text));
}

static void swap_metrics(struct weir_agent *agent, struct weir_metrics *metrics)
{
	weir_metrics_free(agent->metrics);
	agent->metrics = metrics;
}

/*
 * The address of @policy where it is another one. It may be the present one in other words
 * (0.0.0.0 after 127.0.0.1, with the same port), which then has to be let go first.
 */
static int move_metrics(struct weir_agent *agent, const struct weir_policy *policy,
			struct weir_error *error, struct weir_metrics **ret_metrics)
{
	int err;

	err = new_metrics(agent, policy, error, ret_metrics);
	if (err != -EADDRINUSE || !agent->metrics)
		return err;
	swap_metrics(agent, NULL);
	return new_metrics(agent, policy, error, ret_metrics);
}

/* All of @policy, or nothing. */
static int put_in_force(struct weir_agent *agent, const struct weir_policy *policy,
			struct weir_error *error)
{
	bool moves = strcmp(policy->metrics_listen, agent->policy->metrics_listen) != 0;
	struct weir_metrics *metrics = NULL;
	int err = 0;

	if (moves)
		err = move_metrics(agent, policy, error, &metrics);
	if (!err)
		err = weir_interfaces_add(agent->interfaces, policy, error);
	if (!err) {
		err = weir_plane_publish(agent->plane, policy, error);
		if (err)
			weir_interfaces_undo(agent->interfaces);
	}
	if (err) {
		weir_metrics_free(metrics);
		weir_agent_listen(agent);
		return err;
	}
	settle(agent, policy);
	if (moves)
		swap_metrics(agent, metrics);
	return 0;
}

/* The agent owns @policy from here on. */
static void hold(struct weir_agent *agent, struct weir_policy *policy, uint32_t try_s)
{
	const struct timeval ends = { .tv_sec = try_s };

	event_del(agent->try_ends);
	agent->revert_failures = 0;
	if (try_s && !agent->kept) {
		agent->kept = agent->policy;
	} else {
		weir_policy_free(agent->policy);
		if (!try_s)
			weir_policy_free(TAKE_PTR(agent->kept));
	}
	agent->policy = policy;
	if (try_s)
		event_add(agent->try_ends, &ends);
}

static void refuse(struct weir_agent *agent, struct weir_reply *reply)
{
	agent->reloads[WEIR_RELOAD_REFUSED]++;
	weir_log(WEIR_LOG_ERROR, "policy file is not taken; the policy in force stays",
		 WEIR_LOG_TEXT("reason", reply->message.text));
}

/* Returns NULL, and @reply says why, when the file cannot be taken. */
static struct weir_policy *read_anew(struct weir_agent *agent, struct weir_reply *reply)
{
	struct weir_policy *policy = NULL;
	const char *key;
	size_t n;

	if (weir_load_policy(agent->options, &reply->faults, &policy) != 0) {
		weir_load_log_errors(&reply->faults);
		n = reply->faults.n_errors + reply->faults.n_more_errors;
		weir_error_set(&reply->message, -EINVAL, "%zu fault%s in the policy file", n,
			       n == 1 ? "" : "s");
		return NULL;
	}
	weir_load_log_warnings(&reply->faults);
	key = weir_load_needs_restart(agent->policy, policy);
	if (!key)
		return policy;
	weir_error_set(&reply->message, -EBUSY,
		       "%s has changed, which needs a restart of the agent; the limits stay on "
		       "during one",
		       key);
	weir_policy_free(policy);
	return NULL;
}

static void tell_taken(struct weir_agent *agent, uint32_t try_s, struct weir_reply *reply)
{
	char summary[SUMMARY_LEN];

	weir_tell_summary(agent->policy, summary, sizeof(summary));
	agent->reloads[try_s ? WEIR_RELOAD_TRIED : WEIR_RELOAD_APPLIED]++;
	reply->ok = true;
	if (try_s)
		weir_error_set(&reply->message, 0,
			       "the policy is in force for %" PRIu32
			       " s, and longer if it is kept: %s",
			       try_s, summary);
	else
		weir_error_set(&reply->message, 0, "the policy is in force: %s", summary);
	weir_log(WEIR_LOG_NOTICE, "policy file is taken", WEIR_LOG_TEXT("policy", summary),
		 WEIR_LOG_NUMBER("try_s", try_s));
}

void weir_agent_reload(struct weir_agent *agent, uint32_t try_s, struct weir_reply *reply)
{
	struct weir_error error = { "" };
	struct weir_policy *policy;
	char summary[SUMMARY_LEN];

	weir_process_reloading();
	policy = read_anew(agent, reply);
	if (policy && put_in_force(agent, policy, &error) != 0) {
		reply->message = error;
		weir_policy_free(TAKE_PTR(policy));
	}
	if (policy) {
		weir_tell_policy(agent->policy, policy);
		hold(agent, policy, try_s);
		tell_taken(agent, try_s, reply);
		weir_agent_listen(agent);
	} else {
		refuse(agent, reply);
	}
	weir_process_ready(weir_tell_summary(agent->policy, summary, sizeof(summary)));
}

void weir_agent_keep(struct weir_agent *agent, struct weir_reply *reply)
{
	if (!agent->kept) {
		weir_error_set(&reply->message, -ENOENT, "no policy is being tried");
		return;
	}
	event_del(agent->try_ends);
	weir_policy_free(TAKE_PTR(agent->kept));
	agent->reloads[WEIR_RELOAD_KEPT]++;
	reply->ok = true;
	weir_error_set(&reply->message, 0, "the policy is kept");
	weir_log(WEIR_LOG_NOTICE, "policy that was tried is kept");
}

static void revert_later(struct weir_agent *agent, const struct weir_error *error)
{
	uint64_t wait = weir_interface_backoff_ns(++agent->revert_failures, 0);
	struct timeval delay = { .tv_sec = (time_t)(wait / WEIR_NS_PER_S),
				 .tv_usec = (suseconds_t)(wait % WEIR_NS_PER_S / 1000) };

	if (agent->revert_failures == 1)
		weir_log(WEIR_LOG_ERROR, "policy before the try cannot be put back; trying again",
			 WEIR_LOG_TEXT("error", error->text));
	event_add(agent->try_ends, &delay);
}

void weir_agent_revert(struct weir_agent *agent)
{
	struct weir_error error = { "" };
	char summary[SUMMARY_LEN];
	bool moves;

	if (!agent->kept)
		return;
	if (weir_plane_publish(agent->plane, agent->kept, &error) != 0) {
		revert_later(agent, &error);
		return;
	}
	/* It was in force before: what is missing of it by now is waited for, not refused. */
	settle(agent, agent->kept);
	moves = strcmp(agent->policy->metrics_listen, agent->kept->metrics_listen) != 0;
	weir_policy_free(agent->policy);
	agent->policy = TAKE_PTR(agent->kept);
	agent->revert_failures = 0;
	agent->reloads[WEIR_RELOAD_REVERTED]++;
	if (moves)
		swap_metrics(agent, NULL);
	weir_agent_listen(agent);
	weir_log(WEIR_LOG_WARNING, "policy that was tried was not kept; the one before is back",
		 WEIR_LOG_TEXT("policy",
			       weir_tell_summary(agent->policy, summary, sizeof(summary))));
	weir_process_ready(summary);
}
