/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of a message, for the files of this room.
 */
#ifndef DKIM_HEADER_H
#define DKIM_HEADER_H

#include "dkim.h"

/*
 * Name of field i without the white space in front of the colon: what names are
 * compared with.
 */
struct slice header_name(const struct dkim_header *header, size_t i);

/*
 * A negative number, 0 or a positive one, for an order of names that does not
 * see the case of letters; shorter names come first.
 */
int header_compare_names(struct slice a, struct slice b);

#endif
