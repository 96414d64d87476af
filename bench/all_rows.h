/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading back what the subcommands wrote with --tsv.
 */
#ifndef ALL_ROWS_H
#define ALL_ROWS_H

/* this room */
#include "tsv.h"

/*
 * Hand on each row of a file.
 *   take     returns 0, or EX_DATAERR with tsv->error made
 *   returns  0; EX_NOINPUT, EX_DATAERR, EX_OSERR: told
 */
int all_rows(const char *file, int (*take)(void *arg, struct tsv *tsv),
    void *arg) MUSTUSE;

/*
 * The field of the row under that column; "-" where there is none.
 */
const char *all_rows_text(const struct tsv *tsv, const char *column);

#endif
