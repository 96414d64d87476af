/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a body may have had less of, or another end of, when it was signed: for
 * explaining why a body hash differs. One canonical form of a body streams
 * through; at each line end the hash of the lines so far is looked at.
 */
#ifndef DKIM_BODYEDGE_H
#define DKIM_BODYEDGE_H

#include "canon.h"
#include "digest.h"

#define BODYEDGE_TOP	8	/* lines that may have been put in front */
#define BODYEDGE_CHECKS	1000000	/* line ends where the lines so far count */
#define BODYEDGE_BOTH	2000	/* the same, with lines in front left out */
#define BODYEDGE_WANTS	16	/* hashes looked for */

enum bodyedge_kind {
	BODYEDGE_NOTHING,
	BODYEDGE_LINES,		/* the lines from top on, so many */
	BODYEDGE_NO_END,	/* the last line end was not hashed */
	BODYEDGE_MORE_END,	/* one line end more was hashed */
	BODYEDGE_LF,		/* line ends were hashed as LF */
};

struct bodyedge_want {
	uint8_t			hash[DIGEST_SIZE];
	enum bodyedge_kind	kind;		/* out */
	uint64_t		top;		/* out: lines left out */
	uint64_t		lines;		/* out: lines that match */
};

struct bodyedge {
	struct canon		 canon;
	struct sink		 sink;
	struct digest		 tops[BODYEDGE_TOP + 1];
	size_t			 tops_n;	/* begun */
	struct digest		 open;		/* without the held octets */
	size_t			 held;		/* of a CRLF */
	struct digest		 lf;
	bool			 lf_cr;		/* a CR is held back */
	uint64_t		 lines;
	bool			 cr;		/* the last octet was one */
	struct bodyedge_want	 wants[BODYEDGE_WANTS];
	size_t			 wants_n;
	const struct dkim_lib	*lib;
	int			 error;
};

/*
 *   edge     stays where it is; bodyedge_clear also after an error
 *   errors   DKIM_ERR_NOMEM, _CRYPTO
 */
int bodyedge_init(struct bodyedge *edge, const struct dkim_lib *lib,
    enum dkim_canon alg, bool fix_crlf) MUSTUSE;
void bodyedge_clear(struct bodyedge *edge);

/*
 * Look for this hash, too; before the first octet.
 *   returns  its index
 *   errors   DKIM_ERR_LIMIT
 */
int bodyedge_want(struct bodyedge *edge, const uint8_t hash[DIGEST_SIZE],
    size_t *index) MUSTUSE;

/*
 * Body octets, cut anywhere; then the end, after which wants and lines (all
 * there are) say what was found.
 */
int bodyedge_add(struct bodyedge *edge, struct slice in) MUSTUSE;
int bodyedge_end(struct bodyedge *edge) MUSTUSE;

#endif
