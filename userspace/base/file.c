// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Whole files. Knows nothing of what they hold; a caller puts the path and the purpose in front of
 * the error.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int refuse_errno(struct weir_error *error, const char *what)
{
	int code = errno;

	return weir_error_set(error, -code, "%s: %s", what, strerror(code));
}

/* Reads to the end or to @max bytes, whichever is first. */
static ssize_t read_all(int fd, char *text, size_t max)
{
	size_t len = 0;

	while (len < max) {
		ssize_t n = read(fd, text + len, max - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

int weir_file_read(const char *path, size_t max_bytes, struct weir_error *error, char **ret_text,
		   size_t *ret_len)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	struct stat status;
	ssize_t len;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) != 0)
		return refuse_errno(error, "cannot be read");
	if (!S_ISREG(status.st_mode))
		return weir_error_set(error, -EINVAL, "is no regular file");
	if (status.st_size > 0 && (uint64_t)status.st_size > max_bytes)
		return weir_error_set(error, -EFBIG, "is longer than %zu bytes", max_bytes);
	/* A file under /proc has no size, and one may grow: what counts is what can be read. */
	text = malloc((status.st_size > 0 ? (size_t)status.st_size : max_bytes) + 2);
	if (!text)
		return weir_error_set(error, -ENOMEM, "cannot be read: out of memory");
	len = read_all(fd, text, (status.st_size > 0 ? (size_t)status.st_size : max_bytes) + 1);
	if (len < 0)
		return refuse_errno(error, "cannot be read");
	if ((size_t)len > max_bytes)
		return weir_error_set(error, -EFBIG, "is longer than %zu bytes", max_bytes);
	if (status.st_size > 0 && len > status.st_size)
		return weir_error_set(error, -EAGAIN, "grew while it was read");
	text[len] = '\0';
	*ret_text = TAKE_PTR(text);
	if (ret_len)
		*ret_len = (size_t)len;
	return 0;
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The rename itself must outlive a crash, so the folder is synced too. */
static int sync_parent(const char *path)
{
	_cleanup_close_ int fd = -1;
	char parent[PATH_MAX];
	char *slash;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (!slash)
		memcpy(parent, ".", 2);
	else
		slash[slash == parent] = '\0';
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : fsync(fd);
}

int weir_file_replace(const char *path, mode_t mode, const void *bytes, size_t len,
		      struct weir_error *error)
{
	_cleanup_close_ int fd = -1;
	char beside[PATH_MAX];
	int n;

	n = snprintf(beside, sizeof(beside), "%s.new.XXXXXX", path);
	if (n < 0 || (size_t)n >= sizeof(beside))
		return weir_error_set(error, -ENAMETOOLONG, "cannot be written: path too long");
	fd = mkstemp(beside);
	if (fd < 0)
		return refuse_errno(error, "cannot be written");
	if (fchmod(fd, mode) != 0 || write_all(fd, bytes, len) != 0 || fsync(fd) != 0 ||
	    rename(beside, path) != 0) {
		int code = refuse_errno(error, "cannot be written");

		unlink(beside);
		return code;
	}
	if (sync_parent(path) != 0)
		return refuse_errno(error, "is written but its folder cannot be synced");
	return 0;
}

static int make_parents(const char *path, struct weir_error *error)
{
	char parent[PATH_MAX];
	char *slash;
	int n;

	n = snprintf(parent, sizeof(parent), "%s", path);
	if (n <= 0 || (size_t)n >= sizeof(parent))
		return weir_error_set(error, -ENAMETOOLONG,
				      "cannot be made: path empty or too long");
	for (slash = strchr(parent + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(parent, 0755) != 0 && errno != EEXIST)
			return refuse_errno(error, "cannot be made");
		*slash = '/';
	}
	return 0;
}

int weir_file_make_private_dir(const char *path, struct weir_error *error)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	int err;

	err = make_parents(path, error);
	if (err)
		return err;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return refuse_errno(error, "cannot be made");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0)
		return refuse_errno(error, "is there but is no folder to use");
	if (status.st_uid != geteuid())
		return weir_error_set(error, -EPERM, "belongs to another user (uid %u)",
				      (unsigned int)status.st_uid);
	if ((status.st_mode & 07777) != 0700 && fchmod(fd, 0700) != 0)
		return refuse_errno(error, "cannot be made private");
	return 0;
}
