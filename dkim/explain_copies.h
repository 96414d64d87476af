/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation that tell what z= shows.
 */
#ifndef DKIM_EXPLAIN_COPIES_H
#define DKIM_EXPLAIN_COPIES_H

#include "copies.h"

/*
 * One difference from z=.
 *   set      of the fields as they are
 */
void explain_copies_difference(const struct copies_difference *d,
    const struct copy *copies, const struct signedset *set, struct buf *out);

#endif
