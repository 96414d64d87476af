/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key records (RFC 6376 s3.6.1, RFC 8463 s4) and the counted set of those of
 * one name.
 */
#ifndef DKIM_KEYREC_H
#define DKIM_KEYREC_H

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "dkim.h"

enum keyrec_state {
	KEYREC_USABLE,
	KEYREC_REVOKED,		/* p= is empty */
	KEYREC_MALFORMED,
	KEYREC_UNFIT,		/* well formed, for no signature that we know */
	KEYREC_OVER,		/* key above the cap, not decoded */
};

#define KEYREC_HEAD	60	/* octets of a record that are kept */

struct keyrec {
	enum keyrec_state	 state;
	const char		*error;		/* NULL if usable; static */
	struct rsab_key		*key;		/* own reference; or NULL */
	bool			 testing;	/* t=y */
	bool			 strict;	/* t=s */
	bool			 sha256;	/* h= allows it */
	bool			 email;		/* s= allows it */
	uint8_t			 head[KEYREC_HEAD]; /* how the record begins, */
	size_t			 head_n;	/* for people */
};

/*
 * Parse one record.
 *   out      keyrec_clear gives its key back
 *   errors   DKIM_ERR_NOMEM; a fault of the record is its state
 */
int keyrec_parse(const struct rsab_backend *backend, struct slice record,
    struct keyrec *out) MUSTUSE;
void keyrec_clear(struct keyrec *rec);

/*
 * Why a usable record does not fit a signature, or NULL: static.
 *   type     key type of a=
 *   below    i= lies below d=
 *   source   RFC 6376 s6.1.2 steps 6, 8; s3.6.1 s=, t=
 */
const char *keyrec_misfit(const struct keyrec *rec, enum rsab_key_type type,
    bool below);

/*
 * Record i of a set, in the order of their octets.
 */
const struct keyrec *keyrec_at(const struct dkim_keyset *set, size_t i);

#endif
