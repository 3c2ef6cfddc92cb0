// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The control socket with real clients: it serves who asks and waits for nobody. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/control.h"
#include "base/clock.h"
#include "policy/faults.h"

#define DEADLINE_MS 300

struct world {
	char dir[64];
	char path[128];
	struct event_base *loop;
	struct weir_control *control;
	struct weir_request asked;
	int n_asked;
	size_t faults; /* in each answer */
};

static void answer(void *context, const struct weir_request *request, struct weir_reply *reply)
{
	struct world *world = context;
	size_t i;

	world->asked = *request;
	world->n_asked++;
	reply->ok = true;
	strcpy(reply->message.text, "done");
	for (i = 0; i < world->faults; i++)
		weir_faults_add(&reply->faults, "weir.yaml", (struct weir_mark){ 1, 1 },
				"a fault as long as one that an operator has to read may well be");
}

static int open_control(struct world *world, struct weir_error *error)
{
	const struct weir_control_options options = {
		.run_dir = world->dir,
		.deadline_ms = DEADLINE_MS,
		.answer = answer,
		.context = world,
	};

	return weir_control_new(world->loop, &options, error, &world->control);
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct weir_error error = { "" };

	assert_non_null(world);
	snprintf(world->dir, sizeof(world->dir), "/tmp/weir-control-%d.XXXXXX", getpid());
	assert_non_null(mkdtemp(world->dir));
	snprintf(world->path, sizeof(world->path), "%s/%s", world->dir, WEIR_CONTROL_SOCKET);
	world->loop = event_base_new();
	if (open_control(world, &error) != 0)
		fail_msg("%s", error.text);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	weir_control_free(world->control);
	event_base_free(world->loop);
	unlink(world->path);
	assert_int_equal(rmdir(world->dir), 0);
	free(world);
	return 0;
}

static int dial(struct world *world)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", world->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void run_loop(struct world *world)
{
	event_base_loop(world->loop, EVLOOP_NONBLOCK);
}

