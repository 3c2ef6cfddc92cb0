/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One picture of a node, as weir status prints it. Inside cli/ only.
 */
#ifndef WEIR_CLI_STATUS_H
#define WEIR_CLI_STATUS_H

#include "cli/where.h"

struct weir_interface_state {
	char name[16];
	enum weir_attach attach; /* AUTO: packets pass it unlimited */
	bool present;
};

struct weir_status {
	const char *node;
	char node_buf[WEIR_NODE_LEN];
	const char *pins_dir;
	bool observing;		/* by the policy or by the panic switch */
	bool panic_observe;	/* by the panic switch */
	double heartbeat_age_s; /* negative: never */
	bool agent_alive;
	double policy_age_s; /* negative: none is in force yet */
	struct weir_interface_state *interfaces;
	size_t n_interfaces;
	struct weir_attachment *attachments;
	size_t n_attachments;
	struct weir_count reasons[WEIR_REASONS];
	struct weir_limit_view *limits;
	size_t n_limits;
	size_t sources_used;
	size_t sources_size;
	uint64_t not_inserted;
};

void weir_status_print_text(const struct weir_status *status);
void weir_status_print_json(const struct weir_status *status);

#endif
