/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The metrics page: one moment of the node as Prometheus series. Pure; who serves it gathers the
 * moment first.
 */
#ifndef WEIR_AGENT_PAGE_H
#define WEIR_AGENT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "agent/interfaces.h"
#include "agent/observer.h"
#include "plane/plane.h"

enum weir_reload_result {
	WEIR_RELOAD_APPLIED,
	WEIR_RELOAD_REFUSED,
	WEIR_RELOAD_TRIED,
	WEIR_RELOAD_KEPT,
	WEIR_RELOAD_REVERTED,
	WEIR_RELOAD_RESULTS,
};

const char *weir_reload_result_name(enum weir_reload_result result);

struct weir_page {
	struct weir_count reasons[WEIR_REASONS];
	const struct weir_limit_view *limits;
	size_t n_limits;
	const struct weir_policy *policy; /* in force: a fleet limit's mode of store loss */
	const struct weir_interface_view *interfaces;
	size_t n_interfaces;
	const struct weir_observation *observation;
	size_t sources_known;
	size_t sources_size;
	uint64_t reloads[WEIR_RELOAD_RESULTS];
	double heartbeat_age_s;
	bool is_observing; /* the panic switch */
};

/** Writes errors of @out are for its owner to find. */
void weir_page_write(FILE *out, const struct weir_page *page);

#endif
