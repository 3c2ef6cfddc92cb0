// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * One core, one packet after the other: CPU time for each by BPF_PROG_RUN.
 *
 * Machines change their speed from one moment to the next. So every row is loaded at once and they
 * take turns, a slice of some milliseconds each; of many slices the least counts, which is the row
 * as the undisturbed machine runs it. Before each slice a part of one warms the caches up again.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "bench.h"

const struct traffic bench_traffic[TRAFFICS] = {
	[TRAFFIC_ONE] = { "one", "one source", 0, 1000, 100, 100000, false },
	[TRAFFIC_64K] = { "64k", "64 k sources", 0xffff, 1000, 100, 300000, false },
	[TRAFFIC_1M] = { "1m", "1 M sources", 0xfffff, 1000, 100, 1200000, false },
	[TRAFFIC_16M] = { "16m", "16 M, spoofed", 0xffffff, 1000, 100, 500000, false },
	[TRAFFIC_SATURATED] = { "saturated", "16 M, saturated", 0xffffff, 5, 4, 500000, true },
};

struct row {
	const char *key;
	const char *title;
	int prog_fd;
	const struct policy_kind *policy; /* NULL: a peer, */
	struct weir_plane *plane;	  /* which has no plane either */
	double ns[TRAFFICS];		  /* the least; NAN where it was not measured */
	double refused[TRAFFICS];	  /* of all packets, parts of one */
	uint32_t repeat;		  /* packets in a slice of the column at hand */
};

static const struct {
	const char *key, *title;
} peer_rows[] = {
	{ "empty", "empty program" },
	{ "parse", "parse only" },
	{ "parse_precise", "parse, bpf_ktime_get_ns" },
	{ "parse_coarse", "parse, bpf_ktime_get_coarse_ns" },
	{ "parse_tick", "parse, coarse clock of weir" },
	{ "line_read", "parse, read a line of 2 MiB" },
	{ "line_swap", "parse, swap a word of 2 MiB" },
	{ "hash_limit", "hash, compare-and-swap" },
	{ "lru_limit", "LRU hash, compare-and-swap" },
};

#define FILL_PER_MS	 150000 /* packets at most for each millisecond of a slice */
#define SATURATE_PACKETS 250000
#define SATURATE_RUNS	 16
#define PEER_ROWS	 (sizeof(peer_rows) / sizeof(peer_rows[0]))

struct micro {
	const struct bench_options *options;
	struct peers *peers;
	struct row rows[32];
	size_t n_rows;
	double load_ms;
};

static void micro_close(struct micro *micro)
{
	for (size_t i = 0; i < micro->n_rows; i++)
		weir_plane_close(micro->rows[i].plane);
	peers_close(micro->peers);
}

static struct row *add_row(struct micro *micro, const char *key, const char *title)
{
	struct row *row = &micro->rows[micro->n_rows++];

	*row = (struct row){ .key = key, .title = title, .prog_fd = -1 };
	for (int i = 0; i < TRAFFICS; i++)
		row->ns[i] = row->refused[i] = (double)NAN;
	return row;
}

static int add_rows(struct micro *micro, struct weir_error *error)
{
	int err = peers_open(error, &micro->peers);

	for (size_t i = 0; !err && i < PEER_ROWS; i++) {
		struct row *row = add_row(micro, peer_rows[i].key, peer_rows[i].title);

		row->prog_fd = peers_fd(micro->peers, row->key);
	}
	for (size_t i = 0; !err && i < bench_n_policies; i++) {
		const struct policy_kind *kind = &bench_policies[i];
		struct row *row = add_row(micro, kind->key, kind->title);

		row->policy = kind;
		/* Ten sweeps at once would be nine more than any node has. */
		err = policy_plane(micro->options->pins, kind->key, false, error, &row->plane);
		if (!err)
			row->prog_fd = weir_plane_program_fd(row->plane);
	}
	return err;
}

