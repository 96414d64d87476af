/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private operations, whole: octets to octets, on any path.
 */
#ifndef RSASIGN_H
#define RSASIGN_H

/* this room */
#include "rsa-backend/bn/rsakey.h"

struct rsasign_request {
	const struct rsakey_private	*key;

	/*
	 * in^d mod n, each as long as the modulus; in below n. out may be in.
	 */
	const uint8_t	*in;
	uint8_t		*out;

	/*
	 * Factors of base blinding, of 2n digits below the modulus: r^e R mod
	 * n and R / r mod n. NULL, both: none.
	 */
	const void	*blind, *unblind;
};

/*
 * Run private operations by keys of one path with n digits a prime.
 *   count    1 to PATH_LANES
 *   scratch  rsasign_scratch(path, n) octets, aligned to 64; secret
 *            afterwards
 *   ct       leaks the path, n, count, lengths of moduli, the longest prime's
 *            bits
 *   source   RFC 8017 s5.2.1, s5.1.2; Kocher 1996, section 10 (blinding)
 * What comes out is not checked: rsaverify.h.
 */
size_t rsasign_scratch(const struct path *path, unsigned n);
void rsasign_run(const struct rsasign_request *request, size_t count,
    void *scratch);

#endif
