/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Owning locals that release themselves.
 *
 * A local marked with one of these attributes owns what it names and lets go of it on every way
 * out of its scope. Initialise it where it is declared. Ownership leaves only through TAKE_PTR() or
 * TAKE_FD(), which also disarm the local. Every clean-up keeps errno as it was.
 */
#ifndef WEIR_BASE_CLEANUP_H
#define WEIR_BASE_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))

static inline void weir_cleanup_free(void *slot)
{
	free(*(void **)slot);
}

static inline void weir_cleanup_close(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void weir_cleanup_fclose(FILE **file)
{
	int saved = errno;

	if (*file)
		fclose(*file);
	errno = saved;
}

/** A pointer from malloc() and its kin. */
#define _cleanup_free_ _cleanup_(weir_cleanup_free)
/** A file descriptor; -1 while it owns none. */
#define _cleanup_close_ _cleanup_(weir_cleanup_close)
/** A stdio stream or NULL. Where the result of fclose() matters, TAKE_PTR() it and close by hand. */
#define _cleanup_fclose_ _cleanup_(weir_cleanup_fclose)

#define TAKE_PTR(pointer)                                \
	({                                               \
		__typeof__(pointer) *_slot = &(pointer); \
		__typeof__(pointer) _taken = *_slot;     \
		*_slot = NULL;                           \
		_taken;                                  \
	})

#define TAKE_FD(fd)                  \
	({                           \
		int *_slot = &(fd);  \
		int _taken = *_slot; \
		*_slot = -1;         \
		_taken;              \
	})

#endif
