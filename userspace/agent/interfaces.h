/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interfaces that are to be protected, and the work of keeping them so.
 *
 * Knows which ones the policy in force names, what is attached to each, and for how long one was
 * there without protection. It compares what should be with what is, as often as somebody says
 * that something changed; so a missed message costs time and nothing else.
 *
 * A policy's interfaces are taken in two steps, so that a policy comes in force whole or not at
 * all: weir_interfaces_add(), then, once the policy is published, weir_interfaces_settle(), or
 * else weir_interfaces_undo().
 */
#ifndef WEIR_AGENT_INTERFACES_H
#define WEIR_AGENT_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "plane/plane.h"
#include "policy/policy.h"

struct event_base;
struct weir_interfaces;

struct weir_interfaces_options {
	struct weir_plane *plane;
	/* An interface carries larger frames than it did; its burst may be too small now. */
	void (*frames_grown)(void *context, const char *interface, uint64_t frame_bytes);
	void *context;
};

/** Starts from what is attached already, by an earlier agent. */
int weir_interfaces_new(struct event_base *loop, const struct weir_interfaces_options *options,
			struct weir_error *error, struct weir_interfaces **ret_set);
/** Detaches nothing. NULL is fine. */
void weir_interfaces_free(struct weir_interfaces *set);

/**
 * Attaches to those of @policy that are not attached yet. On a failure, which names the interface,
 * the ones attached here are detached again. One that was protected before and is gone for now is
 * no failure.
 */
int weir_interfaces_add(struct weir_interfaces *set, const struct weir_policy *policy,
			struct weir_error *error);
/** Detaches what the last weir_interfaces_add() attached. */
void weir_interfaces_undo(struct weir_interfaces *set);
/**
 * From now on these of @policy are protected: others are detached, and one that is missing or
 * cannot be attached to is tried again.
 * Returns 0 or -ENOMEM, and then the set is as it was.
 */
int weir_interfaces_settle(struct weir_interfaces *set, const struct weir_policy *policy,
			   struct weir_error *error);

/** A link's index is no more, even if one of the same name or index is there by now. */
void weir_interfaces_gone(struct weir_interfaces *set, uint32_t index);
/** Looks at every interface and attaches where that is due. */
void weir_interfaces_look(struct weir_interfaces *set);
/** The same, and that what should be attached still is. About once a second. */
void weir_interfaces_audit(struct weir_interfaces *set);

struct weir_interface_view {
	const char *name;      /* valid until the next call that changes the set */
	enum weir_attach mode; /* AUTO: not protected now */
	bool is_there;
	bool is_up;
	uint64_t unprotected_ns; /* in all, since the agent started */
};

size_t weir_interfaces_count(const struct weir_interfaces *set);
/** @at  below weir_interfaces_count() */
void weir_interfaces_view(const struct weir_interfaces *set, size_t at,
			  struct weir_interface_view *ret_view);

#endif
