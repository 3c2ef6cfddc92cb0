/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The agent's answer on the control socket, read back from its line of JSON. Pure.
 */
#ifndef WEIR_CLI_REPLY_READ_H
#define WEIR_CLI_REPLY_READ_H

#include <stddef.h>

#include "agent/reply.h"

/**
 * Reads {"ok","message","errors"}; members it does not know are passed over, so that a newer agent
 * may say more.
 * @text       @len bytes and a NUL
 * @ret_reply  to be released with weir_reply_clear()
 * Returns 0, -EPROTO when it is no such object, or -ENOMEM.
 */
int weir_reply_read(const char *text, size_t len, struct weir_reply *ret_reply);

#endif
