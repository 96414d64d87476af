/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation that tell what a malformed key record is.
 */
#ifndef DKIM_EXPLAIN_RECORD_H
#define DKIM_EXPLAIN_RECORD_H

#include "keyrec.h"

/*
 * A line for a malformed record: how it begins, and which mistake of
 * publishing that looks like; nothing for another record.
 */
void explain_record_add(const struct keyrec *rec, struct buf *out);

#endif
