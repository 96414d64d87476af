/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Base blinding: pairs r^e and 1 / r of the keys that one worker signs with.
 *
 * A pair serves one pass, in which every request of its key uses it; then both
 * its numbers are squared. After a random number of passes it is made anew
 * from fresh random octets. What it hides from whoever measures power, clock
 * or a multiplier's leaks is the base of the exponentiations; time tells
 * nothing here even without it.
 */
#ifndef BLINDING_H
#define BLINDING_H

/* this room */
#include "bn/rsakey.h"
#include "rsab.h"

/* Passes that a pair serves. */
#define BLINDING_USES_MIN	32
#define BLINDING_USES_MAX	63

/* Pairs that a worker keeps; the one unused longest goes. */
#define BLINDING_SLAB		16	/* taken at once */
#define BLINDING_SLABS		16
#define BLINDING_PAIRS		(BLINDING_SLAB * BLINDING_SLABS)

/* One key's pair. */
struct blinding_pair {
	uint8_t		 fingerprint[RSAB_FINGERPRINT_SIZE];
	const struct path *path;	/* form of the numbers; NULL: free */
	unsigned	 n;		/* digits of the modulus */
	unsigned	 left;		/* passes to go */
	uint64_t	 used;		/* when, by blinding.time */
	struct blinding_secret *secret;
	void		*blind, *unblind;	/* r^e R, R / r; in secret */
};

struct blinding_slab;

/* All zero: no pairs yet. */
struct blinding {
	struct blinding_slab	*slab[BLINDING_SLABS];
	size_t			 slabs;
	uint64_t		 time;	/* counts calls of blinding_take */
};

/*
 * Wipe and free all pairs.
 */
void blinding_clear(struct blinding *blinding);

/*
 * Octets of scratch for a modulus of n digits.
 */
size_t blinding_scratch(const struct path *path, unsigned n);

/*
 * The pair of a key; made where there is none, it is worn, or it was left
 * behind by fork. At least RSAB_PASS_MAX pairs taken last are never the ones
 * to go.
 *   fingerprint  of the key; a pair never meets another key
 *   key      an even number of digits, at most 8192 bits in all
 *   scratch  aligned to 64; secret afterwards
 *   errors   RSAB_ERR_NOMEM, RSAB_ERR_BACKEND (no random octets)
 */
int blinding_take(struct blinding *blinding,
    const uint8_t fingerprint[RSAB_FINGERPRINT_SIZE],
    const struct rsakey_public *key, void *scratch,
    struct blinding_pair **out) MUSTUSE;

/*
 * Wipe the pairs of a key: one of its signatures came out wrong, and the pair
 * may be what is wrong.
 */
void blinding_drop(struct blinding *blinding,
    const uint8_t fingerprint[RSAB_FINGERPRINT_SIZE]);

/* A pair and its key. */
struct blinding_use {
	struct blinding_pair		*pair;
	const struct rsakey_public	*key;
};

/*
 * After a pass: square the pairs, each of which is there once.
 *   use      count, 1 to RSAB_PASS_MAX, of one path and n
 */
void blinding_step(const struct blinding_use *use, size_t count,
    void *scratch);

#endif
