/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of a message that one signature covers, name by name of its h=
 * (RFC 6376 s5.4.2): for who wants to look at them one by one.
 */
#ifndef DKIM_SIGNEDSET_H
#define DKIM_SIGNEDSET_H

#include "sigfield.h"

struct signedset_field {
	struct slice	asked;		/* name in h= */
	bool		present;	/* the message has it: */
	size_t		at;		/* index in the header */
	struct slice	name;		/* as added there */
	struct slice	value;
};

struct signedset {
	struct signedset_field	*fields;	/* one a name of h= */
	size_t			 n;
};

/*
 * The name to show: as the message has it, else as h= does.
 */
static inline struct slice
signedset_name(const struct signedset_field *field)
{
	return field->present ? field->name : field->asked;
}

/*
 * Gather them.
 *   own      index of the signature field itself
 *   a        gets what out points to
 *   errors   DKIM_ERR_NOMEM
 */
int signedset_make(const struct dkim_header *header, const struct sigfield *f,
    size_t own, struct arena *a, struct signedset *out) MUSTUSE;

/*
 * The signature field's own value with that of b= taken out, white space round
 * it included: what stands at the end of the hash.
 *   errors   DKIM_ERR_NOMEM
 *   source   RFC 6376 s3.7
 */
int signedset_bare(struct slice value, const struct sigfield *f,
    struct arena *a, struct slice *out) MUSTUSE;

#endif
