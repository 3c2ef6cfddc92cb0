// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * One interface. Every change of its state is logged here, once.
 */
#include "agent/interface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "agent/links.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quantity.h"
#include "plane/host.h"

#define FIRST_WAIT_NS (100 * WEIR_NS_PER_MS)
#define LAST_WAIT_NS  (30 * WEIR_NS_PER_S)
#define DOUBLINGS_MAX 9

uint64_t weir_interface_backoff_ns(unsigned int failures, uint32_t random)
{
	unsigned int doublings = failures > 0 ? failures - 1 : 0;
	uint64_t wait = FIRST_WAIT_NS << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);

	if (wait > LAST_WAIT_NS)
		wait = LAST_WAIT_NS;
	/* From three quarters of it to the whole. */
	return wait - (wait / 4 * (random >> 16) >> 16);
}

static uint32_t draw(void)
{
	uint32_t random = 0;

	(void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
	return random;
}

int weir_interface_attach(struct weir_interface *interface, struct weir_plane *plane,
			  enum weir_attach mode, struct weir_error *error)
{
	enum weir_attach attached;
	int err;

	err = weir_plane_attach(plane, interface->name, mode, error, &attached);
	if (err)
		return err;
	interface->mode = attached;
	interface->is_ours = true;
	return 0;
}

void weir_interface_detach(struct weir_interface *interface, struct weir_plane *plane)
{
	int err = weir_plane_detach_interface(plane, interface->name);

	if (err && err != -ENOENT && err != -ENODEV)
		weir_log(WEIR_LOG_ERROR, "program cannot be taken off an interface",
			 WEIR_LOG_TEXT("interface", interface->name), WEIR_LOG_ERRNO(err));
	interface->mode = WEIR_ATTACH_AUTO;
	interface->is_ours = false;
	interface->is_fresh = false;
}

void weir_interface_bare(struct weir_interface *interface, uint64_t since_ns)
{
	if (!interface->bare_since_ns)
		interface->bare_since_ns = since_ns;
}

uint64_t weir_interface_covered(struct weir_interface *interface, uint64_t now_ns)
{
	uint64_t bare = 0;

	if (interface->bare_since_ns)
		bare = now_ns - interface->bare_since_ns;
	interface->bare_since_ns = 0;
	interface->bare_ns += bare;
	return bare;
}

static void lose(struct weir_interface *interface, struct weir_plane *plane, uint64_t now_ns)
{
	if (interface->index)
		weir_log(WEIR_LOG_WARNING,
			 "interface is gone; it is protected again when it is back",
			 WEIR_LOG_TEXT("interface", interface->name));
	weir_interface_covered(interface, now_ns);
	/* Its pin, if it left one. */
	if (interface->mode != WEIR_ATTACH_AUTO)
		weir_interface_detach(interface, plane);
	interface->index = 0;
	interface->failures = 0;
	interface->retry_at_ns = 0;
}

void weir_interface_look(struct weir_interface *interface, struct weir_plane *plane,
			 uint64_t now_ns)
{
	struct weir_link link;
	int err;

	err = weir_link_look(interface->name, &link);
	if (err == -ENODEV)
		lose(interface, plane, now_ns);
	else if (err)
		/* Not knowing is no reason to take anything off. */
		weir_log(WEIR_LOG_ERROR, "interface cannot be looked at",
			 WEIR_LOG_TEXT("interface", interface->name), WEIR_LOG_ERRNO(err));
	if (err)
		return;
	if (interface->index && link.index != interface->index)
		lose(interface, plane, now_ns);
	if (interface->index && link.is_up != interface->is_up)
		weir_log(WEIR_LOG_INFO, link.is_up ? "interface is up" : "interface is down",
			 WEIR_LOG_TEXT("interface", interface->name));
	interface->index = link.index;
	interface->is_up = link.is_up;
	if (interface->mode == WEIR_ATTACH_AUTO)
		weir_interface_bare(interface, now_ns);
}

static void fail(struct weir_interface *interface, int code, const struct weir_error *error,
		 uint64_t now_ns)
{
	interface->failures++;
	interface->retry_at_ns = now_ns + weir_interface_backoff_ns(interface->failures, draw());
	/* Told once; how often it went on failing is told when it succeeds. */
	if (interface->failures == 1)
		weir_log(
			WEIR_LOG_ERROR,
			code == -EBUSY
				? "interface is NOT protected: another program is there; trying again"
				: "interface is NOT protected; trying again",
			WEIR_LOG_TEXT("interface", interface->name),
			WEIR_LOG_TEXT("error", error->text));
}

void weir_interface_mend(struct weir_interface *interface, struct weir_plane *plane,
			 enum weir_attach mode, uint64_t now_ns)
{
	struct weir_error error = { "" };
	int err;

	if (!interface->index || interface->mode != WEIR_ATTACH_AUTO ||
	    now_ns < interface->retry_at_ns)
		return;
	err = weir_interface_attach(interface, plane, mode, &error);
	if (err == -ENODEV) {
		lose(interface, plane, now_ns);
		return;
	}
	if (err) {
		fail(interface, err, &error, now_ns);
		return;
	}
	weir_log(WEIR_LOG_NOTICE, "interface is there and protected",
		 WEIR_LOG_TEXT("interface", interface->name),
		 WEIR_LOG_TEXT("mode", weir_attach_name(interface->mode)),
		 WEIR_LOG_NUMBER("unprotected_us",
				 weir_interface_covered(interface, weir_clock_monotonic_ns()) /
					 1000),
		 WEIR_LOG_NUMBER("failures", interface->failures));
	interface->failures = 0;
	interface->retry_at_ns = 0;
}
