/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the oldest kernels' verifiers need to be told, Linux 5.15 being the first that weir runs on.
 *
 * It proves that a loop ends by walking its rounds, and takes two states in which all that it knows
 * is equal for a loop without end. So the count of rounds has to be something it knows.
 */
#ifndef WEIR_VERIFIER_H
#define WEIR_VERIFIER_H

/*
 * In each round of a loop that is more than a few instructions long. The count does not stay in a
 * register there, and a verifier before Linux 5.16 forgets what is stored with less than 64 bits.
 * Left alone, the compiler makes 32 bits of it, or one.
 */
#define WEIR_ROUND(count)                                           \
	do {                                                        \
		_Static_assert(sizeof(count) == 8, "stored whole"); \
		asm volatile("" : "+r"(count));                     \
	} while (0)

/*
 * A function called from within such loops. In the kernel it is a global one, which is proved once
 * and by itself; others are followed from each call, and there the caller's count is not compared.
 * Global functions return an int, and have to look whether pointers are NULL.
 */
#ifdef __bpf__
#define WEIR_APART __attribute__((noinline))
#else
#define WEIR_APART static __attribute__((noinline, unused))
#endif

/*
 * Zero, which the verifier does not see. Added to what is a constant on each of several branches, it
 * makes them one again: what follows is then proved once and not once for each constant. @number is
 * a value read from memory.
 */
#ifdef __bpf__
#define WEIR_UNKNOWN_ZERO(number)                                      \
	({                                                             \
		__u64 zero_ = (number);                                \
		asm volatile("%0 -= %1" : "+&r"(zero_) : "r"(number)); \
		zero_;                                                 \
	})
#else
#define WEIR_UNKNOWN_ZERO(number) ((number)&0)
#endif

#endif
