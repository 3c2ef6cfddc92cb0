// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The set of interfaces. One timer serves all that wait for another attempt.
 */
#include "agent/interfaces.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interface.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quantity.h"
#include "plane/host.h"

struct weir_interfaces {
	struct weir_interfaces_options options;
	struct event *retry;
	struct weir_interface *at; /* owned */
	size_t count;
	enum weir_attach attach; /* of the policy in force */
	uint64_t audited_ns;	 /* when all that should be attached was last seen to be */
};

static struct weir_interface *find(struct weir_interfaces *set, const char *name)
{
	size_t i;

	for (i = 0; i < set->count; i++) {
		if (strcmp(set->at[i].name, name) == 0)
			return &set->at[i];
	}
	return NULL;
}

/* Finds it or makes it. Returns NULL when memory is out. */
static struct weir_interface *place(struct weir_interfaces *set, const char *name)
{
	struct weir_interface *found = find(set, name), *grown;

	if (found)
		return found;
	grown = reallocarray(set->at, set->count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	set->at = grown;
	found = &grown[set->count++];
	*found = (struct weir_interface){ .mode = WEIR_ATTACH_AUTO };
	strncpy(found->name, name, sizeof(found->name) - 1);
	return found;
}

static void forget(struct weir_interfaces *set, struct weir_interface *interface)
{
	size_t at = (size_t)(interface - set->at);

	set->count--;
	memmove(interface, interface + 1, (set->count - at) * sizeof(*interface));
}

static bool is_named(const struct weir_policy *policy, const char *name)
{
	size_t i;

	for (i = 0; i < policy->n_interfaces; i++) {
		if (strcmp(policy->interfaces[i], name) == 0)
			return true;
	}
	return false;
}

static int load_attached(struct weir_interfaces *set, struct weir_error *error)
{
	_cleanup_free_ struct weir_attachment *attached = NULL;
	size_t n = 0, i;
	int err;

	err = weir_plane_attachments(set->options.plane, &attached, &n);
	if (err)
		return weir_error_set(error, err, "what is attached cannot be read: %s",
				      strerror(-err));
	for (i = 0; i < n; i++) {
		struct weir_interface *interface = place(set, attached[i].name);

		if (!interface)
			return weir_error_set(error, -ENOMEM, "out of memory");
		interface->mode = attached[i].mode;
	}
	return 0;
}

static void on_retry(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	weir_interfaces_look(context);
}

int weir_interfaces_new(struct event_base *loop, const struct weir_interfaces_options *options,
			struct weir_error *error, struct weir_interfaces **ret_set)
{
	struct weir_interfaces *set;
	int err;

	set = calloc(1, sizeof(*set));
	if (!set)
		return weir_error_set(error, -ENOMEM, "out of memory");
	set->options = *options;
	set->retry = evtimer_new(loop, on_retry, set);
	err = set->retry ? load_attached(set, error)
			 : weir_error_set(error, -ENOMEM, "out of memory");
	if (err) {
		weir_interfaces_free(set);
		return err;
	}
	*ret_set = set;
	return 0;
}

void weir_interfaces_free(struct weir_interfaces *set)
{
	if (!set)
		return;
	if (set->retry)
		event_free(set->retry);
	free(set->at);
	free(set);
}

static void note_frames(struct weir_interfaces *set, struct weir_interface *interface)
{
	uint64_t was = interface->frame_bytes, now;

	if (!interface->index || weir_plane_frame_bytes(interface->name, &now) != 0)
		return;
	interface->frame_bytes = now;
	if (was && now > was && interface->is_wanted)
		set->options.frames_grown(set->options.context, interface->name, now);
}

static int add_one(struct weir_interfaces *set, const char *name, enum weir_attach attach,
		   struct weir_error *error)
{
	struct weir_interface *interface;
	bool was_attached;
	int err;

	interface = place(set, name);
	if (!interface)
		return weir_error_set(error, -ENOMEM, "out of memory");
	/* Wanted already: attached, or its coming back is being waited for. */
	if (interface->is_ours || interface->is_wanted)
		return 0;
	was_attached = interface->mode != WEIR_ATTACH_AUTO;
	err = weir_interface_attach(interface, set->options.plane, attach, error);
	if (err)
		return err;
	interface->is_fresh = !was_attached;
	weir_interface_look(interface, set->options.plane, weir_clock_monotonic_ns());
	note_frames(set, interface);
	return 0;
}

int weir_interfaces_add(struct weir_interfaces *set, const struct weir_policy *policy,
			struct weir_error *error)
{
	size_t i;
	int err;

