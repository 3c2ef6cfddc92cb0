/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Addresses, protocols and ports as words of a command line.
 */
#ifndef WEIR_CLI_SOURCE_WORD_H
#define WEIR_CLI_SOURCE_WORD_H

#include "cli/call.h"
#include "plane/plane.h"

/**
 * An address, or a source as a limit sees it ("2001:db8:1::/64"), which its first address stands
 * for.
 * @what         for the complaint: "key: SOURCE"
 * @ret_address  32 or 128 bits
 * Returns 0 or -EINVAL.
 */
int weir_word_source(const char *text, const char *what, struct weir_prefix *ret_address);

/** The question that `explain` was asked. Returns 0 or -EINVAL, with a complaint. */
int weir_word_query(const struct weir_call *call, struct weir_query *ret_query);

/** Packets such as the query's, in words: "a first TCP packet to port 443". */
#define WEIR_QUERY_LEN 160
const char *weir_word_describe(const struct weir_query *query, char *buf);

#endif
