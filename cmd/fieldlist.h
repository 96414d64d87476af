/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Header fields of a message as an MTA keeps them while a milter changes them.
 */
#ifndef FIELDLIST_H
#define FIELDLIST_H

#include "dkim/dkim.h"

struct field {
	uint8_t		*text;		/* malloc'd: name, ":", value */
	size_t		 n;		/* octets */
	size_t		 name;		/* octets of the name */
};

struct fieldlist {
	struct field	*fields;
	size_t		 n, space;
};

/*
 * Insert a field before position at; at past the end appends.
 *   separator   between name and value: ":" or ": "
 */
int fieldlist_insert(struct fieldlist *list, size_t at, struct slice name,
    const char *separator, struct slice value) MUSTUSE;

/*
 * Change (or, value empty, delete) the index-th field of this name, from 1. A
 * field that is not there is added at the end, as MTAs do.
 */
int fieldlist_change(struct fieldlist *list, size_t index, struct slice name,
    const char *separator, struct slice value) MUSTUSE;
void fieldlist_clear(struct fieldlist *list);

#endif
