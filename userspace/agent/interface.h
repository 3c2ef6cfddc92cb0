/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One interface that is to be protected: its state, and attaching to it. Inside agent/ only, for
 * interfaces.c, which has the set of them.
 */
#ifndef WEIR_AGENT_INTERFACE_H
#define WEIR_AGENT_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plane/plane.h"

struct weir_interface {
	char name[16];
	uint32_t index; /* 0: not there */
	bool is_up;
	enum weir_attach mode;	/* what is attached; AUTO: nothing */
	bool is_ours;		/* it runs this agent's program, not an earlier one's */
	bool is_wanted;		/* by the policy in force */
	bool is_fresh;		/* attached for a policy that is not in force yet */
	uint64_t frame_bytes;	/* the largest it carries */
	uint64_t bare_since_ns; /* there, wanted and not attached since then; 0: not so */
	uint64_t bare_ns;	/* in all, without the present time */
	uint64_t retry_at_ns;	/* CLOCK_MONOTONIC; 0: at once */
	unsigned int failures;	/* to attach, in a row */
};

/** Attaches, or puts this agent's program in place of an earlier one's. @error names it. */
int weir_interface_attach(struct weir_interface *interface, struct weir_plane *plane,
			  enum weir_attach mode, struct weir_error *error);
/** Takes the program off, or forgets one whose interface is gone. */
void weir_interface_detach(struct weir_interface *interface, struct weir_plane *plane);

/** Begins or ends the time it is there without protection. */
void weir_interface_bare(struct weir_interface *interface, uint64_t since_ns);
/** Returns for how long it was. */
uint64_t weir_interface_covered(struct weir_interface *interface, uint64_t now_ns);

/** What the system has under that name now. Logs what is new. */
void weir_interface_look(struct weir_interface *interface, struct weir_plane *plane,
			 uint64_t now_ns);

/** Attaches if that is due; otherwise, or when it fails, sets when to try again. */
void weir_interface_mend(struct weir_interface *interface, struct weir_plane *plane,
			 enum weir_attach mode, uint64_t now_ns);

/** How long to wait after so many failures in a row: doubling to half a minute, with jitter. */
uint64_t weir_interface_backoff_ns(unsigned int failures, uint32_t random);

#endif
