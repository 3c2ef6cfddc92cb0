// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Loading, setting and running the programs that are measured. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bench.h"
#include "peers.skel.h"

#define MAPS_MAX 64

struct peers {
	struct peers_bpf *skeleton;
};

int program_map(int prog_fd, const char *name)
{
	uint32_t ids[MAPS_MAX];
	struct bpf_prog_info program = { .nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)ids };
	uint32_t size = sizeof(program);

	if (bpf_obj_get_info_by_fd(prog_fd, &program, &size))
		return -errno;
	for (uint32_t i = 0; i < program.nr_map_ids && i < MAPS_MAX; i++) {
		_cleanup_close_ int fd = bpf_map_get_fd_by_id(ids[i]);
		struct bpf_map_info map = {};

		size = sizeof(map);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &map, &size) && !strcmp(map.name, name))
			return TAKE_FD(fd);
	}
	return -ENOENT;
}

int program_set(int prog_fd, const char *map, const void *value)
{
	_cleanup_close_ int fd = program_map(prog_fd, map);
	uint32_t zero = 0;

	if (fd < 0)
		return fd;
	return bpf_map_update_elem(fd, &zero, value, BPF_ANY) ? -errno : 0;
}

int program_draw(int prog_fd, bool drawing, uint32_t mask)
{
	struct bench_front front = { .mask = mask, .drawing = drawing };

	return program_set(prog_fd, ".data.front", &front);
}

void program_packet(const uint8_t mac[6], uint8_t packet[64])
{
	struct ethhdr eth = { .h_source = { 2, 0, 0, 0, 0, 1 }, .h_proto = htons(ETH_P_IP) };
	struct iphdr ip = {
		.version = 4,
		.ihl = 5,
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.tot_len = htons(50),
		.saddr = htonl(BENCH_NETWORK | 1),
		.daddr = htonl(0xc0000201), /* 192.0.2.1 */
	};
	struct udphdr udp = { .source = htons(1234), .dest = htons(53), .len = htons(30) };

	memcpy(eth.h_dest, mac, 6);
	memset(packet, 0, 64);
	memcpy(packet, &eth, sizeof(eth));
	memcpy(packet + BENCH_IP, &ip, sizeof(ip));
	memcpy(packet + BENCH_IP + sizeof(ip), &udp, sizeof(udp));
}

static double thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int program_run(int prog_fd, uint32_t repeat, double *ret_ns)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 2 };
	uint8_t packet[64];
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = (int)repeat);
	double before;

	program_packet(mac, packet);
	before = thread_ns();
	if (bpf_prog_test_run_opts(prog_fd, &run))
		return -errno;
	*ret_ns = (thread_ns() - before) / repeat;
	return 0;
}

int peers_open(struct weir_error *error, struct peers **ret_peers)
{
	struct peers *peers = calloc(1, sizeof(*peers));
	int err;

	if (!peers)
		return weir_error_set(error, -ENOMEM, "out of memory");
	peers->skeleton = peers_bpf__open();
	if (!peers->skeleton) {
		err = -errno;
		free(peers);
		return weir_error_set(error, err, "the peers cannot be read");
	}
	peers->skeleton->rodata->tick_ns = (uint32_t)weir_clock_coarse_tick_ns();
	err = peers_bpf__load(peers->skeleton);
	if (err) {
		peers_close(peers);
		return weir_error_set(error, err, "the kernel refused the peers: %s",
				      strerror(-err));
	}
	*ret_peers = peers;
	return 0;
}

void peers_close(struct peers *peers)
{
	if (!peers)
		return;
	peers_bpf__destroy(peers->skeleton);
	free(peers);
}

int peers_set_rate(const struct peers *peers, const struct traffic *traffic)
{
	uint64_t token_ns = 1000000000ull / traffic->rate_per_s;
	struct bench_rate rate = { .token_ns = token_ns, .burst_ns = token_ns * traffic->burst };

	return program_set(bpf_program__fd(peers->skeleton->progs.lru_limit), ".data.rate", &rate);
}

int peers_fd(const struct peers *peers, const char *program)
{
	return bpf_program__fd(bpf_object__find_program_by_name(peers->skeleton->obj, program));
}
