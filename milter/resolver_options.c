/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DNS options.
 */

/* system */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "milter/conf_options.h"
#include "milter/resolver_options.h"
#include "milter/textfile.h"

/* An empty text counts as none. */
static bool
is_set(const char *text)
{
	return text != NULL && text[0] != '\0';
}

static int
make_anchor(const struct options *options, struct report *report,
    struct resolver_options *out)
{
	struct option_where where;
	int r;

	if (!is_set(options->trust_anchor_file))
		return 0;
	r = textfile_path(options->base_directory,
	    slice_text(options->trust_anchor_file), &out->anchor);
	if (r != 0)
		return r;
	if (access(out->anchor, R_OK) == 0)
		return 0;
	report_fault(report, FAULT_WARNING, "%s: %s: %s; keys are not "
	    "validated by DNSSEC (Debian: package dns-root-data)",
	    conf_options_where(options, "TrustAnchorFile", &where),
	    out->anchor, strerror(errno));
	free(out->anchor);
	out->anchor = NULL;
	return 0;
}

static int
parse_testkeys(const char *path, struct slice text, struct report *report,
    struct testkeys **out)
{
	unsigned line;
	int r;

	r = testkeys_parse(text, out, &line);
	if (r == DKIM_ERR_SYNTAX)
		report_fault(report, FAULT_FATAL, "%s:%u: TestPublicKeys: a "
		    "name without a record behind it; a line is \"selector."
		    "_domainkey.domain v=DKIM1; ...\"", path, line);
	if (r == DKIM_ERR_LIMIT) {
		report_fault(report, FAULT_FATAL, "%s:%u: TestPublicKeys: a "
		    "line is over %d octets", path, line, TESTKEYS_LINE_MAX);
		r = DKIM_ERR_SYNTAX;
	}
	return r;
}

static int
make_testkeys(const struct options *options, struct report *report,
    struct resolver_options *out)
{
	struct option_where where;
	const char *reason;
	uint8_t *text;
	char *path;
	size_t n;
	int r;

	if (!is_set(options->test_public_keys))
		return 0;
	r = textfile_path(options->base_directory,
	    slice_text(options->test_public_keys), &path);
	if (r != 0)
		return r;
	r = textfile_read(path, TESTKEYS_FILE_MAX, &text, &n, &reason);
	if (r == 0) {
		r = parse_testkeys(path, slice_of(text, n), report,
		    &out->testkeys);
		free(text);
	} else if (r != DKIM_ERR_NOMEM) {
		report_fault(report, FAULT_FATAL, "%s: %s: %s",
		    conf_options_where(options, "TestPublicKeys", &where),
		    path, reason);
		r = DKIM_ERR_SYNTAX;
	}
	free(path);
	return r;
}

int
resolver_options_make(const struct options *options, struct report *report,
    struct resolver_options *out)
{
	uint64_t seconds = options->dns_timeout;
	int r;

	memset(out, 0, sizeof(*out));
	if (seconds == 0)
		seconds = RESOLVER_OPTIONS_TIMEOUT_ZERO;
	out->timeout = seconds > 3600 ? 3600000000u : seconds * 1000000;
	if (is_set(options->nameservers)) {
		out->nameservers = strdup(options->nameservers);
		if (out->nameservers == NULL)
			return DKIM_ERR_NOMEM;
	}
	r = make_testkeys(options, report, out);
	if (r == 0)
		r = make_anchor(options, report, out);
	return r;
}

void
resolver_options_clear(struct resolver_options *options)
{
	free(options->nameservers);
	free(options->anchor);
	testkeys_free(options->testkeys);
	memset(options, 0, sizeof(*options));
}
