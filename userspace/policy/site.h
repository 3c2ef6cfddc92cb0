/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which node a policy file is about, whatever else is wrong with it.
 *
 * Commands that look at a running node need its folders and no more. A typing error in a limit,
 * made while the node runs on, must not keep an operator from the status or the panic switch.
 */
#ifndef WEIR_POLICY_SITE_H
#define WEIR_POLICY_SITE_H

#include "policy/policy.h"

/** All owned; weir_site_clear(). */
struct weir_site {
	char *node;	   /* NULL where the file has none that is valid */
	char **interfaces; /* those that are valid */
	size_t n_interfaces;
	char *pins_dir;
	char *state_dir;
	char *run_dir;
};

/**
 * Reads a policy file for its `paths`, `node` and `interfaces`.
 *
 * @ret_faults  always set, weir_faults_free(): faults of `paths`, or why there is nothing to read
 * @ret_site    untouched on failure
 * Returns 0, -EINVAL, or what reading the file said.
 */
int weir_site_read(const char *path, struct weir_faults *ret_faults, struct weir_site *ret_site);

/** Leaves it empty. */
void weir_site_clear(struct weir_site *site);

#endif
