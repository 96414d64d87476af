/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which well-known change of a header makes its hash the one that was signed.
 * With RSA that hash is known, and a guess costs one digest; with Ed25519 each
 * guess is a verification. Tries and octets are bounded.
 */
#ifndef DKIM_HEADSEARCH_H
#define DKIM_HEADSEARCH_H

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "copies.h"
#include "digest.h"

#define HEADSEARCH_TRIES	1000		/* for one signature */
#define HEADSEARCH_OCTETS	67108864	/* hashed for one signature */
#define HEADSEARCH_NAMES	128		/* of h= whose fields are
						 * exchanged for others */
#define HEADSEARCH_EDITS	4		/* that one guess is made of */
#define HEADSEARCH_VALUE_MAX	8192		/* octets of a value that is
						 * varied */
#define HEADSEARCH_CHANGES	64		/* tried alone, that are tried
						 * in pairs as well */

/*
 * What is undone, to come to the header that was signed.
 */
enum headsearch_kind {
	HEADSEARCH_CANON,	/* the other canonicalization */
	HEADSEARCH_OWN,		/* the signature field: text says how */
	HEADSEARCH_BODY_HASH,	/* bh= is the hash of the body as it is; text
				 * says so */
	HEADSEARCH_COPIES,	/* fields as z= has them: text says so */
	HEADSEARCH_DROP,	/* without the field */
	HEADSEARCH_WORDS,	/* the field without text */
	HEADSEARCH_TAKEN,	/* the field with the value of field text */
	HEADSEARCH_OTHER,	/* another field of that name */
	HEADSEARCH_VALUE,	/* the field with the value text */
	HEADSEARCH_WHITE,	/* white space of the field: text says how */
	HEADSEARCH_SPACED,	/* the same, and relaxed sees it */
	HEADSEARCH_NAME,	/* the field's name written as text */
	HEADSEARCH_SIGNER,	/* a signer's fault: text says which */
};

struct headsearch_edit {
	enum headsearch_kind	 kind;
	struct slice		 name;	/* field; empty: all of them */
	struct slice		 text;	/* may be a stranger's octets */
	size_t			 nth;	/* DROP: which, from the top, */
	size_t			 of;	/* of so many of that name */
};

/*
 * A change that was tried alone.
 */
struct headsearch_change {
	struct headsearch_edit	edit;
	size_t			field;	/* index in the set; n: all of them */
	struct signedset_field	with;	/* what it becomes, but for DROP */
	size_t			white;	/* of all fields: which */
};

struct headsearch {
	/* the caller sets these */
	const struct dkim_lib		*lib;
	const struct dkim_header	*header;
	struct arena			*arena;
	const struct sigfield		*field;
	size_t				 own;	/* index of the field */
	struct rsab_worker		*worker;
	struct rsab_key			*key;
	bool				 known;	/* digest is what was signed */
	uint8_t				 digest[DIGEST_SIZE];
	uint8_t				 body_hash[DIGEST_SIZE]; /* as it is */
	/* what is hashed: changed and put back by the guesses */
	struct signedset		 set;
	enum dkim_canon			 alg;
	enum dkim_canon			 own_alg;	/* of the field */
	struct slice			 own_name;
	struct slice			 own_value;
	bool				 own_end;	/* CRLF behind */
	/* how far it came */
	size_t				 tries;
	uint64_t			 octets;
	bool				 spent;		/* a bound was met */
	int				 error;
	struct headsearch_edit		 edits[HEADSEARCH_EDITS];
	size_t				 edits_n;
	struct rsab_job			 job;
	/* what was tried alone, and how many more are kept */
	struct headsearch_change	 changes[HEADSEARCH_CHANGES];
	size_t				 changes_n;
	size_t				 room;
};

/*
 * Set what is hashed: the header as it is.
 *   errors   DKIM_ERR_NOMEM
 */
int headsearch_begin(struct headsearch *s) MUSTUSE;

/*
 * Is this it? Errors go to s->error.
 *   source   RFC 6376 s3.7
 */
bool headsearch_try(struct headsearch *s);

/*
 * Remember one more edit of a guess, or forget the last.
 */
void headsearch_push_edit(struct headsearch *s,
    const struct headsearch_edit *edit);
void headsearch_push(struct headsearch *s, enum headsearch_kind kind,
    struct slice name, struct slice text);
void headsearch_pop(struct headsearch *s);

/*
 * Keep a change that was not it alone, while there is room.
 */
void headsearch_keep(struct headsearch *s,
    const struct headsearch_change *change);

/*
 * The same header but for field i of the set; kept and put back unless it is
 * it.
 */
bool headsearch_try_field(struct headsearch *s, size_t i,
    const struct signedset_field *with, const struct headsearch_edit *edit);

/*
 * The same with another value only.
 */
bool headsearch_try_value(struct headsearch *s, size_t i, struct slice value,
    enum headsearch_kind kind, struct slice text);

#endif
