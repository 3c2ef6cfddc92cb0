// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The words of the policy file for its values, so that what weir prints can be written back.
 */
#include "policy/policy.h"

const char *weir_attach_name(enum weir_attach attach)
{
	switch (attach) {
	case WEIR_ATTACH_AUTO:
		return "auto";
	case WEIR_ATTACH_NATIVE:
		return "native";
	case WEIR_ATTACH_GENERIC:
		return "generic";
	}
	return "unknown";
}

const char *weir_on_loss_name(enum weir_on_loss loss)
{
	switch (loss) {
	case WEIR_LOSS_NONE:
		return "none";
	case WEIR_LOSS_OPEN:
		return "open";
	case WEIR_LOSS_CLOSED:
		return "closed";
	case WEIR_LOSS_SHARE:
		return "share";
	case WEIR_LOSS_FALLBACK:
		return "fallback";
	}
	return "unknown";
}

const char *weir_token_name(enum weir_token token)
{
	switch (token) {
	case WEIR_TOKEN_PACKET:
		return "packets";
	case WEIR_TOKEN_BYTE:
		return "bytes";
	case WEIR_TOKEN_UNIT:
		return "units";
	}
	return "unknown";
}

const char *weir_scope_name(enum weir_scope scope)
{
	switch (scope) {
	case WEIR_SCOPE_FLEET:
		return "fleet";
	case WEIR_SCOPE_NODE:
		return "node";
	}
	return "unknown";
}

const char *weir_first_name(enum weir_first first)
{
	switch (first) {
	case WEIR_FIRST_WAIT:
		return "wait";
	case WEIR_FIRST_ADMIT:
		return "admit";
	}
	return "unknown";
}

const char *weir_period_name(enum weir_period period)
{
	switch (period) {
	case WEIR_PERIOD_HOUR:
		return "hour";
	case WEIR_PERIOD_DAY:
		return "day";
	case WEIR_PERIOD_WEEK:
		return "week";
	case WEIR_PERIOD_MONTH:
		return "month";
	}
	return "unknown";
}

const char *weir_durability_name(enum weir_durability durability)
{
	switch (durability) {
	case WEIR_DURABILITY_EXACT:
		return "exact";
	case WEIR_DURABILITY_UNVERIFIED:
		return "unverified";
	}
	return "unknown";
}

bool weir_policy_observes(const struct weir_policy *policy, enum weir_run_mode mode)
{
	return mode == WEIR_RUN_OBSERVE || (mode == WEIR_RUN_INHERIT && policy->observe);
}
