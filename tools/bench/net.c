// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * End to end over veth: what a frame costs the CPU that receives it.
 *
 * Each lane has one limiter at its receiving end, and whatever the limiter passes is dropped right
 * behind it; so a lane costs the way to the verdict and not the stack above. One CPU sends, the other
 * receives. More frames come than the receiver can take, which is what a flood is; what does not fit
 * the interface's ring never costs the receiver anything and is not counted. Lanes take turns as the
 * rows of micro.c do.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bench.h"
#include "lane.h"
#include "send.skel.h"

#define LANES_MAX  16
#define BATCH	   64
#define FIRST	   100000 /* frames to see how fast they go */
#define FILL_MS	   1500
#define FILL_PARTS 5

static const int columns[] = { TRAFFIC_ONE, TRAFFIC_64K, TRAFFIC_16M };

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct result {
	double ns;   /* CPU time of the receiver for a frame, the least */
	double busy; /* of the receiver's CPU, in that slice; parts of one */
	double mpps; /* frames the receiver took in, millions a second */
};

struct net {
	const struct bench_options *options;
	struct peers *peers;
	struct weir_plane *planes[LANES_MAX];
	struct send_bpf *sender;
	struct lane lanes[LANES_MAX];
	struct result results[LANES_MAX][COLUMNS];
	int n_lanes;
	double send_ns; /* for one frame, as measured last */
};

static void net_close(struct net *net)
{
	for (int i = 0; i < net->n_lanes; i++) {
		lane_close(&net->lanes[i]);
		weir_plane_close(net->planes[i]);
	}
	peers_close(net->peers);
	if (net->sender)
		send_bpf__destroy(net->sender);
}

static const struct policy_kind *policy_of(const struct lane *lane)
{
	for (size_t i = 0; i < bench_n_policies; i++) {
		if (!strcmp(bench_policies[i].key, lane->key))
			return &bench_policies[i];
	}
	return NULL;
}

/** Lanes whose key is no program of ours have their limiter already: rules of the firewall. */
static int equip_lane(struct net *net, int i, struct weir_error *error)
{
	struct lane *lane = &net->lanes[i];
	const struct policy_kind *policy = policy_of(lane);
	int err, fd;

	if (policy) {
		err = policy_plane(net->options->pins, lane->key, true, error, &net->planes[i]);
		if (!err)
			err = policy_publish(policy, &bench_traffic[TRAFFIC_ONE],
					     net->options->scratch, net->planes[i], error, NULL);
		if (err)
			return err;
		fd = weir_plane_program_fd(net->planes[i]);
	} else {
		fd = peers_fd(net->peers, lane->key);
	}
	return fd < 0 ? 0 : lane_attach(lane, fd, error);
}

static int open_lanes(struct net *net, struct weir_error *error)
{
	const struct bench_options *options = net->options;
	int cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, err;

	if (options->n_lanes > LANES_MAX)
		return weir_error_set(error, -E2BIG, "more than %d lanes", LANES_MAX);
	if (cpu < 1)
		return weir_error_set(error, -ENOTSUP, "end to end needs two CPUs");
	err = peers_open(error, &net->peers);
	if (!err)
		err = peers_set_rate(net->peers, &bench_traffic[TRAFFIC_ONE]);
	net->sender = send_bpf__open_and_load();
	if (!net->sender)
		return weir_error_set(error, -errno, "the kernel refused the sender");
	for (int i = 0; !err && i < options->n_lanes; i++) {
		err = lane_open(&net->lanes[i], options->lanes[i], options->sender, cpu, error);
		net->n_lanes++;
		if (!err)
			err = equip_lane(net, i, error);
	}
	return err;
}

static int send_frames(struct net *net, uint32_t frames)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 2 };
	uint8_t packet[64];
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = (int)frames, .batch_size = BATCH,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	uint64_t before = weir_clock_monotonic_ns();

	program_packet(mac, packet);
	if (bpf_prog_test_run_opts(bpf_program__fd(net->sender->progs.send), &run))
		return -errno;
	net->send_ns = (double)(weir_clock_monotonic_ns() - before) / frames;
	return 0;
}

