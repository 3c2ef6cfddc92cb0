// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir observe: the panic switch. One word in a pinned map, so that it works with the agent dead.
 */
#include <string.h>

#include "cli/show.h"
#include "cli/where.h"

static void print_json(const struct weir_plane *plane, bool on, bool was)
{
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_member_bool(&json, "panic_switch", on);
	weir_json_member_bool(&json, "was", was);
	weir_json_member_bool(&json, "observing", weir_plane_observes(plane));
	weir_json_member_bool(&json, "agent_alive", weir_agent_alive(weir_plane_ctl(plane)));
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

static void print_text(const struct weir_plane *plane, bool on, bool was)
{
	if (on)
		printf("observing: everything passes from now on, and what would be refused is "
		       "counted (the switch was %s)\n",
		       was ? "on already" : "off");
	else if (weir_plane_observes(plane))
		printf("the switch is off (it was %s), but the policy's own mode is observe: "
		       "nothing is refused\n",
		       was ? "on" : "off already");
	else
		printf("enforcing the policy (the switch was %s)\n", was ? "on" : "off already");
	if (!weir_agent_alive(weir_plane_ctl(plane)))
		puts("the agent is not running; the switch holds all the same");
}

enum weir_exit weir_cli_observe(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	_cleanup_plane_ struct weir_plane *plane = NULL;
	bool on = strcmp(call->words[0], "on") == 0, was;
	enum weir_exit status;

	if (!on && strcmp(call->words[0], "off") != 0) {
		weir_complain("observe: found \"%s\"; on or off would do", call->words[0]);
		return WEIR_WRONG_INPUT;
	}
	status = weir_where_find(call, &where);
	if (status == WEIR_DONE)
		status = weir_where_open(&where, &plane);
	if (status != WEIR_DONE)
		return status;
	was = weir_plane_ctl(plane)->observe;
	weir_plane_set_observe(plane, on);
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json(plane, on, was);
	else
		print_text(plane, on, was);
	return WEIR_DONE;
}
