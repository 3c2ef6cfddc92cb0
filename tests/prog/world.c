// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "world.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define TEXT_MAX (4 << 20)
#define HEADER	 "node: test\ninterfaces: [lo]\nstore: {url: embedded}\n"
/* Far from zero, and not at a round number. */
#define BEGIN_NS (12345 * SECOND_NS + 678901)

struct world world;

/* TEST_POINT in the environment picks one test of the program. */
__attribute__((constructor)) static void pick_test(void)
{
	cmocka_set_test_filter(getenv("TEST_POINT"));
}

static struct weir_plane_options options;

static int start(enum weir_takeover wanted)
{
	struct weir_error error = { .text = "" };
	enum weir_takeover takeover;

	if (weir_plane_start(world.pins, &options, &error, &takeover, &world.plane)) {
		print_error("%s: %s\n", world.pins, error.text);
		return -1;
	}
	world.program = weir_plane_program_fd(world.plane);
	return takeover == wanted ? 0 : -1;
}

static int begin(void **state, bool injected_clock)
{
	options = (struct weir_plane_options){ .injected_clock = injected_clock, .no_timer = true };
	snprintf(world.pins, sizeof(world.pins), "/sys/fs/bpf/weir-test-%d", (int)getpid());
	return start(WEIR_TAKEOVER_NONE) ? -1 : world_clear(state);
}

int world_begin(void **state)
{
	return begin(state, true);
}

int world_begin_in_real_time(void **state)
{
	return begin(state, false);
}

/* Maps are pinned when there is something to protect: a loopback interface that nobody else sees. */
static void pin_maps(void)
{
	struct weir_error error = { .text = "" };
	enum weir_attach mode;

	if (weir_plane_attach(world.plane, "lo", WEIR_ATTACH_AUTO, &error, &mode))
		fail_msg("%s", error.text);
}

void world_restart(void)
{
	static bool pinned;

	if (!pinned) {
		assert_int_equal(unshare(CLONE_NEWNET), 0);
		pin_maps();
		pinned = true;
	}
	weir_plane_close(world.plane);
	assert_int_equal(start(WEIR_TAKEOVER_KEPT), 0);
}

int world_end(void **state)
{
	struct weir_error error = { .text = "" };

	weir_plane_close(world.plane);
	if (!weir_plane_detach(world.pins, &error))
		return 0;
	print_error("%s\n", error.text);
	return -1;
}

static int publish(const char *text, bool loud)
{
	struct weir_faults faults = { 0 };
	struct weir_policy *policy = NULL;
	struct weir_error error = { .text = "" };
	int err = weir_policy_read_text("test.yaml", text, strlen(text), &faults, &policy);

	for (size_t i = 0; loud && i < faults.n_errors; i++)
		print_error("%u:%u: %s\n", faults.errors[i].line, faults.errors[i].column,
			    faults.errors[i].message);
	if (!err)
		err = weir_plane_publish(world.plane, policy, &error);
	if (err && loud)
		print_error("%s\n", error.text);
	weir_faults_free(&faults);
	weir_policy_free(policy);
	return err;
}

int world_try_policy(const char *text)
{
	static char whole[TEXT_MAX];

	snprintf(whole, sizeof(whole), HEADER "%s", text);
	return publish(whole, false);
}

void world_policy(const char *text, ...)
{
	static char whole[TEXT_MAX];
	va_list args;
	int length;

	memcpy(whole, HEADER, sizeof(HEADER));
	va_start(args, text);
	length = vsnprintf(whole + sizeof(HEADER) - 1, sizeof(whole) - sizeof(HEADER), text, args);
	va_end(args);
	assert_in_range(length, 0, sizeof(whole) - sizeof(HEADER) - 1);
	if (publish(whole, true))
		fail_msg("the policy cannot be put in force:\n%.2000s", whole);
}

int world_clear(void **state)
{
	/* Later than all that the test before has used up. */
	world_set_time(world.now_ns ? world.now_ns + 60 * SECOND_NS : BEGIN_NS);
	weir_plane_set_observe(world.plane, false);
	return publish(HEADER, true);
}

void world_set_time(uint64_t now_ns)
{
	world.now_ns = now_ns;
	weir_plane_set_clock(world.plane, now_ns);
}

void world_pass_time(uint64_t ns)
{
	world_set_time(world.now_ns + ns);
}

uint32_t world_run(const uint8_t *frame, size_t bytes, uint32_t repeat)
{
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = (uint32_t)bytes,
		    .repeat = (int)repeat);

	if (bpf_prog_test_run_opts(world.program, &run))
		fail_msg("BPF_PROG_RUN on %zu bytes: %s", bytes, strerror(errno));
	return run.retval;
}

