/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What software on the way does to a body, undone: for explaining why a body
 * hash differs. Each is a guess about what was signed.
 */
#ifndef DKIM_REWRITE_H
#define DKIM_REWRITE_H

#include "gather.h"

enum rewrite_kind {
	REWRITE_NONE,
	REWRITE_FROM,		/* ">From " of mbox files is "From " again */
	REWRITE_UNSTUFF,	/* ".." that begins a line is "." again */
	REWRITE_STUFF,		/* "." that begins a line becomes ".." */
	REWRITE_JOIN,		/* lines that an MTA broke are one again */
	REWRITE_JOIN_BANG,	/* the same, with Sendmail's "!" at the end */
	REWRITE_QP,		/* quoted-printable is decoded */
	REWRITE_BASE64,		/* base64 is decoded */
	REWRITE_BLANKS,		/* without white space at the ends of lines */
	REWRITE_DASHES,		/* "--" alone has a space behind it again */
	REWRITE_KINDS,
};

#define REWRITE_LONG	900	/* octets of a line that an MTA may break */
#define REWRITE_WHITE	998	/* octets of white space that are held; what
				 * has more is not taken out */

struct rewrite {
	enum rewrite_kind	 kind;
	struct gather		 gather;
	size_t			 column;	/* octets of the line so far */
	size_t			 held;		/* octets of what is matched */
	uint8_t			 high;		/* first hex digit, or CR */
	uint32_t		 bits;		/* of base64 */
	unsigned		 digits;
	uint8_t			 white[REWRITE_WHITE];
};

/*
 *   out      outlives r
 */
void rewrite_init(struct rewrite *r, enum rewrite_kind kind,
    struct sink *out);

/*
 * The next octets of the body, cut anywhere.
 *   source   RFC 4155 A (mbox), RFC 5321 s4.5.2 (dots), s4.5.3.1.6 (lines),
 *            RFC 2045 s6.7, s6.8, RFC 3676 s4.3 (dashes)
 */
void rewrite_add(struct rewrite *r, struct slice in);
void rewrite_end(struct rewrite *r);

#endif