static bool measured(const struct row *row, const struct traffic *traffic)
{
	return !row->policy || policy_has(row->policy, traffic);
}

static int run(const struct row *row, uint32_t repeat, struct weir_error *error, double *ret_ns)
{
	int err = program_run(row->prog_fd, repeat, ret_ns);

	return err ? weir_error_set(error, err, "%s: BPF_PROG_RUN: %s", row->key, strerror(-err))
		   : 0;
}

static int prepare_row(struct micro *micro, struct row *row, const struct traffic *traffic,
		       struct weir_error *error)
{
	uint32_t most = micro->options->slice_ms * FILL_PER_MS;
	uint32_t fill = traffic->fill < most ? traffic->fill : most;
	double ns;
	int err = program_draw(row->prog_fd, true, traffic->mask);

	if (err)
		return weir_error_set(error, err, "%s: no front: %s", row->key, strerror(-err));
	if (row->policy)
		err = policy_publish(row->policy, traffic, micro->options->scratch, row->plane,
				     error, NULL);
	if (!err)
		err = run(row, fill, error, &ns);
	if (!err)
		err = run(row, fill / 8, error, &ns);
	if (!err)
		row->repeat = (uint32_t)(micro->options->slice_ms * 1e6 / ns) + 1;
	return err;
}

/** Packets that were dropped, of all the plane has seen. */
static int count_refused(struct weir_plane *plane, uint64_t *ret_refused, uint64_t *ret_all)
{
	struct weir_count counts[WEIR_REASONS];
	int err = weir_plane_reasons(plane, counts);

	*ret_refused = *ret_all = 0;
	for (uint32_t i = 0; !err && i < WEIR_REASONS; i++) {
		*ret_all += counts[i].packets;
		*ret_refused += weir_reason_drops(i) ? counts[i].packets : 0;
	}
	return err;
}

/** Runs packets, and where they are weir's tells which part of them was refused. */
static int run_counted(const struct row *row, uint32_t repeat, struct weir_error *error,
		       double *ret_ns, double *ret_refused)
{
	uint64_t refused = 0, all = 0, refused_before = 0, all_before = 0;
	int err = row->plane ? count_refused(row->plane, &refused_before, &all_before) : 0;

	if (!err)
		err = run(row, repeat, error, ret_ns);
	if (!err && row->plane)
		err = count_refused(row->plane, &refused, &all);
	if (!err && row->plane)
		*ret_refused = (double)(refused - refused_before) / (double)(all - all_before);
	return err;
}

/** Floods until a third is refused; a table that bears the flood goes without. */
static int saturate(const struct row *row, struct weir_error *error)
{
	double refused = 0, ns;
	int err = 0;

	for (int i = 0; !err && refused < 1.0 / 3 && i < SATURATE_RUNS; i++)
		err = run_counted(row, SATURATE_PACKETS, error, &ns, &refused);
	return err;
}

static int take_slice(struct row *row, int column, struct weir_error *error)
{
	double ns, refused = (double)NAN;
	int err = 0;

	if (bench_traffic[column].saturated && row->plane && !(row->refused[column] < 0.01))
		err = saturate(row, error);
	if (!err)
		err = run(row, row->repeat / 4 + 1, error, &ns);
	if (!err)
		err = run_counted(row, row->repeat, error, &ns, &refused);
	if (err)
		return err;
	if (!(row->ns[column] <= ns)) {
		row->ns[column] = ns;
		row->refused[column] = refused;
	}
	return 0;
}

