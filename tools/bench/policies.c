// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The policies that weir is measured with, written as an operator would and read by the product. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "bench.h"
#include "policy/policy.h"

const struct policy_kind bench_policies[] = {
	{ "weir-256ki", "weir, 256 Ki buckets", "256Ki", 1, true, 0, false, true },
	{ "weir-1mi", "weir, 1 Mi buckets", "1Mi", 1, true, 0, false, true },
	{ "weir-precise", "weir, 256 Ki, precise clock", "256Ki", 1, true, 0, true, false },
	{ "weir-1-of-2", "weir, 2 limits, 1 matches", "256Ki", 2, false, 0, false, false },
	{ "weir-1-of-8", "weir, 8 limits, 1 matches", "256Ki", 8, false, 0, false, false },
	{ "weir-1-of-64", "weir, 64 limits, 1 matches", "256Ki", 64, false, 0, false, false },
	{ "weir-3-of-3", "weir, 3 limits, 3 match", "256Ki", 3, true, 0, false, false },
	{ "weir-10-prefixes", "weir, lists of 10 prefixes", "256Ki", 1, true, 10, false, false },
	{ "weir-100k-prefixes", "weir, lists of 100,000", "256Ki", 1, true, 100000, false, false },
};
const size_t bench_n_policies = sizeof(bench_policies) / sizeof(bench_policies[0]);

/* At a thousand a second eighty tokens are twenty ticks of 4 ms; fewer need the precise clock. */
#define PRECISE_BURST 8

bool policy_has(const struct policy_kind *kind, const struct traffic *traffic)
{
	return kind->saturates || !traffic->saturated;
}

static void free_policy(struct weir_policy **policy)
{
	weir_policy_free(*policy);
}

/* The last one matches; the others are for ports that no packet of the bench has. */
static void write_limits(FILE *out, const struct policy_kind *kind, const struct traffic *traffic)
{
	uint32_t burst = kind->precise ? PRECISE_BURST : traffic->burst;

	fputs("limits:\n", out);
	for (unsigned int i = 0; i < kind->limits; i++) {
		/* Of one rate, one name: the table then goes on from column to column. */
		fprintf(out, "  - name: at-%u-%u\n", traffic->rate_per_s, i);
		if (!kind->all_match)
			fprintf(out, "    match: {proto: udp, port: %u}\n",
				i + 1 == kind->limits ? 53 : 1000 + i);
		fprintf(out,
			"    node_rate: %u packets/s\n    burst: %u packets\n    buckets: %s\n",
			traffic->rate_per_s << (kind->all_match ? i : 0), burst,
			kind->all_match || i + 1 == kind->limits ? kind->buckets : "64");
	}
}

/* Scattered over the bench's network, every one once: both steps are one-to-one on 24 bits. */
static uint32_t listed_address(uint32_t i)
{
	i = i * 0x9e3779b1u & 0xffffff;
	i ^= i >> 12;
	return BENCH_NETWORK | ((i * 0x85ebca6bu + 1) & 0xffffff);
}

static int write_list(const char *path, unsigned int first, unsigned int count)
{
	_cleanup_fclose_ FILE *out = fopen(path, "we");

	if (!out)
		return -errno;
	for (unsigned int i = first; i < count; i += 2) {
		uint32_t a = listed_address(i);

		fprintf(out, "%u.%u.%u.%u/32\n", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
	}
	return ferror(out) ? -EIO : 0;
}

static int write_lists(FILE *out, const struct policy_kind *kind, const char *scratch)
{
	static const char *const lists[] = { "never_limit", "always_drop" };
	char path[PATH_MAX];
	int err = 0;

	for (unsigned int i = 0; !err && i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s-%s", scratch, kind->key, lists[i]);
		err = write_list(path, i, kind->prefixes);
		fprintf(out, "%s: [\"file: %s\"]\n", lists[i], path);
	}
	return err;
}

static int write_policy(const struct policy_kind *kind, const struct traffic *traffic,
			const char *scratch, char **ret_text, size_t *ret_len)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);
	int err = 0;

	if (!out)
		return -errno;
	fputs("interfaces: [lo]\nstore: {url: embedded}\n", out);
	if (kind->prefixes)
		err = write_lists(out, kind, scratch);
	write_limits(out, kind, traffic);
	if (fclose(out))
		err = -ENOMEM;
	if (!err)
		*ret_text = TAKE_PTR(text);
	return err;
}

static int read_policy(const char *text, size_t len, struct weir_error *error,
		       struct weir_policy **ret_policy)
{
	struct weir_faults faults = {};
	int err = weir_policy_read_text("bench.yaml", text, len, &faults, ret_policy);

	if (err)
		weir_error_set(error, err, "policy of the bench, line %u: %s",
			       faults.n_errors ? faults.errors[0].line : 0,
			       faults.n_errors ? faults.errors[0].message : strerror(-err));
	weir_faults_free(&faults);
	return err;
}

int policy_publish(const struct policy_kind *kind, const struct traffic *traffic,
		   const char *scratch, struct weir_plane *plane, struct weir_error *error,
		   double *ret_ms)
{
	_cleanup_(free_policy) struct weir_policy *policy = NULL;
	_cleanup_free_ char *text = NULL;
	uint64_t before_ns;
	size_t len;
	int err = write_policy(kind, traffic, scratch, &text, &len);

	if (err)
		return weir_error_set(error, err, "cannot write a policy in %s: %s", scratch,
				      strerror(-err));
	before_ns = weir_clock_monotonic_ns();
	err = read_policy(text, len, error, &policy);
	if (!err)
		err = weir_plane_publish(plane, policy, error);
	if (!err && ret_ms)
		*ret_ms = (double)(weir_clock_monotonic_ns() - before_ns) / 1e6;
	return err ? weir_error_wrap(error, err, "%s", kind->key) : 0;
}

int policy_plane(const char *pins, const char *name, bool timer, struct weir_error *error,
		 struct weir_plane **ret_plane)
{
	struct weir_plane_options options = { .no_timer = !timer };
	enum weir_takeover takeover;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", pins, name);
	return weir_plane_start(path, &options, error, &takeover, ret_plane);
}
