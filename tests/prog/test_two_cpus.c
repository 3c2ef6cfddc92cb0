// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The real program on two CPUs at once.
 *
 * Time stands still while both send a few packets each; then one of them hands what was admitted to an
 * oracle, looks for a source that a line holds twice, and lets time go on. So the oracle is exact
 * though nobody knows the order of what was sent in between.
 */
#include "world.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "crowd.h"

#include "lib/bound.h"
#include "lib/parsed.h"
#include "lib/random.h"

#define SOURCES_MAX 4096
#define FIRST	    0x0a000000
#define PER_EPOCH   4

struct play {
	uint32_t sources;
	uint64_t gap_ns; /* between two epochs */
	_Atomic long begun, ended;
	_Atomic int over;
	uint32_t admitted[2][SOURCES_MAX]; /* in the epoch at hand, by thread */
	uint32_t sent[2][PER_EPOCH];	   /* who */
	struct bound since[SOURCES_MAX], across[SOURCES_MAX];
	struct bound_rate rate, larger;
	struct world_table table;
	uint64_t total;
	const char *fault; /* found by a thread that may not end the test */
	/* A publication: asked for, noticed by the one who keeps the oracle, done. */
	_Atomic int changing, noticed;
	struct bound_rate next;
};

static struct play play;

static void on_cpu(int number)
{
	cpu_set_t allowed, one;
	int seen = 0;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &allowed) && seen++ == number)
			CPU_SET(cpu, &one);
	}
	if (CPU_COUNT(&one))
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

static void wait_for(_Atomic long *count, long wanted)
{
	for (int spins = 0; atomic_load(count) < wanted && !atomic_load(&play.over); spins++) {
		if (spins > 2000)
			sched_yield();
	}
}

static void send_some(int thread, struct random *random, struct crowd *crowd)
{
	for (int i = 0; i < PER_EPOCH; i++) {
		uint32_t source = (uint32_t)random_below(random, play.sources);

		play.sent[thread][i] = source;
		play.admitted[thread][source] += (uint32_t)crowd_send(crowd, FIRST + source);
	}
}

static void *other_thread(void *unused)
{
	struct random random = { 51 };
	static struct crowd crowd;

	on_cpu(1);
	crowd_begin(&crowd, 0);
	for (long epoch = 1;; epoch++) {
		wait_for(&play.begun, epoch);
		if (atomic_load(&play.over))
			return NULL;
		send_some(1, &random, &crowd);
		atomic_store(&play.ended, epoch);
	}
}

static void admit(uint32_t source, uint32_t tokens)
{
	if (!tokens)
		return;
	play.total += tokens;
	if (!bound_admit(&play.across[source], &play.larger, world.now_ns, tokens))
		play.fault = "a source is above the larger bound";
	/* While a policy is being put in force, both are live. */
	if (!atomic_load(&play.noticed) &&
	    !bound_admit(&play.since[source], &play.rate, world.now_ns, tokens))
		play.fault = "a source is above its bound";
}

static void tell_oracle(void)
{
	for (int thread = 0; thread < 2; thread++) {
		for (int i = 0; i < PER_EPOCH; i++) {
			uint32_t source = play.sent[thread][i];

			admit(source, play.admitted[thread][source]);
			play.admitted[thread][source] = 0;
		}
	}
	for (uint32_t i = 0; i < play.table.count; i++) {
		if (world_twice(&play.table.lines[i]))
			play.fault = "a line holds one source twice";
	}
}

/* At the edge of an epoch: a publication begins, or is over. */
static void follow_publication(void)
{
	int changing = atomic_load(&play.changing);

	if (changing == atomic_load(&play.noticed))
		return;
	if (changing) {
		memcpy(play.across, play.since, sizeof(play.across));
		play.larger.tokens = play.rate.tokens > play.next.tokens ? play.rate.tokens
									 : play.next.tokens;
		play.larger.burst = play.rate.burst > play.next.burst ? play.rate.burst
								      : play.next.burst;
	} else {
		memset(play.since, 0, sizeof(play.since));
		play.rate = play.next;
	}
	atomic_store(&play.noticed, changing);
}

static void *first_thread(void *argument)
{
	const long *epochs = argument;
	struct random random = { 52 };
	static struct crowd crowd;
	long epoch = 0;

	on_cpu(0);
	crowd_begin(&crowd, 0);
	while (!play.fault && !(*epochs && epoch >= *epochs) && !atomic_load(&play.over)) {
		follow_publication();
		atomic_store(&play.begun, ++epoch);
		send_some(0, &random, &crowd);
		wait_for(&play.ended, epoch);
		tell_oracle();
		world_pass_time(random_below(&random, 2 * play.gap_ns));
	}
	atomic_store(&play.over, 1);
	return NULL;
}

static void begin(uint32_t sources, uint64_t tokens, uint64_t burst, uint32_t buckets,
		  uint64_t gap_ns)
{
	memset(&play, 0, sizeof(play));
	world_policy(
		"limits: [{name: l, node_rate: %lu packets/s, burst: %lu packets, buckets: %u}]",
		(unsigned long)tokens, (unsigned long)burst, buckets);
	play.sources = sources;
	play.gap_ns = gap_ns;
	play.rate = play.larger = (struct bound_rate){ tokens, SECOND_NS, burst };
	play.table = world_table("l");
}

