// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * rtnetlink on the loop. Each time the socket is readable it is emptied (up to a bound, so that a
 * storm cannot hold the loop), and the agent looks once for all of it.
 */
#include "agent/links.h"

#include <errno.h>
#include <event2/event.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

#define READS_AT_ONCE 64
#define BUFFER_BYTES  32768

struct weir_links {
	struct weir_links_options options;
	int fd;
	struct event *readable;
	char buffer[BUFFER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
};

/* A port that leaves a bridge is told with the bridge's family: the link itself stays. */
static bool is_end_of_link(const struct nlmsghdr *message)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);

	return message->nlmsg_type == RTM_DELLINK &&
	       message->nlmsg_len >= NLMSG_LENGTH(sizeof(*link)) && link->ifi_family == AF_UNSPEC;
}

static void take_messages(struct weir_links *links, size_t len)
{
	const struct nlmsghdr *message = (const struct nlmsghdr *)links->buffer;

	for (; NLMSG_OK(message, len); message = NLMSG_NEXT(message, len)) {
		const struct ifinfomsg *link = NLMSG_DATA(message);

		if (is_end_of_link(message))
			links->options.gone(links->options.context, (uint32_t)link->ifi_index);
	}
}

/* Returns false when there is nothing more to read. */
static bool read_once(struct weir_links *links)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	socklen_t from_len = sizeof(from);
	ssize_t n;

	n = recvfrom(links->fd, links->buffer, sizeof(links->buffer), MSG_DONTWAIT,
		     (struct sockaddr *)&from, &from_len);
	if (n < 0)
		/* Some were lost: looking makes up for all but an index used anew at once. */
		return errno == EINTR || errno == ENOBUFS;
	if (from.nl_pid == 0)
		take_messages(links, (size_t)n);
	return true;
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct weir_links *links = context;
	int i;

	(void)fd;
	(void)what;
	for (i = 0; i < READS_AT_ONCE && read_once(links); i++)
		;
	links->options.changed(links->options.context);
}

static int open_socket(int *ret_fd)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
	_cleanup_close_ int fd = -1;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int weir_links_new(struct event_base *loop, const struct weir_links_options *options,
		   struct weir_error *error, struct weir_links **ret_links)
{
	struct weir_links *links;
	int err;

	links = calloc(1, sizeof(*links));
	if (!links)
		return weir_error_set(error, -ENOMEM, "out of memory");
	links->options = *options;
	links->fd = -1;
	err = open_socket(&links->fd);
	if (err) {
		weir_links_free(links);
		return weir_error_set(error, err, "changes of interfaces cannot be watched: %s",
				      strerror(-err));
	}
	links->readable = event_new(loop, links->fd, EV_READ | EV_PERSIST, on_readable, links);
	if (!links->readable || event_add(links->readable, NULL) != 0) {
		weir_links_free(links);
		return weir_error_set(error, -ENOMEM, "out of memory");
	}
	*ret_links = links;
	return 0;
}

void weir_links_free(struct weir_links *links)
{
	if (!links)
		return;
	if (links->readable)
		event_free(links->readable);
	if (links->fd >= 0)
		close(links->fd);
	free(links);
}

int weir_link_look(const char *name, struct weir_link *ret_link)
{
	struct weir_link link = { .index = 0 };
	_cleanup_close_ int fd = -1;
	struct ifreq request = { 0 };
	size_t len = strlen(name);

	if (len >= sizeof(request.ifr_name))
		return -ENODEV;
	memcpy(request.ifr_name, name, len);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCGIFINDEX, &request) != 0)
		return -errno;
	link.index = (uint32_t)request.ifr_ifindex;
	if (ioctl(fd, SIOCGIFFLAGS, &request) != 0)
		return -errno;
	link.is_up = request.ifr_flags & IFF_UP;
	*ret_link = link;
	return 0;
}
