/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The asking side of the agent's control socket (agent/control.h has the protocol).
 */
#ifndef WEIR_CLI_CONTROL_CLIENT_H
#define WEIR_CLI_CONTROL_CLIENT_H

#include "agent/reply.h"
#include "base/error.h"

/**
 * Asks the agent whose socket is in @run_dir, and waits for the whole answer.
 *
 * @request      one line, without its newline
 * @deadline_ms  for all of it, connecting included
 * @ret_reply    to be released with weir_reply_clear()
 * -ENOENT, -ECONNREFUSED no agent listens there; -ETIMEDOUT; -EPROTO what came is no answer; each
 * with @error saying what to do.
 */
int weir_control_ask(const char *run_dir, const char *request, unsigned int deadline_ms,
		     struct weir_error *error, struct weir_reply *ret_reply);

#endif
