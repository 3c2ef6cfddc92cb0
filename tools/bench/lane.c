// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* One lane: a pair of interfaces, the kernel thread that serves its receiving end, its counters. */
#include "lane.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define DRAIN_POLL_NS 1000000
#define DRAIN_POLLS   500

int lane_enter(const char *netns)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || setns(fd, CLONE_NEWNET) ? -errno : 0;
}

static int read_line(const char *path, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");

	return !in || !fgets(buf, (int)size, in) ? -ENOENT : 0;
}

/** The thread is named after its interface: "napi/NAME-ID". */
static int find_thread(const char *interface)
{
	DIR *proc = opendir("/proc");
	char wanted[64], name[64], path[PATH_MAX];
	struct dirent *entry;
	int pid = -ESRCH;

	if (!proc)
		return -errno;
	snprintf(wanted, sizeof(wanted), "napi/%s-", interface);
	while (pid < 0 && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (!read_line(path, name, sizeof(name)) && !strncmp(name, wanted, strlen(wanted)))
			pid = (int)strtol(entry->d_name, NULL, 10);
	}
	closedir(proc);
	return pid;
}

int lane_open(struct lane *lane, char *text, const char *sender, int cpu, struct weir_error *error)
{
	cpu_set_t one;
	char *rest = text;
	int err;

	lane->link_fd = -1;
	lane->key = strsep(&rest, ":");
	lane->netns = strsep(&rest, ":");
	lane->receiver = strsep(&rest, ":");
	lane->sender = strsep(&rest, ":");
	if (!lane->sender || rest)
		return weir_error_set(error, -EINVAL, "%s: no lane", text);
	err = lane_enter(sender);
	if (err)
		return weir_error_set(error, err, "namespace %s: %s", sender, strerror(-err));
	lane->sender_ifindex = if_nametoindex(lane->sender);
	lane->thread = find_thread(lane->receiver);
	if (!lane->sender_ifindex || lane->thread < 0)
		return weir_error_set(error, -ENODEV, "lane %s: no interface, or no thread for it",
				      lane->key);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(lane->thread, sizeof(one), &one))
		return weir_error_set(error, -errno, "lane %s: its thread cannot be held to CPU %d",
				      lane->key, cpu);
	setpriority(PRIO_PROCESS, (id_t)lane->thread, -20); /* disturbed less; not needed */
	return 0;
}

int lane_attach(struct lane *lane, int prog_fd, struct weir_error *error)
{
	LIBBPF_OPTS(bpf_link_create_opts, native, .flags = XDP_FLAGS_DRV_MODE);
	int err = lane_enter(lane->netns);

	if (err)
		return weir_error_set(error, err, "namespace %s: %s", lane->netns, strerror(-err));
	lane->link_fd =
		bpf_link_create(prog_fd, (int)if_nametoindex(lane->receiver), BPF_XDP, &native);
	return lane->link_fd < 0 ? weir_error_set(error, -errno, "lane %s: cannot attach: %s",
						  lane->key, strerror(errno))
				 : 0;
}

void lane_close(const struct lane *lane)
{
	if (lane->link_fd >= 0)
		close(lane->link_fd);
}

/** Frames that came in: the second number after the name in the kernel's own table. */
static int received(const struct lane *lane, uint64_t *ret_packets)
{
	_cleanup_fclose_ FILE *in = NULL;
	char line[512];
	int err = lane_enter(lane->netns);

	if (err)
		return err;
	in = fopen("/proc/thread-self/net/dev", "re");
	while (in && fgets(line, sizeof(line), in)) {
		char *name = line + strspn(line, " "), *bytes = name, *packets;

		strsep(&bytes, ":");
		if (!bytes || strcmp(name, lane->receiver) != 0)
			continue;
		strtoull(bytes, &packets, 10);
		*ret_packets = strtoull(packets, NULL, 10);
		return 0;
	}
	return -ENODEV;
}

static int thread_ns(const struct lane *lane, uint64_t *ret_ns)
{
	char path[64], line[128];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", lane->thread);
	err = read_line(path, line, sizeof(line));
	if (!err)
		*ret_ns = strtoull(line, NULL, 10);
	return err;
}

int lane_read(const struct lane *lane, struct lane_counts *ret_counts)
{
	const struct timespec pause = { .tv_nsec = DRAIN_POLL_NS };
	struct lane_counts counts = {};
	uint64_t before = UINT64_MAX;
	int err = received(lane, &counts.packets);

	for (int i = 0; !err && counts.packets != before && i < DRAIN_POLLS; i++) {
		before = counts.packets;
		nanosleep(&pause, NULL);
		err = received(lane, &counts.packets);
	}
	if (!err)
		err = thread_ns(lane, &counts.cpu_ns);
	counts.wall_ns = weir_clock_monotonic_ns();
	if (!err)
		*ret_counts = counts;
	return err;
}
