// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Sends a numbered stream of packets at a precise pace.
 *
 * Owns the raw socket and the pace; what the packets look like is frame.c's. Packet i is due at
 * start + i / rate; what is due goes out together in one sendmmsg(), so an interruption is made up
 * for and the mean is exact. A full queue is waited for: every packet counted as sent was taken by
 * the interface. Prints one line of JSON.
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
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "options.h"

#define BATCH_PACKETS 32
#define NS_PER_S      1000000000ull

static volatile sig_atomic_t stopped;

struct sender {
	int fd;
	struct frame *frames; /* FRAME_PIECES_MAX beyond the batch, for one packet in pieces */
	struct mmsghdr messages[BATCH_PACKETS + FRAME_PIECES_MAX];
	struct iovec parts[BATCH_PACKETS + FRAME_PIECES_MAX];
	uint64_t packets;
	uint64_t frames_sent;
	uint64_t waits;	  /* times the queue was full */
	uint64_t late_ns; /* the most that a packet was behind its time */
};

static void stop(int signal)
{
	stopped = signal;
}

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int open_socket(const char *interface, uint8_t mac[6])
{
	struct ifreq request = {};
	struct sockaddr_ll address = { .sll_family = AF_PACKET };
	_cleanup_close_ int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0)
		err(1, "raw socket");
	strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
	if (ioctl(fd, SIOCGIFHWADDR, &request))
		err(1, "%s", interface);
	memcpy(mac, request.ifr_hwaddr.sa_data, 6);
	address.sll_ifindex = if_nametoindex(interface);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "%s", interface);
	return TAKE_FD(fd);
}

/* Hands all of @count frames to the interface, whatever its queue says. */
static void send_frames(struct sender *sender, size_t count)
{
	size_t done = 0;

	while (done < count) {
		int sent = sendmmsg(sender->fd, sender->messages + done, count - done, 0);

		if (sent > 0) {
			done += sent;
			continue;
		}
		if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR)
			err(1, "sending");
		sender->waits++;
		poll(NULL, 0, 1);
	}
	sender->frames_sent += count;
}

static void send_packets(struct sender *sender, const struct frame_spec *spec, uint64_t packets)
{
	while (packets) {
		uint64_t now_ns = wall_ns();
		size_t frames = 0;

		for (; packets && frames < BATCH_PACKETS; packets--)
			frames += frame_make(spec, sender->packets++, now_ns,
					     &sender->frames[frames]);
		for (size_t i = 0; i < frames; i++) {
			sender->parts[i] =
				(struct iovec){ sender->frames[i].bytes, sender->frames[i].len };
			sender->messages[i].msg_hdr =
				(struct msghdr){ .msg_iov = &sender->parts[i], .msg_iovlen = 1 };
		}
		send_frames(sender, frames);
	}
}

static void sleep_until(uint64_t ns)
{
	struct timespec until = { ns / NS_PER_S, ns % NS_PER_S };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void send_all(struct sender *sender, const struct options *options)
{
	double volleys_per_ns = options->rate_per_s / options->volley / NS_PER_S;
	uint64_t start = weir_clock_monotonic_ns();

	while (!stopped && (!options->count || sender->packets < options->count)) {
		uint64_t now = weir_clock_monotonic_ns(), due = BATCH_PACKETS;

		if (options->seconds > 0 && now - start >= options->seconds * NS_PER_S)
			return;
		if (options->rate_per_s > 0) {
			uint64_t sent = sender->packets / options->volley;
			uint64_t next = start + (uint64_t)(sent / volleys_per_ns);

			if (next > now) {
				sleep_until(next);
				continue;
			}
			if (now - next > sender->late_ns)
				sender->late_ns = now - next;
			due = (uint64_t)((now - start) * volleys_per_ns) + 1 - sent;
			if (due > BATCH_PACKETS)
				due = BATCH_PACKETS;
			due = (due ? due : 1) * options->volley;
		}
		if (options->count && due > options->count - sender->packets)
			due = options->count - sender->packets;
		send_packets(sender, &options->frame, due);
	}
}

static void print(const struct sender *sender, uint64_t start_ns, uint64_t took_ns)
{
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_key(&json, "sent");
	weir_json_u64(&json, sender->packets);
	weir_json_key(&json, "frames");
	weir_json_u64(&json, sender->frames_sent);
	weir_json_key(&json, "waits");
	weir_json_u64(&json, sender->waits);
	weir_json_key(&json, "start_s");
	weir_json_double(&json, (double)start_ns / NS_PER_S);
	weir_json_key(&json, "seconds");
	weir_json_double(&json, (double)took_ns / NS_PER_S);
	weir_json_key(&json, "late_s");
	weir_json_double(&json, (double)sender->late_ns / NS_PER_S);
	weir_json_object_close(&json);
	weir_json_finish(&json);
}

int main(int argc, char **argv)
{
	struct options options = options_read(argc, argv);
	struct sigaction action = { .sa_handler = stop };
	struct sender sender = {};
	uint64_t wall_start_ns, start_ns;

	prctl(PR_SET_TIMERSLACK, 1);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sender.fd = open_socket(options.interface, options.frame.from);
	sender.frames = calloc(BATCH_PACKETS + FRAME_PIECES_MAX, sizeof(*sender.frames));
	if (!sender.frames)
		err(1, "memory");
	wall_start_ns = wall_ns();
	start_ns = weir_clock_monotonic_ns();
	send_all(&sender, &options);
	print(&sender, wall_start_ns, weir_clock_monotonic_ns() - start_ns);
	free(sender.frames);
	close(sender.fd);
	return 0;
}
