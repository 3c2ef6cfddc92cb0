/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The control socket: how a command on this machine asks the running agent for something.
 *
 * A stream socket at <paths.run>/control.sock, for root alone. One request is one line (request.h),
 * its answer one line of JSON, and then the agent closes:
 *
 *	{"ok":true,"message":"…","errors":[{"file":"…","line":3,"column":7,"message":"…"}]}
 *
 * Who is slow, silent or greedy costs one of a few places for a few seconds and nothing else. This
 * part knows what a request looks like and nothing of what it does.
 */
#ifndef WEIR_AGENT_CONTROL_H
#define WEIR_AGENT_CONTROL_H

#include <stdint.h>

#include "agent/reply.h"
#include "agent/request.h"
#include "base/error.h"

struct event_base;
struct weir_control;

#define WEIR_CONTROL_SOCKET	 "control.sock"
#define WEIR_CONTROL_CLIENTS_MAX 16
#define WEIR_CONTROL_DEADLINE_MS 5000

/** Does what is asked, at once. @reply  empty; to be filled; the socket clears it */
typedef void weir_control_answer(void *context, const struct weir_request *request,
				 struct weir_reply *reply);

struct weir_control_options {
	const char *run_dir;  /* made if missing, for root alone */
	uint32_t deadline_ms; /* for a client, from its coming to the last byte of its answer */
	weir_control_answer *answer;
	void *context;
};

/**
 * Listens. A socket file that nobody listens at any more is replaced.
 * -EADDRINUSE another agent listens there; -ENAMETOOLONG; or what the system said, in @error.
 */
int weir_control_new(struct event_base *loop, const struct weir_control_options *options,
		     struct weir_error *error, struct weir_control **ret_control);

/** Closes, clients included, and removes the socket's file. NULL is fine. */
void weir_control_free(struct weir_control *control);

#endif
