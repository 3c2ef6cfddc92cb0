// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * One line under several CPUs, stopped between any two accesses to it.
 *
 * An actor is a CPU that runs one operation on the line. Every read and every compare-and-swap goes
 * through access(), which lets the actor have so many and then leaves it by longjmp(); to go on, the
 * operation is run again from its start and is given what it was given before. So schedules are
 * chosen by a seeded generator, and a failure is the same failure in every run.
 *
 * After each round: no tag is in two words, and no source owes less than what it took.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <linux/types.h>

#include "lib/random.h"

static __u64 access_word(void *at, int swaps, __u64 old, __u64 new);

#define WEIR_WORD(line, way)			  access_word(&(line)->bucket[(way)&7], 0, 0, 0)
#define __sync_val_compare_and_swap(at, old, new) access_word(at, 1, old, new)
#include "lib/gauge.h"

#define ACTORS	     3
#define OPERATIONS   3 /* of one actor, one after the other */
#define ACCESSES_MAX 512
#define SOURCES	     4
#define ROUNDS	     150000
#define TOKEN	     1000
#define BURST	     (6 * TOKEN)
#define LATE	     (TOKEN / 2) /* how far the actors' clocks are apart */

enum operation { PACKET, PIN, SWEEP };

struct actor {
	struct weir_gauge *gauge;
	__u64 now; /* in place */
	enum operation operation[OPERATIONS];
	__u32 tag[OPERATIONS];
	int n_done;
	/* What the operation at hand was given so far. */
	__u64 seen[ACCESSES_MAX];
	int n_seen;
	int at;
	int allowed;
};

/* One round: the line, who is at it, and what came of it. */
static struct {
	struct weir_line line;
	struct weir_gauge before, after;
	__u64 base[2];
	__u64 moment; /* of the change, in place */
	struct actor actor[ACTORS];
	__u64 owed[SOURCES + 1];  /* at the start, in place; by tag */
	__u32 took[SOURCES + 1];  /* tokens */
	__u64 first[SOURCES + 1]; /* when the first was taken, after the moment */
} round;

static struct actor *running;
static jmp_buf stopped;

static __u64 access_word(void *at, int swaps, __u64 old, __u64 new)
{
	weir_word *word = at;
	__u64 value;

	if (running->at < running->n_seen)
		return running->seen[running->at++];
	if (!running->allowed--)
		longjmp(stopped, 1);
	assert_true(running->n_seen < ACCESSES_MAX);
	value = *word;
	if (swaps && value == old)
		*word = new;
	running->at++;
	return running->seen[running->n_seen++] = value;
}

static void note_taken(__u32 tag, __u64 after_moment)
{
	if (!round.took[tag]++ || after_moment < round.first[tag])
		round.first[tag] = after_moment;
}

static void run_operation(struct actor *actor)
{
	const struct weir_gauge *gauge = actor->gauge;
	__u64 base = round.base[!!gauge->generation];
	__u32 tag = actor->tag[actor->n_done];
	struct weir_look look = {};
	struct weir_sweep sweep = { .floor = actor->now - in_place(3 * TOKEN),
				    .now = actor->now,
				    .idle = in_place(3 * TOKEN),
				    .apart = in_place(TOKEN) };

	switch (actor->operation[actor->n_done]) {
	case PACKET:
		if (weir_line_charge(&round.line, gauge, base, tag, actor->now, gauge->token,
				     &look) == WEIR_FITS)
			note_taken(tag, actor->now - round.moment);
		break;
	case PIN:
		weir_line_pin(&round.line, gauge, base, tag, actor->now);
		break;
	case SWEEP:
		weir_line_sweep(&round.line, gauge, base, &sweep);
		break;
	}
}

/* Lets an actor go on for so many accesses. */
static void step(struct actor *actor, int allowed)
{
	running = actor;
	actor->at = 0;
	actor->allowed = allowed;
	if (setjmp(stopped))
		return;
	run_operation(actor);
	actor->n_done++;
	actor->n_seen = 0;
}

/* TATs from a few values, so that words are equal but for their tags, or equal altogether. */
static void fill_line(struct random *random, __u64 now_units)
{
	int hot[SOURCES + 1] = { 0 };

	memset(round.owed, 0, sizeof(round.owed));
	for (int way = 0; way < WEIR_WAYS; way++) {
		__u64 back = random_below(random, 16) * TOKEN / 4;
		__u64 tat = now_units + TOKEN - (random_below(random, 4) ? back : 6 * TOKEN);
		__u32 tag = (__u32)random_below(random, 2 * SOURCES);
		__u64 word;

		if (tag > SOURCES || !tag || hot[tag])
			tag = random_below(random, 4) ? 100 + way : 0;
		else
			hot[tag] = 1;
		word = word_of(tat, tag) | round.before.generation;
		if (tag && !random_below(random, 4))
			word |= WEIR_PINNED;
		if (tag && tag <= SOURCES && (__s64)((word & ~WEIR_LOW_MASK) - round.moment) > 0)
			round.owed[tag] = (word & ~WEIR_LOW_MASK) - round.moment;
		*(weir_word *)&round.line.bucket[way] = word;
	}
}

