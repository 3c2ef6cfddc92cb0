// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The agent: its start, its loop and its end.
 *
 * The order of a start is that of harm: what can be wrong is found before the packet path is
 * touched, the policy is in force before anything is attached, and the service counts as ready only
 * when every interface is protected.
 */
#include "agent/agent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "agent/load.h"
#include "agent/process.h"
#include "agent/state.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

#define STATUS_DONE	   0
#define STATUS_FAILED	   1
#define STATUS_WRONG_INPUT 2

static const struct timeval heartbeat_period = { .tv_usec = 250000 };
static const struct timeval second = { .tv_sec = 1 };

static void agent_clear(struct weir_agent *agent)
{
	struct event *events[] = { agent->try_ends,   agent->heartbeat,	 agent->second,
				   agent->signals[0], agent->signals[1], agent->signals[2] };
	size_t i;

	weir_control_free(agent->control);
	weir_metrics_free(agent->metrics);
	weir_links_free(agent->links);
	weir_interfaces_free(agent->interfaces);
	weir_observer_free(agent->observer);
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (events[i])
			event_free(events[i]);
	}
	if (agent->loop)
		event_base_free(agent->loop);
	weir_plane_close(agent->plane);
	if (agent->undo_pins)
		weir_plane_detach(agent->policy->pins_dir, NULL);
	weir_policy_free(agent->kept);
	weir_policy_free(agent->policy);
}

static void on_heartbeat(evutil_socket_t fd, short what, void *context)
{
	struct weir_agent *agent = context;

	(void)fd;
	(void)what;
	weir_plane_set_heartbeat(agent->plane, weir_clock_boottime_ns());
	weir_process_alive();
}

static void on_second(evutil_socket_t fd, short what, void *context)
{
	struct weir_agent *agent = context;

	(void)fd;
	(void)what;
	weir_interfaces_audit(agent->interfaces);
	weir_agent_observe(agent);
}

static void on_try_ends(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	weir_agent_revert(context);
}

static void on_signal(evutil_socket_t number, short what, void *context)
{
	struct weir_agent *agent = context;
	struct weir_reply reply = { .ok = false };

	(void)what;
	if (number == SIGHUP) {
		weir_agent_reload(agent, 0, &reply);
		weir_reply_clear(&reply);
		return;
	}
	event_base_loopbreak(agent->loop);
}

static void on_request(void *context, const struct weir_request *request, struct weir_reply *reply)
{
	struct weir_agent *agent = context;
	char summary[WEIR_ERROR_LEN / 2];

	switch (request->kind) {
	case WEIR_REQUEST_PING:
		reply->ok = true;
		weir_error_set(&reply->message, 0, "weir %s: %s", WEIR_VERSION,
			       weir_tell_summary(agent->policy, summary, sizeof(summary)));
		break;
	case WEIR_REQUEST_RELOAD:
	case WEIR_REQUEST_TRY:
		weir_agent_reload(agent, request->seconds, reply);
		break;
	case WEIR_REQUEST_KEEP:
		weir_agent_keep(agent, reply);
		break;
	}
}

static void on_link_gone(void *context, uint32_t index)
{
	struct weir_agent *agent = context;

	weir_interfaces_gone(agent->interfaces, index);
}

static void on_links_changed(void *context)
{
	struct weir_agent *agent = context;

	weir_interfaces_look(agent->interfaces);
}

static void on_frames_grown(void *context, const char *interface, uint64_t frame_bytes)
{
	struct weir_agent *agent = context;

	weir_load_warn_of_frames(agent->policy, interface, frame_bytes);
}

/* Everything that needs no packet path. */
static int make_parts(struct weir_agent *agent, struct weir_error *error)
{
	static const int numbers[WEIR_AGENT_SIGNALS] = { SIGHUP, SIGINT, SIGTERM };
	uint64_t seed[2] = { 0 };
	size_t i;

	agent->loop = event_base_new();
	if (!agent->loop || getrandom(seed, sizeof(seed), 0) != sizeof(seed))
		return weir_error_set(error, -errno, "no event loop: %s", strerror(errno));
	agent->observer = weir_observer_new(seed);
	agent->try_ends = evtimer_new(agent->loop, on_try_ends, agent);
	agent->heartbeat = event_new(agent->loop, -1, EV_PERSIST, on_heartbeat, agent);
	agent->second = event_new(agent->loop, -1, EV_PERSIST, on_second, agent);
	if (!agent->observer || !agent->try_ends || !agent->heartbeat || !agent->second)
		return weir_error_set(error, -ENOMEM, "out of memory");
	for (i = 0; i < WEIR_AGENT_SIGNALS; i++) {
		agent->signals[i] = evsignal_new(agent->loop, numbers[i], on_signal, agent);
		if (!agent->signals[i] || event_add(agent->signals[i], NULL) != 0)
			return weir_error_set(error, -ENOMEM, "out of memory");
	}
	return 0;
}

