/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a request on the control socket came to, as a value and as its line of JSON.
 */
#ifndef WEIR_AGENT_REPLY_H
#define WEIR_AGENT_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "policy/policy.h"

struct weir_reply {
	bool ok;
	struct weir_error message; /* for people, also when ok */
	struct weir_faults faults; /* of the policy file; weir_reply_clear() */
};

void weir_reply_clear(struct weir_reply *reply);

/**
 * One line of JSON: {"ok","message","errors":[{"file","line","column","message"}]}.
 * @ret_line  newline included; to be freed
 * Returns 0 or -ENOMEM.
 */
int weir_reply_render(const struct weir_reply *reply, char **ret_line, size_t *ret_len);

#endif
