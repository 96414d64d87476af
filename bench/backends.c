/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backends of a list; see backends.h.
 */

/* system */
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "backends.h"

static int
known_answers(const char *name, const struct rsab_backend *backend)
{
	const struct rsab_backend *next;
	unsigned class = 0;
	int error = rsab_backend_selftest(backend, &next, &class);

	if (error == 0)
		return 0;
	if (error == RSAB_ERR_BACKEND) {
		warnx("%s: wrong known answer of %u bits: this processor or "
		    "this build cannot be trusted", name, class);
		return EX_SOFTWARE;
	}
	warnx("%s: %s", name, rsab_strerror(error));
	return EX_OSERR;
}

int
backends_find_one(const char *name, const struct rsab_backend **backend,
    const char **reason)
{
	int error = rsab_backend_find(name, backend);

	if (error == RSAB_ERR_UNKNOWN) {
		warnx("--backend %s: no such backend", name);
		return EX_USAGE;
	}
	*reason = error != 0 ? rsab_strerror(error) : NULL;
	if (error == 0)
		return known_answers(name, *backend);
	*backend = NULL;
	return 0;
}

int
backends_find(struct backends *backends)
{
	size_t here = 0;
	int status;

	for (size_t i = 0; i < backends->names.n; i++) {
		const char *name = backends->names.v[i];

		status = backends_find_one(name, &backends->backend[i],
		    &backends->reason[i]);
		if (status != 0)
			return status;
		if (backends->reason[i] == NULL && strcmp(name, "pkcs11") == 0)
			backends->reason[i] = "its keys lie in a token, no "
			    "fresh one can be given";
		if (backends->reason[i] == NULL)
			here++;
		else
			backends->backend[i] = NULL;
	}
	if (here == 0)
		warnx("no backend of the list is here: %s",
		    backends->reason[0]);
	return here == 0 ? EX_UNAVAILABLE : 0;
}
