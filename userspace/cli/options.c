// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Options: the one table of them, and a command line parsed by it with getopt_long(). Unlike
 * getopt's own messages, ours say which option was probably meant.
 */
#include "agent/agent.h"
#include "cli/call.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli/show.h"
#include "policy/nearest.h"

const struct weir_option weir_options[WEIR_OPTIONS] = {
	[WEIR_OPTION_CONFIG] = { "config", "FILE", 'c',
				 "the policy file (" WEIR_AGENT_POLICY_FILE ")" },
	[WEIR_OPTION_PINS] = { "pins", "DIR", 0, "the node whose maps are pinned in DIR" },
	[WEIR_OPTION_JSON] = { "json", NULL, 0, "print JSON" },
	[WEIR_OPTION_HELP] = { "help", NULL, 'h', "print this" },
	[WEIR_OPTION_INTERFACE] = { "interface", "IF", 0,
				    "protect IF instead of the policy's; may be repeated" },
	[WEIR_OPTION_OBSERVE] = { "observe", NULL, 0, "refuse nothing, count what would be" },
	[WEIR_OPTION_WATCH] = { "watch", NULL, 0, "show what passes and what is refused" },
	[WEIR_OPTION_ONCE] = { "once", NULL, 0, "one interval, then end" },
	[WEIR_OPTION_INTERVAL] = { "interval", "TIME", 0,
				   "look this far apart, such as 500ms (1s)" },
	[WEIR_OPTION_TO] = { "to", "ADDR", 0, "packets to this address" },
	[WEIR_OPTION_PROTO] = { "proto", "P", 0, "tcp, udp, icmp, icmpv6 or 0 to 255" },
	[WEIR_OPTION_PORT] = { "port", "N", 0, "packets to this port, TCP or UDP" },
	[WEIR_OPTION_ESTABLISHED] = { "established", NULL, 0,
				      "packets of an open TCP connection, not its first" },
	[WEIR_OPTION_TRY] = { "try", "TIME", 0,
			      "go back after TIME, such as 60s, unless told to keep" },
	[WEIR_OPTION_KEEP] = { "keep", NULL, 0, "keep the policy that is being tried" },
	[WEIR_OPTION_ID] = { "id", "KEY", 0, "the same KEY is counted once" },
};

/* getopt's view of the options a command takes. Values from 256 on name an entry. */
struct getopt_view {
	struct option longs[WEIR_OPTIONS + 1];
	struct weir_key names[WEIR_OPTIONS];
	size_t n;
	char shorts[2 * WEIR_OPTIONS + 2];
};

#define LONG_BASE 256

static void view_make(unsigned int takes, struct getopt_view *ret_view)
{
	/* ':' first: a missing value is told apart; and nothing is printed by getopt itself. */
	char *letter = ret_view->shorts;
	int id;

	memset(ret_view, 0, sizeof(*ret_view));
	*letter++ = ':';
	for (id = 0; id < WEIR_OPTIONS; id++) {
		const struct weir_option *entry = &weir_options[id];

		if (!(takes & (1U << id)))
			continue;
		ret_view->longs[ret_view->n] = (struct option){
			.name = entry->name,
			.has_arg = entry->argument ? required_argument : no_argument,
			.val = LONG_BASE + id,
		};
		ret_view->names[ret_view->n++].name = entry->name;
		if (entry->letter) {
			*letter++ = entry->letter;
			if (entry->argument)
				*letter++ = ':';
		}
	}
}

static int entry_of(int found)
{
	int id;

	if (found >= LONG_BASE)
		return found - LONG_BASE;
	for (id = 0; weir_options[id].letter != found; id++)
		assert(id + 1 < WEIR_OPTIONS);
	return id;
}

static int keep_value(int id, struct weir_call *call)
{
	if (id != WEIR_OPTION_INTERFACE) {
		call->value[id] = weir_options[id].argument ? optarg : "";
		return 0;
	}
	if (call->n_interfaces == WEIR_INTERFACES_MAX) {
		weir_complain("more than %d interfaces", WEIR_INTERFACES_MAX);
		return -EINVAL;
	}
	call->value[id] = optarg;
	call->interfaces[call->n_interfaces++] = optarg;
	return 0;
}

/* What an unknown "--inteface=eth0" was meant to be. */
static void complain_unknown(const struct getopt_view *view, const char *given)
{
	char word[64];
	const char *nearest;
	size_t len = strcspn(given, "=");

	if (len >= sizeof(word))
		len = sizeof(word) - 1;
	memcpy(word, given, len);
	word[len] = '\0';
	nearest = strncmp(word, "--", 2) == 0 ? weir_nearest_key(word + 2, view->names, view->n)
					      : NULL;
	if (nearest)
		weir_complain("unknown option %s; did you mean --%s?", word, nearest);
	else
		weir_complain("unknown option %s", word);
}

static int complain(const struct getopt_view *view, int found, char **argv)
{
	const char *given = argv[optind - 1];

	if (found == ':')
		weir_complain("option %s wants a value", given);
	else if (optopt >= LONG_BASE)
		weir_complain("option --%s takes no value", weir_options[optopt - LONG_BASE].name);
	else if (optopt)
		weir_complain("unknown option -%c", optopt);
	else
		complain_unknown(view, given);
	return -EINVAL;
}

static int keep_words(struct weir_call *call, int argc, char **argv)
{
	const struct weir_command *command = call->command;
	unsigned int n = (unsigned int)(argc - optind), i;

	if (n < command->words_min) {
		weir_complain("%s wants %s", command->name, command->words);
		return -EINVAL;
	}
	if (n > command->words_max) {
		weir_complain("%s: \"%s\" is one word too many", command->name,
			      argv[optind + (int)command->words_max]);
		return -EINVAL;
	}
	assert(n <= WEIR_WORDS_MAX);
	for (i = 0; i < n; i++)
		call->words[i] = argv[optind + (int)i];
	call->n_words = n;
	return 0;
}

int weir_call_parse(const struct weir_command *command, int argc, char **argv,
		    struct weir_call *ret_call)
{
	struct weir_call call = { .command = command };
	struct getopt_view view;
	int found, err;

	view_make(command->options, &view);
	optind = 0; /* glibc: start anew */
	while ((found = getopt_long(argc, argv, view.shorts, view.longs, NULL)) != -1) {
		if (found == '?' || found == ':')
			return complain(&view, found, argv);
		err = keep_value(entry_of(found), &call);
		if (err)
			return err;
	}
	/* Who asks for help need not have the rest right. */
	if (!weir_call_has(&call, WEIR_OPTION_HELP)) {
		err = keep_words(&call, argc, argv);
		if (err)
			return err;
	}
	*ret_call = call;
	return 0;
}
