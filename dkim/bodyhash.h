/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Body hashes of one message: canonicalized and hashed once per distinct
 * (canonicalization, hash, length), never once per signature.
 */
#ifndef DKIM_BODYHASH_H
#define DKIM_BODYHASH_H

#include "dkim.h"
#include "digest.h"

struct bodyhash;

int bodyhash_new(const struct dkim_lib *lib, bool fix_crlf,
    struct bodyhash **out) MUSTUSE;
void bodyhash_free(struct bodyhash *b);

/*
 * Want one more hash; equal wants share one.
 *   length   canonical octets under the hash (l=); UINT64_MAX: all
 *   index    of the hash
 *   errors   DKIM_ERR_STATE after the first body octet, _NOMEM, _CRYPTO
 */
int bodyhash_want(struct bodyhash *b, enum dkim_canon alg, uint64_t length,
    size_t *index) MUSTUSE;

int bodyhash_add(struct bodyhash *b, struct slice in) MUSTUSE;
int bodyhash_end(struct bodyhash *b) MUSTUSE;

/*
 * Does any hash still need octets? The total of a form (bodyhash_total) needs
 * them to the end, so this is false only where nothing was wanted.
 */
bool bodyhash_wants(const struct bodyhash *b);

/*
 * After end: the hash, and all canonical octets of its form.
 */
void bodyhash_get(const struct bodyhash *b, size_t index,
    uint8_t out[DIGEST_SIZE], uint64_t *total);

#endif
