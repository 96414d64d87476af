/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes our DKIM-Signature field (RFC 6376 s3.5). What is hashed and what is
 * inserted come from the same calls, so their folds cannot differ.
 */
#ifndef DKIM_SIGPRINT_H
#define DKIM_SIGPRINT_H

#include "dkim.h"
#include "digest.h"

struct sigprint {
	const char		*algorithm;	/* a= */
	enum dkim_canon		 header_canon;
	enum dkim_canon		 body_canon;
	struct slice		 domain;	/* d=, A-labels */
	struct slice		 selector;	/* s=, A-labels */
	struct slice		 identity;	/* i= encoded; empty: no tag */
	uint64_t		 time;		/* t= */
	uint64_t		 expiry;	/* x=; 0: no tag */
	const struct slice	*names;		/* h= */
	size_t			 names_n;
	struct slice		 copies;	/* z= encoded; empty: no tag */
	uint8_t			 body_hash[DIGEST_SIZE];
};

/*
 * Where the next octet goes.
 */
struct sigprint_writer {
	struct buf	*out;
	const char	*line_end;
	size_t		 column;	/* of the line, a TAB counts 8 */
};

/*
 * The field body from its leading space up to and including "b=".
 *   w        column is set here; failures stay in w->out
 */
void sigprint_head(const struct sigprint *s, struct sigprint_writer *w);

/*
 * The value of b=, behind sigprint_head.
 *   base64   one line
 */
void sigprint_signature(struct slice base64, struct sigprint_writer *w);

#endif
