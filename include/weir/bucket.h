/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One line of a bucket table, and the token arithmetic. Pure: time is an argument, and the only
 * thing that is written is the line that was handed in, by compare-and-swap.
 *
 * The arithmetic is GCRA (ITU-T I.371): a bucket is one number, its theoretical arrival time (TAT).
 * A packet of cost c conforms when max(TAT, now) + c <= now + burst, and then TAT moves on by c.
 *
 * A line is 64 bytes, eight words. A word is
 *
 *     63           20  19           18       17    0
 *     TAT, 44 bits     generation   pinned   tag
 *
 * TAT counts the limit's own unit of time and wraps; every value below is held in place, that is
 * shifted left by WEIR_TAT_SHIFT, so differences are plain signed 64-bit subtractions. A source
 * whose tag is not in its line takes over the smallest word and inherits its TAT: whoever is pushed
 * out, nobody's bucket is refilled (the idea is the space-saving counter of Metwally, Agrawal and
 * El Abbadi 2005). A pinned word is not taken over: its source is known by name in `sources`.
 *
 * What keeps one source from ever holding two words of a line, on any number of CPUs:
 *  I1 No word decreases. There is no refund; the sweep only lifts.
 *  I2 The smallest is taken by the word itself, as a distance from the line's base, never by
 *     comparing with now; on equal words the lowest index.
 *  I3 After a lost compare-and-swap the whole line is read again.
 *  I4 A newcomer chooses only among words that all carry its own generation.
 *  I5 A word that stops being pinned comes back owned by nobody and above all others.
 */
#ifndef WEIR_BUCKET_H
#define WEIR_BUCKET_H

#include <linux/types.h>

#include <weir/source.h>
#include <weir/verifier.h>

#define WEIR_WAYS	8
#define WEIR_TAT_SHIFT	20
#define WEIR_TAT_BITS	44
#define WEIR_PINNED	(1ull << 18)
#define WEIR_GENERATION (1ull << 19)
#define WEIR_LOW_MASK	((1ull << WEIR_TAT_SHIFT) - 1)
/* At most this many of a line's words are pinned, so that newcomers keep half of it. */
#define WEIR_PINS_MAX 4
/* Compare-and-swaps that a packet may lose before it is refused as lost_race. */
#define WEIR_TRIES 4

#ifdef __clang__
#define WEIR_UNROLL _Pragma("unroll")
#else
#define WEIR_UNROLL _Pragma("GCC unroll 8")
#endif

/** The same word for people: bpftool prints these names. */
struct weir_bucket {
	__u64 tag : WEIR_TAG_BITS;
	__u64 pinned	 : 1;
	__u64 generation : 1;
	__u64 tat : WEIR_TAT_BITS;
};

struct weir_line {
	struct weir_bucket bucket[WEIR_WAYS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct weir_line) == 64, "a line is one cache line");

typedef __u64 __attribute__((may_alias)) weir_word;

/* Tests put their own reading here, to stop between any two. */
#ifndef WEIR_WORD
#define WEIR_WORD(line, way) (*(volatile weir_word *)&(line)->bucket[(way) & (WEIR_WAYS - 1)])
#endif

/**
 * A change of a limit's numbers under way: words of the other generation are read through this.
 * The debt that a bucket had at the moment of the change is kept in tokens, rounded up, clamped to
 * the new burst. d (old units) becomes d * mul >> shift (new units).
 */
struct weir_change {
	__u64 old_tat;	/* the moment of the change in the old unit, in place */
	__u64 new_tat;	/* the same moment in the new unit, in place */
	__u64 full_old; /* a debt of this many old units or more is the whole new burst */
	__u64 mul;	/* below 2^22 */
	__s32 shift;	/* -63 .. 63; negative: to the left */
	__u32 reserved;
};

