// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The folder of pins. It is the node's identity: who holds its lock is the agent, what is pinned in
 * it is what packets go by.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "plane/internal.h"

static const char *const names[MAP_COUNT] = {
	[MAP_CTL] = "ctl",	 [MAP_RULES] = "rules",	    [MAP_PORTS] = "ports",
	[MAP_FROM] = "from",	 [MAP_TO] = "to",	    [MAP_TABLES] = "tables",
	[MAP_CHUNKS] = "chunks", [MAP_NAMES] = "names",	    [MAP_REASONS] = "reasons",
	[MAP_LIMITS] = "limits", [MAP_SOURCES] = "sources", [MAP_DOORKEEPER] = "doorkeeper",
	[MAP_BUDGET] = "budget", [MAP_JOBS] = "jobs",	    [MAP_SWEEP] = "sweep",
};

const char *map_name(enum map_id id)
{
	return names[id];
}

int pins_path(const char *dir, const char *name, char *buf, size_t size)
{
	int length = snprintf(buf, size, "%s/%s", dir, name);

	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

/** Makes the folder and those above it that are missing, for root alone. */
static int make_folder(const char *dir)
{
	char path[PATH_MAX];
	int err = pins_path(dir, "", path, sizeof(path));

	if (err)
		return err;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/** The closest folder above @dir that is there. */
static int existing_above(const char *dir, char *path, size_t size)
{
	int err = pins_path(dir, "", path, size);
	char *slash;

	while (!err && access(path, F_OK) && (slash = strrchr(path, '/')) && slash != path)
		*slash = '\0';
	return err;
}

int pins_check(const char *dir, bool create, struct weir_error *error)
{
	char above[PATH_MAX];
	struct statfs fs;
	int err;

	if (geteuid() != 0)
		return weir_error_set(error, -EPERM,
				      "BPF maps and programs are for root: run this as root");
	err = existing_above(dir, above, sizeof(above));
	if (err || statfs(above, &fs))
		return weir_error_set(error, err ? err : -errno, "%s: cannot be looked at", dir);
	if (fs.f_type != BPF_FS_MAGIC)
		return weir_error_set(error, -ENOTSUP,
				      "%s: not on a BPF file system; mount one with: "
				      "mount -t bpf bpf /sys/fs/bpf",
				      dir);
	err = create ? make_folder(dir) : access(dir, F_OK) ? -errno : 0;
	if (err)
		return weir_error_set(error, err, "%s: %s", dir,
				      err == -ENOENT ? "nothing is pinned there: weir has not been "
						       "started with these paths.pins"
						     : strerror(-err));
	return 0;
}

/** A folder that was removed between open() and the lock is nobody's any more. */
static bool is_still_there(const char *dir, int fd)
{
	struct stat held, named;

	return !fstat(fd, &held) && !stat(dir, &named) && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

int pins_lock(const char *dir, struct weir_error *error, int *ret_fd)
{
	_cleanup_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return weir_error_set(error, -errno, "%s: %s", dir, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB))
		return weir_error_set(error, -EBUSY,
				      "%s: another weir agent holds this folder of pins; stop it "
				      "first, or give this one another paths.pins",
				      dir);
	if (!is_still_there(dir, fd))
		return weir_error_set(error, -EBUSY,
				      "%s: was removed by a detach at this moment; try again", dir);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int stop_at(const char *name, void *arg)
{
	(void)name;
	(void)arg;
	return 1;
}

int pins_open_maps(const char *dir, int fds[MAP_COUNT])
{
	int opened[MAP_COUNT], i, err = 0;
	char path[PATH_MAX];

	for (i = 0; i < MAP_COUNT; i++) {
		err = pins_path(dir, names[i], path, sizeof(path));
		opened[i] = err ? -1 : bpf_obj_get(path);
		if (opened[i] < 0) {
			err = err ? err : -errno;
			break;
		}
	}
	if (!err) {
		memcpy(fds, opened, sizeof(opened));
		return 0;
	}
	/* Some are there: of another version, or damaged; and packets may go by them. */
	if (err == -ENOENT && pins_each(dir, "", stop_at, NULL) > 0)
		err = -EPROTO;
	while (i-- > 0)
		close(opened[i]);
	return err;
}

/** Another version's map, or a draft that was left behind. */
static int remove_stranger(const char *name, void *dir)
{
	char path[PATH_MAX];

	for (int i = 0; i < MAP_COUNT; i++) {
		if (!strcmp(name, names[i]))
			return 0;
	}
	if (!strncmp(name, PINS_LINK, strlen(PINS_LINK)) ||
	    pins_path(dir, name, path, sizeof(path)))
		return 0;
	unlink(path);
	return 0;
}

static int put_maps(const char *dir, const int fds[MAP_COUNT])
{
	for (int i = 0; i < MAP_COUNT; i++) {
		char path[PATH_MAX], draft[PATH_MAX], name[32];

		snprintf(name, sizeof(name), "new-%s", names[i]);
		if (pins_path(dir, names[i], path, sizeof(path)) ||
		    pins_path(dir, name, draft, sizeof(draft)))
			return -ENAMETOOLONG;
		unlink(draft);
		if (bpf_obj_pin(fds[i], draft))
			return -errno;
		if (rename(draft, path))
			return -errno;
	}
	return 0;
}

int pins_put_maps(const char *dir, const int fds[MAP_COUNT])
{
	int err = put_maps(dir, fds);

	return err ? err : pins_each(dir, "", remove_stranger, (void *)dir);
}

int pins_each(const char *dir, const char *prefix, int (*visit)(const char *name, void *arg),
	      void *arg)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	int err = 0;

	if (!folder)
		return -errno;
	while (!err && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.' && !strncmp(entry->d_name, prefix, strlen(prefix)))
			err = visit(entry->d_name, arg);
	}
	closedir(folder);
	return err;
}
