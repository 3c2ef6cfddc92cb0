/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What `weir check` says of a policy, in words or as JSON.
 */
#ifndef WEIR_POLICY_PRINT_CHECK_H
#define WEIR_POLICY_PRINT_CHECK_H

#include <stdio.h>

#include "policy/arithmetic.h"

/**
 * Prints the faults, and what each limit amounts to when there is a policy.
 *
 * @path    the file that was asked for
 * @policy  NULL when it has faults
 * @facts   NULL for the defaults
 * @json    the fields of JSON keep name and meaning; unlimited or unknown is null
 * Returns 0, or -EIO when @out took not all of it.
 */
int weir_check_print(FILE *out, const char *path, const struct weir_policy *policy,
		     const struct weir_faults *faults, const struct weir_check_facts *facts,
		     bool json);

/** The faults alone, a line each: "FILE:LINE:COLUMN: error: MESSAGE". */
void weir_faults_print(FILE *out, const struct weir_faults *faults);

/* Parts of the above, a file each. */
void weir_check_print_words(FILE *out, const struct weir_policy *policy,
			    const struct weir_check_facts *facts);
int weir_check_print_json(FILE *out, const struct weir_policy *policy,
			  const struct weir_faults *faults, const struct weir_check_facts *facts);

#endif
