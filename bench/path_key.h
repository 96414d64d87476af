/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic alone, without rsab_run around it: one key on one path, one
 * operation at a time, neither blinded nor checked but by us.
 */
#ifndef PATH_KEY_H
#define PATH_KEY_H

/* rooms below */
#include "rsa-backend/bn/rsasign.h"
#include "rsa-backend/bn/rsaverify.h"

/* this room */
#include "reference.h"

struct path_key {
	const struct reference	*reference;
	struct rsakey_public	 public;
	struct rsakey_private	 private;
	uint8_t			 modulus[RSAKEY_OCTETS_MAX];
	uint8_t			 em[REFERENCE_MESSAGES][RSAKEY_OCTETS_MAX];
	uint64_t		*public_memory, *private_memory;
	void			*scratch;	/* signing or verifying */
	size_t			 at;		/* next message */
};

/*
 * Make a reference's key ready for a path.
 *   reference outlives the key
 *   returns  0, or an exit status (what was wrong is told): EX_UNAVAILABLE
 *            where the path has no numbers of that length
 */
int path_key_init(struct path_key *key, const struct path *path,
    const struct reference *reference) MUSTUSE;
void path_key_clear(struct path_key *key);

/*
 * The runs of struct measure_contestant, one operation a round. Each result is
 * compared with the reference's.
 *   arg      a struct path_key
 */
int path_key_sign(void *arg, unsigned thread, size_t rounds) MUSTUSE;
int path_key_verify(void *arg, unsigned thread, size_t rounds) MUSTUSE;

/*
 * Signatures with one bit turned are refused, all of them.
 *   returns  0, or EX_SOFTWARE
 */
int path_key_control(struct path_key *key) MUSTUSE;

#endif
