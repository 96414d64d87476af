/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scans of body canonicalization: for relaxed, and for FixCRLF. Three files
 * define them (SSE2, NEON, 64-bit words); one is linked.
 */
#ifndef DKIM_CANON_RUN_H
#define DKIM_CANON_RUN_H

#include "slice.h"

/*
 * Octets of in, from its first, that relaxed leaves as they are: the index of
 * the first HTAB, of the first SP that has SP, HTAB or CR behind it or is the
 * last octet; in.n if there is none.
 *   source   RFC 6376 s3.4.4
 */
size_t canon_run(struct slice in);

#define CANON_RUN_AHEAD	2	/* octets behind those packed, looked at */
#define CANON_RUN_SLACK	16	/* octets of out that may be written besides */

/*
 * The relaxed form of the first n octets of in: an HTAB is a SP there; white
 * space that has white space or CRLF behind it goes.
 *   in       has CANON_RUN_AHEAD octets more, at least
 *   out      n + CANON_RUN_SLACK octets, apart from in
 *   returns  octets of the form
 *   source   RFC 6376 s3.4.4
 */
size_t canon_run_pack(struct slice in, size_t n, uint8_t *out);

/*
 * Index of the first CR that no LF follows, or LF that no CR precedes, within
 * in; in.n if there is none.
 */
size_t canon_run_bare(struct slice in);

/*
 * The same octet by octet, from index at on, of which the octet before is no
 * CR that wants an LF.
 */
static inline size_t
canon_run_bare_from(struct slice in, size_t at)
{
	for (; at < in.n; at++) {
		if (in.p[at] == '\n')
			break;
		if (in.p[at] == '\r' &&
		    (++at == in.n || in.p[at] != '\n'))
			return at - 1;
	}
	return at;
}

/*
 * canon_run octet by octet, from index at on: ends of the vector loops, and
 * what the tests compare with.
 */
static inline size_t
canon_run_from(struct slice in, size_t at)
{
	uint8_t next;

	for (; at < in.n; at++) {
		if (in.p[at] == '\t')
			break;
		if (in.p[at] != ' ')
			continue;
		if (at + 1 == in.n)
			break;
		next = in.p[at + 1];
		if (next == ' ' || next == '\t' || next == '\r')
			break;
	}
	return at;
}

static inline bool
canon_run_white(uint8_t octet)
{
	return octet == ' ' || octet == '\t';
}

/*
 * canon_run_pack octet by octet, from index at to n on. What is dropped is
 * written too, then written over: a branch would be guessed wrong often.
 */
static inline size_t
canon_run_pack_from(struct slice in, size_t at, size_t n, uint8_t *out)
{
	size_t used = 0;
	bool here, next, end;

	for (; at < n; at++) {
		here = canon_run_white(in.p[at]);
		next = canon_run_white(in.p[at + 1]);
		end = (in.p[at + 1] == '\r') & (in.p[at + 2] == '\n');
		out[used] = here ? ' ' : in.p[at];
		used += !(here & (next | end));
	}
	return used;
}

#endif