/** The numbers of a limit, in its own unit of 2^k ns. */
struct weir_gauge {
	__u64 token;	  /* cost of one token (a packet or a byte), in place */
	__u64 burst;	  /* how far TAT may be ahead, in place */
	__u64 generation; /* 0 or WEIR_GENERATION */
	__u32 now_right;  /* ns >> now_right << now_left is now, in place */
	__u32 now_left;
	__u32 changing; /* 1: words of the other generation may be there, read them by change */
	__u32 reserved;
	struct weir_change change;
};

enum weir_outcome {
	WEIR_FITS,
	WEIR_EMPTY,	/* the source's own bucket lacks the tokens */
	WEIR_FULL,	/* a newcomer, and the smallest word's debt leaves it none */
	WEIR_STALE,	/* the line is of a newer policy than the caller's: read the policy again */
	WEIR_LOST,	/* too many lost compare-and-swaps */
	WEIR_UNSETTLED, /* the line is in motion: weir_line_settle(), then look again */
};

/** What a look at a line found. */
struct weir_look {
	__u64 word;	/* as read */
	__u64 debt;	/* in place: max(TAT - now, 0) */
	__s64 headroom; /* in place: what would be left after the packet; negative: refused */
	__u32 way;
	__u32 own; /* 1: the word carries the source's tag */
};

static __always_inline __u64 weir_gauge_now(const struct weir_gauge *gauge, __u64 now_ns)
{
	return now_ns >> gauge->now_right << gauge->now_left;
}

static __always_inline __u64 weir_word_cas(struct weir_line *line, __u32 way, __u64 old, __u64 new)
{
	return __sync_val_compare_and_swap((weir_word *)&line->bucket[way & (WEIR_WAYS - 1)], old,
					   new);
}

/*
 * All ones for a negative number, else zero. Hidden from the compiler, which would make branches of
 * it: eight words with two branches each are paths that neither the CPU can predict nor the
 * verifier count.
 */
static __always_inline __u64 weir_mask_negative(__u64 x)
{
	x = (__u64)((__s64)x >> 63);
	asm volatile("" : "+r"(x));
	return x;
}

/**
 * The source's own word. By branches, unlike the choice below: a source's word stays where it is, so
 * the CPU can guess the way, and has not to look at the whole line. @return 0 when its tag was not seen
 */
static __always_inline int weir_line_find(struct weir_line *line, __u32 tag, struct weir_look *look)
{
	look->own = 0;
	WEIR_UNROLL
	for (int i = 0; i < WEIR_WAYS; i++) {
		__u64 word = WEIR_WORD(line, i);

		if ((word & WEIR_TAG_MASK) != tag)
			continue;
		look->word = word;
		look->way = i + WEIR_UNKNOWN_ZERO(word);
		look->own = 1;
		break;
	}
	return look->own;
}

/**
 * One reading of the whole line: the source's own word, else the smallest that may be taken over.
 * Tag and order are judged on the same reading of each word: a source that another CPU brings in
 * meanwhile is then either seen, or it makes this CPU's compare-and-swap fail.
 */
static __always_inline enum weir_outcome weir_line_choose(struct weir_line *line,
							  const struct weir_gauge *gauge,
							  __u64 base, __u32 tag,
							  struct weir_look *look)
{
	const __u64 never = ~0ull >> 1;
	__u64 smallest = never, strangers = 0, found = 0, way = 0;

	WEIR_UNROLL
	for (int i = 0; i < WEIR_WAYS; i++) {
		__u64 word = WEIR_WORD(line, i);
		__u64 pinned = -(word >> 18 & 1);
		__u64 distance = (word - base) | pinned >> 1;
		__u64 hit = weir_mask_negative(((word ^ tag) & WEIR_TAG_MASK) - 1);
		__u64 less = weir_mask_negative(distance - smallest);

		found |= hit;
		strangers |= word ^ gauge->generation;
		smallest += (distance - smallest) & less;
		way += (i - way) & less;
	}
	if (found || strangers & WEIR_GENERATION) {
		/* Brought in by another CPU since weir_line_find(): as good as a lost race. */
		if (found)
			return WEIR_UNSETTLED;
		return gauge->changing ? WEIR_UNSETTLED : WEIR_STALE;
	}
	look->word = smallest + base;
	look->way = way;
	return smallest == never ? WEIR_FULL : WEIR_FITS;
}

