/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * z=, the copies of header fields that a signer may leave in its signature
 * (RFC 6376 s3.5). They say what changed since, and never decide anything:
 * "MUST NOT" take part in the verdict.
 */
#ifndef DKIM_COPIES_H
#define DKIM_COPIES_H

#include "signedset.h"

#define COPIES_MAX	64	/* copies that are looked at; more: none */
#define COPIES_NAME_MAX	64	/* octets of a name that is shown */

struct copy {
	struct slice	name;		/* of a field; white space out */
	struct slice	value;		/* as it was, decoded */
};

/*
 * Take z= apart.
 *   z        the tag's value
 *   a        gets what out points to, and out itself
 *   errors   DKIM_ERR_SYNTAX, _LIMIT (more than COPIES_MAX), _NOMEM
 *   source   RFC 6376 s3.5 z=, s2.11
 */
int copies_parse(struct slice z, struct arena *a, struct copy **out,
    size_t *n) MUSTUSE;

enum copies_change {
	COPIES_SAME,
	COPIES_CHANGED,		/* the field differs from its copy */
	COPIES_MISSING,		/* there is a copy, and no field */
	COPIES_ADDED,		/* there is a signed field, and no copy */
	COPIES_SPACE,		/* only white space differs, under simple */
};

/*
 * One difference between the copies and the fields that a signature covers.
 */
struct copies_difference {
	enum copies_change	 change;
	struct slice		 name;	/* in z= or in h= */
	size_t			 copy;	/* its index, or COPIES_NONE */
	size_t			 field;	/* in the set, or COPIES_NONE */
};

#define COPIES_NONE	SIZE_MAX

/*
 * Compare; fields of one name may stand in any order, and a copy whose name is
 * not in h= is passed over.
 *   copies   n of them
 *   alg      header canonicalization
 *   a        for what is needed meanwhile
 *   out      room for max; in the order of the copies, then of h=
 *   found    out: differences there, at most max
 *   errors   DKIM_ERR_NOMEM
 */
int copies_compare(const struct copy *copies, size_t n,
    const struct signedset *set, enum dkim_canon alg, struct arena *a,
    struct copies_difference *out, size_t max, size_t *found) MUSTUSE;

/*
 * May this name be shown as it is: letters, digits, - and _, at most
 * COPIES_NAME_MAX?
 */
bool copies_is_plain(struct slice name);

#endif
