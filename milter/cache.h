/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One bounded counted cache, least recently used goes first; for private and
 * for public keys. Its lock guards everything in it and is a leaf: values are
 * given back outside of it.
 */
#ifndef CACHE_H
#define CACHE_H

#include "../dkim/dkim.h"

#define CACHE_KEY_MAX	8192	/* octets of a key */

struct cache;

/* Count a value's reference up, or give one back. */
typedef void (*cache_count_fn)(void *value);

/*
 *   bound    sum of the weights that it keeps
 *   errors   DKIM_ERR_NOMEM
 */
int cache_new(size_t bound, cache_count_fn ref, cache_count_fn unref,
    struct cache **out) MUSTUSE;
void cache_free(struct cache *cache);

/*
 * Find a value; it is the most recently used one then.
 *   returns  a reference, or NULL
 */
void *cache_get(struct cache *cache, struct slice key);

/*
 * Put a value in, instead of one of the same key; the cache counts a
 * reference of its own.
 *   weight   at least 1; above the bound it is not kept, which is no error
 *   errors   DKIM_ERR_NOMEM, _LIMIT (key above CACHE_KEY_MAX): not kept
 */
int cache_put(struct cache *cache, struct slice key, void *value,
    size_t weight) MUSTUSE;

/*
 * Would a value of this weight go in without pushing others out?
 */
bool cache_has_room(struct cache *cache, size_t weight);

/*
 * Take the value of a key out, if it is still this one.
 */
void cache_drop(struct cache *cache, struct slice key, const void *value);

/*
 * Take out all values that a function is true for; it is called under the
 * lock.
 */
typedef bool (*cache_match_fn)(const void *value, const void *arg);
void cache_sweep(struct cache *cache, cache_match_fn match, const void *arg);

/*
 * Change the bound; what is over goes.
 */
void cache_bound(struct cache *cache, size_t bound);

size_t cache_entries(struct cache *cache);
size_t cache_weight(struct cache *cache);

#endif
