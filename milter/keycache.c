/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache of private keys.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "milter/keycache.h"
#include "milter/storedkey.h"

static size_t
bound_of(uint64_t keys)
{
	if (keys == 0)
		keys = 1;
	return keys > SIZE_MAX / (2 * KEYCACHE_NAMES) ? SIZE_MAX / 2 :
	    (size_t)keys * KEYCACHE_NAMES;
}

int
keycache_get(struct keycache *old, uint64_t keys, struct keycache **out)
{
	struct keycache *made;

	if (old != NULL) {
		atomic_fetch_add_explicit(&old->refs, 1, memory_order_relaxed);
		cache_bound(old->cache, bound_of(keys));
		*out = old;
		return 0;
	}
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DKIM_ERR_NOMEM;
	atomic_init(&made->refs, 1);
	if (cache_new(bound_of(keys), storedkey_ref, storedkey_unref,
	    &made->cache) != 0) {
		free(made);
		return DKIM_ERR_NOMEM;
	}
	*out = made;
	return 0;
}

void
keycache_unref(struct keycache *keys)
{
	if (keys == NULL ||
	    atomic_fetch_sub_explicit(&keys->refs, 1, memory_order_acq_rel) > 1)
		return;
	cache_free(keys->cache);
	free(keys);
}
