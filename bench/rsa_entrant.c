/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backends and tokens of a command line; see rsa_entrant.h.
 */

/* system */
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "rsa_entrant.h"

static int
selftest(const struct rsa_entrant *entrant)
{
	const struct rsab_backend *next;
	unsigned class = 0;
	int error = rsab_backend_selftest(entrant->backend, &next, &class);

	if (error == 0)
		return 0;
	if (error == RSAB_ERR_BACKEND) {
		warnx("%s: wrong known answer of %u bits: this processor or "
		    "this build cannot be trusted", entrant->name, class);
		return EX_SOFTWARE;
	}
	warnx("%s: %s", entrant->name, rsab_strerror(error));
	return EX_OSERR;
}

/*
 * Add a backend, or each token.
 */
static void
add(const struct rsa_options *options, const struct rsa_entrant *entrant,
    bool is_token, struct rsa_entrants *out)
{
	if (!is_token || entrant->reason != NULL) {
		out->v[out->n++] = *entrant;
		return;
	}
	for (size_t i = 0; i < options->places_n; i++) {
		out->v[out->n] = *entrant;
		out->v[out->n++].place = &options->places[i];
	}
}

static int
find(const struct rsa_options *options, const char *name,
    struct rsa_entrants *out)
{
	struct rsa_entrant entrant = { .name = name };
	bool is_token = strcmp(name, "pkcs11") == 0;
	int error = rsab_backend_find(name, &entrant.backend);
	int status;

	if (error == RSAB_ERR_UNKNOWN) {
		warnx("--backend %s: no such backend", name);
		return EX_USAGE;
	}
	if (error != 0)
		entrant.reason = rsab_strerror(error);
	else if (is_token && options->places_n == 0)
		entrant.reason = "no --module says which token";
	else if ((status = selftest(&entrant)) != 0)
		return status;
	add(options, &entrant, is_token, out);
	return 0;
}

int
rsa_entrant_find(const struct rsa_options *options, struct rsa_entrants *out)
{
	int status = 0;

	out->n = 0;
	for (size_t i = 0; i < options->backends.n && status == 0; i++)
		status = find(options, options->backends.v[i], out);
	if (status != 0)
		return status;
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].reason == NULL)
			return 0;
	warnx("no backend of the list is here: %s", out->v[0].reason);
	return EX_UNAVAILABLE;
}
