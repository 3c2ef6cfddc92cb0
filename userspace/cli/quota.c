// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir quota: this version has none, and says so rather than letting a caller believe that
 * something was counted.
 */
#include <string.h>

#include "cli/show.h"
#include "cli/where.h"

static void print_json(void)
{
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_key(&json, "quotas");
	weir_json_array_open(&json);
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

/* Right before it is refused, so that a caller's script learns of its own mistakes. */
static enum weir_exit spend(const struct weir_call *call)
{
	if (call->n_words != 4 || !weir_call_has(call, WEIR_OPTION_ID)) {
		weir_complain("quota spend wants NAME SOURCE N --id KEY");
		return WEIR_WRONG_INPUT;
	}
	weir_complain(
		"quota spend: nothing was spent: this version enforces no quotas, so there is "
		"none called \"%s\"",
		call->words[1]);
	return WEIR_FAILED;
}

enum weir_exit weir_cli_quota(const struct weir_call *call)
{
	if (call->n_words && strcmp(call->words[0], "spend") == 0)
		return spend(call);
	if (call->n_words > 2) {
		weir_complain("quota: \"%s\" is one word too many", call->words[2]);
		return WEIR_WRONG_INPUT;
	}
	if (weir_call_has(call, WEIR_OPTION_ID)) {
		weir_complain("quota: --id goes with spend");
		return WEIR_WRONG_INPUT;
	}
	if (call->n_words) {
		weir_complain("quota: none is called \"%s\": this version enforces no quotas",
			      call->words[0]);
		return WEIR_FAILED;
	}
	if (weir_call_has(call, WEIR_OPTION_JSON))
		print_json();
	else
		puts("no quotas: this version enforces none");
	return WEIR_DONE;
}
