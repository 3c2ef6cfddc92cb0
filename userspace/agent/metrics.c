// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * libmicrohttpd driven by the loop: its epoll descriptor says when it has something to do, and one
 * timer does when it has to end somebody who is slow.
 */
#include "agent/metrics.h"

#include <errno.h>
#include <event2/event.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/series.h"
#include "base/cleanup.h"
#include "policy/listen.h"

#define CONNECTIONS_MAX	 32
#define CONNECTIONS_EACH 8 /* of one address: who holds all it gets leaves others theirs */
#define CONNECTION_BYTES 16384
#define TIMEOUT_S	 5
#define BACKLOG		 32

struct weir_metrics {
	struct weir_metrics_options options;
	struct MHD_Daemon *daemon;
	struct event *readable;
	struct event *timer;
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      const char *type, struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned int status,
				   const char *text)
{
	return answer(connection, status, "text/plain",
		      MHD_create_response_from_buffer(strlen(text), (void *)text,
						      MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result answer_page(struct weir_metrics *metrics, struct MHD_Connection *connection)
{
	struct MHD_Response *response;
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	out = open_memstream(&text, &len);
	if (!out)
		return MHD_NO;
	metrics->options.write_page(metrics->options.context, out);
	if (fclose(out) != 0) {
		free(text);
		return MHD_NO;
	}
	response = MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(text);
	return answer(connection, MHD_HTTP_OK, WEIR_SERIES_TYPE, response);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	struct weir_metrics *metrics = context;

	(void)version;
	(void)upload;
	(void)state;
	/* No request here has a body; who sends one is answered without its being read. */
	*upload_size = 0;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/metrics") == 0)
		return answer_page(metrics, connection);
	if (strcmp(url, "/healthz") != 0)
		return answer_text(connection, MHD_HTTP_NOT_FOUND, "/metrics or /healthz\n");
	if (metrics->options.is_healthy(metrics->options.context))
		return answer_text(connection, MHD_HTTP_OK, "ok\n");
	return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "an interface is not protected\n");
}

static void arm_timer(struct weir_metrics *metrics)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;
	struct timeval wait;

	event_del(metrics->timer);
	if (MHD_get_timeout(metrics->daemon, &wait_ms) != MHD_YES)
		return;
	wait.tv_sec = (time_t)(wait_ms / 1000);
	wait.tv_usec = (suseconds_t)(wait_ms % 1000 * 1000);
	event_add(metrics->timer, &wait);
}

static void on_event(evutil_socket_t fd, short what, void *context)
{
	struct weir_metrics *metrics = context;

	(void)fd;
	(void)what;
	MHD_run(metrics->daemon);
	arm_timer(metrics);
}

static int bind_to(int fd, const struct weir_listen *at)
{
	struct sockaddr_in ipv4 = { .sin_family = AF_INET, .sin_port = htons(at->port) };
	struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6, .sin6_port = htons(at->port) };
	int on = 1;

	memcpy(&ipv4.sin_addr, at->address.addr, sizeof(ipv4.sin_addr));
	memcpy(&ipv6.sin6_addr, at->address.addr, sizeof(ipv6.sin6_addr));
	/* Connections of an agent that ended a moment ago are not in the way. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
		return -1;
	if (at->address.family == 4)
		return bind(fd, (const struct sockaddr *)&ipv4, sizeof(ipv4));
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0)
		return -1;
	return bind(fd, (const struct sockaddr *)&ipv6, sizeof(ipv6));
}

static int listen_at(const char *text, struct weir_error *error, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	struct weir_listen at;
	int err;

	err = weir_listen_parse(text, error, &at);
	if (err)
		return err;
	fd = socket(at.address.family == 4 ? AF_INET : AF_INET6,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind_to(fd, &at) != 0 || listen(fd, BACKLOG) != 0) {
		err = -errno;
		return weir_error_set(error, err, "metrics.listen %s: %s", text, strerror(-err));
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int start(struct weir_metrics *metrics, struct event_base *loop, int listening)
{
	const union MHD_DaemonInfo *about;

	/* It logs nothing itself: what its clients send is not for a terminal. */
	metrics->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_NO_FLAG, 0, NULL, NULL, on_request,
					   metrics, MHD_OPTION_LISTEN_SOCKET, listening,
					   MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
					   MHD_OPTION_PER_IP_CONNECTION_LIMIT, CONNECTIONS_EACH,
					   MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					   (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
					   TIMEOUT_S, MHD_OPTION_END);
	if (!metrics->daemon) {
		close(listening);
		return -ENOMEM;
	}
	about = MHD_get_daemon_info(metrics->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!about)
		return -ENOTSUP;
	metrics->timer = evtimer_new(loop, on_event, metrics);
	metrics->readable =
		event_new(loop, about->epoll_fd, EV_READ | EV_PERSIST, on_event, metrics);
	if (!metrics->timer || !metrics->readable || event_add(metrics->readable, NULL) != 0)
		return -ENOMEM;
	return 0;
}

int weir_metrics_new(struct event_base *loop, const char *listen,
		     const struct weir_metrics_options *options, struct weir_error *error,
		     struct weir_metrics **ret_metrics)
{
	struct weir_metrics *metrics;
	int err, fd = -1;

	err = listen_at(listen, error, &fd);
	if (err)
		return err;
	metrics = calloc(1, sizeof(*metrics));
	if (!metrics) {
		close(fd);
		return weir_error_set(error, -ENOMEM, "out of memory");
	}
	metrics->options = *options;
	err = start(metrics, loop, fd);
	if (err) {
		weir_metrics_free(metrics);
		return weir_error_set(error, err, "metrics.listen %s: the server cannot start: %s",
				      listen, strerror(-err));
	}
	*ret_metrics = metrics;
	return 0;
}

void weir_metrics_free(struct weir_metrics *metrics)
{
	if (!metrics)
		return;
	if (metrics->readable)
		event_free(metrics->readable);
	if (metrics->timer)
		event_free(metrics->timer);
	/* Closes its sockets, the listening one too. */
	if (metrics->daemon)
		MHD_stop_daemon(metrics->daemon);
	free(metrics);
}
