/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder with a key for a load: key.pem is the private key, and records has
 * the line that TestPublicKeys of dkimd and opendkim wants.
 */
#ifndef MTA_KEYS_H
#define MTA_KEYS_H

/* rooms below */
#include "dkim/dkim.h"

/*
 * Make both files; none may be there.
 *   returns  0, EX_CANTCREAT, EX_OSERR; told
 */
int mta_keys_make(const char *folder, const char *domain, unsigned bits)
    MUSTUSE;

/*
 * The private key.
 *   returns  0, EX_NOINPUT, EX_DATAERR; told
 */
int mta_keys_private(const char *folder, struct rsab_key **out) MUSTUSE;

/*
 * The record of MTA_MAIL_SELECTOR at a domain.
 *   out      appended to
 *   returns  0, EX_NOINPUT, EX_DATAERR, EX_OSERR; told
 */
int mta_keys_record(const char *folder, const char *domain, struct buf *out)
    MUSTUSE;

#endif
