/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A request on the control socket, as a line and as a value. Pure.
 *
 *	ping               is anyone there
 *	reload             take the policy file anew, for good
 *	reload try SECONDS the same, but go back unless `keep` comes in time
 *	keep               what is being tried stays
 */
#ifndef WEIR_AGENT_REQUEST_H
#define WEIR_AGENT_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Bytes of a request, its newline included. */
#define WEIR_REQUEST_MAX	     256
#define WEIR_REQUEST_TRY_SECONDS_MAX 86400

enum weir_request_kind {
	WEIR_REQUEST_PING,
	WEIR_REQUEST_RELOAD,
	WEIR_REQUEST_TRY,
	WEIR_REQUEST_KEEP,
};

struct weir_request {
	enum weir_request_kind kind;
	uint32_t seconds; /* of a try */
};

/**
 * @line  @len bytes, which may be anything, without the newline; one \r at the end is let pass
 * Returns 0, or -EINVAL with @error saying what would do.
 */
int weir_request_parse(const char *line, size_t len, struct weir_error *error,
		       struct weir_request *ret_request);

#endif