static int open_control(struct weir_agent *agent, struct weir_error *error)
{
	const struct weir_control_options options = {
		.run_dir = agent->policy->run_dir,
		.deadline_ms = WEIR_CONTROL_DEADLINE_MS,
		.answer = on_request,
		.context = agent,
	};

	return weir_control_new(agent->loop, &options, error, &agent->control);
}

/* The parts that stand on the packet path; nothing is attached yet. */
static int open_plane(struct weir_agent *agent, struct weir_error *error)
{
	struct weir_interfaces_options interfaces = {
		.frames_grown = on_frames_grown,
		.context = agent,
	};
	const struct weir_links_options links = {
		.gone = on_link_gone,
		.changed = on_links_changed,
		.context = agent,
	};
	enum weir_takeover takeover;
	int err;

	err = weir_plane_start(agent->policy->pins_dir, NULL, error, &takeover, &agent->plane);
	if (err)
		return err;
	agent->undo_pins = takeover == WEIR_TAKEOVER_NONE;
	weir_tell_takeover(takeover, weir_plane_ctl(agent->plane)->heartbeat_ns);
	interfaces.plane = agent->plane;
	err = weir_interfaces_new(agent->loop, &interfaces, error, &agent->interfaces);
	if (!err)
		err = weir_links_new(agent->loop, &links, error, &agent->links);
	return err ? err : open_control(agent, error);
}

/* One that is missing is named before anything is changed. */
static int find_interfaces(const struct weir_policy *policy, struct weir_error *error)
{
	struct weir_link link;
	size_t i;
	int err;

	for (i = 0; i < policy->n_interfaces; i++) {
		err = weir_link_look(policy->interfaces[i], &link);
		if (err == -ENODEV)
			return weir_error_set(error, err, "%s: there is no such interface",
					      policy->interfaces[i]);
		if (err)
			return weir_error_set(error, err, "%s: cannot be looked at: %s",
					      policy->interfaces[i], strerror(-err));
	}
	return 0;
}

static int protect(struct weir_agent *agent, struct weir_error *error)
{
	int err;

	err = find_interfaces(agent->policy, error);
	if (err)
		return err;
	weir_plane_set_heartbeat(agent->plane, weir_clock_boottime_ns());
	err = weir_plane_publish(agent->plane, agent->policy, error);
	if (!err)
		err = weir_interfaces_add(agent->interfaces, agent->policy, error);
	if (!err)
		err = weir_interfaces_settle(agent->interfaces, agent->policy, error);
	if (err)
		return err;
	if (event_add(agent->heartbeat, &heartbeat_period) != 0 ||
	    event_add(agent->second, &second) != 0)
		return weir_error_set(error, -ENOMEM, "out of memory");
	return 0;
}

/* A signal to reload that comes before it can be served waits; its default is to end the process. */
static void hold_reloads(bool held)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static int start(struct weir_agent *agent)
{
	struct weir_faults faults = { 0 };
	struct weir_error error = { "" };
	int err;

	hold_reloads(true);
	err = weir_load_policy(agent->options, &faults, &agent->policy);
	if (err)
		weir_load_print_errors(&faults);
	else
		weir_load_log_warnings(&faults);
	weir_faults_free(&faults);
	if (err)
		return STATUS_WRONG_INPUT;
	weir_process_prepare();
	err = make_parts(agent, &error);
	hold_reloads(false);
	if (!err)
		err = open_plane(agent, &error);
	if (!err)
		err = protect(agent, &error);
	if (!err)
		return STATUS_DONE;
	weir_log(WEIR_LOG_ERROR, "cannot start", WEIR_LOG_TEXT("reason", error.text));
	return STATUS_FAILED;
}

static void tell_started(struct weir_agent *agent)
{
	char summary[WEIR_ERROR_LEN / 2];

	weir_tell_policy(NULL, agent->policy);
	weir_tell_interfaces(agent->interfaces);
	weir_tell_observing(agent);
	weir_agent_listen(agent);
	weir_tell_summary(agent->policy, summary, sizeof(summary));
	weir_process_ready(summary);
	weir_log(WEIR_LOG_NOTICE, "ready", WEIR_LOG_TEXT("policy", summary),
		 WEIR_LOG_TEXT("node", agent->policy->node));
}

int weir_agent_run(const struct weir_agent_options *options)
{
	_cleanup_(agent_clear) struct weir_agent agent = { .options = options,
							   .watch.is_on = options->watch };
	int status;

	status = start(&agent);
	if (status == STATUS_DONE) {
		agent.undo_pins = false;
		tell_started(&agent);
		if (event_base_dispatch(agent.loop) < 0) {
			weir_log(WEIR_LOG_ERROR, "event loop failed", WEIR_LOG_ERRNO(errno));
			status = STATUS_FAILED;
		}
		weir_process_stopping();
		weir_plane_set_ended(agent.plane, weir_clock_boottime_ns());
		weir_tell_end(&agent);
	}
	weir_log_flush();
	return status;
}
