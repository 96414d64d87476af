/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loaded private keys.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "milter/clock.h"
#include "milter/storedkey.h"

#define LOOK_EVERY	1000000		/* microseconds, a key */
#define LOOK_TOKEN	60000000	/* the same in a token: a look is an
					 * open, with signatures */
#define LOOK_LOST	30000000	/* microseconds until one that went is
					 * lost */

int
storedkey_new(struct rsab_key *key, const char *path,
    const struct keyfile_id *id, struct storedkey **out)
{
	struct storedkey *stored;

	stored = calloc(1, sizeof(*stored));
	if (stored == NULL)
		goto no_memory;
	if (path != NULL) {
		stored->path = strdup(path);
		if (stored->path == NULL)
			goto no_memory;
	}
	atomic_init(&stored->refs, 1);
	atomic_init(&stored->looked, clock_us());
	atomic_init(&stored->went, 0);
	stored->key = key;
	if (id != NULL)
		stored->id = *id;
	*out = stored;
	return 0;

no_memory:
	free(stored);
	rsab_key_unref(key);
	return DKIM_ERR_NOMEM;
}

void
storedkey_ref(void *value)
{
	struct storedkey *key = value;

	atomic_fetch_add_explicit(&key->refs, 1, memory_order_relaxed);
}

void
storedkey_unref(void *value)
{
	struct storedkey *key = value;

	if (key == NULL ||
	    atomic_fetch_sub_explicit(&key->refs, 1, memory_order_acq_rel) > 1)
		return;
	rsab_key_unref(key->key);
	free(key->path);
	free(key);
}

bool
storedkey_is_in_token(const struct storedkey *key)
{
	return key->path == NULL && rsab_key_token(key->key) != NULL;
}

bool
storedkey_is_due(struct storedkey *key, uint64_t now)
{
	uint64_t looked = atomic_load(&key->looked);
	uint64_t went = atomic_load(&key->went);
	bool in_token = storedkey_is_in_token(key);

	if (key->path == NULL && !in_token)
		return false;
	if (now - looked < (in_token ? LOOK_TOKEN : LOOK_EVERY))
		return false;
	if (went > looked && now - went < LOOK_LOST)
		return false;
	return atomic_compare_exchange_strong(&key->went, &went, now);
}

void
storedkey_looked(struct storedkey *key, uint64_t now)
{
	atomic_store(&key->looked, now);
}

bool
storedkey_is_foreign(const struct storedkey *key)
{
	return key->id.size == STOREDKEY_FOREIGN;
}

void
storedkey_print(const struct storedkey *key, char out[STOREDKEY_HEX])
{
	uint8_t print[RSAB_FINGERPRINT_SIZE];
	size_t i;

	rsab_key_fingerprint(key->key, print);
	for (i = 0; i < sizeof(print); i++)
		snprintf(out + 2 * i, 3, "%02x", print[i]);
}
