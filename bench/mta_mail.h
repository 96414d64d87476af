/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages for a milter under load: nine header fields and a text body, all
 * different, all following from a seed.
 */
#ifndef MTA_MAIL_H
#define MTA_MAIL_H

/* rooms below */
#include "dkim/dkim.h"

#define MTA_MAIL_SELECTOR	"bench"		/* of DKIM-Signature */

/* What all messages of a run have in common. */
struct mta_mail_kind {
	const char	*domain;	/* of From */
	size_t		 size;		/* octets of the body */
	uint64_t	 seed;
};

struct mta_mail {
	struct dkim_header *header;
	struct buf	 body;
};

/*
 * Make message number of a kind.
 *   body     exactly size octets, lines of 74 octets with CRLF; the last line
 *            ends in CRLF where size is 2 or more
 *   out      mta_mail_clear frees
 *   errors   DKIM_ERR_NOMEM, and those of dkim_header_add
 */
int mta_mail_make(const struct mta_mail_kind *kind, uint64_t number,
    struct mta_mail *out) MUSTUSE;
void mta_mail_clear(struct mta_mail *mail);

/*
 * Put one more field on top.
 *   value    with its leading space
 *   errors   as above; mail is unchanged then
 */
int mta_mail_put_above(struct mta_mail *mail, const char *name,
    struct slice value) MUSTUSE;

/*
 * Sign with relaxed/simple as MTA_MAIL_SELECTOR, and put the field on top.
 *   now      t=, Unix time
 *   errors   DKIM_ERR_*; DKIM_ERR_CRYPTO where the key does not sign
 */
int mta_mail_sign(struct mta_mail *mail, const struct mta_mail_kind *kind,
    const struct dkim_lib *lib, struct rsab_key *key,
    struct rsab_worker *worker, uint64_t now) MUSTUSE;

/*
 * Judge the topmost signature with one key record.
 *   errors   DKIM_ERR_*: no verdict
 */
int mta_mail_verify(const struct mta_mail *mail, const struct dkim_lib *lib,
    struct slice record, struct rsab_worker *worker, uint64_t now,
    enum dkim_result *out) MUSTUSE;

#endif
