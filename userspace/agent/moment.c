// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The node as it is now: read from the plane, for the metrics page, the observer and the watch.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/state.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quantity.h"

static void log_unread(const char *what, int err)
{
	weir_log(WEIR_LOG_ERROR, "state of the packet path cannot be read",
		 WEIR_LOG_TEXT("what", what), WEIR_LOG_ERRNO(err));
}

static double heartbeat_age_s(const struct weir_agent *agent)
{
	uint64_t now = weir_clock_boottime_ns();
	uint64_t last = weir_plane_ctl(agent->plane)->heartbeat_ns;

	return now > last ? (double)(now - last) / WEIR_NS_PER_S : 0;
}

static struct weir_interface_view *view_interfaces(const struct weir_agent *agent, size_t *ret_n)
{
	size_t n = weir_interfaces_count(agent->interfaces), i;
	struct weir_interface_view *views = calloc(n + 1, sizeof(*views));

	if (!views)
		return NULL;
	for (i = 0; i < n; i++)
		weir_interfaces_view(agent->interfaces, i, &views[i]);
	*ret_n = n;
	return views;
}

void weir_agent_write_page(struct weir_agent *agent, FILE *out)
{
	_cleanup_free_ struct weir_limit_view *limits = NULL;
	_cleanup_free_ struct weir_interface_view *interfaces = NULL;
	struct weir_page page = {
		.policy = agent->policy,
		.observation = weir_observer_result(agent->observer),
		.heartbeat_age_s = heartbeat_age_s(agent),
		.is_observing = weir_plane_ctl(agent->plane)->observe,
	};
	int err;

	memcpy(page.reloads, agent->reloads, sizeof(page.reloads));
	err = weir_plane_reasons(agent->plane, page.reasons);
	if (err)
		log_unread("reasons", err);
	err = weir_plane_limits(agent->plane, &limits, &page.n_limits);
	if (err)
		log_unread("limits", err);
	page.limits = limits;
	err = weir_plane_sources_used(agent->plane, &page.sources_known, &page.sources_size);
	if (err)
		log_unread("sources", err);
	interfaces = view_interfaces(agent, &page.n_interfaces);
	page.interfaces = interfaces;
	weir_page_write(out, &page);
}

bool weir_agent_is_healthy(const struct weir_agent *agent)
{
	struct weir_interface_view view;
	size_t i;

	for (i = 0; i < weir_interfaces_count(agent->interfaces); i++) {
		weir_interfaces_view(agent->interfaces, i, &view);
		if (view.mode == WEIR_ATTACH_AUTO)
			return false;
	}
	return true;
}

static void observe_sources(struct weir_agent *agent)
{
	_cleanup_free_ struct weir_source_view *sources = NULL;
	size_t n = 0;
	int err;

	err = weir_plane_sources(agent->plane, &sources, &n);
	if (!err)
		err = weir_observer_feed(agent->observer, weir_clock_monotonic_ns(), sources, n);
	if (err)
		log_unread("sources", err);
	err = weir_plane_expire_sources(agent->plane);
	if (err)
		weir_log(WEIR_LOG_ERROR, "idle sources cannot be removed", WEIR_LOG_ERRNO(err));
}

static void show_watch(struct weir_agent *agent)
{
	_cleanup_free_ struct weir_limit_view *limits = NULL;
	struct weir_count reasons[WEIR_REASONS];
	char line[WEIR_WATCH_LINE];
	time_t now = time(NULL);
	struct tm clock;
	size_t n = 0;
	int err;

	err = weir_plane_reasons(agent->plane, reasons);
	if (!err)
		err = weir_plane_limits(agent->plane, &limits, &n);
	if (err) {
		log_unread("counters", err);
		return;
	}
	localtime_r(&now, &clock);
	if (weir_watch_line(&agent->watch, weir_clock_monotonic_ns(), &clock, reasons, limits, n,
			    line))
		weir_watch_show(&agent->watch, line);
}

void weir_agent_observe(struct weir_agent *agent)
{
	observe_sources(agent);
	if (agent->watch.is_on)
		show_watch(agent);
}
