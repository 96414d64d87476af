/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One loaded private key as the key store keeps it, and where it came from.
 * Counted; immutable but for the atomics.
 */
#ifndef STOREDKEY_H
#define STOREDKEY_H

#include <stdatomic.h>

#include "keyfile.h"
#include "want.h"

#define STOREDKEY_HEX	(2 * RSAB_FINGERPRINT_SIZE + 1)
#define STOREDKEY_FOREIGN	(-1)	/* size of a file that only root sees */

struct storedkey {
	atomic_uint		 refs;
	struct rsab_key		*key;
	char			*path;		/* NULL: inline, or a URI */
	struct keyfile_id	 id;
	/* When the file was looked at last, and when somebody went to do so;
	 * monotonic microseconds */
	atomic_uint_least64_t	 looked, went;
};

/*
 *   key      its reference moves, also on failure
 *   path     copied; NULL: inline, or a URI
 *   id       NULL: none
 */
int storedkey_new(struct rsab_key *key, const char *path,
    const struct keyfile_id *id, struct storedkey **out) MUSTUSE;
void storedkey_ref(void *key);
void storedkey_unref(void *key);

/*
 * Is it the key of a URI? Not one that was loaded into a token from a file.
 */
bool storedkey_is_in_token(const struct storedkey *key);

/*
 * Is it time to look at the file, or in the token? If so, the caller is the
 * one who does, and calls storedkey_looked. Should it never come to that (a
 * disk that hangs), the next one goes after half a minute.
 *   now      monotonic microseconds
 */
bool storedkey_is_due(struct storedkey *key, uint64_t now);
void storedkey_looked(struct storedkey *key, uint64_t now);

/*
 * Was it read before the drop of privileges, from a file that is hidden now?
 */
bool storedkey_is_foreign(const struct storedkey *key);

/*
 * The fingerprint in hexadecimal digits, for the log.
 */
void storedkey_print(const struct storedkey *key, char out[STOREDKEY_HEX]);

#endif
