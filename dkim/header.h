/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of a message, for the files of this room.
 */
#ifndef DKIM_HEADER_H
#define DKIM_HEADER_H

#include "dkim.h"

struct header_field {
	struct slice	name;		/* as added */
	struct slice	value;
	size_t		compared;	/* octets of name before white space */
};

struct dkim_header {
	struct arena		 arena;
	struct header_field	*fields;
	size_t			 n;
	size_t			 space;
	size_t			 octets;	/* of all fields */
	size_t			 max;
	char			 over[64];	/* the limit passed, or "" */
};

/*
 * Name of field i without the white space in front of the colon: what names are
 * compared with.
 */
static inline struct slice
header_name(const struct dkim_header *header, size_t i)
{
	assert(i < header->n);
	return slice_sub(header->fields[i].name, 0,
	    header->fields[i].compared);
}

/*
 * A negative number, 0 or a positive one, for an order of names that does not
 * see the case of letters; shorter names come first.
 */
int header_compare_names(struct slice a, struct slice b);

#endif