static void fill_actor(struct random *random, struct actor *actor, int changes)
{
	memset(actor, 0, sizeof(*actor));
	actor->gauge = changes && random_next(random) & 1 ? &round.after : &round.before;
	/* Old packets are late by all degrees, new ones are later than any of them. */
	actor->now = round.moment + in_place(LATE);
	if (actor->gauge == &round.before)
		actor->now -= in_place(random_below(random, 3) * LATE / 2);
	for (int i = 0; i < OPERATIONS; i++) {
		uint64_t kind = random_below(random, 12);

		actor->operation[i] = kind == 0 ? SWEEP : kind == 1 ? PIN : PACKET;
		actor->tag[i] = 1 + (__u32)random_below(random, SOURCES);
	}
}

static void run_round(struct random *random)
{
	int left = ACTORS * OPERATIONS * 64;

	for (;;) {
		struct actor *actor = &round.actor[random_below(random, ACTORS)];
		int busy = 0;

		for (int i = 0; i < ACTORS; i++)
			busy += round.actor[i].n_done < OPERATIONS;
		if (!busy)
			return;
		if (actor->n_done < OPERATIONS)
			step(actor, 1 + (int)random_skewed(random, 6));
		assert_true(left--);
	}
}

/* What a source would be found to owe now: on its own word, else what it would inherit. */
static __u64 debt_at_end(__u32 tag, __u64 now, const struct weir_gauge *gauge)
{
	__u64 smallest = ~0ull >> 1;

	for (int way = 0; way < WEIR_WAYS; way++) {
		__u64 word = *(weir_word *)&round.line.bucket[way];
		__s64 debt = (word & ~WEIR_LOW_MASK) - now;

		assert_int_equal(word & WEIR_GENERATION, gauge->generation);
		debt = debt < 0 ? 0 : debt;
		if ((word & WEIR_TAG_MASK) == tag)
			return (__u64)debt;
		if (!(word & WEIR_PINNED) && (__u64)debt < smallest)
			smallest = (__u64)debt;
	}
	return smallest;
}

static void check_tags(int round_number)
{
	for (int i = 0; i < WEIR_WAYS; i++) {
		for (int k = i + 1; k < WEIR_WAYS; k++) {
			__u32 tag = round.line.bucket[i].tag;

			if (tag && tag == round.line.bucket[k].tag)
				fail_msg("round %d: source %u has the words %d and %d",
					 round_number, tag, i, k);
		}
	}
}

/*
 * At the end a source owes what it owed at the moment of the change and took since, less what the
 * rate in force at the end has given back; at the moment itself, at most the burst.
 */
static void check_debts(int round_number, const struct weir_gauge *gauge)
{
	const __u64 old = TOKEN, new = gauge->token >> WEIR_TAT_SHIFT, late = LATE;

	for (__u32 tag = 1; tag <= SOURCES; tag++) {
		__u64 debt = debt_at_end(tag, round.moment + in_place(LATE), gauge);
		__u64 owed = (round.owed[tag] >> WEIR_TAT_SHIFT) * new / old;
		__u64 since = round.first[tag] >> WEIR_TAT_SHIFT, wanted;

		wanted = (owed > since ? owed : since) + round.took[tag] * new;
		wanted = wanted > late ? wanted - late : 0;
		if (wanted > (gauge->burst >> WEIR_TAT_SHIFT) - late)
			wanted = (gauge->burst >> WEIR_TAT_SHIFT) - late;
		if (debt >> WEIR_TAT_SHIFT < wanted)
			fail_msg("round %d: source %u owes %llu units of %llu", round_number, tag,
				 debt >> WEIR_TAT_SHIFT, wanted);
	}
}

static void play(uint64_t seed, int changes, __u64 new_token, __u64 new_burst)
{
	struct random random = { seed };

	for (int i = 0; i < ROUNDS; i++) {
		const struct weir_gauge *last = &round.before;
		/* TAT may wrap in the middle of a line. */
		__u64 now_units = (1ull << 44) - 4 * TOKEN + random_below(&random, 8 * TOKEN);

		memset(&round, 0, sizeof(round));
		round.before = gauge_of(TOKEN, BURST);
		round.after = gauge_of(new_token, new_burst);
		gauge_change(&round.before, &round.after, now_units);
		round.moment = in_place(now_units);
		round.base[0] = in_place(now_units - (1ull << 40));
		round.base[1] = round.base[0];
		fill_line(&random, now_units);
		for (int k = 0; k < ACTORS; k++)
			fill_actor(&random, &round.actor[k], changes);
		run_round(&random);
		if (changes) {
			struct actor settler = { .gauge = &round.after, .allowed = ACCESSES_MAX };

			running = &settler;
			weir_line_settle(&round.line, &round.after, round.moment + in_place(LATE));
			last = &round.after;
		}
		check_tags(i);
		check_debts(i, last);
	}
}

static void no_schedule_gives_a_source_two_words_or_tokens_back(void **state)
{
	play(1, 0, TOKEN, BURST);
}

static void nor_when_the_rate_is_raised_in_the_midst(void **state)
{
	play(2, 1, TOKEN / 8, TOKEN);
}

static void nor_when_it_is_lowered(void **state)
{
	play(3, 1, TOKEN * 5, BURST * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_schedule_gives_a_source_two_words_or_tokens_back),
		cmocka_unit_test(nor_when_the_rate_is_raised_in_the_midst),
		cmocka_unit_test(nor_when_it_is_lowered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
