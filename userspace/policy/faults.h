/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What is wrong with a policy file: collected, never thrown. A reading goes on after a fault, so
 * that an operator sees all of them at once.
 */
#ifndef WEIR_POLICY_FAULTS_H
#define WEIR_POLICY_FAULTS_H

#include <stdarg.h>

#include "policy/policy.h"

/** Adds an error. When it cannot be kept it is counted in n_more_errors, so it is never lost. */
void weir_faults_add(struct weir_faults *faults, const char *file, struct weir_mark mark,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));
void weir_faults_vadd(struct weir_faults *faults, const char *file, struct weir_mark mark,
		      const char *format, va_list args) __attribute__((format(printf, 4, 0)));

/** Adds a warning: the policy is valid all the same. */
void weir_faults_warn(struct weir_faults *faults, const char *file, struct weir_mark mark,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));
void weir_faults_vwarn(struct weir_faults *faults, const char *file, struct weir_mark mark,
		       const char *format, va_list args) __attribute__((format(printf, 4, 0)));

/** True when nothing is wrong (warnings apart). */
bool weir_faults_none(const struct weir_faults *faults);

/** Puts both lists in order of place; those in @file before those in list files. */
void weir_faults_sort(struct weir_faults *faults, const char *file);

#endif
