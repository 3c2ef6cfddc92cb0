// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir reload: asks the agent to take its policy file anew.
 */
#include <stdio.h>

#include "agent/request.h"
#include "base/quantity.h"
#include "cli/control_client.h"
#include "cli/show.h"
#include "cli/where.h"
#include "policy/print_check.h"

/* The agent answers once every bucket is settled under the new numbers. */
#define DEADLINE_MS 30000

static enum weir_exit make_request(const struct weir_call *call, char *line, size_t size)
{
	const char *try = call->value[WEIR_OPTION_TRY];
	struct weir_error error;
	uint64_t ns, seconds;

	if (try && weir_call_has(call, WEIR_OPTION_KEEP)) {
		weir_complain("reload: --try begins a trial and --keep ends one; give one of them");
		return WEIR_WRONG_INPUT;
	}
	if (!try) {
		snprintf(line, size, weir_call_has(call, WEIR_OPTION_KEEP) ? "keep" : "reload");
		return WEIR_DONE;
	}
	if (weir_quantity_parse_duration(try, &error, &ns) != 0) {
		weir_complain("reload: --try: %s", error.text);
		return WEIR_WRONG_INPUT;
	}
	seconds = (ns - 1) / WEIR_NS_PER_S + 1;
	if (seconds > WEIR_REQUEST_TRY_SECONDS_MAX) {
		weir_complain("reload: --try takes a day at most, not \"%s\"", try);
		return WEIR_WRONG_INPUT;
	}
	snprintf(line, size, "reload try %u", (unsigned int)seconds);
	return WEIR_DONE;
}

static void print_json(const struct weir_reply *reply)
{
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_member_bool(&json, "ok", reply->ok);
	weir_json_member(&json, "message", reply->message.text);
	weir_json_key(&json, "errors");
	weir_json_faults(&json, reply->faults.errors, reply->faults.n_errors);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

static void print_text(const struct weir_reply *reply)
{
	weir_faults_print(stderr, &reply->faults);
	if (!reply->ok) {
		weir_complain("%s", reply->message.text);
		return;
	}
	weir_show_text(stdout, reply->message.text);
	putchar('\n');
}

enum weir_exit weir_cli_reload(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	struct weir_reply reply = { .ok = false };
	struct weir_error error;
	char line[WEIR_REQUEST_MAX];
	enum weir_exit status;

	status = make_request(call, line, sizeof(line));
	if (status == WEIR_DONE)
		status = weir_where_find(call, &where);
	if (status == WEIR_DONE)
		status = weir_need_root("asking the agent");
	if (status != WEIR_DONE)
		return status;
	if (!where.run_dir) {
		weir_complain("reload: --pins does not say where the agent's socket is; name its "
			      "policy with -c FILE");
		return WEIR_WRONG_INPUT;
	}
	if (weir_control_ask(where.run_dir, line, DEADLINE_MS, &error, &reply) != 0) {
		weir_complain("%s", error.text);
		return WEIR_FAILED;
	}
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json(&reply);
	else
		print_text(&reply);
	status = reply.ok ? WEIR_DONE : reply.faults.n_errors ? WEIR_WRONG_INPUT : WEIR_FAILED;
	weir_reply_clear(&reply);
	return status;
}
