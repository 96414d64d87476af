/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded cache: hash table with chains, and a list by use. Names of keys
 * come from strangers, so the hash is keyed (SipHash-2-4, Aumasson and
 * Bernstein 2012).
 */

/* system */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

/* this room */
#include "milter/cache.h"

#define BUCKETS_FIRST	64

struct entry {
	struct entry	*chain;		/* of its bucket */
	struct entry	*newer, *older;	/* by use */
	uint64_t	 hash;
	void		*value;
	size_t		 weight;
	size_t		 n;		/* octets of key */
	uint8_t		 key[];
};

struct cache {
	pthread_mutex_t	 lock;
	cache_count_fn	 ref, unref;
	size_t		 bound, weight;
	size_t		 entries;
	size_t		 buckets;	/* a power of two */
	struct entry	**bucket;
	struct entry	*newest, *oldest;
	uint64_t	 seed[2];
};

static uint64_t
rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void
sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static void
sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

static uint64_t
hash(const uint64_t seed[2], struct slice in)
{
	uint64_t v[4] = {
		seed[0] ^ 0x736f6d6570736575, seed[1] ^ 0x646f72616e646f6d,
		seed[0] ^ 0x6c7967656e657261, seed[1] ^ 0x7465646279746573,
	};
	uint64_t word = 0;
	size_t i;

	for (i = 0; i < in.n; i++) {
		word |= (uint64_t)in.p[i] << (i % 8 * 8);
		if (i % 8 == 7) {
			sip_word(v, word);
			word = 0;
		}
	}
	sip_word(v, word | (uint64_t)in.n << 56);
	v[2] ^= 0xff;
	for (i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

int
cache_new(size_t bound, cache_count_fn ref, cache_count_fn unref,
    struct cache **out)
{
	struct cache *cache;

	cache = calloc(1, sizeof(*cache));
	if (cache == NULL)
		return DKIM_ERR_NOMEM;
	cache->bound = bound;
	cache->ref = ref;
	cache->unref = unref;
	cache->buckets = BUCKETS_FIRST;
	cache->bucket = calloc(cache->buckets, sizeof(struct entry *));
	if (cache->bucket == NULL)
		goto out;
	if (getrandom(cache->seed, sizeof(cache->seed), 0) !=
	    (ssize_t)sizeof(cache->seed) ||
	    pthread_mutex_init(&cache->lock, NULL) != 0)
		goto out;
	*out = cache;
	return 0;

out:
	free(cache->bucket);
	free(cache);
	return DKIM_ERR_NOMEM;
}

/* Where the pointer to the entry of this key is, or would be. */
static struct entry **
find(struct cache *cache, uint64_t h, struct slice key)
{
	struct entry **at = &cache->bucket[h & (cache->buckets - 1)];

	while (*at != NULL && ((*at)->hash != h ||
	    !slice_equal(slice_of((*at)->key, (*at)->n), key)))
		at = &(*at)->chain;
	return at;
}

static void
use_unlink(struct cache *cache, struct entry *entry)
{
	if (entry->newer != NULL)
		entry->newer->older = entry->older;
	else
		cache->newest = entry->older;
	if (entry->older != NULL)
		entry->older->newer = entry->newer;
	else
		cache->oldest = entry->newer;
}

static void
use_newest(struct cache *cache, struct entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->newest;
	if (cache->newest != NULL)
		cache->newest->newer = entry;
	else
		cache->oldest = entry;
	cache->newest = entry;
}

/* Take *at out and put it on the list of what goes. */
static void
detach(struct cache *cache, struct entry **at, struct entry **gone)
{
	struct entry *entry = *at;

	*at = entry->chain;
	use_unlink(cache, entry);
	cache->weight -= entry->weight;
	cache->entries--;
	entry->chain = *gone;
	*gone = entry;
}

static void
shrink(struct cache *cache, struct entry **gone)
{
	struct entry *oldest;

	while (cache->weight > cache->bound && cache->oldest != NULL) {
		oldest = cache->oldest;
		detach(cache, find(cache, oldest->hash,
		    slice_of(oldest->key, oldest->n)), gone);
	}
}

/* Outside of the lock: giving a value back may free much. */
static void
let_go(struct cache *cache, struct entry *gone)
{
	struct entry *next;

	for (; gone != NULL; gone = next) {
		next = gone->chain;
		cache->unref(gone->value);
		free(gone);
	}
}

/* Twice the buckets; without memory for them chains only get longer. */
static void
grow(struct cache *cache)
{
	struct entry **bucket, **to, *entry, *next;
	size_t buckets = cache->buckets * 2, i;

	bucket = calloc(buckets, sizeof(struct entry *));
	if (bucket == NULL)
		return;
	for (i = 0; i < cache->buckets; i++)
		for (entry = cache->bucket[i]; entry != NULL; entry = next) {
			next = entry->chain;
			to = &bucket[entry->hash & (buckets - 1)];
			entry->chain = *to;
			*to = entry;
		}
	free(cache->bucket);
	cache->bucket = bucket;
	cache->buckets = buckets;
}

void
cache_free(struct cache *cache)
{
	struct entry *gone = NULL;

	if (cache == NULL)
		return;
	cache->bound = 0;
	shrink(cache, &gone);
	let_go(cache, gone);
	pthread_mutex_destroy(&cache->lock);
	free(cache->bucket);
	free(cache);
}

void *
cache_get(struct cache *cache, struct slice key)
{
	uint64_t h = hash(cache->seed, key);
	struct entry *entry;
	void *value = NULL;

	pthread_mutex_lock(&cache->lock);
	entry = *find(cache, h, key);
	if (entry != NULL) {
		use_unlink(cache, entry);
		use_newest(cache, entry);
		value = entry->value;
		cache->ref(value);
	}
	pthread_mutex_unlock(&cache->lock);
	return value;
}

int
cache_put(struct cache *cache, struct slice key, void *value, size_t weight)
{
	struct entry *entry, *gone = NULL, **at;

	assert(weight > 0);
	if (key.n > CACHE_KEY_MAX)
		return DKIM_ERR_LIMIT;
	entry = malloc(sizeof(*entry) + key.n);
	if (entry == NULL)
		return DKIM_ERR_NOMEM;
	entry->hash = hash(cache->seed, key);
	entry->value = value;
	entry->weight = weight;
	entry->n = key.n;
	if (key.n > 0)
		memcpy(entry->key, key.p, key.n);
	cache->ref(value);

	pthread_mutex_lock(&cache->lock);
	at = find(cache, entry->hash, key);
	if (*at != NULL)
		detach(cache, at, &gone);
	if (cache->entries >= cache->buckets)
		grow(cache);
	at = find(cache, entry->hash, key);
	entry->chain = NULL;
	*at = entry;
	use_newest(cache, entry);
	cache->weight += weight;
	cache->entries++;
	if (weight > cache->bound)
		detach(cache, at, &gone);
	shrink(cache, &gone);
	pthread_mutex_unlock(&cache->lock);
	let_go(cache, gone);
	return 0;
}

bool
cache_has_room(struct cache *cache, size_t weight)
{
	bool room;

	pthread_mutex_lock(&cache->lock);
	room = cache->weight <= cache->bound &&
	    weight <= cache->bound - cache->weight;
	pthread_mutex_unlock(&cache->lock);
	return room;
}

void
cache_drop(struct cache *cache, struct slice key, const void *value)
{
	uint64_t h = hash(cache->seed, key);
	struct entry *gone = NULL, **at;

	pthread_mutex_lock(&cache->lock);
	at = find(cache, h, key);
	if (*at != NULL && (*at)->value == value)
		detach(cache, at, &gone);
	pthread_mutex_unlock(&cache->lock);
	let_go(cache, gone);
}

void
cache_sweep(struct cache *cache, cache_match_fn match, const void *arg)
{
	struct entry *gone = NULL, *entry, *older;

	pthread_mutex_lock(&cache->lock);
	for (entry = cache->newest; entry != NULL; entry = older) {
		older = entry->older;
		if (match(entry->value, arg))
			detach(cache, find(cache, entry->hash,
			    slice_of(entry->key, entry->n)), &gone);
	}
	pthread_mutex_unlock(&cache->lock);
	let_go(cache, gone);
}

void
cache_bound(struct cache *cache, size_t bound)
{
	struct entry *gone = NULL;

	pthread_mutex_lock(&cache->lock);
	cache->bound = bound;
	shrink(cache, &gone);
	pthread_mutex_unlock(&cache->lock);
	let_go(cache, gone);
}

size_t
cache_entries(struct cache *cache)
{
	size_t n;

	pthread_mutex_lock(&cache->lock);
	n = cache->entries;
	pthread_mutex_unlock(&cache->lock);
	return n;
}

size_t
cache_weight(struct cache *cache)
{
	size_t n;

	pthread_mutex_lock(&cache->lock);
	n = cache->weight;
	pthread_mutex_unlock(&cache->lock);
	return n;
}
