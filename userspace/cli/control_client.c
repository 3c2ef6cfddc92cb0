// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The asking side of the agent's control socket. One deadline holds over everything, so an agent
 * that answers a byte at a time cannot stretch it.
 */
#include "cli/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "agent/control.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/quantity.h"
#include "cli/reply_read.h"

/* A thousand faults with their texts are less. */
#define ANSWER_BYTES_MAX (2U << 20)

static int wait_for(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd poller = { .fd = fd, .events = events };
	uint64_t now = weir_clock_monotonic_ns();
	int n;

	if (now >= deadline_ns)
		return -ETIMEDOUT;
	n = poll(&poller, 1, (int)((deadline_ns - now) / WEIR_NS_PER_MS) + 1);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return n ? 0 : -ETIMEDOUT;
}

static int connect_to(const struct sockaddr_un *address, uint64_t deadline_ns, int *ret_fd)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t left_ns = deadline_ns - weir_clock_monotonic_ns();
	struct timeval left = { .tv_sec = (time_t)(left_ns / WEIR_NS_PER_S) + 1 };

	if (fd < 0)
		return -errno;
	/* A full backlog makes connect() wait, and poll() does not see that on such a socket. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &left, sizeof(left));
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int send_all(int fd, const char *line, size_t len, uint64_t deadline_ns)
{
	while (len) {
		ssize_t n = send(fd, line, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		int err;

		if (n >= 0) {
			line += n;
			len -= (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		err = wait_for(fd, POLLOUT, deadline_ns);
		if (err)
			return err;
	}
	return 0;
}

static int receive_all(int fd, uint64_t deadline_ns, char **ret_text, size_t *ret_len)
{
	_cleanup_free_ char *text = malloc(ANSWER_BYTES_MAX + 1);
	size_t len = 0;

	if (!text)
		return -ENOMEM;
	for (;;) {
		int err = wait_for(fd, POLLIN, deadline_ns);
		ssize_t n;

		if (err)
			return err;
		n = recv(fd, text + len, ANSWER_BYTES_MAX - len, MSG_DONTWAIT);
		if (n == 0)
			break;
		if (n > 0)
			len += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (len == ANSWER_BYTES_MAX)
			return -EPROTO;
	}
	text[len] = '\0';
	*ret_text = TAKE_PTR(text);
	*ret_len = len;
	return 0;
}

static int say_why(int err, const char *path, struct weir_error *error)
{
	switch (err) {
	case -ENOENT:
	case -ECONNREFUSED:
		return weir_error_set(error, err,
				      "no agent listens at %s: is it running? Start it with weir "
				      "run, or name its policy with -c FILE",
				      path);
	case -ETIMEDOUT:
		return weir_error_set(error, err,
				      "the agent at %s did not answer in time; its log says more",
				      path);
	case -EPROTO:
		return weir_error_set(error, err,
				      "what listens at %s does not answer as weir's agent does",
				      path);
	default:
		return weir_error_set(error, err, "asking the agent at %s failed: %s", path,
				      strerror(-err));
	}
}

static int exchange(const struct sockaddr_un *address, const char *line, uint64_t deadline_ns,
		    struct weir_reply *ret_reply)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int err;

	err = connect_to(address, deadline_ns, &fd);
	if (!err)
		err = send_all(fd, line, strlen(line), deadline_ns);
	if (!err)
		err = receive_all(fd, deadline_ns, &text, &len);
	return err ? err : weir_reply_read(text, len, ret_reply);
}

int weir_control_ask(const char *run_dir, const char *request, unsigned int deadline_ms,
		     struct weir_error *error, struct weir_reply *ret_reply)
{
	uint64_t deadline_ns = weir_clock_monotonic_ns() + deadline_ms * WEIR_NS_PER_MS;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char line[WEIR_REQUEST_MAX + 1];
	int n, err;

	n = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", run_dir,
		     WEIR_CONTROL_SOCKET);
	if (n >= (int)sizeof(address.sun_path))
		return weir_error_set(error, -ENAMETOOLONG, "%s is too long for a socket's path",
				      run_dir);
	if (snprintf(line, sizeof(line), "%s\n", request) >= (int)sizeof(line))
		return weir_error_set(error, -EINVAL, "the request is too long");
	err = exchange(&address, line, deadline_ns, ret_reply);
	return err ? say_why(err, address.sun_path, error) : 0;
}
