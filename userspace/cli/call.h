/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What was asked for on the command line.
 *
 * One table names every option there is, one entry per command says which of them it takes and how
 * many words; parsing and help are both made from the two, so they cannot disagree. Nothing here
 * knows what a command does.
 */
#ifndef WEIR_CLI_CALL_H
#define WEIR_CLI_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_exit {
	WEIR_DONE = 0,
	WEIR_FAILED = 1,
	WEIR_WRONG_INPUT = 2,
	WEIR_OVER_QUOTA = 3,
};

enum weir_option_id {
	WEIR_OPTION_CONFIG,
	WEIR_OPTION_PINS,
	WEIR_OPTION_JSON,
	WEIR_OPTION_HELP,
	WEIR_OPTION_INTERFACE,
	WEIR_OPTION_OBSERVE,
	WEIR_OPTION_WATCH,
	WEIR_OPTION_ONCE,
	WEIR_OPTION_INTERVAL,
	WEIR_OPTION_TO,
	WEIR_OPTION_PROTO,
	WEIR_OPTION_PORT,
	WEIR_OPTION_ESTABLISHED,
	WEIR_OPTION_TRY,
	WEIR_OPTION_KEEP,
	WEIR_OPTION_ID,
	WEIR_OPTIONS,
};

/* Set of options: those that most commands take, and one by itself. */
#define WEIR_TAKES(name)  (1U << WEIR_OPTION_##name)
#define WEIR_TAKES_CONFIG (WEIR_TAKES(CONFIG) | WEIR_TAKES(HELP))
#define WEIR_TAKES_COMMON (WEIR_TAKES_CONFIG | WEIR_TAKES(PINS) | WEIR_TAKES(JSON))

/* Words after the command, and interfaces named, at most. */
#define WEIR_WORDS_MAX	    8
#define WEIR_INTERFACES_MAX 64

struct weir_call;

struct weir_command {
	const char *name;
	const char *words;   /* as they stand in the usage line: "LIMIT SOURCE" */
	const char *summary; /* one line */
	const char *about;   /* what may surprise; whole lines */
	const char *example; /* whole lines, indented */
	unsigned int options;
	unsigned int words_min;
	unsigned int words_max;
	enum weir_exit (*run)(const struct weir_call *call);
};

struct weir_call {
	const struct weir_command *command;
	const char *value[WEIR_OPTIONS]; /* NULL: not given; "" for an option without a value */
	const char *interfaces[WEIR_INTERFACES_MAX];
	size_t n_interfaces;
	const char *words[WEIR_WORDS_MAX];
	size_t n_words;
};

/** All commands; ends with a NULL name. */
extern const struct weir_command weir_commands[];

/** NULL when there is none of that name. */
const struct weir_command *weir_command_find(const char *name);

/** The command that was probably meant, or NULL. */
const char *weir_command_nearest(const char *name);

struct weir_option {
	const char *name;
	const char *argument; /* NULL: takes no value */
	char letter;	      /* 0: has none */
	const char *text;
};

extern const struct weir_option weir_options[WEIR_OPTIONS];

/**
 * Parses what follows the command's name.
 *
 * Complaints go to stderr, with what was probably meant.
 * @argc, @argv  the command's name first; reordered, and referred to by @ret_call
 * Returns 0 or -EINVAL.
 */
int weir_call_parse(const struct weir_command *command, int argc, char **argv,
		    struct weir_call *ret_call);

static inline bool weir_call_has(const struct weir_call *call, enum weir_option_id id)
{
	return call->value[id] != NULL;
}

/** What all commands are, on stdout. */
void weir_help_all(void);
/** One command: usage, options, exit statuses, an example. */
void weir_help_command(const struct weir_command *command);
/** Usage alone, on stderr, for who got it wrong. */
void weir_help_hint(const struct weir_command *command);

/* One file each. */
enum weir_exit weir_cli_run(const struct weir_call *call);
enum weir_exit weir_cli_check(const struct weir_call *call);
enum weir_exit weir_cli_status(const struct weir_call *call);
enum weir_exit weir_cli_top(const struct weir_call *call);
enum weir_exit weir_cli_explain(const struct weir_call *call);
enum weir_exit weir_cli_reload(const struct weir_call *call);
enum weir_exit weir_cli_observe(const struct weir_call *call);
enum weir_exit weir_cli_quota(const struct weir_call *call);
enum weir_exit weir_cli_fleet(const struct weir_call *call);
enum weir_exit weir_cli_key(const struct weir_call *call);
enum weir_exit weir_cli_detach(const struct weir_call *call);
enum weir_exit weir_cli_version(const struct weir_call *call);

#endif
