// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The table of commands: what each takes and what its help says.
 */
#include "cli/call.h"

#include <string.h>

#include "policy/nearest.h"

const struct weir_command weir_commands[] = {
	{
		.name = "run",
		.words = "",
		.summary = "the agent, in the foreground",
		.about =
			"Attaches to the policy's interfaces and puts its limits in force. SIGHUP\n"
			"takes the file anew. When the agent ends, however it ends, the limits stay\n"
			"on; weir detach takes them off.",
		.example = "  weir run -c weir.yaml --interface eth1 --watch",
		.options = WEIR_TAKES_CONFIG | WEIR_TAKES(INTERFACE) | WEIR_TAKES(OBSERVE) |
			   WEIR_TAKES(WATCH),
		.run = weir_cli_run,
	},
	{
		.name = "check",
		.words = "[FILE]",
		.summary = "validate a policy file and do its arithmetic",
		.about =
			"Faults go to stderr as FILE:LINE:COLUMN: MESSAGE, all of them at once. What\n"
			"the limits enforce, and what passes in each failure, goes to stdout.",
		.example = "  weir check new.yaml && weir reload",
		.options = WEIR_TAKES_COMMON,
		.words_max = 1,
		.run = weir_cli_check,
	},
	{
		.name = "status",
		.words = "",
		.summary = "interfaces, limits and their modes, counts by reason",
		.about =
			"Counts go on from when the maps were made, through restarts of the agent.\n"
			"Works with the agent dead, and says so.",
		.example = "  weir status --json | jq .reasons",
		.options = WEIR_TAKES_COMMON,
		.run = weir_cli_status,
	},
	{
		.name = "top",
		.words = "",
		.summary = "the busiest sources",
		.about =
			"Those known by name, the most refused first. Rates are in what the limit\n"
			"counts, packets or bytes a second, estimated from samples. On a terminal the\n"
			"list is renewed until Ctrl-C; elsewhere it is printed once.",
		.example = "  weir top --once --interval 5s",
		.options = WEIR_TAKES_COMMON | WEIR_TAKES(ONCE) | WEIR_TAKES(INTERVAL),
		.run = weir_cli_top,
	},
	{
		.name = "explain",
		.words = "SOURCE",
		.summary = "what would become of a source's next packet, and why",
		.about =
			"Goes through the lists and the limits in their order. What is left out (the\n"
			"destination, the protocol, the port) fits every limit; without --proto, and\n"
			"with TCP, the packet opens a connection unless --established is given.",
		.example = "  weir explain 192.0.2.7 --proto tcp --port 443",
		.options = WEIR_TAKES_COMMON | WEIR_TAKES(TO) | WEIR_TAKES(PROTO) |
			   WEIR_TAKES(PORT) | WEIR_TAKES(ESTABLISHED),
		.words_min = 1,
		.words_max = 1,
		.run = weir_cli_explain,
	},
	{
		.name = "reload",
		.words = "",
		.summary = "take the policy file anew, all or nothing",
		.about =
			"The agent reads its own file again; with a fault in it nothing changes. After\n"
			"--try the old policy returns by itself, in case the new one locks you out.",
		.example = "  weir reload --try 60s      and, if you still get in:\n"
			   "  weir reload --keep",
		.options = WEIR_TAKES_COMMON | WEIR_TAKES(TRY) | WEIR_TAKES(KEEP),
		.run = weir_cli_reload,
	},
	{
		.name = "observe",
		.words = "on|off",
		.summary = "the panic switch: pass everything that would be refused",
		.about =
			"Holds from the next packet on, with or without an agent. `off` returns to\n"
			"what the policy says.",
		.example = "  weir observe on",
		.options = WEIR_TAKES_COMMON,
		.words_min = 1,
		.words_max = 1,
		.run = weir_cli_observe,
	},
	{
		.name = "quota",
		.words = "[NAME [SOURCE]] | spend NAME SOURCE N --id KEY",
		.summary = "spent, open and left of each quota",
		.about = "This version enforces no quotas, so there are none to list.",
		.example = "  weir quota --json",
		.options = WEIR_TAKES_COMMON | WEIR_TAKES(ID),
		.words_max = 4,
		.run = weir_cli_quota,
	},
	{
		.name = "fleet",
		.words = "[forget NAME]",
		.summary = "the nodes, and whose policies differ",
		.about = "The embedded store is the whole fleet: it shows this node.",
		.example = "  weir fleet",
		.options = WEIR_TAKES_COMMON,
		.words_max = 2,
		.run = weir_cli_fleet,
	},
	{
		.name = "key",
		.words = "LIMIT SOURCE",
		.summary = "where the maps hold a source, for bpftool",
		.about =
			"Prints the key in `sources`, the line and tag in the limit's bucket table, and\n"
			"the bpftool commands that look there.",
		.example = "  weir key web 192.0.2.7",
		.options = WEIR_TAKES_COMMON,
		.words_min = 2,
		.words_max = 2,
		.run = weir_cli_key,
	},
	{
		.name = "detach",
		.words = "",
		.summary = "remove program and pins: the limits are off then",
		.about = "Refuses while the agent runs.",
		.example = "  weir detach --pins /sys/fs/bpf/weir",
		.options = WEIR_TAKES_COMMON,
		.run = weir_cli_detach,
	},
	{
		.name = "version",
		.words = "",
		.summary = "versions, and what this kernel has of what weir uses",
		.about = "Looking at the kernel needs root.",
		.example = "  weir version --json",
		.options = WEIR_TAKES_COMMON,
		.run = weir_cli_version,
	},
	{ .name = NULL },
};

#define N_COMMANDS (sizeof(weir_commands) / sizeof(weir_commands[0]) - 1)

const struct weir_command *weir_command_find(const char *name)
{
	const struct weir_command *command;

	for (command = weir_commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}

const char *weir_command_nearest(const char *name)
{
	struct weir_key names[N_COMMANDS];
	size_t i;

	for (i = 0; i < N_COMMANDS; i++)
		names[i] = (struct weir_key){ .name = weir_commands[i].name };
	return weir_nearest_key(name, names, N_COMMANDS);
}
