// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * weir: finds the command, hands it what was asked, and answers for what it printed.
 *
 * Output that did not arrive (a full disk, a reader that is gone, a closed stdout) is a failure
 * like any other, so SIGPIPE is ignored and the last flush is looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/call.h"
#include "cli/show.h"

/*
 * Where a standard stream is closed, the next file that is opened takes its number, and what is
 * printed goes into it: a socket, or a map. A file that cannot be written holds the place.
 */
static void hold_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static enum weir_exit finish(enum weir_exit status)
{
	/* Of an earlier flush that failed, the reason is gone. */
	if (ferror(stdout))
		weir_complain("writing the output failed");
	else if (fflush(stdout) != 0)
		weir_complain("writing the output failed: %s", strerror(errno));
	else
		return status;
	return status == WEIR_DONE ? WEIR_FAILED : status;
}

static enum weir_exit no_such_command(const char *name)
{
	const char *nearest = weir_command_nearest(name);

	if (nearest)
		weir_complain("unknown command \"%s\"; did you mean %s?", name, nearest);
	else
		weir_complain("unknown command \"%s\"; weir --help lists them", name);
	return WEIR_WRONG_INPUT;
}

/* What may stand in place of a command. */
static enum weir_exit option_first(const char *option)
{
	if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
		weir_help_all();
		return WEIR_DONE;
	}
	weir_complain("options come after the command: weir COMMAND %s", option);
	return WEIR_WRONG_INPUT;
}

static enum weir_exit run_command(const struct weir_command *command, int argc, char **argv)
{
	struct weir_call call;

	if (weir_call_parse(command, argc, argv, &call) != 0) {
		weir_help_hint(command);
		return WEIR_WRONG_INPUT;
	}
	if (weir_call_has(&call, WEIR_OPTION_HELP)) {
		weir_help_command(command);
		return WEIR_DONE;
	}
	return command->run(&call);
}

static enum weir_exit help_for(const char *name)
{
	const struct weir_command *command = name ? weir_command_find(name) : NULL;

	if (name && !command)
		return no_such_command(name);
	if (command)
		weir_help_command(command);
	else
		weir_help_all();
	return WEIR_DONE;
}

static enum weir_exit dispatch(int argc, char **argv)
{
	const struct weir_command *command;

	if (argc < 2) {
		fputs("usage: weir COMMAND [OPTIONS]; weir --help lists the commands\n", stderr);
		return WEIR_WRONG_INPUT;
	}
	if (strcmp(argv[1], "--version") == 0)
		argv[1] += 2;
	if (*argv[1] == '-')
		return option_first(argv[1]);
	if (strcmp(argv[1], "help") == 0)
		return help_for(argv[2]);
	command = weir_command_find(argv[1]);
	return command ? run_command(command, argc - 1, argv + 1) : no_such_command(argv[1]);
}

int main(int argc, char **argv)
{
	hold_standard_streams();
	signal(SIGPIPE, SIG_IGN);
	return (int)finish(dispatch(argc, argv));
}
