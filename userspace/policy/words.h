/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers and matches in words, in the units of the policy file.
 */
#ifndef WEIR_POLICY_WORDS_H
#define WEIR_POLICY_WORDS_H

#include <stdio.h>

#include "policy/policy.h"

#define WEIR_WORDS_LEN 64

/* Each writes to @buf (WEIR_WORDS_LEN) and returns it. */

/** "2000 packets", "1.25 MB", "5000 units". */
const char *weir_words_amount(double tokens, enum weir_token token, char *buf);
/** "1000 packets/s"; rates below one a second are told by the minute, hour or day. */
const char *weir_words_rate(double per_s, enum weir_token token, char *buf);
/** "2 MiB". */
const char *weir_words_size(uint64_t bytes, char *buf);
/** "100 ms", "3 s", "8.33 s". */
const char *weir_words_time(double seconds, char *buf);
/** "1000", "2.62e+09" as "2.62 billion". */
const char *weir_words_count(double count, char *buf);

/** "tcp, port 443, 8000-8010, SYN, to 203.0.113.0/24"; long lists are cut with their number. */
void weir_words_match(FILE *out, const struct weir_match *match);
/** "each IPv4 /32 and each IPv6 /64". */
void weir_words_source(FILE *out, const struct weir_source_spec *source);

#endif