	for (i = 0; i < policy->n_interfaces; i++) {
		err = add_one(set, policy->interfaces[i], policy->attach, error);
		if (err) {
			weir_interfaces_undo(set);
			return err;
		}
	}
	return 0;
}

void weir_interfaces_undo(struct weir_interfaces *set)
{
	size_t i = set->count;

	while (i-- > 0) {
		struct weir_interface *interface = &set->at[i];

		if (interface->is_fresh)
			weir_interface_detach(interface, set->options.plane);
		if (!interface->is_wanted && interface->mode == WEIR_ATTACH_AUTO)
			forget(set, interface);
	}
}

static void drop_unnamed(struct weir_interfaces *set, const struct weir_policy *policy)
{
	size_t i = set->count;

	while (i-- > 0) {
		struct weir_interface *interface = &set->at[i];

		if (is_named(policy, interface->name))
			continue;
		if (interface->mode != WEIR_ATTACH_AUTO)
			weir_log(WEIR_LOG_NOTICE,
				 "interface is not in the policy any more and is left unprotected",
				 WEIR_LOG_TEXT("interface", interface->name));
		weir_interface_detach(interface, set->options.plane);
		forget(set, interface);
	}
}

int weir_interfaces_settle(struct weir_interfaces *set, const struct weir_policy *policy,
			   struct weir_error *error)
{
	size_t i;

	for (i = 0; i < policy->n_interfaces; i++) {
		if (!place(set, policy->interfaces[i]))
			return weir_error_set(error, -ENOMEM, "out of memory");
	}
	drop_unnamed(set, policy);
	for (i = 0; i < set->count; i++) {
		set->at[i].is_wanted = true;
		set->at[i].is_fresh = false;
	}
	set->attach = policy->attach;
	set->audited_ns = weir_clock_monotonic_ns();
	weir_interfaces_look(set);
	return 0;
}

void weir_interfaces_gone(struct weir_interfaces *set, uint32_t index)
{
	size_t i;

	for (i = 0; i < set->count; i++) {
		/* An index that nothing has: looking finds that the interface is another one now. */
		if (set->at[i].index == index)
			set->at[i].index = UINT32_MAX;
	}
}

static void arm_retry(struct weir_interfaces *set, uint64_t now)
{
	uint64_t due = UINT64_MAX, wait;
	struct timeval delay;
	size_t i;

	for (i = 0; i < set->count; i++) {
		const struct weir_interface *interface = &set->at[i];

		if (interface->is_wanted && interface->index &&
		    interface->mode == WEIR_ATTACH_AUTO && interface->retry_at_ns < due)
			due = interface->retry_at_ns;
	}
	event_del(set->retry);
	if (due == UINT64_MAX)
		return;
	wait = due > now ? due - now : 0;
	delay.tv_sec = (time_t)(wait / WEIR_NS_PER_S);
	delay.tv_usec = (suseconds_t)(wait % WEIR_NS_PER_S / 1000 + 1);
	event_add(set->retry, &delay);
}

void weir_interfaces_look(struct weir_interfaces *set)
{
	uint64_t now = weir_clock_monotonic_ns();
	size_t i;

	for (i = 0; i < set->count; i++) {
		struct weir_interface *interface = &set->at[i];

		if (!interface->is_wanted)
			continue;
		weir_interface_look(interface, set->options.plane, now);
		weir_interface_mend(interface, set->options.plane, set->attach, now);
		note_frames(set, interface);
	}
	arm_retry(set, now);
}

static bool is_attached(const struct weir_interface *interface,
			const struct weir_attachment *attached, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(attached[i].name, interface->name) == 0)
			return attached[i].mode != WEIR_ATTACH_AUTO &&
			       attached[i].ifindex == interface->index;
	}
	return false;
}

void weir_interfaces_audit(struct weir_interfaces *set)
{
	_cleanup_free_ struct weir_attachment *attached = NULL;
	uint64_t now = weir_clock_monotonic_ns();
	size_t n = 0, i;
	int err;

	weir_interfaces_look(set);
	err = weir_plane_attachments(set->options.plane, &attached, &n);
	if (err) {
		weir_log(WEIR_LOG_ERROR, "what is attached cannot be read", WEIR_LOG_ERRNO(err));
		return;
	}
	for (i = 0; i < set->count; i++) {
		struct weir_interface *interface = &set->at[i];

		if (!interface->is_wanted || interface->mode == WEIR_ATTACH_AUTO ||
		    is_attached(interface, attached, n))
			continue;
		weir_log(WEIR_LOG_WARNING, "program was taken off an interface by somebody else",
			 WEIR_LOG_TEXT("interface", interface->name));
		/* When it happened is not known; it was there a moment ago. */
		weir_interface_bare(interface, set->audited_ns);
		interface->mode = WEIR_ATTACH_AUTO;
	}
	set->audited_ns = now;
	weir_interfaces_look(set);
}

size_t weir_interfaces_count(const struct weir_interfaces *set)
{
	return set->count;
}

void weir_interfaces_view(const struct weir_interfaces *set, size_t at,
			  struct weir_interface_view *ret_view)
{
	const struct weir_interface *interface = &set->at[at];
	uint64_t bare = interface->bare_ns;

	if (interface->bare_since_ns)
		bare += weir_clock_monotonic_ns() - interface->bare_since_ns;
	*ret_view = (struct weir_interface_view){
		.name = interface->name,
		.mode = interface->mode,
		.is_there = interface->index != 0,
		.is_up = interface->is_up,
		.unprotected_ns = bare,
	};
}
