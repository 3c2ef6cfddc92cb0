// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir status: one picture of the node, read once, then printed as text or as JSON
 * (status_text.c, status_json.c).
 */
#include "cli/status.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/quantity.h"
#include "cli/show.h"

static void status_cleanup(struct weir_status *status)
{
	free(status->interfaces);
	free(status->attachments);
	free(status->limits);
}

static struct weir_interface_state *interface_of(struct weir_status *status, const char *name)
{
	size_t i;

	for (i = 0; i < status->n_interfaces; i++) {
		if (strcmp(status->interfaces[i].name, name) == 0)
			return &status->interfaces[i];
	}
	return NULL;
}

static void keep_interface(struct weir_status *status, const char *name, enum weir_attach attach)
{
	struct weir_interface_state *state = interface_of(status, name);

	if (!state) {
		state = &status->interfaces[status->n_interfaces++];
		snprintf(state->name, sizeof(state->name), "%s", name);
		state->present = if_nametoindex(name) != 0;
	}
	if (attach != WEIR_ATTACH_AUTO)
		state->attach = attach;
}

/* Those that are attached, and those that the policy would have attached. */
static int gather_interfaces(struct weir_status *status, struct weir_plane *plane,
			     const struct weir_site *site)
{
	size_t i;
	int err = weir_plane_attachments(plane, &status->attachments, &status->n_attachments);

	if (err)
		return err;
	status->interfaces =
		calloc(site->n_interfaces + status->n_attachments + 1, sizeof(*status->interfaces));
	if (!status->interfaces)
		return -ENOMEM;
	for (i = 0; i < status->n_attachments; i++)
		keep_interface(status, status->attachments[i].name, status->attachments[i].mode);
	for (i = 0; i < site->n_interfaces; i++)
		keep_interface(status, site->interfaces[i], WEIR_ATTACH_AUTO);
	return 0;
}

static int gather(struct weir_status *status, struct weir_plane *plane,
		  const struct weir_where *where)
{
	const struct weir_ctl *ctl = weir_plane_ctl(plane);
	uint64_t now = weir_clock_boottime_ns();
	size_t i;
	int err;

	status->node = weir_where_node(where, status->node_buf);
	status->pins_dir = where->pins_dir;
	status->observing = weir_plane_observes(plane);
	status->panic_observe = ctl->observe;
	status->heartbeat_age_s = weir_heartbeat_age_s(ctl);
	status->agent_alive = weir_agent_alive(ctl);
	status->policy_age_s =
		ctl->policy_since_ns && now > ctl->policy_since_ns
			? (double)(now - ctl->policy_since_ns) / (double)WEIR_NS_PER_S
			: -1;
	err = weir_plane_reasons(plane, status->reasons);
	if (!err)
		err = weir_plane_limits(plane, &status->limits, &status->n_limits);
	if (!err)
		err = weir_plane_sources_used(plane, &status->sources_used, &status->sources_size);
	if (!err)
		err = gather_interfaces(status, plane, &where->site);
	for (i = 0; !err && i < status->n_limits; i++)
		status->not_inserted += status->limits[i].counts.not_inserted;
	return err;
}

enum weir_exit weir_cli_status(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	_cleanup_plane_ struct weir_plane *plane = NULL;
	_cleanup_(status_cleanup) struct weir_status status = { .node = "" };
	enum weir_exit result;
	int err;

	result = weir_where_find(call, &where);
	if (result == WEIR_DONE)
		result = weir_where_open(&where, &plane);
	if (result != WEIR_DONE)
		return result;
	err = gather(&status, plane, &where);
	if (err) {
		weir_complain("reading the maps under %s failed: %s", where.pins_dir,
			      strerror(-err));
		return WEIR_FAILED;
	}
	if (weir_call_has(call, WEIR_OPTION_JSON))
		weir_status_print_json(&status);
	else
		weir_status_print_text(&status);
	return WEIR_DONE;
}
