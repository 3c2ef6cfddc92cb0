/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The real program with a clock of our own, for tests: loaded by the product's loader, told policies
 * by the product's reader, run by BPF_PROG_RUN. One for each test program; its pins have a name of
 * their own and are removed with it.
 */
#ifndef TESTS_PROG_WORLD_H
#define TESTS_PROG_WORLD_H

#include <netinet/in.h> /* before <linux/in.h>, which then leaves libc's names alone */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plane/plane.h"

#include "lib/frames.h"

#define MS_NS	  1000000ull
#define SECOND_NS 1000000000ull

struct world {
	struct weir_plane *plane;
	char pins[64];
	uint64_t now_ns; /* what the program takes for the time */
	int program;
};

/* A test program has one world; these are its group's set-up and tear-down. */
extern struct world world;
int world_begin(void **state);
/** The same by the machine's clocks: time cannot be set then. */
int world_begin_in_real_time(void **state);
int world_end(void **state);

/* A test's own set-up: no limits, no lists, every bucket gone, no observing. */
int world_clear(void **state);

/**
 * Puts a policy in force: what the file says after the keys that every file has. A fault in it, or a
 * failure, ends the test.
 */
void world_policy(const char *text, ...) __attribute__((format(printf, 1, 2)));

/** The same, without ending the test. @return 0 or a negative errno */
int world_try_policy(const char *text);

void world_pass_time(uint64_t ns);
void world_set_time(uint64_t now_ns);

/** Runs the program on a frame, so many times. @return the last verdict: XDP_PASS or XDP_DROP */
uint32_t world_run(const uint8_t *frame, size_t bytes, uint32_t repeat);

/** Runs it once. @return enum weir_reason: the one that was counted, once; the verdict fits it */
uint32_t world_reason(struct frame frame);

/** How many of so many such frames in a row pass. */
unsigned int world_passed(struct frame frame, unsigned int count);

/** Ends the program's keeper and starts another, who takes over what is pinned. */
void world_restart(void);

/** Makes one whole pass of the sweep over all tables, @times times. */
void world_sweep(unsigned int times);

/** What a limit has counted, by name. */
struct weir_limit_view world_limit(const char *name);

/** What a limit lets through at once: its burst, less what a coarse one holds back. In tokens. */
uint64_t world_burst(const char *name);

/** The lines of a limit's table as packets see them, the first chunk of it. */
struct world_table {
	struct weir_line *lines;
	uint32_t count;
};
struct world_table world_table(const char *limit);

/** @return a tag that two words of a line have, 0 when there is none */
uint32_t world_twice(const struct weir_line *line);

#define assert_reason(frame, expected) world_expect(__FILE__, __LINE__, frame, expected)
void world_expect(const char *file, int line, struct frame frame, uint32_t expected);

#endif
