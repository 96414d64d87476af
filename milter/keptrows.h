/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of KeyTable that became bad at a reload go on as they were: the old
 * row of each name whose new one does not parse (BEHAVIOUR 4). Immutable once
 * made; may be used by many threads.
 */
#ifndef KEPTROWS_H
#define KEPTROWS_H

#include "conf.h"

struct keptrows;

/*
 * Look for a good row in old for each row of conf's KeyTable that is bad, and
 * copy it. One that was kept in old already is kept again.
 *   report   a warning each
 *   out      NULL: none had to be kept
 *   errors   DKIM_ERR_NOMEM
 */
int keptrows_make(const struct conf *old, const struct conf *conf,
    struct report *report, struct keptrows **out) MUSTUSE;
void keptrows_free(struct keptrows *rows);

/*
 * The value of a row that is used in place of that of a bad row; its place
 * stays the bad row's. Logged and counted, as mail needs it.
 */
void keptrows_put(const struct conf *conf, struct row *row);

#endif
