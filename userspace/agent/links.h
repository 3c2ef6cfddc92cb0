/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the kernel says of network links, while it happens and when asked.
 *
 * Messages only say when to look again: they may be lost in a storm of them, so nothing but the
 * end of an index is taken from one. What is so is asked by name.
 */
#ifndef WEIR_AGENT_LINKS_H
#define WEIR_AGENT_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct event_base;
struct weir_links;

struct weir_links_options {
	void (*gone)(void *context, uint32_t index); /* this index is no link any more */
	void (*changed)(void *context);		     /* some link is not as it was; look again */
	void *context;
};

/** Listens to the kernel. The callbacks run on the loop, `gone` before `changed`. */
int weir_links_new(struct event_base *loop, const struct weir_links_options *options,
		   struct weir_error *error, struct weir_links **ret_links);
void weir_links_free(struct weir_links *links);

struct weir_link {
	uint32_t index;
	bool is_up;
};

/** Returns 0, -ENODEV when there is none of that name, or what the system said. */
int weir_link_look(const char *name, struct weir_link *ret_link);

#endif
