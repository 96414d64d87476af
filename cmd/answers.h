/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the command line takes key records from: a table in a file (--dns), or
 * dkimd's own resolver (--testkeys, --nameserver, the system's servers).
 */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "dkim/dkim.h"

struct answers;

struct answers_options {
	const char	*dns;		/* --dns FILE */
	const char	*testkeys;	/* --testkeys FILE */
	const char	*nameserver;	/* --nameserver A@P */
};

/*
 * Trouble is told on stderr.
 *   options  at most one is set; none: the system's resolver
 *   returns  0, EX_NOINPUT, EX_CONFIG, EX_OSERR
 */
int answers_new(const struct answers_options *options, struct answers **out)
    MUSTUSE;
void answers_free(struct answers *answers);

/*
 * The records of n names, asked for together.
 *   out      n answers; the keyset references move to the caller
 */
void answers_get(struct answers *answers, const char *const *names, size_t n,
    struct dkim_answer *out);

#endif
