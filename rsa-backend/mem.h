/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages for secret octets of our own: locked, kept out of core dumps, empty
 * in a child after fork, wiped before they go, and between two pages that
 * nobody may touch.
 *
 * What this does not cover: private keys inside libcrypto lie in libcrypto's
 * heap, which wipes them when it frees them. Its secure heap
 * (CRYPTO_secure_malloc_init) is one per process and must be there before the
 * first key, so the daemon's start makes it, not this library; the keys are
 * loaded in a way that then puts d, p, q, dp, dq, qinv and Ed25519 seeds in
 * there (allow 4 KiB for an RSA-2048 key, 8 KiB for RSA-4096).
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Take n zeroed octets in pages of their own. A lock that the system refuses
 * (RLIMIT_MEMLOCK) is no error: the octets then are as safe as any others.
 *   errors   NULL: no memory, or n is 0 or absurd
 */
uint8_t *mem_private_new(size_t n);

/*
 * Wipe and give back what mem_private_new(n) gave. NULL is allowed.
 */
void mem_private_free(uint8_t *p, size_t n);

#endif
