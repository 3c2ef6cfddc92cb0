// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Attaching: one pinned link for each interface. A link keeps the program in place when the agent is
 * gone, and lets the next agent replace it without a packet in between.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "plane/internal.h"
#include "weir.skel.h"

/* A name in a BPF file system may hold no dot, and '%' is what an interface's name may not. */
void attach_link_name(const char *interface, char *buf, size_t size)
{
	size_t length = (size_t)snprintf(buf, size, PINS_LINK);

	for (; *interface && length + 4 < size; interface++) {
		if (*interface == '.')
			length += (size_t)snprintf(buf + length, size - length, "%%2e");
		else
			buf[length++] = *interface;
	}
	buf[length] = '\0';
}

static void interface_of_link(const char *name, char *buf, size_t size)
{
	size_t length = 0;

	for (name += strlen(PINS_LINK); *name && length + 1 < size; name++) {
		if (!strncmp(name, "%2e", 3)) {
			buf[length++] = '.';
			name += 2;
		} else {
			buf[length++] = *name;
		}
	}
	buf[length] = '\0';
}

static int link_path(const struct weir_plane *plane, const char *interface, char *buf, size_t size)
{
	char name[64];

	attach_link_name(interface, name, sizeof(name));
	return pins_path(plane->pins_dir, name, buf, size);
}

static int link_about(int fd, struct bpf_link_info *ret_about)
{
	uint32_t size = sizeof(*ret_about);

	memset(ret_about, 0, sizeof(*ret_about));
	return bpf_obj_get_info_by_fd(fd, ret_about, &size) ? -errno : 0;
}

struct hook {
	uint32_t program_id; /* 0: none */
	enum weir_attach mode;
};

static int look_at_hook(uint32_t ifindex, struct hook *ret_hook)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	int err = bpf_xdp_query((int)ifindex, 0, &query);

	if (err)
		return err;
	ret_hook->program_id = query.drv_prog_id  ? query.drv_prog_id
			       : query.hw_prog_id ? query.hw_prog_id
						  : query.skb_prog_id;
	ret_hook->mode = query.attach_mode == XDP_ATTACHED_SKB ? WEIR_ATTACH_GENERIC
							       : WEIR_ATTACH_NATIVE;
	return 0;
}

static int refuse_other(const char *interface, uint32_t program_id, struct weir_error *error)
{
	struct bpf_prog_info about = {};
	uint32_t size = sizeof(about);
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(program_id);

	if (fd >= 0)
		bpf_obj_get_info_by_fd(fd, &about, &size);
	return weir_error_set(error, -EBUSY,
			      "%s: another XDP program is attached (%s, id %u) and is left alone; "
			      "see it with: bpftool net show dev %s",
			      interface, about.name[0] ? about.name : "unnamed", program_id,
			      interface);
}

/** Takes over the link of an earlier agent. @return -ENOENT when there is none that is alive */
static int replace(struct weir_plane *plane, const char *path, uint32_t ifindex,
		   enum weir_attach mode, enum weir_attach *ret_mode)
{
	struct bpf_link_info about;
	struct hook hook = {};
	_cleanup_close_ int fd = bpf_obj_get(path);

	if (fd < 0)
		return -ENOENT;
	if (link_about(fd, &about) || about.xdp.ifindex != ifindex) {
		unlink(path);
		return -ENOENT;
	}
	if (look_at_hook(ifindex, &hook) || hook.program_id != about.prog_id) {
		unlink(path);
		return -ENOENT;
	}
	if (mode != WEIR_ATTACH_AUTO && mode != hook.mode) {
		/* The mode cannot be changed in place. */
		bpf_link_detach(fd);
		unlink(path);
		return -ENOENT;
	}
	if (bpf_link_update(fd, weir_plane_program_fd(plane), NULL))
		return -errno;
	*ret_mode = hook.mode;
	return 0;
}

static int create(struct weir_plane *plane, uint32_t ifindex, enum weir_attach mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, options);
	int fd;

	options.flags = mode == WEIR_ATTACH_GENERIC ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
	fd = bpf_link_create(weir_plane_program_fd(plane), (int)ifindex, BPF_XDP, &options);
	return fd < 0 ? -errno : fd;
}

static int create_and_pin(struct weir_plane *plane, const char *path, uint32_t ifindex,
			  enum weir_attach mode, enum weir_attach *ret_mode)
{
	_cleanup_close_ int fd = -1;

	if (mode != WEIR_ATTACH_GENERIC) {
		*ret_mode = WEIR_ATTACH_NATIVE;
		fd = create(plane, ifindex, WEIR_ATTACH_NATIVE);
	}
	if (fd < 0 && mode != WEIR_ATTACH_NATIVE) {
		*ret_mode = WEIR_ATTACH_GENERIC;
		fd = create(plane, ifindex, WEIR_ATTACH_GENERIC);
	}
	if (fd < 0)
		return fd;
	unlink(path);
	return bpf_obj_pin(fd, path) ? -errno : 0;
}

/** The maps take their names once packets are to go by them. */
static int pin_maps(struct weir_plane *plane)
{
	int err;

	if (plane->pinned)
		return 0;
	err = pins_put_maps(plane->pins_dir, plane->map_fd);
	plane->pinned = !err;
	return err;
}

