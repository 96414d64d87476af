/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public-key cache: a name's parsed records with their DNSSEC state, until
 * their TTL is over (DESIGN "Public keys").
 */
#ifndef PUBKEY_H
#define PUBKEY_H

#include "cache.h"

/*
 *   octets   of key sets that it keeps
 */
int pubkey_cache_new(size_t octets, struct cache **out) MUSTUSE;

/*
 * Keep a key set under its name; counts a reference of its own. Without memory
 * it is not kept.
 *   until    monotonic microseconds
 */
void pubkey_cache_put(struct cache *cache, const char *name,
    struct dkim_keyset *keyset, enum dkim_dnssec dnssec, uint64_t until);

/*
 * Find what is kept and not over.
 *   now      monotonic microseconds
 *   out      FOUND, with a new reference
 */
bool pubkey_cache_get(struct cache *cache, const char *name, uint64_t now,
    struct dkim_answer *out);

#endif
