/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do the numbers of an RSA private key belong together?
 */
#ifndef RSACHECK_H
#define RSACHECK_H

/* this room */
#include "pkcs8.h"
#include "rsab.h"

/*
 * Check n = p q; e d = 1 mod p - 1 and mod q - 1; dp = d mod p - 1;
 * dq = d mod q - 1; q qinv = 1 mod p, qinv < p; d < n.
 *   errors   RSAB_ERR_KEY, RSAB_ERR_NOMEM
 *   source   RFC 8017 s3.2
 *
 * That p and q are prime is left to the signature made at load: with these
 * equations it comes out right for a composite p only where x^(p-1) = 1
 * mod p happens to hold, which is itself a Fermat test. libcrypto's own
 * check repeats Miller-Rabin 64 times a prime: 35 ms for RSA-2048, a quarter
 * of a second for RSA-4096, on the first mail that needs the key.
 */
int rsacheck_run(const struct pkcs8 *key) MUSTUSE;

#endif
