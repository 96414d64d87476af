/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private keys: row to loaded key, cached, re-read when the file changes,
 * with the safety checks of key files (BEHAVIOUR 3, 4; MIGRATION 2h).
 */
#ifndef KEYSTORE_H
#define KEYSTORE_H

#include "want.h"

struct keystore;

/*
 *   old      keys loaded under the previous configuration stay for rows that
 *            became bad; NULL at start
 */
int keystore_new(const struct conf *conf, struct keystore *old,
    struct keystore **out) MUSTUSE;
struct keystore *keystore_ref(struct keystore *store);
void keystore_unref(struct keystore *store);

/*
 * The KeyFile's octets, read before the drop of privileges; wiped after.
 */
int keystore_preload(struct keystore *store, const char *path,
    const uint8_t *octets, size_t n, struct report *report) MUSTUSE;

/*
 * Find or load the key of a WANT_PRIVATE_KEY. What is cached is answered at
 * once (true, as resolver_ask); else a blocking worker loads it (false).
 */
bool keystore_ask(struct keystore *store, struct want *want);

/*
 * Load one key now, for start-up checks and dkimd -n; faults are reported
 * with file:line, path element, user and bit.
 */
int keystore_load(struct keystore *store, const struct row *row,
    const struct key_row *key_row, const char *domain, struct report *report,
    struct rsab_key **out) MUSTUSE;

#endif