/** Points the sender at a lane. The process is in the sender's namespace afterwards. */
static int aim(struct net *net, const struct lane *lane, const struct traffic *traffic)
{
	struct bench_target target = { .ifindex = lane->sender_ifindex };
	int fd = bpf_program__fd(net->sender->progs.send);
	int err = program_draw(fd, true, traffic->mask);

	if (!err)
		err = program_set(fd, ".data.target", &target);
	return err ? err : lane_enter(net->options->sender);
}

static uint32_t frames_in(const struct net *net, double ms)
{
	return (uint32_t)(ms * 1e6 / net->send_ns) + BATCH;
}

static int fill_lane(struct net *net, const struct lane *lane, const struct traffic *traffic)
{
	unsigned int ms = net->options->slice_ms * FILL_PARTS;
	int err = aim(net, lane, traffic);

	if (!err)
		err = send_frames(net, FIRST);
	return err ? err : send_frames(net, frames_in(net, ms < FILL_MS ? ms : FILL_MS));
}

static int take_slice(struct net *net, const struct lane *lane, const struct traffic *traffic,
		      struct result *result)
{
	struct lane_counts before, after;
	double packets, cpu_ns, wall_ns;
	int err = aim(net, lane, traffic);

	if (!err)
		err = send_frames(net, FIRST);
	if (!err)
		err = lane_read(lane, &before);
	if (!err)
		err = lane_enter(net->options->sender);
	if (!err)
		err = send_frames(net, frames_in(net, net->options->slice_ms));
	wall_ns = net->send_ns * frames_in(net, net->options->slice_ms);
	if (!err)
		err = lane_read(lane, &after);
	if (err)
		return err;
	packets = (double)(after.packets - before.packets);
	cpu_ns = (double)(after.cpu_ns - before.cpu_ns);
	if (!(result->ns <= cpu_ns / packets)) {
		result->ns = cpu_ns / packets;
		result->busy = cpu_ns / wall_ns;
		result->mpps = packets / wall_ns * 1e3;
	}
	return 0;
}

static int measure_column(struct net *net, size_t column, struct weir_error *error)
{
	const struct traffic *traffic = &bench_traffic[columns[column]];
	int err = 0, at = 0;

	fprintf(stderr, "bench: between interfaces, %s\n", traffic->title);
	for (int i = 0; !err && i < net->n_lanes; i++) {
		net->results[i][column].ns = (double)NAN;
		err = fill_lane(net, &net->lanes[at = i], traffic);
	}
	for (unsigned int slice = 0; !err && slice < net->options->slices; slice++) {
		for (int i = 0; !err && i < net->n_lanes; i++)
			err = take_slice(net, &net->lanes[at = i], traffic,
					 &net->results[i][column]);
	}
	return err ? weir_error_set(error, err, "lane %s: %s", net->lanes[at].key, strerror(-err))
		   : 0;
}

static void print_member(struct weir_json *json, const char *key, double value, double scale)
{
	weir_json_key(json, key);
	weir_json_double(json, round(value * scale) / scale);
}

static void print_lane(struct weir_json *json, const struct net *net, int lane)
{
	weir_json_object_open(json);
	weir_json_key(json, "key");
	weir_json_string(json, net->lanes[lane].key);
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct result *result = &net->results[lane][i];

		weir_json_key(json, bench_traffic[columns[i]].key);
		weir_json_object_open(json);
		print_member(json, "ns", result->ns, 10);
		print_member(json, "busy", result->busy, 1000);
		print_member(json, "mpps", result->mpps, 1000);
		weir_json_object_close(json);
	}
	weir_json_object_close(json);
}

static int print(const struct net *net)
{
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_key(&json, "slices");
	weir_json_u64(&json, net->options->slices);
	weir_json_key(&json, "slice_ms");
	weir_json_u64(&json, net->options->slice_ms);
	weir_json_key(&json, "lanes");
	weir_json_array_open(&json);
	for (int i = 0; i < net->n_lanes; i++)
		print_lane(&json, net, i);
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	return weir_json_finish(&json);
}

int bench_net(const struct bench_options *options, struct weir_error *error)
{
	_cleanup_(net_close) struct net net = { .options = options };
	cpu_set_t first;
	int err;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		return weir_error_set(error, -errno, "cannot be held to one CPU: %s",
				      strerror(errno));
	setpriority(PRIO_PROCESS, 0, -20);
	err = open_lanes(&net, error);
	for (size_t column = 0; !err && column < COLUMNS; column++)
		err = measure_column(&net, column, error);
	return err ? err : print(&net);
}
