/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An address to listen at, "127.0.0.1:9477" or "[::1]:9477", taken apart.
 */
#ifndef WEIR_POLICY_LISTEN_H
#define WEIR_POLICY_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/prefix.h"

struct weir_listen {
	struct weir_prefix address; /* a whole address */
	uint16_t port;
	bool is_loopback;
};

/** Names are not taken: looking one up could wait. Returns 0, or -EINVAL with @error set. */
int weir_listen_parse(const char *text, struct weir_error *error, struct weir_listen *ret_listen);

#endif
