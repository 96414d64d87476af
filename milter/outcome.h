/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the MTA is told: the one table of outcomes (BEHAVIOUR 1), with the
 * replies of RFC 7372.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "options.h"

#define OUTCOME_TEXT_MAX	700	/* octets of a reply's text */

/*
 * In the order of the table: of those that apply the first one counts.
 */
enum outcome_kind {
	OUTCOME_DNS_ERROR,	/* no pass, a temperror */
	OUTCOME_KEY_NOT_FOUND,	/* no pass, no key record */
	OUTCOME_BAD_SIGNATURE,	/* no pass: fail, permerror, policy */
	OUTCOME_NO_SIGNATURE,
	OUTCOME_SECURITY,	/* verifying: over a limit */
	OUTCOME_SIGNATURE_ERROR, /* signing: the message is at fault */
	OUTCOME_INTERNAL_ERROR,	/* we are at fault */
	OUTCOME_MEMORY,		/* verifying or passing: we are at fault */
	OUTCOME_ACCEPT,		/* nothing above */
};

struct outcome {
	enum outcome_kind	 kind;
	enum action		 action;
	const char		*option;	/* "On-DNSError"; static */
	const char		*code;		/* "550"; NULL unless reject or
						 * tempfail; static */
	const char		*xcode;		/* "5.7.20"; static */
	char			 text[OUTCOME_TEXT_MAX]; /* NUL-ended, no CR,
						 * no LF; "%" as it is */
};

/*
 * Which row applies to the verdicts of a message?
 *   verdicts   n of them, from the top; n 0: unsigned
 *   deciding   index of the verdict that decided, or n
 *   source     BEHAVIOUR 1: a passing signature accepts; t=y is left out;
 *              what was not evaluated says nothing
 */
enum outcome_kind outcome_judge(const struct dkim_verdict *const *verdicts,
    size_t n, size_t *deciding);

/*
 * What the options say about kind, with the reply in words.
 *   domain, selector   named in the text where they are known; untrusted
 *   detail             static text or a limit's name; NULL
 *   policy             BAD_SIGNATURE: the best result is policy (5.7.21)
 */
void outcome_set(struct outcome *out, enum outcome_kind kind,
    const struct options *options, struct slice domain, struct slice selector,
    const char *detail, bool policy);

/*
 * The text as a reply of a milter wants it: a format, every "%" doubled.
 */
#define OUTCOME_DOUBLED_MAX	(2 * OUTCOME_TEXT_MAX)
void outcome_double(const char *text, char out[OUTCOME_DOUBLED_MAX]);

#endif
