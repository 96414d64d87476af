/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backends and tokens of a command line; see rsa_entrant.h.
 */

/* system */
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "backends.h"
#include "rsa_entrant.h"

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
	int status = backends_find_one(name, &entrant.backend,
	    &entrant.reason);

	if (status != 0)
		return status;
	if (entrant.reason == NULL && is_token && options->places_n == 0)
		entrant.reason = "no --module says which token";
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
