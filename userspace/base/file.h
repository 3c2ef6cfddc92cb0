/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whole files: read one with a bound, replace one in a single step, make a private folder.
 */
#ifndef WEIR_BASE_FILE_H
#define WEIR_BASE_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/**
 * Reads a regular file whole. Anything else (a folder, a pipe, a device) is refused: a reload must
 * not wait for the other end of a pipe.
 *
 * @max_bytes  more is refused
 * @error      optional; names neither the path nor the caller's purpose
 * @ret_text   to be freed; a NUL follows the last byte
 * @ret_len    optional
 * Returns 0, -EFBIG when it is longer, -EINVAL when it is no regular file, or what the system said.
 */
int weir_file_read(const char *path, size_t max_bytes, struct weir_error *error, char **ret_text,
		   size_t *ret_len);

/**
 * Puts @len bytes at @path in one step: a reader sees the old file or the new one, and after a
 * crash one of them is there whole. Written beside @path and renamed.
 */
int weir_file_replace(const char *path, mode_t mode, const void *bytes, size_t len,
		      struct weir_error *error);

/**
 * Makes @path a folder of this user alone (mode 0700), and its missing parents as 0755. An existing
 * one is tightened when it is ours and refused (-EPERM) when it is another user's; a symbolic link
 * or another kind of file in its place is refused with -ENOTDIR.
 */
int weir_file_make_private_dir(const char *path, struct weir_error *error);

#endif
