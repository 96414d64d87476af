/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that is done to one message, from its octets to the field that tells of
 * it: for dkimbench growth, and for the test that counts.
 */
#ifndef GROWTH_WORK_H
#define GROWTH_WORK_H

/* rooms below */
#include "rsa-backend/rsab.h"

/* this room */
#include "growth_shape.h"

struct growth_site {
	struct dkim_lib			*lib;
	const struct rsab_backend	*backend;
	struct rsab_worker		*worker;
	struct rsab_key			*key;		/* to sign with */
};

/* What came out of it. */
struct growth_result {
	size_t		written;	/* octets of the field we write */
	size_t		claims;		/* fields that claim our id */
	size_t		verdicts;
	size_t		looked_at;	/* of those, not "not evaluated" */
	enum dkim_result first;		/* verifying: of the first */
};

/*
 *   errors   DKIM_ERR_NOMEM, _CRYPTO
 */
int growth_site_open(struct growth_site *site) MUSTUSE;
void growth_site_close(struct growth_site *site);

/*
 * Read a message, claims of Authentication-Results among it, verify it with
 * its record as answer to every question, and print Authentication-Results.
 *   errors   those of dkim.h
 */
int growth_verify(const struct growth_site *site, const struct growth_case *c,
    struct growth_result *out) MUSTUSE;

/*
 * Read a message and sign it, the usual fields of it.
 */
int growth_sign(const struct growth_site *site, const struct growth_case *c,
    struct growth_result *out) MUSTUSE;

#endif
