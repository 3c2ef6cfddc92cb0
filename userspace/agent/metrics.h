/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The metrics over HTTP: GET /metrics and GET /healthz, nothing else.
 *
 * Runs on the agent's loop, without a thread. Connections are bounded in number, memory and time.
 */
#ifndef WEIR_AGENT_METRICS_H
#define WEIR_AGENT_METRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct event_base;
struct weir_metrics;

struct weir_metrics_options {
	void (*write_page)(void *context, FILE *out);
	bool (*is_healthy)(void *context);
	void *context;
};

/**
 * @listen  "ADDR:PORT" as in the policy
 * Returns 0, or what the system said, with the address in @error.
 */
int weir_metrics_new(struct event_base *loop, const char *listen,
		     const struct weir_metrics_options *options, struct weir_error *error,
		     struct weir_metrics **ret_metrics);
/** Ends connections as they are. NULL is fine. */
void weir_metrics_free(struct weir_metrics *metrics);

#endif
