// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The control socket.
 *
 * Each client has two events: one for its socket, reading until a line is there and then writing
 * until the answer is out, and one for the deadline of both together. Nothing here waits.
 */
#include "agent/control.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"

#define BACKLOG		 16
#define ACCEPTS_AT_ONCE	 16
#define ACCEPT_PAUSE_SEC 1

struct client {
	struct weir_control *control;
	int fd; /* -1: place free */
	struct event *io;
	struct event *deadline;
	char line[WEIR_REQUEST_MAX];
	size_t len;
	char *answer;
	size_t answer_len;
	size_t sent;
};

struct weir_control {
	struct weir_control_options options;
	struct event_base *loop;
	struct sockaddr_un address;
	int fd;
	struct event *listening;
	struct event *pause; /* after an accept() that failed for want of something */
	struct client clients[WEIR_CONTROL_CLIENTS_MAX];
};

static void drop(struct client *client)
{
	if (client->io)
		event_free(client->io);
	if (client->deadline)
		event_free(client->deadline);
	if (client->fd >= 0)
		close(client->fd);
	free(client->answer);
	client->io = client->deadline = NULL;
	client->answer = NULL;
	client->fd = -1;
}

static void on_deadline(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	drop(context);
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
	struct client *client = context;
	ssize_t n;

	(void)what;
	n = send(fd, client->answer + client->sent, client->answer_len - client->sent,
		 MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		client->sent += (size_t)n;
	if (n <= 0 || client->sent == client->answer_len)
		drop(client);
}

/* The answer goes out when the loop comes round; the deadline goes on. */
static void start_answer(struct client *client, const struct weir_reply *reply)
{
	event_free(client->io);
	client->io = NULL;
	if (weir_reply_render(reply, &client->answer, &client->answer_len) != 0) {
		drop(client);
		return;
	}
	client->io = event_new(client->control->loop, client->fd, EV_WRITE | EV_PERSIST,
			       on_writable, client);
	if (!client->io || event_add(client->io, NULL) != 0)
		drop(client);
}

static void serve(struct client *client, size_t len)
{
	const struct weir_control_options *options = &client->control->options;
	struct weir_reply reply = { .ok = false };
	struct weir_request request;

	if (weir_request_parse(client->line, len, &reply.message, &request) == 0)
		options->answer(options->context, &request, &reply);
	start_answer(client, &reply);
	weir_reply_clear(&reply);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
	struct client *client = context;
	struct weir_reply too_long = { .ok = false };
	const char *end;
	ssize_t n;

	(void)what;
	n = recv(fd, client->line + client->len, sizeof(client->line) - client->len, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(client);
		return;
	}
	client->len += (size_t)n;
	end = memchr(client->line, '\n', client->len);
	if (end) {
		serve(client, (size_t)(end - client->line));
	} else if (client->len == sizeof(client->line)) {
		weir_error_set(&too_long.message, -EINVAL,
			       "a request is one line of at most %d bytes", WEIR_REQUEST_MAX);
		start_answer(client, &too_long);
	}
}

/* For who gets no place: said if it can be said at once. */
static void turn_away(int fd, const char *why)
{
	struct weir_reply reply = { .ok = false };
	_cleanup_free_ char *line = NULL;
	size_t len;

	weir_error_set(&reply.message, -EBUSY, "%s", why);
	if (weir_reply_render(&reply, &line, &len) == 0)
		(void)!send(fd, line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static bool is_allowed(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

static struct client *free_place(struct weir_control *control)
{
	size_t i;

	for (i = 0; i < WEIR_CONTROL_CLIENTS_MAX; i++) {
		if (control->clients[i].fd < 0)
			return &control->clients[i];
	}
	return NULL;
}

static void admit(struct weir_control *control, int taken)
{
	_cleanup_close_ int fd = taken;
	struct timeval deadline = { .tv_sec = control->options.deadline_ms / 1000,
				    .tv_usec = control->options.deadline_ms % 1000 * 1000 };
	struct client *client = free_place(control);

	if (!is_allowed(fd)) {
		turn_away(fd, "only root may ask this");
		return;
	}
	if (!client) {
		turn_away(fd, "too many are asking at once; try again");
		return;
	}
	*client = (struct client){ .control = control, .fd = TAKE_FD(fd) };
	client->io =
		event_new(control->loop, client->fd, EV_READ | EV_PERSIST, on_readable, client);
	client->deadline = evtimer_new(control->loop, on_deadline, client);
	if (!client->io || !client->deadline || event_add(client->io, NULL) != 0 ||
	    event_add(client->deadline, &deadline) != 0)
		drop(client);
}

/* Level-triggered readiness would spin while accept() goes on failing, so it rests for a while. */
static void rest(struct weir_control *control, int code)
{
	static const struct timeval pause = { .tv_sec = ACCEPT_PAUSE_SEC };

	weir_log(WEIR_LOG_WARNING, "control socket rests: no client can be taken",
		 WEIR_LOG_ERRNO(code));
	event_del(control->listening);
	event_add(control->pause, &pause);
}

static void on_client(evutil_socket_t listening, short what, void *context)
{
	struct weir_control *control = context;
	int i, fd;

	(void)what;
	for (i = 0; i < ACCEPTS_AT_ONCE; i++) {
		fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			admit(control, fd);
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR && errno != ECONNABORTED) {
			rest(control, errno);
			return;
		}
	}
}

static void on_pause_over(evutil_socket_t fd, short what, void *context)
{
	struct weir_control *control = context;

	(void)fd;
	(void)what;
	event_add(control->listening, NULL);
}

static int refuse_errno(struct weir_error *error, const char *path, const char *what)
{
	int code = errno;

	return weir_error_set(error, -code, "control socket %s %s: %s", path, what, strerror(code));
}

/* A file that a dead agent left is removed; a live one's is not. */
static int clear_path(const struct sockaddr_un *address, struct weir_error *error)
{
	_cleanup_close_ int fd = -1;
	struct stat status;

	if (lstat(address->sun_path, &status) != 0)
		return errno == ENOENT ? 0 : refuse_errno(error, address->sun_path, "is unusable");
	if (!S_ISSOCK(status.st_mode))
		return weir_error_set(error, -EEXIST,
				      "control socket %s: another kind of file is in its place",
				      address->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return refuse_errno(error, address->sun_path, "cannot be tried");
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 || errno == EAGAIN)
		return weir_error_set(error, -EADDRINUSE,
				      "another agent answers at %s; give each node a paths.run of "
				      "its own",
				      address->sun_path);
	if (unlink(address->sun_path) != 0 && errno != ENOENT)
		return refuse_errno(error, address->sun_path, "is stale and cannot be removed");
	return 0;
}

static int listen_at(const struct sockaddr_un *address, struct weir_error *error, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int err;

	err = clear_path(address, error);
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
		return refuse_errno(error, address->sun_path, "cannot be made");
	/* Nobody can connect before listen(), and the folder is root's alone anyway. */
	if (chmod(address->sun_path, 0600) != 0 || listen(fd, BACKLOG) != 0) {
		err = refuse_errno(error, address->sun_path, "cannot be opened");
		unlink(address->sun_path);
		return err;
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int set_address(const char *run_dir, struct weir_error *error, struct sockaddr_un *ret)
{
	int n;

	ret->sun_family = AF_UNIX;
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%s", run_dir, WEIR_CONTROL_SOCKET);
	if (n < 0 || (size_t)n >= sizeof(ret->sun_path))
		return weir_error_set(
			error, -ENAMETOOLONG,
			"paths.run %s: too long for a socket in it; at most %zu bytes "
			"would do",
			run_dir, sizeof(ret->sun_path) - sizeof(WEIR_CONTROL_SOCKET) - 1);
	return 0;
}

int weir_control_new(struct event_base *loop, const struct weir_control_options *options,
		     struct weir_error *error, struct weir_control **ret_control)
{
	struct weir_control *control;
	size_t i;
	int err;

	control = calloc(1, sizeof(*control));
	if (!control)
		return weir_error_set(error, -ENOMEM, "out of memory");
	control->options = *options;
	control->loop = loop;
	control->fd = -1;
	for (i = 0; i < WEIR_CONTROL_CLIENTS_MAX; i++)
		control->clients[i].fd = -1;
	err = set_address(options->run_dir, error, &control->address);
	if (!err && (err = weir_file_make_private_dir(options->run_dir, error)))
		err = weir_error_wrap(error, err, "paths.run %s", options->run_dir);
	if (!err)
		err = listen_at(&control->address, error, &control->fd);
	if (err)
		goto fail;
	control->listening = event_new(loop, control->fd, EV_READ | EV_PERSIST, on_client, control);
	control->pause = evtimer_new(loop, on_pause_over, control);
	if (!control->listening || !control->pause || event_add(control->listening, NULL) != 0) {
		err = weir_error_set(error, -ENOMEM, "out of memory");
		goto fail;
	}
	*ret_control = control;
	return 0;
fail:
	weir_control_free(control);
	return err;
}

void weir_control_free(struct weir_control *control)
{
	size_t i;

	if (!control)
		return;
	for (i = 0; i < WEIR_CONTROL_CLIENTS_MAX; i++)
		drop(&control->clients[i]);
	if (control->listening)
		event_free(control->listening);
	if (control->pause)
		event_free(control->pause);
	/* Removed while still open: what stands at this path is this socket. */
	if (control->fd >= 0) {
		unlink(control->address.sun_path);
		close(control->fd);
	}
	free(control);
}
