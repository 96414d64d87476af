/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scan of relaxed body canonicalization. Three files define it (SSE2, NEON,
 * 64-bit words); one is linked.
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

/*
 * The same octet by octet, from index at on: ends of the vector loops, and what
 * the tests compare with.
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

#endif
