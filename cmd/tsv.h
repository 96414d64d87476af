/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of tab-separated values on standard output; \t \n \r \\ and other
 * control or 8-bit octets are escaped as \xHH.
 */
#ifndef TSV_H
#define TSV_H

#include "dkim/dkim.h"

/*
 * One field and, unless last, its TAB; an empty one is given as it is.
 */
void tsv_field(struct slice s, int last);

/*
 * Untrusted octets for people: the same escapes, no TAB.
 */
void tsv_text(struct slice s);

#endif
