// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Help, made from the tables of commands and options.
 */
#include "agent/agent.h"
#include "cli/call.h"

#include <stdio.h>

void weir_help_all(void)
{
	const struct weir_command *command;

	puts("weir: a packet-level rate limiter\n\nusage: weir COMMAND [OPTIONS]\n");
	for (command = weir_commands; command->name; command++)
		printf("  %-9s %s\n", command->name, command->summary);
	puts("\nweir COMMAND --help says more of each. Without -c FILE or --pins DIR a command is\n"
	     "about the node of " WEIR_AGENT_POLICY_FILE ".\n\n"
	     "exit status: 0 done, 1 failed, 2 wrong input, 3 over quota");
}

static void usage(FILE *out, const struct weir_command *command)
{
	fprintf(out, "usage: weir %s%s%s [OPTIONS]\n", command->name, *command->words ? " " : "",
		command->words);
}

void weir_help_hint(const struct weir_command *command)
{
	usage(stderr, command);
	fprintf(stderr, "weir %s --help says more\n", command->name);
}

static void option_line(const struct weir_option *option)
{
	char left[32];
	int len = 0;

	if (option->letter)
		len = snprintf(left, sizeof(left), "-%c, ", option->letter);
	snprintf(left + len, sizeof(left) - (size_t)len, "--%s%s%s", option->name,
		 option->argument ? " " : "", option->argument ? option->argument : "");
	printf("  %-20s %s\n", left, option->text);
}

void weir_help_command(const struct weir_command *command)
{
	int id;

	usage(stdout, command);
	printf("\n%s: %s.\n\n%s\n\noptions:\n", command->name, command->summary, command->about);
	for (id = 0; id < WEIR_OPTIONS; id++) {
		if (command->options & (1U << id))
			option_line(&weir_options[id]);
	}
	printf("\nexit status: 0 done, 1 failed, 2 wrong input\n\nexample:\n%s\n",
	       command->example);
}
