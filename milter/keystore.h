/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private keys: row to loaded key, cached, re-read when the file changes,
 * with the safety checks of key files (BEHAVIOUR 3, 4; MIGRATION 2h). The
 * cache lives on over reloads: a key whose row or file became bad stays.
 */
#ifndef KEYSTORE_H
#define KEYSTORE_H

#include "identity.h"
#include "want.h"

struct keystore;
struct signer;

/*
 * Make the key store of a configuration, as the user that it will run as.
 *   signer   its threads for blocking work read files for keystore_ask; NULL:
 *            keystore_ask reads them on its caller's thread
 *   old      keys loaded under the previous configuration stay for rows that
 *            became bad; NULL at start
 *   errors   DKIM_ERR_NOMEM
 */
int keystore_new(const struct conf *conf, struct signer *signer,
    struct keystore *old, struct keystore **out) MUSTUSE;
struct keystore *keystore_ref(struct keystore *store);
void keystore_unref(struct keystore *store);

/*
 * The KeyFile's octets, read before the drop of privileges; the caller wipes.
 * Of a URI there are none: its token is asked, here and now.
 * A key that does not load is FAULT_ROW; one that SignatureAlgorithm
 * contradicts is FAULT_FATAL.
 *   path     as the option has it
 *   errors   DKIM_ERR_SYNTAX: reported; _NOMEM
 */
int keystore_preload(struct keystore *store, const struct conf *conf,
    const char *path, const uint8_t *octets, size_t n,
    struct report *report) MUSTUSE;

/*
 * Keep the KeyFile's key of the configuration before, with the backend that it
 * has: the file cannot be read now.
 *   old      of that configuration
 *   path     as the option has it, in both
 *   errors   DKIM_ERR_ARGUMENT: there is none; _NOMEM
 */
int keystore_keep(struct keystore *store, const struct keystore *old,
    const char *path) MUSTUSE;

/*
 * Find or load the key of a WANT_PRIVATE_KEY; not one that is gone. What is
 * cached is answered at once (true, as resolver_ask); else a blocking worker
 * loads it (false). So it does, once a second and key, when the file has to be
 * looked at. A token is waited for on threads of its own.
 */
bool keystore_ask(struct keystore *store, struct want *want);

/*
 * Load one key now, for start-up checks and dkimd -n; faults are FAULT_ROW
 * with file:line, path element, user and bit.
 *   domain   replaces "%" in a path, NUL-ended; NULL: the row has none
 *   out      a reference
 *   errors   DKIM_ERR_SYNTAX: reported; _NOMEM
 */
int keystore_load(struct keystore *store, const struct row *row,
    const struct key_row *key_row, const char *domain, struct report *report,
    struct rsab_key **out) MUSTUSE;

/*
 * Load the key of each row of KeyTable that needs no domain for its "%".
 *   stop     ends it early when it becomes true; NULL: never
 *   returns  keys that loaded
 */
size_t keystore_check(struct keystore *store, const struct conf *conf,
    struct report *report, atomic_bool *stop);

#endif
