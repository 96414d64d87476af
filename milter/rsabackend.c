/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The choice of RSABackend.
 */

/* system */
#include <string.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter/rsabackend.h"

static void
fault(const struct options *options, struct report *report, const char *what)
{
	struct option_where where;
	struct report_octets shown;

	report_fault(report, FAULT_FATAL, "%s: \"%s\": %s",
	    conf_options_where(options, "RSABackend", &where),
	    report_octets(&shown, slice_text(options->rsa_backend)), what);
}

void
rsabackend_check(const struct options *options, struct report *report)
{
	const struct rsab_backend *backend;

	switch (rsab_backend_find(options->rsa_backend, &backend)) {
	case RSAB_OK:
		break;
	case RSAB_ERR_UNSUPPORTED:
		fault(options, report,
		    strcmp(options->rsa_backend, "pkcs11") == 0 ?
		    "dkimd was built without p11-kit; use libcrypto, bn64 or "
		    "auto" :
		    "this machine or this build has no such instructions; "
		    "use bn64, auto or libcrypto");
		break;
	default:
		fault(options, report, "wanted is libcrypto, bn64 (or "
		    "bn64:ifma, bn64:adx, bn64:portable, bn64:emulated), "
		    "pkcs11 or auto");
		break;
	}
}

int
rsabackend_choose(const struct options *options, struct report *report,
    const struct rsab_backend **out)
{
	const struct rsab_backend *backend, *next;
	struct option_where where;
	unsigned class;
	int r;

	if (rsab_backend_find(options->rsa_backend, &backend) != RSAB_OK)
		return DKIM_ERR_SYNTAX;
	while ((r = rsab_backend_selftest(backend, &next, &class)) ==
	    RSAB_ERR_BACKEND) {
		report_fault(report, next == NULL ? FAULT_FATAL :
		    FAULT_WARNING, "%s: %s computes RSA-%u wrongly in its "
		    "self-test and is switched off, %s is used: this processor"
		    " or this build cannot be trusted; have both checked",
		    conf_options_where(options, "RSABackend", &where),
		    rsab_backend_name(backend), class,
		    next == NULL ? "none" : rsab_backend_name(next));
		if (next == NULL)
			return DKIM_ERR_SYNTAX;
		backend = next;
	}
	if (r != RSAB_OK)
		return DKIM_ERR_NOMEM;
	*out = backend;
	return 0;
}
