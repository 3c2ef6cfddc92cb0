/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The agent: what `weir run` does once its command line is read.
 *
 * It puts the policy file in force, keeps every interface of it protected, takes the file anew when
 * told to, and says what happens: in the log, to systemd, on the control socket and as metrics. No
 * packet ever waits for it, and when it ends, in whatever way, the limits stay on.
 */
#ifndef WEIR_AGENT_AGENT_H
#define WEIR_AGENT_AGENT_H

#include <stdbool.h>
#include <stddef.h>

/* The policy file where none is named. */
#define WEIR_AGENT_POLICY_FILE "/etc/weir/weir.yaml"

struct weir_agent_options {
	const char *policy_file;       /* NULL: WEIR_AGENT_POLICY_FILE */
	const char *const *interfaces; /* in place of the file's, for as long as the agent runs */
	size_t n_interfaces;	       /* 0: those of the file */
	bool observe;		       /* refuse nothing, whatever the file says of modes */
	bool watch;		       /* a line a second on stdout */
};

/**
 * Runs until SIGINT or SIGTERM. Changes the process: umask, limits, signals.
 * Returns the exit status: 0 ended as asked, 1 failed, 2 the policy file is wrong (all its faults
 * are on stderr then, and nothing was changed).
 */
int weir_agent_run(const struct weir_agent_options *options);

#endif
