/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -Q: look rows of a data set up.
 */
#ifndef DKIMD_QUERY_H
#define DKIMD_QUERY_H

#include "milter/report.h"

/*
 * Read the text of a data set, as an option would have it, from the first line
 * of standard input, and "key/n" from each of the others; print the first row's
 * value in n parts at ":", the last part with the rest, one a line in quotes.
 *   returns  0; EX_USAGE: a query is none (the others are answered); EX_CONFIG:
 *            the data set cannot be opened, told to report; EX_NOINPUT: there
 *            is no line; EX_OSERR
 *   source   MIGRATION 1k, 2b
 */
int dkimd_query(struct report *report) MUSTUSE;

#endif
