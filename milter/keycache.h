/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache of private keys, which the key stores of one configuration after
 * the other share; counted.
 */
#ifndef KEYCACHE_H
#define KEYCACHE_H

#include <stdatomic.h>

#include "cache.h"

#define KEYCACHE_NAMES	2	/* of each key: what it is, whose row it has */

struct keycache {
	atomic_uint	 refs;
	struct cache	*cache;
};

/*
 * A reference to the old cache, or a new cache.
 *   old      NULL: none
 *   keys     KeyCacheSize: how many it keeps from now on; 0 counts as 1
 *   errors   DKIM_ERR_NOMEM
 */
int keycache_get(struct keycache *old, uint64_t keys, struct keycache **out)
    MUSTUSE;
void keycache_unref(struct keycache *keys);

#endif
