// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Counts what arrives on an interface behind the packet path, by source, and holds it to a bound.
 *
 * Owns the raw socket and the record of arrivals; what may arrive is the caller's number. With --rate
 * and --burst it is an oracle for the one promise a limiter makes: over every interval (s, t], no more
 * than burst + rate * (t - s) of a source. Both ends of an interval are known well enough to leave no
 * room for a tolerance: a packet was let through after it was sent (the trailer that `send` leaves in
 * it) and before its receive timestamp. So the packets i to j were let through within
 * stamp(j) - sent(i); were they more than burst + rate times that, the promise was broken for sure. Frames
 * that others made carry no such trailer, and --lag says by how much their stamp may be late.
 *
 * Says "ready" on stderr, counts until SIGTERM, then prints JSON.
 */
#include <err.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "arrivals.h"
#include "base/cleanup.h"
#include "frame.h"

#define BATCH	     64
#define SOCKET_BYTES (256 << 20)

static volatile sig_atomic_t stopped;

struct message {
	uint8_t bytes[FRAME_BYTES_MAX];
	struct iovec part;
	_Alignas(struct cmsghdr) uint8_t control[256];
};

static void stop(int signal)
{
	stopped = signal;
}

static int open_socket(const char *interface)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = __builtin_bswap16(ETH_P_ALL),
				       .sll_ifindex = if_nametoindex(interface) };
	_cleanup_close_ int fd = socket(AF_PACKET, SOCK_RAW, 0);
	int one = 1, room = SOCKET_BYTES;

	if (!address.sll_ifindex)
		err(1, "%s", interface);
	if (fd < 0)
		err(1, "raw socket");
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		err(1, "raw socket options");
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "%s", interface);
	return TAKE_FD(fd);
}

/* The kernel takes the outermost tag off; its four bytes were on the wire. */
static struct arrival read_control(struct msghdr *header, size_t len)
{
	struct arrival arrival = { .bytes = len };

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS) {
			struct timespec stamp;

			memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
			arrival.stamp_ns = stamp.tv_sec * 1000000000ull + stamp.tv_nsec;
		} else if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
			struct tpacket_auxdata extra;

			memcpy(&extra, CMSG_DATA(c), sizeof(extra));
			if (extra.tp_status & TP_STATUS_VLAN_VALID)
				arrival.bytes += 4;
		}
	}
	return arrival;
}

/** @return how many were there */
static int receive(int fd, struct message *messages, struct arrivals *arrivals)
{
	static struct mmsghdr headers[BATCH];
	int count;

	for (int i = 0; i < BATCH; i++) {
		messages[i].part = (struct iovec){ messages[i].bytes, FRAME_BYTES_MAX };
		headers[i].msg_hdr =
			(struct msghdr){ .msg_iov = &messages[i].part,
					 .msg_iovlen = 1,
					 .msg_control = messages[i].control,
					 .msg_controllen = sizeof(messages[i].control) };
	}
	count = recvmmsg(fd, headers, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
	if (count < 0 && errno != EAGAIN && errno != EINTR)
		err(1, "receiving");
	for (int i = 0; i < count; i++) {
		struct arrival arrival = read_control(&headers[i].msg_hdr, headers[i].msg_len);
		size_t len = headers[i].msg_len < FRAME_BYTES_MAX ? headers[i].msg_len
								  : FRAME_BYTES_MAX;

		arrivals_add(arrivals, &arrival, messages[i].bytes, len);
	}
	return count;
}

static void drain(int fd, struct arrivals *arrivals)
{
	_cleanup_free_ struct message *messages = calloc(BATCH, sizeof(*messages));
	struct tpacket_stats lost = {};
	socklen_t len = sizeof(lost);
	sigset_t waiting;

	if (!messages)
		err(1, "memory");
	sigprocmask(SIG_SETMASK, NULL, &waiting);
	sigdelset(&waiting, SIGTERM);
	sigdelset(&waiting, SIGINT);
	for (;;) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		if (receive(fd, messages, arrivals) > 0)
			continue;
		if (stopped)
			break;
		ppoll(&ready, 1, NULL, &waiting);
	}
	getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &lost, &len);
	arrivals->lost = lost.tp_drops;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = stop };
	_cleanup_(arrivals_free) struct arrivals arrivals = {};
	_cleanup_close_ int fd = -1;
	const char *interface;
	sigset_t blocked;

	/* Only delivered while it waits, so that no signal falls between the look and the wait. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	interface = arrivals_options(&arrivals, argc, argv);
	fd = open_socket(interface);
	fprintf(stderr, "ready\n");
	drain(fd, &arrivals);
	return arrivals_print(&arrivals, stdout);
}
