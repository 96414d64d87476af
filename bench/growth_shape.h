/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages and key records that grow in one way each: what a stranger may send
 * to make a verifier work more than he does.
 */
#ifndef GROWTH_SHAPE_H
#define GROWTH_SHAPE_H

/* rooms below */
#include "dkim/dkim.h"

#define GROWTH_STEPS	4	/* n, 2n, 4n, 8n */
#define GROWTH_ID	"mx.example.net"	/* our authserv-id */

struct growth_case {
	struct buf	header;		/* lines with their CRLF */
	struct buf	body;
	struct buf	record;		/* the TXT record at every name */
};

struct growth_shape {
	const char	*name;
	const char	*unit;		/* of n: "fields", "octets" */
	size_t		 least;		/* n at first; 8 of it pass no limit */

	/*
	 * Add what grows to a case of one good field From, and a tail for the
	 * signature's h= or other tags where it has one.
	 */
	void		(*put)(struct growth_case *c, size_t n);
};

extern const struct growth_shape growth_shapes[];
extern const size_t growth_shapes_count;

/*
 * Make a case of n units. Its signatures have a right bh= and a b= that does
 * not verify, so that each one takes all the work there is.
 *   lib      for the body's hash
 *   out      growth_case_clear frees, also after an error
 *   errors   DKIM_ERR_NOMEM, _CRYPTO
 */
int growth_case_make(const struct dkim_lib *lib,
    const struct growth_shape *shape, size_t n, struct growth_case *out)
    MUSTUSE;
void growth_case_clear(struct growth_case *c);

#endif
