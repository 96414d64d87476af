/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the MTA is told.
 */

/* system */
#include <stdio.h>

/* this room */
#include "outcome.h"

static const struct row {
	const char	*option;
	const char	*reject;	/* enhanced code with 550 */
	const char	*text;
} table[] = {
	[OUTCOME_DNS_ERROR] = { "On-DNSError", "5.7.20",
	    "DKIM key lookup failed for the time being" },
	[OUTCOME_KEY_NOT_FOUND] = { "On-KeyNotFound", "5.7.20",
	    "No passing DKIM signature found: no key record" },
	[OUTCOME_BAD_SIGNATURE] = { "On-BadSignature", "5.7.20",
	    "No passing DKIM signature found" },
	[OUTCOME_NO_SIGNATURE] = { "On-NoSignature", "5.7.20",
	    "No passing DKIM signature found: message is not signed" },
	[OUTCOME_SECURITY] = { "On-Security", "5.7.20",
	    "Message header is over a limit" },
	[OUTCOME_SIGNATURE_ERROR] = { "On-SignatureError", "5.6.0",
	    "Message cannot be signed" },
	[OUTCOME_INTERNAL_ERROR] = { "On-InternalError", "5.6.0",
	    "Message cannot be signed" },
	[OUTCOME_MEMORY] = { "On-InternalError", "5.6.0",
	    "Message cannot be handled" },
	[OUTCOME_ACCEPT] = { "", "5.7.20", "" },
};

/*
 * The row for one verdict, or OUTCOME_ACCEPT.
 */
static enum outcome_kind
kind_of(const struct dkim_verdict *v)
{
	switch (v->result) {
	case DKIM_TEMPERROR:
		return OUTCOME_DNS_ERROR;
	case DKIM_FAIL:
	case DKIM_POLICY:
	case DKIM_PERMERROR:
		return v->no_key ? OUTCOME_KEY_NOT_FOUND :
		    OUTCOME_BAD_SIGNATURE;
	case DKIM_NONE:
	case DKIM_PASS:
	case DKIM_NEUTRAL:
		break;
	}
	return OUTCOME_ACCEPT;
}

enum outcome_kind
outcome_judge(const struct dkim_verdict *const *verdicts, size_t n,
    size_t *deciding)
{
	enum outcome_kind kind, first = OUTCOME_ACCEPT;
	size_t i;

	*deciding = n;
	if (n == 0)
		return OUTCOME_NO_SIGNATURE;
	for (i = 0; i < n; i++) {
		/* RFC 6376 s3.6.1 #27, t=y: as if it were not there */
		if (verdicts[i]->testing || !verdicts[i]->evaluated)
			continue;
		/* RFC 6376 s6.1, RFC 7372 s3.1: one that is good and acceptable
		 * is enough, wherever it stands */
		if (verdicts[i]->result == DKIM_PASS) {
			*deciding = i;
			return OUTCOME_ACCEPT;
		}
		kind = kind_of(verdicts[i]);
		if (kind < first) {
			first = kind;
			*deciding = i;
		}
	}
	return first;
}

static enum action
action_of(const struct options *o, enum outcome_kind kind)
{
	switch (kind) {
	case OUTCOME_DNS_ERROR:
		return o->on_dns_error;
	case OUTCOME_KEY_NOT_FOUND:
		return o->on_key_not_found;
	case OUTCOME_BAD_SIGNATURE:
		return o->on_bad_signature;
	case OUTCOME_NO_SIGNATURE:
		return o->on_no_signature;
	case OUTCOME_SECURITY:
		return o->on_security;
	case OUTCOME_SIGNATURE_ERROR:
		return o->on_signature_error;
	case OUTCOME_INTERNAL_ERROR:
		return o->on_internal_error;
	case OUTCOME_MEMORY:
		/* no verdict and no clean header: never accepted */
		return ACTION_TEMPFAIL;
	case OUTCOME_ACCEPT:
		break;
	}
	return ACTION_ACCEPT;
}

#define NAMES_MAX	(OUTCOME_TEXT_MAX - 1)	/* behind them stands ")" */

/*
 * Append s to the text, escaped; all of it or, without room, nothing.
 */
static size_t
put_escaped(char *text, size_t at, const char *before, struct slice s)
{
	size_t i, start = at;
	int n;

	n = snprintf(text + at, NAMES_MAX - at, "%s", before);
	for (i = 0; n >= 0 && (size_t)n < NAMES_MAX - at; i++) {
		at += (size_t)n;
		if (i == s.n)
			return at;
		n = snprintf(text + at, NAMES_MAX - at,
		    s.p[i] > 0x20 && s.p[i] < 0x7f && s.p[i] != '\\' ? "%c" :
		    "\\x%02x", s.p[i]);
	}
	text[start] = '\0';
	return start;
}

static void
write_text(struct outcome *out, struct slice domain, struct slice selector,
    const char *detail)
{
	size_t at, before;
	int n;

	n = snprintf(out->text, sizeof(out->text), "%s%s%s",
	    table[out->kind].text, detail == NULL || detail[0] == '\0' ? "" :
	    ": ", detail == NULL ? "" : detail);
	if (n < 0 || n >= NAMES_MAX || domain.n == 0 || selector.n == 0)
		return;
	before = (size_t)n;
	at = put_escaped(out->text, before, " (s=", selector);
	if (at != before)
		at = put_escaped(out->text, at, ", d=", domain);
	if (at != before)
		memcpy(out->text + at, ")", 2);
}

void
outcome_set(struct outcome *out, enum outcome_kind kind,
    const struct options *options, struct slice domain, struct slice selector,
    const char *detail, bool policy)
{
	out->kind = kind;
	out->action = action_of(options, kind);
	out->option = table[kind].option;
	out->code = NULL;
	out->xcode = NULL;
	out->text[0] = '\0';
	write_text(out, domain, selector, detail);
	if (out->action == ACTION_REJECT) {
		out->code = "550";
		/* RFC 7372 s3.2, s4: good, but not acceptable to us, has a
		 * code of its own; one code a reply */
		out->xcode = kind == OUTCOME_BAD_SIGNATURE && policy ?
		    "5.7.21" : table[kind].reject;
	} else if (out->action == ACTION_TEMPFAIL) {
		out->code = "451";
		out->xcode = "4.7.0";
	}
}

void
outcome_double(const char *text, char out[OUTCOME_DOUBLED_MAX])
{
	size_t n = 0;

	for (; *text != '\0' && n + 3 <= OUTCOME_DOUBLED_MAX; text++) {
		out[n++] = *text;
		if (*text == '%')
			out[n++] = '%';
	}
	out[n] = '\0';
}
