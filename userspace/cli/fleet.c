// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir fleet: the nodes that share a store. The embedded store has one.
 */
#include <string.h>

#include "cli/show.h"
#include "cli/where.h"

static void print_json(const char *node)
{
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_key(&json, "nodes");
	weir_json_array_open(&json);
	weir_json_object_open(&json);
	weir_json_member(&json, "name", node);
	weir_json_member_u64(&json, "last_seen_s", 0);
	weir_json_member_u64(&json, "slot", 0);
	weir_json_key(&json, "differs");
	weir_json_array_open(&json);
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

static void print_text(const char *node)
{
	weir_show_text(stdout, node);
	puts(", the only node: the store is embedded");
}

/* A file that cannot be read names no other store. */
static bool is_embedded(const char *file)
{
	struct weir_policy *policy = NULL;
	struct weir_faults faults;
	bool embedded = true;

	if (weir_policy_read(file, &faults, &policy) == 0)
		embedded = policy->store.embedded;
	weir_faults_free(&faults);
	weir_policy_free(policy);
	return embedded;
}

enum weir_exit weir_cli_fleet(const struct weir_call *call)
{
	_cleanup_where_ struct weir_where where = { .file = NULL };
	char buf[WEIR_NODE_LEN];
	enum weir_exit status;

	if (call->n_words && strcmp(call->words[0], "forget") != 0) {
		weir_complain("fleet: found \"%s\"; fleet alone, or fleet forget NAME, would do",
			      call->words[0]);
		return WEIR_WRONG_INPUT;
	}
	if (call->n_words == 1) {
		weir_complain("fleet forget wants the NAME of a node");
		return WEIR_WRONG_INPUT;
	}
	status = weir_where_find(call, &where);
	if (status != WEIR_DONE)
		return status;
	if (!is_embedded(where.file)) {
		weir_complain("fleet: this version knows the embedded store only, and %s names "
			      "another",
			      where.file);
		return WEIR_FAILED;
	}
	if (call->n_words == 2) {
		weir_complain("fleet forget: the embedded store has one node, this one, and holds "
			      "no slot for \"%s\"; weir detach takes this node's limits off",
			      call->words[1]);
		return WEIR_FAILED;
	}
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json(weir_where_node(&where, buf));
	else
		print_text(weir_where_node(&where, buf));
	return WEIR_DONE;
}
