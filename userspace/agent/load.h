/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The policy file as this agent can run it: read, with what the command line puts in place of it,
 * held against this machine's interfaces and against what this version enforces.
 */
#ifndef WEIR_AGENT_LOAD_H
#define WEIR_AGENT_LOAD_H

#include "agent/agent.h"
#include "policy/policy.h"

/**
 * @ret_faults  always set; weir_faults_free(). Warnings are there also on success
 * @ret_policy  weir_policy_free()
 * Returns 0, or a negative errno with at least one error in @ret_faults.
 */
int weir_load_policy(const struct weir_agent_options *options, struct weir_faults *ret_faults,
		     struct weir_policy **ret_policy);

/** Byte bursts against frames of @frame_bytes; the warnings are logged. */
void weir_load_warn_of_frames(const struct weir_policy *policy, const char *interface,
			      uint64_t frame_bytes);

/** The file that is read. */
const char *weir_load_file(const struct weir_agent_options *options);

/** On stderr, FILE:LINE:COLUMN: error: MESSAGE, for a start that fails. */
void weir_load_print_errors(const struct weir_faults *faults);
/** In the log. */
void weir_load_log_errors(const struct weir_faults *faults);
void weir_load_log_warnings(const struct weir_faults *faults);

/**
 * What of @next cannot be taken while the agent runs.
 * Returns the key, or NULL when all of it can.
 */
const char *weir_load_needs_restart(const struct weir_policy *now, const struct weir_policy *next);

#endif