/** Whether a packet fits the word that was found. @now, @cost in place */
static __always_inline enum weir_outcome
weir_look_judge(struct weir_look *look, const struct weir_gauge *gauge, __u64 now, __u64 cost)
{
	__s64 debt = (look->word & ~WEIR_LOW_MASK) - now;

	if ((look->word ^ gauge->generation) & WEIR_GENERATION)
		return gauge->changing ? WEIR_UNSETTLED : WEIR_STALE;
	look->debt = debt > 0 ? debt : 0;
	look->headroom = gauge->burst - look->debt - cost;
	if (look->headroom >= 0)
		return WEIR_FITS;
	return look->own ? WEIR_EMPTY : WEIR_FULL;
}

/**
 * Looks at a source's bucket without changing it.
 *
 * @base  a TAT, in place, at or below every word of the table (struct weir_table_state)
 * @now   in place
 * @cost  in place
 */
static __always_inline enum weir_outcome weir_line_look(struct weir_line *line,
							const struct weir_gauge *gauge, __u64 base,
							__u32 tag, __u64 now, __u64 cost,
							struct weir_look *look)
{
	look->headroom = -1;
	if (!weir_line_find(line, tag, look)) {
		enum weir_outcome outcome = weir_line_choose(line, gauge, base, tag, look);

		if (outcome != WEIR_FITS)
			return outcome;
	}
	return weir_look_judge(look, gauge, now, cost);
}

/** The word after a conforming packet; a takeover changes the tag, never what is owed. */
static __always_inline __u64 weir_word_charged(const struct weir_look *look,
					       const struct weir_gauge *gauge, __u32 tag, __u64 now,
					       __u64 cost)
{
	return ((now + look->debt + cost) & ~WEIR_LOW_MASK) | (look->word & WEIR_PINNED) |
	       gauge->generation | tag;
}

/**
 * A word of the old generation as the new numbers see it at @now, in place.
 *
 * What is owed is owed from now on, not from the moment of the change: packets that were under way
 * then have charged the word since, by the old numbers and for tokens that were there only because
 * of time after that moment. Were that time read at a higher new rate, it would pay for more.
 */
static inline __u64 weir_word_changed(__u64 word, const struct weir_gauge *gauge, __u64 now)
{
	const struct weir_change *change = &gauge->change;
	__s64 debt = (__s64)((word & ~WEIR_LOW_MASK) - change->old_tat) >> WEIR_TAT_SHIFT;
	__u64 from = change->new_tat, owed = 0;

	if (debt > 0) {
		if ((__u64)debt >= change->full_old)
			owed = gauge->burst;
		else if (change->shift < 0)
			owed = ((__u64)debt * change->mul << -change->shift) << WEIR_TAT_SHIFT;
		else
			owed = (((__u64)debt * change->mul >> change->shift) + 1) << WEIR_TAT_SHIFT;
		if (owed > gauge->burst)
			owed = gauge->burst;
		if ((__s64)(now - from) > 0)
			from = now;
	}
	return ((from + owed) & ~WEIR_LOW_MASK) | (word & WEIR_PINNED) | gauge->generation |
	       (word & WEIR_TAG_MASK);
}

/**
 * Brings a line's words of the old generation to the new one. A lost race is another's success.
 * @return 0
 */
