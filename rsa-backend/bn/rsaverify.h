/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public operations, whole: is s^e mod n what it should be?
 */
#ifndef RSAVERIFY_H
#define RSAVERIFY_H

/* system */
#include <stdbool.h>

/* this room */
#include "rsa-backend/bn/rsakey.h"

struct rsaverify_request {
	const struct rsakey_public	*key;
	const uint8_t	*s;		/* as long as the modulus, any value */
	const uint8_t	*want;		/* as long: the encoded message */
	bool		 is_good;	/* out */
};

/*
 * Run public operations by keys of one path with n digits a modulus. A
 * signature of n or above is not good, whatever its residue.
 *   count    1 to PATH_LANES
 *   scratch  rsaverify_scratch(path, n) octets, aligned to 64; afterwards it
 *            holds the signatures and their powers
 *   source   RFC 8017 s8.2.2, s5.2.2
 */
size_t rsaverify_scratch(const struct path *path, unsigned n);
void rsaverify_run(struct rsaverify_request *request, size_t count,
    void *scratch);

#endif
