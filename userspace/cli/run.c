// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir run: hands over to the agent.
 */
#include "agent/agent.h"
#include "cli/where.h"

enum weir_exit weir_cli_run(const struct weir_call *call)
{
	const struct weir_agent_options options = {
		.policy_file = call->value[WEIR_OPTION_CONFIG],
		.interfaces = call->interfaces,
		.n_interfaces = call->n_interfaces,
		.observe = weir_call_has(call, WEIR_OPTION_OBSERVE),
		.watch = weir_call_has(call, WEIR_OPTION_WATCH),
	};

	if (weir_need_root("protecting an interface") != WEIR_DONE)
		return WEIR_FAILED;
	return (enum weir_exit)weir_agent_run(&options);
}
