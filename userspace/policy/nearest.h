/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which known key was probably meant.
 */
#ifndef WEIR_POLICY_NEAREST_H
#define WEIR_POLICY_NEAREST_H

#include <stddef.h>

#include "policy/document.h"

/**
 * The known key nearest to @key by letters added, left out, changed or swapped with their
 * neighbour, or one of which @key is a whole word ("rate" of "node_rate"); NULL when none is near.
 */
const char *weir_nearest_key(const char *key, const struct weir_key *keys, size_t n_keys);

#endif
