/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonicalization of body and header (RFC 6376 s3.4). The body streams:
 * output does not depend on how the input is cut.
 */
#ifndef DKIM_CANON_H
#define DKIM_CANON_H

#include "dkim.h"

/*
 * Where canonical octets go. The slice lives during the call only.
 */
struct sink {
	void	(*add)(void *context, struct slice octets);
	void	 *context;
};

struct canon {
	enum dkim_canon	alg;
	bool		fix_crlf;	/* bare CR, bare LF count as CRLF */
	bool		fixed_cr;	/* that CR was the last octet so far */
	bool		any;		/* an octet has been given out */
	bool		white;		/* relaxed: white space is held back, */
	bool		cr;		/* then, behind it, a CR */
	uint64_t	blank_lines;	/* CRLFs held back, before both */
};

void canon_init(struct canon *c, enum dkim_canon alg, bool fix_crlf);

/*
 * Canonicalize body octets with c->alg and hand the result to out.
 *   in       n octets, cut anywhere: the output does not depend on the cuts
 *   out      octets that need no change go there where they lie, as the longest
 *            runs that canon_run (SSE2, NEON or words: three files, one linked)
 *            finds; where these are short, pieces go there as canon_run_pack
 *            makes them
 *   holds    trailing white space and line ends stay in c, as counts
 *   source   RFC 6376 s3.4.3, s3.4.4
 */
void canon_body(struct canon *c, struct slice in, struct sink *out);

/*
 * The end of the body: a missing last CRLF is added; simple gives CRLF for an
 * empty body, relaxed gives nothing.
 */
void canon_body_end(struct canon *c, struct sink *out);

/*
 * One header field, its final CRLF included.
 *   name, value   as dkim_header_add takes them
 *   source   RFC 6376 s3.4.1, s3.4.2
 */
void canon_field(enum dkim_canon alg, struct slice name, struct slice value,
    struct sink *out);

/*
 * The same without the final CRLF: the signature field itself, at the end of
 * the hash (RFC 6376 s3.7).
 */
void canon_field_last(enum dkim_canon alg, struct slice name,
    struct slice value, struct sink *out);

#endif
