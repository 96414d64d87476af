/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words that structured field bodies are made of (RFC 5322 s3.2, s4.1,
 * RFC 6532): a cursor that steps over white space and comments, and takes one
 * word at a time.
 */
#ifndef DKIM_RFC5322_H
#define DKIM_RFC5322_H

#include "dkim.h"

#define RFC5322_COMMENT_DEPTH	64	/* comments inside comments */

enum rfc5322_kind {
	RFC5322_END,		/* nothing is left */
	RFC5322_ATOM,		/* 1*atext, UTF-8 included */
	RFC5322_QUOTED,		/* quoted-string, quotes included */
	RFC5322_LITERAL,	/* domain-literal, brackets included */
	RFC5322_SPECIAL,	/* one octet of ( ) < > : ; @ \ , . or [ */
	RFC5322_BAD,		/* an open comment, string or literal, or an
				 * octet that stands nowhere */
};

struct rfc5322_word {
	enum rfc5322_kind	 kind;
	struct slice		 raw;
	size_t			 at;	/* octet offset of raw in the body */
};

/*
 * The word at or behind octet *at, CFWS in front of it skipped; *at moves
 * behind it.
 */
struct rfc5322_word rfc5322_next(struct slice body, size_t *at);

/*
 * Is word this special?
 */
bool rfc5322_is(struct rfc5322_word word, uint8_t special);

/*
 * What a run of words means: CFWS out, quotes and quoted-pairs undone, literals
 * without their white space.
 *   raw      words that rfc5322_next took, and what is between them
 *   out      slice into raw where nothing changes, else into a
 *   errors   DKIM_ERR_NOMEM
 */
int rfc5322_plain(struct slice raw, struct arena *a, struct slice *out)
    MUSTUSE;

#endif
