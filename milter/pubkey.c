/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public-key cache.
 */

/* system */
#include <stdatomic.h>
#include <stdlib.h>

/* this room */
#include "milter/pubkey.h"

struct pubkey {
	atomic_uint		 refs;
	struct dkim_keyset	*keyset;
	enum dkim_dnssec	 dnssec;
	uint64_t		 until;
};

static void
pubkey_ref(void *value)
{
	struct pubkey *key = value;

	atomic_fetch_add_explicit(&key->refs, 1, memory_order_relaxed);
}

static void
pubkey_unref(void *value)
{
	struct pubkey *key = value;

	if (atomic_fetch_sub_explicit(&key->refs, 1, memory_order_acq_rel) > 1)
		return;
	dkim_keyset_unref(key->keyset);
	free(key);
}

int
pubkey_cache_new(size_t octets, struct cache **out)
{
	return cache_new(octets, pubkey_ref, pubkey_unref, out);
}

void
pubkey_cache_put(struct cache *cache, const char *name,
    struct dkim_keyset *keyset, enum dkim_dnssec dnssec, uint64_t until)
{
	struct slice text = slice_text(name);
	struct pubkey *key;

	key = malloc(sizeof(*key));
	if (key == NULL)
		return;
	atomic_init(&key->refs, 1);
	key->keyset = dkim_keyset_ref(keyset);
	key->dnssec = dnssec;
	key->until = until;
	/* What is not kept is asked for again */
	(void)!cache_put(cache, text, key,
	    sizeof(*key) + text.n + dkim_keyset_octets(keyset));
	pubkey_unref(key);
}

bool
pubkey_cache_get(struct cache *cache, const char *name, uint64_t now,
    struct dkim_answer *out)
{
	struct slice text = slice_text(name);
	struct pubkey *key = cache_get(cache, text);
	bool found;

	if (key == NULL)
		return false;
	found = now < key->until;
	if (found)
		*out = (struct dkim_answer){
			.state = DKIM_ANSWER_FOUND,
			.keyset = dkim_keyset_ref(key->keyset),
			.dnssec = key->dnssec,
		};
	else
		cache_drop(cache, text, key);
	pubkey_unref(key);
	return found;
}
