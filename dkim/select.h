/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selection of header fields by h=: each name takes the lowest field of that
 * name not yet taken; a name without a field takes nothing (RFC 6376 s5.4.2).
 */
#ifndef DKIM_SELECT_H
#define DKIM_SELECT_H

#include "canon.h"

/*
 * Is told which field a name takes: both as indexes.
 */
struct select_taker {
	void	(*take)(void *context, size_t name, size_t field);
	void	 *context;
};

/*
 * Which field each name takes, in the order of names; one without a field is
 * passed over. Linear in names plus fields.
 *   names    n names from h=, any case
 *   own      index in header of the signature field itself, never selected;
 *            count of header when it is not there (signing)
 *   errors   DKIM_ERR_NOMEM
 */
int select_each(const struct dkim_header *header, const struct slice *names,
    size_t n, size_t own, const struct select_taker *taker) MUSTUSE;

/*
 * Canonicalize the selected fields, in the order of h=, into out; otherwise as
 * select_each.
 */
int select_fields(const struct dkim_header *header, const struct slice *names,
    size_t n, size_t own, enum dkim_canon alg, struct sink *out) MUSTUSE;

#endif
