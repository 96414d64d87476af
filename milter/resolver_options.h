/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the DNS options of a configuration mean: Nameservers, TrustAnchorFile,
 * TestPublicKeys, DNSTimeout (BEHAVIOUR 5).
 */
#ifndef RESOLVER_OPTIONS_H
#define RESOLVER_OPTIONS_H

#include "options.h"
#include "report.h"
#include "testkeys.h"

#define RESOLVER_OPTIONS_TIMEOUT_ZERO 30 /* seconds that DNSTimeout 0 means */

struct resolver_options {
	char		*nameservers;	/* NULL: resolv.conf */
	char		*anchor;	/* a file that is there, or NULL */
	uint64_t	 timeout;	/* microseconds */
	struct testkeys	*testkeys;	/* NULL: ask the DNS */
};

/*
 *   out      resolver_options_clear frees, also after a failure
 *   errors   DKIM_ERR_SYNTAX: reported as fatal; _NOMEM
 */
int resolver_options_make(const struct options *options,
    struct report *report, struct resolver_options *out) MUSTUSE;
void resolver_options_clear(struct resolver_options *options);

#endif