static int explain_failure(const char *interface, enum weir_attach mode, int err,
			   struct weir_error *error)
{
	if (mode == WEIR_ATTACH_NATIVE)
		return weir_error_set(error, err == -EBUSY || err == -EEXIST ? err : -EOPNOTSUPP,
				      "%s: its driver does not take the program natively (%s); "
				      "use attach: auto or generic, or a smaller MTU",
				      interface, strerror(-err));
	return weir_error_set(error, err, "%s: the XDP program cannot be attached: %s", interface,
			      strerror(-err));
}

int weir_plane_attach(struct weir_plane *plane, const char *interface, enum weir_attach mode,
		      struct weir_error *error, enum weir_attach *ret_mode)
{
	uint32_t ifindex = if_nametoindex(interface);
	enum weir_attach attached = mode;
	struct hook hook = {};
	char path[PATH_MAX];
	int err;

	if (!ifindex)
		return weir_error_set(error, -ENODEV, "%s: there is no such interface", interface);
	err = link_path(plane, interface, path, sizeof(path));
	if (err)
		return weir_error_set(error, err, "%s: %s", path, strerror(-err));
	err = replace(plane, path, ifindex, mode, &attached);
	if (err == -ENOENT) {
		err = look_at_hook(ifindex, &hook);
		if (!err && hook.program_id)
			return refuse_other(interface, hook.program_id, error);
		err = create_and_pin(plane, path, ifindex, mode, &attached);
	}
	if (err == -ENOENT)
		return weir_error_set(error, err,
				      "%s: the folder of pins %s is gone; restart the agent, which "
				      "makes it anew",
				      interface, plane->pins_dir);
	if (err)
		return explain_failure(interface, mode, err, error);
	err = pin_maps(plane);
	if (err)
		return weir_error_set(error, err, "%s: the maps cannot be pinned: %s",
				      plane->pins_dir, strerror(-err));
	*ret_mode = attached;
	return 0;
}

static int detach_link(const char *path)
{
	_cleanup_close_ int fd = bpf_obj_get(path);

	if (fd < 0)
		return -errno;
	bpf_link_detach(fd);
	return unlink(path) ? -errno : 0;
}

int weir_plane_detach_interface(struct weir_plane *plane, const char *interface)
{
	char path[PATH_MAX];
	int err = link_path(plane, interface, path, sizeof(path));

	return err ? err : detach_link(path);
}

struct attachments {
	struct weir_plane *plane;
	struct weir_attachment *list;
	size_t count;
};

static int add_attachment(const char *name, void *arg)
{
	struct attachments *all = arg;
	struct weir_attachment *grown, *entry;
	struct bpf_link_info about;
	struct hook hook = {};
	char path[PATH_MAX];
	_cleanup_close_ int fd = -1;

	if (pins_path(all->plane->pins_dir, name, path, sizeof(path)))
		return -ENAMETOOLONG;
	fd = bpf_obj_get(path);
	if (fd < 0 || link_about(fd, &about))
		return 0; /* went away meanwhile */
	grown = reallocarray(all->list, all->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	all->list = grown;
	entry = &all->list[all->count++];
	memset(entry, 0, sizeof(*entry));
	interface_of_link(name, entry->name, sizeof(entry->name));
	entry->ifindex = about.xdp.ifindex;
	entry->mode = WEIR_ATTACH_AUTO;
	if (about.xdp.ifindex && !look_at_hook(about.xdp.ifindex, &hook) &&
	    hook.program_id == about.prog_id)
		entry->mode = hook.mode;
	return 0;
}

int weir_plane_attachments(struct weir_plane *plane, struct weir_attachment **ret_attachments,
			   size_t *ret_count)
{
	struct attachments all = { .plane = plane };
	int err = pins_each(plane->pins_dir, PINS_LINK, add_attachment, &all);

	/* Without the folder there are no links either. */
	if (err && err != -ENOENT) {
		free(all.list);
		return err;
	}
	*ret_attachments = all.list;
	*ret_count = all.count;
	return 0;
}

static int detach_pin(const char *name, void *dir)
{
	char path[PATH_MAX];
	int err = pins_path(dir, name, path, sizeof(path));

	if (err)
		return err;
	if (!strncmp(name, PINS_LINK, strlen(PINS_LINK)))
		return detach_link(path);
	return unlink(path) ? -errno : 0;
}

int weir_plane_detach(const char *pins_dir, struct weir_error *error)
{
	_cleanup_close_ int lock = -1;
	int err = pins_check(pins_dir, false, error);

	if (!err)
		err = pins_lock(pins_dir, error, &lock);
	if (err)
		return err;
	/* Links first: the maps are not to vanish under packets. */
	err = pins_each(pins_dir, PINS_LINK, detach_pin, (void *)pins_dir);
	if (!err)
		err = pins_each(pins_dir, "", detach_pin, (void *)pins_dir);
	if (!err && rmdir(pins_dir))
		err = -errno;
	return err ? weir_error_set(error, err, "%s: %s", pins_dir, strerror(-err)) : 0;
}
