/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of time zones, as tzdata has them.
 */
#ifndef WEIR_POLICY_TIME_ZONE_H
#define WEIR_POLICY_TIME_ZONE_H

#include "base/error.h"

/**
 * Holds a name against the system's zones (/usr/share/zoneinfo). UTC is there even without tzdata.
 *
 * @error  optional; what is wrong, without the name
 * Returns 0, or -EINVAL.
 */
int weir_time_zone_check(const char *name, struct weir_error *error);

#endif
