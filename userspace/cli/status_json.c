// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The picture as JSON. Members keep name and meaning; more may be added.
 */
#include "cli/show.h"
#include "cli/status.h"

static void interfaces(struct weir_json *json, const struct weir_status *status)
{
	size_t i;

	weir_json_key(json, "interfaces");
	weir_json_array_open(json);
	for (i = 0; i < status->n_interfaces; i++) {
		const struct weir_interface_state *state = &status->interfaces[i];
		bool attached = state->attach != WEIR_ATTACH_AUTO;

		weir_json_object_open(json);
		weir_json_member(json, "name", state->name);
		weir_json_member(json, "attach", attached ? weir_attach_name(state->attach) : NULL);
		weir_json_member_bool(json, "present", state->present);
		weir_json_object_close(json);
	}
	weir_json_array_close(json);
}

/* The embedded store is this process's own memory, so to speak: it is there, and fresh. */
static void store(struct weir_json *json)
{
	weir_json_key(json, "store");
	weir_json_object_open(json);
	weir_json_member(json, "url", "embedded");
	weir_json_member_bool(json, "up", true);
	weir_json_member_u64(json, "last_exchange_age_s", 0);
	weir_json_key(json, "errors");
	weir_json_object_open(json);
	weir_json_object_close(json);
	weir_json_object_close(json);
}

static void agent(struct weir_json *json, const struct weir_status *status)
{
	weir_json_key(json, "agent");
	weir_json_object_open(json);
	weir_json_member_bool(json, "alive", status->agent_alive);
	weir_json_key(json, "heartbeat_age_s");
	weir_json_seconds(json, status->heartbeat_age_s);
	weir_json_object_close(json);
}

static void reasons(struct weir_json *json, const struct weir_status *status)
{
	uint32_t reason;

	weir_json_key(json, "reasons");
	weir_json_object_open(json);
	for (reason = 0; reason < WEIR_REASONS; reason++) {
		if (!*weir_reason_name(reason))
			continue;
		weir_json_key(json, weir_reason_name(reason));
		weir_json_count(json, &status->reasons[reason]);
	}
	weir_json_object_close(json);
}

static void degraded(struct weir_json *json)
{
	static const char *const modes[] = { "share", "open", "closed", "fallback" };
	size_t i;

	weir_json_key(json, "degraded_seconds");
	weir_json_object_open(json);
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		weir_json_member_u64(json, modes[i], 0);
	weir_json_object_close(json);
}

static void count_member(struct weir_json *json, const char *key, const struct weir_count *count)
{
	weir_json_key(json, key);
	weir_json_count(json, count);
}

static void limit(struct weir_json *json, const struct weir_status *status,
		  const struct weir_limit_view *view)
{
	weir_json_object_open(json);
	weir_json_member(json, "name", view->name.name);
	weir_json_member(json, "kind", view->name.fleet ? "fleet" : "node");
	weir_json_member(json, "mode", "normal");
	weir_json_key(json, "mode_since_s");
	weir_json_seconds(json, status->policy_age_s);
	weir_json_member(json, "cause", NULL);
	weir_json_member_bool(json, "observing", view->observing);
	count_member(json, "admitted", &view->counts.admitted);
	count_member(json, "refused", &view->counts.refused);
	count_member(json, "would_refuse", &view->counts.would_refuse);
	count_member(json, "refused_by_other", &view->counts.refused_by_other);
	weir_json_member_u64(json, "lost_race", view->counts.lost_race);
	degraded(json);
	weir_json_object_close(json);
}

static void tables(struct weir_json *json, const struct weir_status *status)
{
	size_t i;

	weir_json_key(json, "tables");
	weir_json_object_open(json);
	weir_json_key(json, "sources");
	weir_json_object_open(json);
	weir_json_member_u64(json, "used", status->sources_used);
	weir_json_member_u64(json, "size", status->sources_size);
	weir_json_member_u64(json, "not_inserted", status->not_inserted);
	weir_json_object_close(json);
	weir_json_key(json, "buckets");
	weir_json_object_open(json);
	for (i = 0; i < status->n_limits; i++) {
		weir_json_key(json, status->limits[i].name.name);
		weir_json_object_open(json);
		weir_json_member_u64(json, "size", status->limits[i].name.buckets);
		weir_json_member_u64(json, "inherited", status->limits[i].counts.inherited);
		weir_json_object_close(json);
	}
	weir_json_object_close(json);
	weir_json_object_close(json);
}

void weir_status_print_json(const struct weir_status *status)
{
	struct weir_json json;
	size_t i;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_member(&json, "node", status->node);
	weir_json_member_bool(&json, "observing", status->observing);
	weir_json_member_bool(&json, "panic_switch", status->panic_observe);
	weir_json_member(&json, "pins", status->pins_dir);
	interfaces(&json, status);
	store(&json);
	agent(&json, status);
	weir_json_key(&json, "policy_age_s");
	weir_json_seconds(&json, status->policy_age_s);
	reasons(&json, status);
	weir_json_key(&json, "limits");
	weir_json_array_open(&json);
	for (i = 0; i < status->n_limits; i++)
		limit(&json, status, &status->limits[i]);
	weir_json_array_close(&json);
	tables(&json, status);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}
