/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backends that a user lists, found and tested.
 */
#ifndef BACKENDS_H
#define BACKENDS_H

/* rooms below */
#include "rsa-backend/rsab.h"

/* this room */
#include "options.h"

struct backends {
	struct options_names	 names;

	/* by the order of names; NULL: not here, for that reason */
	const struct rsab_backend *backend[OPTIONS_LIST_MAX];
	const char		*reason[OPTIONS_LIST_MAX];
};

/*
 * Look a backend up and let it show its known answers.
 *   backend  out; NULL: not here
 *   reason   out: why it is not here, or NULL; static
 *   returns  as the next one, without EX_UNAVAILABLE
 */
int backends_find_one(const char *name, const struct rsab_backend **backend,
    const char **reason) MUSTUSE;

/*
 * Look up the names and let each backend show its known answers.
 *   returns  0, or an exit status (told): EX_USAGE for a name that no backend
 *            has, EX_UNAVAILABLE where none of them is here, EX_SOFTWARE for
 *            a wrong answer
 */
int backends_find(struct backends *backends) MUSTUSE;

#endif
