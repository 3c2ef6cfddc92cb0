/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From an address to a place in a bucket table: a line and a tag. Pure.
 *
 * The place comes from a permutation of `width` bits, keyed by numbers drawn at random for each
 * table, so that nobody outside can aim at a line. width is line bits plus tag bits, at least 33.
 * Where it is exactly that (from 256 Ki buckets on) no two IPv4 sources of one table ever share
 * both line and tag: an address takes 32 bits, and each step below can be undone. IPv6 sources are
 * folded first; two of them may share a bucket by chance (once in 2^width), which costs both tokens
 * and gives neither any.
 */
#ifndef WEIR_SOURCE_H
#define WEIR_SOURCE_H

#include <weir/packet.h>

#define WEIR_TAG_BITS	    18
#define WEIR_TAG_MASK	    ((1ull << WEIR_TAG_BITS) - 1)
#define WEIR_HASH_WIDTH_MIN 33

/** Drawn once for a table, kept for its life. */
struct weir_hash_key {
	__u64 add;
	__u64 fold;
	__u64 mul_a; /* odd */
	__u64 mul_b; /* odd */
};

/** How a limit's sources map to its table. */
struct weir_hash {
	struct weir_hash_key key;
	__u64 width_mask; /* width one-bits */
	__u32 half;	  /* width / 2, rounded up */
	__u32 line_bits;
};

struct weir_place {
	__u32 line;
	__u32 tag; /* 1 .. WEIR_TAG_MASK; 0 marks a word that nobody owns */
};

/** Sets everything but the key. @line_bits  log2 of the table's lines */
static inline void weir_hash_shape(struct weir_hash *hash, __u32 line_bits)
{
	__u32 width = line_bits + WEIR_TAG_BITS;

	if (width < WEIR_HASH_WIDTH_MIN)
		width = WEIR_HASH_WIDTH_MIN;
	hash->width_mask = (1ull << width) - 1;
	hash->half = (width + 1) / 2;
	hash->line_bits = line_bits;
}

/** Multiplying by an odd number and folding the upper half down are each one-to-one. */
static __always_inline __u64 weir_hash_permute(const struct weir_hash *hash, __u64 x)
{
	x = ((x ^ hash->key.add) * hash->key.mul_a) & hash->width_mask;
	x ^= x >> hash->half;
	x = (x * hash->key.mul_b) & hash->width_mask;
	return x ^ x >> hash->half;
}

/** Seeded 128 to 64 bits; the multiplier is that of SplitMix64 (Steele, Lea, Flood 2014). */
static __always_inline __u64 weir_hash_fold(const struct weir_hash *hash,
					    const struct weir_addr *source)
{
	__u64 x = (source->hi ^ hash->key.fold) * 0xbf58476d1ce4e5b9ull;

	x ^= x >> 32;
	x = (x ^ source->lo) * hash->key.mul_b;
	return x ^ x >> 32;
}

/**
 * The place of a source, already masked to the limit's prefix.
 *
 * Tag 0 is reserved, so a place with it is permuted once more. That stays one-to-one for IPv4:
 * bit 32, which is set in every IPv4 input and is part of the tag, keeps inputs and such places
 * apart (cycle walking; Black and Rogaway 2002).
 */
static __always_inline struct weir_place
weir_source_place(const struct weir_hash *hash, const struct weir_addr *source, __u8 family)
{
	struct weir_place place;
	__u64 x = family == 4 ? (source->lo | 1ull << 32) : weir_hash_fold(hash, source);

	x = weir_hash_permute(hash, x);
	place.tag = (x >> hash->line_bits) & WEIR_TAG_MASK;
	if (!place.tag) {
		x = weir_hash_permute(hash, x);
		place.tag = (x >> hash->line_bits) & WEIR_TAG_MASK;
	}
	place.tag += !place.tag; /* twice in a row: once in 2^36 */
	place.line = x & ((1ull << hash->line_bits) - 1);
	return place;
}

#endif