static uint32_t counted(const struct weir_count *before, const struct weir_count *after,
			size_t bytes)
{
	uint32_t reason = WEIR_REASONS;

	for (uint32_t i = 0; i < WEIR_REASONS; i++) {
		if (before[i].packets == after[i].packets)
			continue;
		assert_int_equal(after[i].packets, before[i].packets + 1);
		assert_int_equal(after[i].bytes, before[i].bytes + bytes);
		assert_int_equal(reason, WEIR_REASONS);
		reason = i;
	}
	assert_int_not_equal(reason, WEIR_REASONS);
	return reason;
}

/* XDP's verdicts, without the header that BPF programs see. */
enum { DROP = 1, PASS = 2 };

uint32_t world_reason(struct frame frame)
{
	struct weir_count before[WEIR_REASONS], after[WEIR_REASONS];
	uint8_t bytes[FRAME_BYTES_MAX];
	size_t size = frame_build(&frame, bytes);
	uint32_t verdict, reason;

	assert_int_equal(weir_plane_reasons(world.plane, before), 0);
	verdict = world_run(bytes, size, 1);
	assert_int_equal(weir_plane_reasons(world.plane, after), 0);
	reason = counted(before, after, size);
	assert_int_equal(verdict, weir_reason_drops(reason) ? DROP : PASS);
	return reason;
}

void world_expect(const char *file, int line, struct frame frame, uint32_t expected)
{
	uint32_t seen = world_reason(frame);

	if (seen != expected)
		fail_msg("%s:%d: %s, not %s", file, line, weir_reason_name(seen),
			 weir_reason_name(expected));
}

unsigned int world_passed(struct frame frame, unsigned int count)
{
	uint8_t bytes[FRAME_BYTES_MAX];
	size_t size = frame_build(&frame, bytes);
	unsigned int passed = 0;

	while (count--)
		passed += world_run(bytes, size, 1) == PASS;
	return passed;
}

struct weir_limit_view world_limit(const char *name)
{
	struct weir_limit_view *limits = NULL, found = { 0 };
	size_t count = 0;

	assert_int_equal(weir_plane_limits(world.plane, &limits, &count), 0);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(limits[i].name.name, name))
			found = limits[i];
	}
	free(limits);
	assert_string_equal(found.name.name, name);
	return found;
}

uint64_t world_burst(const char *name)
{
	struct weir_limit_view limit = world_limit(name);
	unsigned __int128 held_back = (unsigned __int128)2 * limit.tick_ns * limit.name.rate_tokens;

	if (!limit.coarse)
		return limit.name.burst_tokens;
	held_back = (held_back + limit.name.rate_per_ns - 1) / limit.name.rate_per_ns;
	return limit.name.burst_tokens - (uint64_t)held_back;
}

struct world_table world_table(const char *limit)
{
	static const struct weir_prefix anyone = { .addr = { 10 }, .family = 4, .bits = 32 };
	struct world_table table = { .count = world_limit(limit).name.buckets / WEIR_WAYS };
	struct weir_key_view key;
	int fd;

	assert_int_equal(weir_plane_key(world.plane, limit, &anyone, &key), 0);
	assert_int_equal(key.chunk_line, key.line);
	fd = bpf_map_get_fd_by_id(key.table_map_id);
	assert_true(fd >= 0);
	table.lines =
		mmap(NULL, WEIR_CHUNK_LINES * sizeof(*table.lines), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	assert_true(table.lines != MAP_FAILED);
	return table;
}

uint32_t world_twice(const struct weir_line *line)
{
	for (int i = 0; i < WEIR_WAYS; i++) {
		uint32_t tag = line->bucket[i].tag;

		for (int k = i + 1; tag && k < WEIR_WAYS; k++) {
			if (line->bucket[k].tag == tag)
				return tag;
		}
	}
	return 0;
}

void world_sweep(unsigned int times)
{
	struct weir_limit_view *limits = NULL;
	size_t count = 0, steps = 0;

	assert_int_equal(weir_plane_limits(world.plane, &limits, &count), 0);
	for (size_t i = 0; i < count; i++)
		steps += limits[i].name.buckets / WEIR_WAYS / WEIR_SWEEP_LINES + 1;
	free(limits);
	while (times--) {
		for (size_t i = 0; i < steps; i++)
			assert_int_equal(weir_plane_sweep_step(world.plane), 0);
	}
}
