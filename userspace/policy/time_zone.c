// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Names of time zones. The name becomes part of a path, so its letters are held to those zones use
 * and it cannot lead out of the folder.
 */
#include "policy/time_zone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define ZONES	     "/usr/share/zoneinfo"
#define NAME_LEN_MAX 64
#define ALLOWED	     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_/"

int weir_time_zone_check(const char *name, struct weir_error *error)
{
	_cleanup_close_ int fd = -1;
	char path[sizeof(ZONES) + NAME_LEN_MAX + 2];
	char magic[4] = { 0 };

	if (strcmp(name, "UTC") == 0)
		return 0;
	if (!*name || name[0] == '/' || strlen(name) > NAME_LEN_MAX ||
	    strspn(name, ALLOWED) != strlen(name))
		return weir_error_set(error, -EINVAL, "no name of a time zone");
	snprintf(path, sizeof(path), "%s/%s", ZONES, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && access(ZONES "/UTC", F_OK) != 0)
		return weir_error_set(error, -EINVAL,
				      "no time zones are installed here (package tzdata)");
	/* Folders and tables stand beside the zones; a zone begins with these four letters. */
	if (fd < 0 || read(fd, magic, sizeof(magic)) != (ssize_t)sizeof(magic) ||
	    memcmp(magic, "TZif", sizeof(magic)) != 0)
		return weir_error_set(error, -EINVAL, "no such zone in " ZONES);
	return 0;
}