static int measure_column(struct micro *micro, int column, struct weir_error *error)
{
	const struct traffic *traffic = &bench_traffic[column];
	int err = peers_set_rate(micro->peers, traffic);

	if (err)
		return weir_error_set(error, err, "no rate for the peers: %s", strerror(-err));
	fprintf(stderr, "bench: one core, %s\n", traffic->title);
	for (size_t i = 0; !err && i < micro->n_rows; i++) {
		if (measured(&micro->rows[i], traffic))
			err = prepare_row(micro, &micro->rows[i], traffic, error);
	}
	for (unsigned int slice = 0; !err && slice < micro->options->slices; slice++) {
		for (size_t i = 0; !err && i < micro->n_rows; i++) {
			if (measured(&micro->rows[i], traffic))
				err = take_slice(&micro->rows[i], column, error);
		}
	}
	return err;
}

/* The largest policy there may be, from text to force; the least of three. */
static int measure_load(struct micro *micro, struct weir_error *error)
{
	static const struct policy_kind largest = {
		.key = "load", .buckets = "256Ki", .limits = 64, .prefixes = 100000
	};
	struct weir_plane *plane = NULL;
	int err = policy_plane(micro->options->pins, largest.key, false, error, &plane);

	micro->load_ms = INFINITY;
	for (int i = 0; !err && i < 3; i++) {
		double ms = 0;

		err = policy_publish(&largest, &bench_traffic[i], micro->options->scratch, plane,
				     error, &ms);
		micro->load_ms = fmin(micro->load_ms, ms);
	}
	weir_plane_close(plane);
	return err;
}

static void print_columns(struct weir_json *json, const double *values)
{
	weir_json_object_open(json);
	for (int i = 0; i < TRAFFICS; i++) {
		weir_json_key(json, bench_traffic[i].key);
		weir_json_double(json, round(values[i] * 1000) / 1000);
	}
	weir_json_object_close(json);
}

static void print_row(struct weir_json *json, const struct row *row)
{
	weir_json_object_open(json);
	weir_json_key(json, "key");
	weir_json_string(json, row->key);
	weir_json_key(json, "title");
	weir_json_string(json, row->title);
	weir_json_key(json, "ns");
	print_columns(json, row->ns);
	if (row->plane) {
		weir_json_key(json, "refused");
		print_columns(json, row->refused);
	}
	weir_json_object_close(json);
}

static int print(const struct micro *micro)
{
	struct weir_json json;

	weir_json_begin(&json, stdout);
	weir_json_object_open(&json);
	weir_json_key(&json, "slices");
	weir_json_u64(&json, micro->options->slices);
	weir_json_key(&json, "slice_ms");
	weir_json_u64(&json, micro->options->slice_ms);
	weir_json_key(&json, "load_ms");
	weir_json_double(&json, round(micro->load_ms));
	weir_json_key(&json, "columns");
	weir_json_array_open(&json);
	for (int i = 0; i < TRAFFICS; i++) {
		weir_json_object_open(&json);
		weir_json_key(&json, "key");
		weir_json_string(&json, bench_traffic[i].key);
		weir_json_key(&json, "title");
		weir_json_string(&json, bench_traffic[i].title);
		weir_json_object_close(&json);
	}
	weir_json_array_close(&json);
	weir_json_key(&json, "rows");
	weir_json_array_open(&json);
	for (size_t i = 0; i < micro->n_rows; i++)
		print_row(&json, &micro->rows[i]);
	weir_json_array_close(&json);
	weir_json_object_close(&json);
	return weir_json_finish(&json);
}

int bench_micro(const struct bench_options *options, struct weir_error *error)
{
	_cleanup_(micro_close) struct micro micro = { .options = options };
	cpu_set_t last;
	int err;

	CPU_ZERO(&last);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	if (sched_setaffinity(0, sizeof(last), &last))
		return weir_error_set(error, -errno, "cannot be held to one CPU: %s",
				      strerror(errno));
	setpriority(PRIO_PROCESS, 0, -20); /* disturbed less; not needed */
	err = add_rows(&micro, error);
	for (int column = 0; !err && column < TRAFFICS; column++)
		err = measure_column(&micro, column, error);
	if (!err)
		err = measure_load(&micro, error);
	return err ? err : print(&micro);
}
