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
backends_find(struct backends *backends)
{
	size_t here = 0;
	int error, status;

	for (size_t i = 0; i < backends->names.n; i++) {
		const char *name = backends->names.v[i];

		error = rsab_backend_find(name, &backends->backend[i]);
		if (error == RSAB_ERR_UNKNOWN) {
			warnx("--backend %s: no such backend", name);
			return EX_USAGE;
		}
		backends->reason[i] = error != 0 ? rsab_strerror(error) :
		    strcmp(name, "pkcs11") == 0 ?
		    "its keys lie in a token, no fresh one can be given" :
		    NULL;
		if (backends->reason[i] != NULL) {
			backends->backend[i] = NULL;
			continue;
		}
		status = known_answers(name, backends->backend[i]);
		if (status != 0)
			return status;
		here++;
	}
	if (here == 0)
		warnx("no backend of the list is here: %s",
		    backends->reason[0]);
	return here == 0 ? EX_UNAVAILABLE : 0;
}
