/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The agent's parts, for the files that make it up. Nobody outside agent/ includes this.
 *
 * One thread, one loop. Every part has an owner here; parts do not know each other.
 */
#ifndef WEIR_AGENT_STATE_H
#define WEIR_AGENT_STATE_H

#include <event2/event.h>

#include "agent/agent.h"
#include "agent/control.h"
#include "agent/interfaces.h"
#include "agent/links.h"
#include "agent/metrics.h"
#include "agent/observer.h"
#include "agent/page.h"
#include "agent/watch.h"
#include "plane/plane.h"
#include "policy/policy.h"

#define WEIR_AGENT_SIGNALS 3

struct weir_agent {
	const struct weir_agent_options *options;
	struct event_base *loop;
	struct weir_plane *plane;
	bool undo_pins;		    /* this start made them, and it has failed */
	struct weir_policy *policy; /* in force */
	struct weir_policy *kept;   /* while one is tried: what to go back to; else NULL */
	struct event *try_ends;
	unsigned int revert_failures; /* in a row */
	uint64_t reloads[WEIR_RELOAD_RESULTS];
	struct weir_interfaces *interfaces;
	struct weir_links *links;
	struct weir_control *control;
	struct weir_metrics *metrics; /* NULL while its address cannot be listened at */
	struct weir_observer *observer;
	struct weir_watch watch;
	struct event *heartbeat;
	struct event *second;
	struct event *signals[WEIR_AGENT_SIGNALS];
};

/* reload.c */

/**
 * Takes the policy file anew: whole, or not at all. Everything that is wrong is logged.
 * @try_s    0: for good, and a try that is pending ends; else for so many seconds
 * @reply    what to tell who asked
 */
void weir_agent_reload(struct weir_agent *agent, uint32_t try_s, struct weir_reply *reply);
/** What is tried stays. */
void weir_agent_keep(struct weir_agent *agent, struct weir_reply *reply);
/** The try ran out: back to the policy before it. For the timer. */
void weir_agent_revert(struct weir_agent *agent);
/** Listens for metrics where the policy says. A failure is logged; each reload tries again. */
void weir_agent_listen(struct weir_agent *agent);

/* moment.c: the node as it is now. */

void weir_agent_write_page(struct weir_agent *agent, FILE *out);
bool weir_agent_is_healthy(const struct weir_agent *agent);
/** Once a second: sources are observed and expired, the watch's line is shown. */
void weir_agent_observe(struct weir_agent *agent);

/* tell.c: facts for the log, one a line. */

/** @heartbeat_ns  the earlier agent's last, CLOCK_BOOTTIME */
void weir_tell_takeover(enum weir_takeover takeover, uint64_t heartbeat_ns);
/** Each limit that is new or tells something else than before. @before  NULL: all are new */
void weir_tell_policy(const struct weir_policy *before, const struct weir_policy *policy);
void weir_tell_interfaces(const struct weir_interfaces *interfaces);
void weir_tell_observing(const struct weir_agent *agent);
/** How to take the limits off, now that nobody is left to ask. */
void weir_tell_end(const struct weir_agent *agent);
/** "5 limits on eth0, eth1". @buf  for systemd's status and for replies */
const char *weir_tell_summary(const struct weir_policy *policy, char *buf, size_t size);

#endif
