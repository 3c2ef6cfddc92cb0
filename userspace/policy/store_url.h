/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where the store is: the url of the policy, taken apart.
 *
 *	embedded
 *	redis://[USER@]HOST[:PORT][/DB]      rediss://… the same over TLS
 *	unix:///PATH
 *
 * A URL never carries a password here, and what is said about a faulty one never shows what might
 * be one.
 */
#ifndef WEIR_POLICY_STORE_URL_H
#define WEIR_POLICY_STORE_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define WEIR_STORE_PORT	    6379
#define WEIR_STORE_HOST_LEN 253
#define WEIR_STORE_USER_LEN 63
/* What fits in sockaddr_un, with its NUL. */
#define WEIR_STORE_PATH_LEN 107

enum weir_store_kind { WEIR_STORE_EMBEDDED, WEIR_STORE_TCP, WEIR_STORE_TLS, WEIR_STORE_UNIX };

struct weir_store_url {
	enum weir_store_kind kind;
	char user[WEIR_STORE_USER_LEN + 1]; /* "" for the default user */
	char host[WEIR_STORE_HOST_LEN + 1]; /* a name or an address, IPv6 without brackets */
	uint16_t port;
	uint32_t db;
	char path[WEIR_STORE_PATH_LEN + 1]; /* WEIR_STORE_UNIX only */
};

/** Returns 0, or -EINVAL with @error (optional) set. */
int weir_store_url_parse(const char *text, struct weir_error *error,
			 struct weir_store_url *ret_url);

#endif