/* All that comes until the socket closes, with the loop running meanwhile. */
static size_t read_all(struct world *world, int fd, char *buf, size_t size)
{
	uint64_t end = weir_clock_monotonic_ns() + 5000000000ULL;
	size_t len = 0;
	ssize_t n = -1;

	while (n != 0 && weir_clock_monotonic_ns() < end) {
		run_loop(world);
		n = recv(fd, buf + len, size - len - 1, MSG_DONTWAIT);
		if (n < 0 && errno == ECONNRESET)
			break;
		if (n > 0)
			len += (size_t)n;
	}
	assert_true(n <= 0);
	buf[len] = '\0';
	close(fd);
	return len;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void a_request_is_answered_and_the_socket_closed(void **state)
{
	struct world *world = *state;
	char text[512];
	int fd = dial(world);

	say(fd, "reload try 7\n");
	read_all(world, fd, text, sizeof(text));
	assert_string_equal(text, "{\"ok\":true,\"message\":\"done\",\"errors\":[]}\n");
	assert_int_equal(world->asked.kind, WEIR_REQUEST_TRY);
	assert_int_equal(world->asked.seconds, 7);
	assert_int_equal(world->n_asked, 1);
}

static void a_request_may_come_in_pieces(void **state)
{
	struct world *world = *state;
	char text[512];
	int fd = dial(world);

	say(fd, "pi");
	run_loop(world);
	run_loop(world);
	assert_int_equal(world->n_asked, 0);
	say(fd, "ng\n");
	read_all(world, fd, text, sizeof(text));
	assert_non_null(strstr(text, "\"ok\":true"));
}

static void what_is_no_request_is_not_passed_on(void **state)
{
	struct world *world = *state;
	char text[512];
	int fd = dial(world);

	say(fd, "detach\n");
	read_all(world, fd, text, sizeof(text));
	assert_non_null(strstr(text, "{\"ok\":false,\"message\":\"unknown request"));
	assert_int_equal(world->n_asked, 0);
}

static void a_line_without_end_is_refused(void **state)
{
	struct world *world = *state;
	char text[512], line[WEIR_REQUEST_MAX + 1];
	int fd = dial(world);

	memset(line, 'a', sizeof(line));
	line[WEIR_REQUEST_MAX] = '\0';
	say(fd, line);
	read_all(world, fd, text, sizeof(text));
	assert_non_null(strstr(text, "at most 256 bytes"));
}

static void a_client_that_leaves_frees_its_place(void **state)
{
	struct world *world = *state;
	char text[512];
	int i, fd;

	for (i = 0; i < 3 * WEIR_CONTROL_CLIENTS_MAX; i++) {
		close(dial(world));
		run_loop(world);
		run_loop(world);
	}
	fd = dial(world);
	say(fd, "ping\n");
	read_all(world, fd, text, sizeof(text));
	assert_non_null(strstr(text, "\"ok\":true"));
}

/* Fills every place with clients that say nothing. */
static void fill(struct world *world, int fds[WEIR_CONTROL_CLIENTS_MAX])
{
	int i;

	for (i = 0; i < WEIR_CONTROL_CLIENTS_MAX; i++) {
		fds[i] = dial(world);
		run_loop(world);
	}
}

static void one_too_many_is_turned_away_at_once(void **state)
{
	struct world *world = *state;
	int fds[WEIR_CONTROL_CLIENTS_MAX], i;
	char text[512];

	fill(world, fds);
	read_all(world, dial(world), text, sizeof(text));
	assert_non_null(strstr(text, "too many"));
	say(fds[15], "ping\n");
	read_all(world, fds[15], text, sizeof(text));
	assert_non_null(strstr(text, "\"ok\":true"));
	for (i = 0; i < 15; i++)
		close(fds[i]);
}

static void silent_clients_lose_their_place_at_the_deadline(void **state)
{
	struct world *world = *state;
	int fds[WEIR_CONTROL_CLIENTS_MAX], i;
	char text[512];
	uint64_t begun = weir_clock_monotonic_ns(), took;

	fill(world, fds);
	for (i = 0; i < WEIR_CONTROL_CLIENTS_MAX; i++)
		assert_int_equal(read_all(world, fds[i], text, sizeof(text)), 0);
	took = (weir_clock_monotonic_ns() - begun) / 1000000;
	assert_in_range(took, DEADLINE_MS - 50, DEADLINE_MS + 3000);
}

static void a_slow_drip_does_not_move_the_deadline(void **state)
{
	struct world *world = *state;
	uint64_t begun = weir_clock_monotonic_ns(), took;
	int fd = dial(world);
	char byte;

	/* A byte for each turn of the loop that is ready for one, until the agent has had enough. */
	while (weir_clock_monotonic_ns() - begun < 5000000000ULL) {
		struct pollfd quiet = { .fd = fd, .events = POLLIN };

		run_loop(world);
		if (poll(&quiet, 1, 10) == 1)
			break;
		(void)!send(fd, "a", 1, MSG_NOSIGNAL);
	}
	assert_true(recv(fd, &byte, 1, MSG_DONTWAIT) <= 0);
	close(fd);
	took = (weir_clock_monotonic_ns() - begun) / 1000000;
	assert_in_range(took, DEADLINE_MS - 50, DEADLINE_MS + 3000);
}

static void a_long_answer_goes_out_whole_while_the_loop_runs(void **state)
{
	struct world *world = *state;
	size_t size = 1 << 20, len;
	char *text = malloc(size);
	int slow, fd;

	assert_non_null(text);
	world->faults = 1000;
	/* One that never reads its answer is no hindrance. */
	slow = dial(world);
	say(slow, "reload\n");
	run_loop(world);
	run_loop(world);
	fd = dial(world);
	say(fd, "reload\n");
	len = read_all(world, fd, text, size);
	assert_true(len > 50000);
	assert_string_equal(text + len - 4, "}]}\n");
	close(slow);
	free(text);
}

static void socket_and_folder_are_private(void **state)
{
	struct world *world = *state;
	struct stat status;

	assert_int_equal(stat(world->path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(stat(world->dir, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
}

static void the_socket_of_a_dead_agent_is_replaced(void **state)
{
	struct world *world = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct weir_error error = { "" };
	char text[512];
	int fd;

	weir_control_free(world->control);
	world->control = NULL;
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", world->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	if (open_control(world, &error) != 0)
		fail_msg("%s", error.text);
	fd = dial(world);
	say(fd, "ping\n");
	read_all(world, fd, text, sizeof(text));
	assert_non_null(strstr(text, "\"ok\":true"));
}

static void the_socket_of_a_live_agent_is_left_alone(void **state)
{
	struct world *world = *state, second = *world;
	struct weir_error error = { "" };
	char text[512];
	int fd;

	assert_int_equal(open_control(&second, &error), -EADDRINUSE);
	assert_non_null(strstr(error.text, "another agent answers at"));
	fd = dial(world);
	say(fd, "ping\n");
	read_all(world, fd, text, sizeof(text));
	assert_non_null(strstr(text, "\"ok\":true"));
}

static void another_file_in_its_place_is_left_alone(void **state)
{
	struct world *world = *state;
	struct weir_error error = { "" };
	struct stat status;

	weir_control_free(world->control);
	world->control = NULL;
	close(open(world->path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(open_control(world, &error), -EEXIST);
	assert_int_equal(lstat(world->path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
}

static void a_folder_with_too_long_a_name_is_refused(void **state)
{
	struct world *world = *state, other = *world;
	struct weir_error error = { "" };
	const struct weir_control_options options = {
		.run_dir =
			"/tmp/weir-a-folder-with-a-name-that-is-so-long-that-no-socket-can-be-made-in-it"
			"-because-of-what-a-socket-s-address-can-hold",
		.deadline_ms = DEADLINE_MS,
		.answer = answer,
	};

	assert_int_equal(weir_control_new(other.loop, &options, &error, &other.control),
			 -ENAMETOOLONG);
	assert_non_null(strstr(error.text, "at most 94 bytes"));
	assert_int_equal(access(options.run_dir, F_OK), -1);
}

static void the_socket_goes_with_its_agent(void **state)
{
	struct world *world = *state;

	weir_control_free(world->control);
	world->control = NULL;
	assert_int_equal(access(world->path, F_OK), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_request_is_answered_and_the_socket_closed),
		TEST(a_request_may_come_in_pieces),
		TEST(what_is_no_request_is_not_passed_on),
		TEST(a_line_without_end_is_refused),
		TEST(a_client_that_leaves_frees_its_place),
		TEST(one_too_many_is_turned_away_at_once),
		TEST(silent_clients_lose_their_place_at_the_deadline),
		TEST(a_slow_drip_does_not_move_the_deadline),
		TEST(a_long_answer_goes_out_whole_while_the_loop_runs),
		TEST(socket_and_folder_are_private),
		TEST(the_socket_of_a_dead_agent_is_replaced),
		TEST(the_socket_of_a_live_agent_is_left_alone),
		TEST(another_file_in_its_place_is_left_alone),
		TEST(a_folder_with_too_long_a_name_is_refused),
		TEST(the_socket_goes_with_its_agent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