WEIR_APART int weir_line_settle(struct weir_line *line, const struct weir_gauge *gauge, __u64 now)
{
	if (!line || !gauge)
		return 0;
	/* A stale gauge knows nothing of what the other generation's words mean. */
	for (int i = 0; gauge->changing && i < WEIR_WAYS; i++) {
		__u64 word = WEIR_WORD(line, i);

		if ((word ^ gauge->generation) & WEIR_GENERATION)
			weir_word_cas(line, i, word, weir_word_changed(word, gauge, now));
	}
	return 0;
}

/**
 * Looks, and charges when it fits: the packet path's one change of a line.
 *
 * @return WEIR_FITS with @look as it was before the charge, or why nothing was charged; never
 * WEIR_UNSETTLED
 */
static __always_inline enum weir_outcome weir_line_charge(struct weir_line *line,
							  const struct weir_gauge *gauge,
							  __u64 base, __u32 tag, __u64 now,
							  __u64 cost, struct weir_look *look)
{
	for (__u64 left = WEIR_TRIES; left; left--) {
		enum weir_outcome outcome = weir_line_look(line, gauge, base, tag, now, cost, look);
		__u64 word;

		WEIR_ROUND(left);
		if (outcome == WEIR_UNSETTLED) {
			weir_line_settle(line, gauge, now);
			continue;
		}
		if (outcome != WEIR_FITS)
			return outcome;
		word = weir_word_charged(look, gauge, tag, now, cost);
		if (weir_word_cas(line, look->way, look->word, word) == look->word)
			return WEIR_FITS;
	}
	return WEIR_LOST;
}

/**
 * Gives a source an exact bucket: its word is pinned, or, for a newcomer, the smallest word is taken
 * over with the debt it has and pinned. @return 1 when the source's word is pinned now
 */
static inline int weir_line_pin(struct weir_line *line, const struct weir_gauge *gauge, __u64 base,
				__u32 tag, __u64 now)
{
	struct weir_look look = {};
	enum weir_outcome outcome = weir_line_look(line, gauge, base, tag, now, 0, &look);
	__u32 pins = 0;
	__u64 word;

	if (outcome == WEIR_STALE || outcome == WEIR_UNSETTLED)
		return 0;
	if (look.own && look.word & WEIR_PINNED)
		return 1;
	WEIR_UNROLL
	for (int i = 0; i < WEIR_WAYS; i++)
		pins += !!(WEIR_WORD(line, i) & WEIR_PINNED);
	if (pins >= WEIR_PINS_MAX)
		return 0;
	word = (look.word & ~WEIR_TAG_MASK) | WEIR_PINNED | tag;
	return weir_word_cas(line, look.way, look.word, word) == look.word;
}

/** What one pass of the sweep needs. */
struct weir_sweep {
	__u64 floor; /* in place, never below base: words below are lifted to it; the next base */
	__u64 now;   /* in place */
	__u64 idle;  /* in place: a pinned word this far behind now is released */
	__u64 apart; /* in place: how far above now a released word starts (I5) */
};

/**
 * Keeps a line's words within reach of now, so that wrapping does not disturb their order; settles
 * what is left of a change; releases the pins of idle sources.
 */
static inline void weir_line_sweep(struct weir_line *line, const struct weir_gauge *gauge,
				   __u64 base, const struct weir_sweep *sweep)
{
	if (gauge->changing)
		weir_line_settle(line, gauge, sweep->now);
	for (int i = 0; i < WEIR_WAYS; i++) {
		__u64 word = WEIR_WORD(line, i);
		__u64 low = word & WEIR_LOW_MASK;
		__u64 tat = word & ~WEIR_LOW_MASK;

		if ((word ^ gauge->generation) & WEIR_GENERATION)
			continue;
		if (word & WEIR_PINNED && (__s64)(sweep->now - tat) > (__s64)sweep->idle)
			weir_word_cas(line, i, word,
				      ((sweep->now + gauge->burst + sweep->apart) &
				       ~WEIR_LOW_MASK) |
					      gauge->generation);
		else if (tat - base < sweep->floor - base)
			weir_word_cas(line, i, word, sweep->floor | low);
	}
}

#endif
