// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Changes to a map of maps. The kernel ends each with a grace period, some ten milliseconds, so a
 * policy of sixty-four limits would take most of a second; grace periods that begin together end
 * together.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "plane/internal.h"

#define THREADS_MAX 16

int outer_add(struct outer_changes *changes, uint32_t index, int fd)
{
	struct outer_change *grown =
		reallocarray(changes->list, changes->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	grown[changes->count++] = (struct outer_change){ .index = index, .fd = fd };
	changes->list = grown;
	return 0;
}

void outer_clear(struct outer_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		if (changes->list[i].fd >= 0)
			close(changes->list[i].fd);
	}
	free(changes->list);
	changes->list = NULL;
	changes->count = 0;
}

/* Every step'th change from the first. */
struct portion {
	int outer_fd;
	const struct outer_changes *changes;
	size_t first;
	size_t step;
};

static int apply_one(int outer_fd, const struct outer_change *change)
{
	if (change->fd >= 0)
		return bpf_map_update_elem(outer_fd, &change->index, &change->fd, BPF_ANY) ? -errno
											   : 0;
	if (bpf_map_delete_elem(outer_fd, &change->index) && errno != ENOENT)
		return -errno;
	return 0;
}

static void *apply_portion(void *arg)
{
	const struct portion *portion = arg;

	for (size_t i = portion->first; i < portion->changes->count; i += portion->step) {
		struct outer_change *change = &portion->changes->list[i];

		change->err = apply_one(portion->outer_fd, change);
	}
	return NULL;
}

int outer_apply(int outer_fd, struct outer_changes *changes)
{
	size_t threads = changes->count < THREADS_MAX ? changes->count : THREADS_MAX;
	struct portion portions[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	bool started[THREADS_MAX] = {};

	for (size_t i = 0; i < threads; i++) {
		portions[i] = (struct portion){ outer_fd, changes, i, threads };
		started[i] = i + 1 < threads &&
			     !pthread_create(&ids[i], NULL, apply_portion, &portions[i]);
		if (!started[i])
			apply_portion(&portions[i]);
	}
	for (size_t i = 0; i < threads; i++) {
		if (started[i])
			pthread_join(ids[i], NULL);
	}
	for (size_t i = 0; i < changes->count; i++) {
		if (changes->list[i].err)
			return changes->list[i].err;
	}
	return 0;
}