static void finish(pthread_t first, pthread_t other)
{
	pthread_join(first, NULL);
	pthread_join(other, NULL);
	if (play.fault)
		fail_msg("%s", play.fault);
}

static void run(long epochs)
{
	pthread_t first, other;

	assert_int_equal(pthread_create(&other, NULL, other_thread, NULL), 0);
	assert_int_equal(pthread_create(&first, NULL, first_thread, &epochs), 0);
	finish(first, other);
	/* Some of what is asked for is given, and some is not. */
	assert_in_range(play.total, epochs / 100, epochs * PER_EPOCH * 2 - epochs / 100);
}

static void a_line_with_fewer_words_than_sources(void **state)
{
	begin(12, 1000, 9, 8, 100000);
	run(150000);
	assert_in_range(world_limit("l").counts.inherited, 1000, 1 << 30);
}

static void a_line_whose_words_are_mostly_idle(void **state)
{
	/* Hardly anybody comes twice, so nearly every packet is a newcomer's. */
	begin(4000, 40000, 2, 8, 20000);
	run(150000);
}

static void a_table_with_pins(void **state)
{
	begin(300, 1000, 9, 64, 10000);
	run(100000);
	assert_in_range(world_limit("l").counts.pinned, 5, 1 << 30);
}

/* Case 18, with packets under way at every moment of it. */
static void policies_that_change_under_two_cpus(void **state)
{
	struct random random = { 53 };
	pthread_t first, other;
	long forever = 0;

	begin(40, 1000, 50, 8, 100000);
	assert_int_equal(pthread_create(&other, NULL, other_thread, NULL), 0);
	assert_int_equal(pthread_create(&first, NULL, first_thread, &forever), 0);
	for (int i = 0; i < 60 && !atomic_load(&play.over); i++) {
		uint64_t tokens =
			1 + (1000 << random_below(&random, 5) >> random_below(&random, 5));

		play.next =
			(struct bound_rate){ tokens, SECOND_NS, 5 + random_below(&random, 200) };
		atomic_store(&play.changing, 1);
		while (!atomic_load(&play.noticed) && !atomic_load(&play.over))
			sched_yield();
		world_policy("limits: [{name: l, node_rate: %lu packets/s, burst: %lu packets, "
			     "buckets: 8}]",
			     (unsigned long)tokens, (unsigned long)play.next.burst);
		atomic_store(&play.changing, 0);
		while (atomic_load(&play.noticed) && !atomic_load(&play.over))
			sched_yield();
	}
	atomic_store(&play.over, 1);
	finish(first, other);
	assert_in_range(play.total, 100, 1 << 30);
}

struct sender {
	int cpu;
	uint32_t repeat;
	const char *from;
};

static void *send_many(void *argument)
{
	const struct sender *sender = argument;
	struct frame frame = { .family = 4, .proto = 17, .dport = 53, .from = sender->from };
	uint8_t bytes[FRAME_BYTES_MAX];

	on_cpu(sender->cpu);
	world_run(bytes, frame_build(&frame, bytes), sender->repeat);
	return NULL;
}

static void send_at_once(struct sender a, struct sender b)
{
	struct sender senders[2] = { a, b };
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, send_many, &senders[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void both_cpus_share_one_burst_to_the_packet(void **state)
{
	for (int round = 0; round < 20; round++) {
		assert_int_equal(world_clear(state), 0);
		world_policy(
			"limits: [{name: fast, node_rate: 20000000 packets/s, burst: 100000 packets}]");
		send_at_once((struct sender){ 0, 150000, "10.0.0.1" },
			     (struct sender){ 1, 150000, "10.0.0.1" });
		assert_int_equal(world_limit("fast").counts.admitted.packets, 100000);
		assert_int_equal(world_limit("fast").counts.refused.packets, 200000);
	}
}

/* Every packet is one of two limits' to refuse; what is refused takes nothing. */
static void several_limits_are_shared_too(void **state)
{
	struct weir_limit_view all, each;

	world_policy(
		"limits:\n"
		"- {name: all, source: all, node_rate: 20000000 packets/s, burst: 100000 packets}\n"
		"- {name: each, node_rate: 20000000 packets/s, burst: 70000 packets}\n");
	send_at_once((struct sender){ 0, 150000, "10.0.0.1" },
		     (struct sender){ 1, 150000, "10.0.0.2" });
	all = world_limit("all");
	each = world_limit("each");
	assert_in_range(all.counts.admitted.packets, 99000, 100000);
	assert_int_equal(each.counts.admitted.packets, all.counts.admitted.packets);
	/* A race that was lost after the first of both was charged costs, and is counted. */
	assert_in_range(all.counts.admitted.packets + all.counts.lost_race + each.counts.lost_race,
			100000, 300000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_line_with_fewer_words_than_sources, world_clear),
		cmocka_unit_test_setup(a_line_whose_words_are_mostly_idle, world_clear),
		cmocka_unit_test_setup(a_table_with_pins, world_clear),
		cmocka_unit_test_setup(policies_that_change_under_two_cpus, world_clear),
		cmocka_unit_test_setup(both_cpus_share_one_burst_to_the_packet, world_clear),
		cmocka_unit_test_setup(several_limits_are_shared_too, world_clear),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
