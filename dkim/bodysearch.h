/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which well-known change of a body makes its hash the one that was signed.
 * The body streams through some forty digests: linear, for people, never for
 * mail that somebody waits for.
 */
#ifndef DKIM_BODYSEARCH_H
#define DKIM_BODYSEARCH_H

#include "bodyedge.h"
#include "rewrite.h"

enum bodysearch_kind {
	BODYSEARCH_NOTHING,	/* none that is known here */
	BODYSEARCH_RIGHT,	/* the hash is right as it is */
	BODYSEARCH_CANON,	/* the other canonicalization */
	BODYSEARCH_WHOLE,	/* the whole body, not the first l= octets */
	BODYSEARCH_LINE_ENDS,	/* bare CR and LF as CRLF; or not so */
	BODYSEARCH_REWRITE,	/* the change of rewrite undone */
	BODYSEARCH_EDGE,	/* as edge has it */
	BODYSEARCH_RAW,		/* not canonicalized at all */
};

struct bodysearch_finding {
	enum bodysearch_kind	 kind;
	enum rewrite_kind	 rewrite;
	enum dkim_canon		 alg;		/* with which it matches */
	bool			 whole;		/* not cut at l= */
	enum bodyedge_kind	 edge;
	uint64_t		 top;		/* lines left out in front */
	uint64_t		 lines;		/* lines that match */
	uint64_t		 lines_all;	/* lines there are */
};

struct bodysearch;

/*
 *   fix_crlf  as the body is verified
 *   errors    DKIM_ERR_NOMEM, _CRYPTO
 */
int bodysearch_new(const struct dkim_lib *lib, bool fix_crlf,
    struct bodysearch **out) MUSTUSE;
void bodysearch_free(struct bodysearch *s);

/*
 * Look for this hash, too; before the first octet.
 *   length   l=, or UINT64_MAX
 *   index    out: for bodysearch_get
 *   errors   DKIM_ERR_LIMIT: more than BODYEDGE_WANTS different ones; _NOMEM,
 *            _CRYPTO
 */
int bodysearch_want(struct bodysearch *s, const uint8_t hash[DIGEST_SIZE],
    enum dkim_canon alg, uint64_t length, size_t *index) MUSTUSE;

int bodysearch_add(struct bodysearch *s, struct slice in) MUSTUSE;
int bodysearch_end(struct bodysearch *s) MUSTUSE;

/*
 * After the end.
 */
void bodysearch_get(const struct bodysearch *s, size_t index,
    struct bodysearch_finding *out);

#endif
