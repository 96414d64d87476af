/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of tables, checked at start.
 */

/* system */
#include <stdio.h>

/* room below */
#include "../rsa-backend/rsab.h"

/* this room */
#include "conf_deadrows.h"
#include "conf_options.h"
#include "conf_rows.h"

#define SHOWN_MAX	40	/* octets of a value that can be no key */

/*
 * "file:line: Option" of a row; of a list, where the option stands.
 */
static const char *
where_of(const struct conf *conf, const char *name, const struct row *row,
    struct option_where *out)
{
	if (row->file == NULL)
		return conf_options_where(&conf->options, name, out);
	snprintf(out->text, sizeof(out->text), "%s:%u: %s", row->file,
	    row->line, name);
	return out->text;
}

static void
fault(const struct conf *conf, struct report *report, enum fault kind,
    const char *name, const struct row *row, struct slice what,
    const char *text)
{
	struct option_where where;
	struct report_octets shown;

	report_fault(report, kind, "%s: \"%s\": %s",
	    where_of(conf, name, row, &where), report_octets(&shown, what),
	    text);
}

/*
 * What may be shown of a KeyTable value: it may hold a private key in the
 * wrong place, and no key is as short as this.
 */
static struct slice
harmless(struct slice value, bool *cut)
{
	size_t at = slice_find(value, ':');

	*cut = value.n >= SHOWN_MAX;
	if (!*cut)
		return value;
	if (at < value.n)
		at += 1 + slice_find(slice_from(value, at + 1), ':');
	return slice_sub(value, 0, at < SHOWN_MAX ? at : 0);
}

static void
fault_key_row(const struct conf *conf, struct report *report,
    const struct row *row, const char *reason)
{
	struct option_where where;
	struct report_octets name, value;
	bool cut;

	if (row->value.n == 0) {
		fault(conf, report, FAULT_ROW, "KeyTable", row, row->key,
		    row->file == NULL ? "only a name, or only a value; wanted "
		    "is name=domain:selector:key" : "only a name, or only a "
		    "value; wanted is name, blanks, domain:selector:key");
		return;
	}
	report_octets(&value, harmless(row->value, &cut));
	report_fault(report, FAULT_ROW, "%s: \"%s\": \"%s%s\": %s",
	    where_of(conf, "KeyTable", row, &where),
	    report_octets(&name, row->key), value.text, cut ? "..." : "",
	    reason);
}

static int
check_key_row(const struct conf *conf, const struct row *row,
    struct report *report)
{
	struct rsab_token_detail detail;
	struct key_row parsed;
	const char *reason = "";
	int error;

	error = conf_key_row(row->value, &parsed, &reason);
	if (error == DKIM_ERR_NOMEM)
		return error;
	if (error != 0) {
		fault_key_row(conf, report, row, reason);
		return 0;
	}
	if (slice_is(parsed.algorithm, "rsa-sha1"))
		fault(conf, report, FAULT_WARNING, "KeyTable", row, row->key,
		    "rsa-sha1 is never used (RFC 8301 s3.1); rsa-sha256 is");
	if (parsed.source == KEY_SOURCE_URI && rsab_token_uri_check(
	    (const char *)parsed.key.p, parsed.key.n, false, &detail) != 0)
		fault(conf, report, FAULT_ROW, "KeyTable", row, row->key,
		    detail.text);
	return 0;
}

/*
 * The first of several rows of one name is used.
 */
static int
check_twice(const struct conf *conf, const struct row *row,
    struct report *report)
{
	struct row first;
	size_t n;
	int error;

	error = dataset_find(conf->key_table, row->key, false, &first, 1, &n);
	if (error == 0 && n == 1 && first.key.p != row->key.p &&
	    slice_equal(first.key, row->key))
		fault(conf, report, FAULT_WARNING, "KeyTable", row, row->key,
		    "never used: an earlier row has the same name");
	return error;
}

static int
check_key_table(const struct conf *conf, struct report *report)
{
	size_t n = dataset_count(conf->key_table), i;
	struct row row;
	int error = 0, one;

	for (i = 0; i < n; i++) {
		dataset_at(conf->key_table, i, &row);
		one = check_key_row(conf, &row, report);
		if (one == 0)
			one = check_twice(conf, &row, report);
		if (one == DKIM_ERR_NOMEM)
			return one;
		if (one != 0)
			error = one;
	}
	return error;
}

/*
 * The key name of a SigningTable value: keyname[:signer].
 */
static struct slice
key_name(struct slice value)
{
	return slice_trim(slice_sub(value, 0, slice_find(value, ':')));
}

static int
check_signing_row(const struct conf *conf, const struct row *row,
    struct report *report)
{
	struct slice name = key_name(row->value);
	struct row found;
	size_t n;
	int error;

	if (name.n == 0) {
		fault(conf, report, FAULT_ROW, "SigningTable", row, row->key,
		    "the key name is missing; wanted is \"pattern keyname\"");
		return 0;
	}
	/* "%" is the From domain of each message (MIGRATION 2c) */
	if (slice_is(name, "%") || conf->key_table == NULL)
		return 0;
	error = dataset_find(conf->key_table, name, false, &found, 1, &n);
	if (error == 0 && n > 0)
		return conf_deadrows_signer(conf, row, &found, report);
	if (error == 0 && n == 0)
		fault(conf, report, FAULT_ROW, "SigningTable", row, name,
		    "no row of KeyTable has this key name; mail that needs it "
		    "is tempfailed");
	return error;
}

static bool
is_ascii(struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] >= 0x80)
			return false;
	return true;
}

/*
 * Domains of mail are looked up as A-labels, so a row in U-labels is dead.
 */
static void
check_labels(const struct conf *conf, const char *name,
    const struct row *row, struct report *report)
{
	size_t at = row->key.n;
	char ascii[DKIM_NAME_MAX + 1];
	struct slice domain;
	char text[DKIM_NAME_MAX + 64];

	while (at > 0 && row->key.p[at - 1] != '@' && row->key.p[at - 1] != '*')
		at--;
	domain = slice_from(row->key, at);
	if (is_ascii(domain))
		return;
	if (domain.n > 0 && domain.p[0] == '.')
		domain = slice_from(domain, 1);
	if (dkim_domain_to_ascii(domain, ascii) == 0)
		snprintf(text, sizeof(text), "domains are looked up as "
		    "A-labels; write %s", ascii);
	else
		snprintf(text, sizeof(text), "domains are looked up as "
		    "A-labels; this is none");
	/* its mail is not known by it, so it would pass unsigned */
	fault(conf, report, FAULT_FATAL, name, row, row->key, text);
}

static int
check_signing_table(const struct conf *conf, struct report *report)
{
	size_t n = dataset_count(conf->signing_table), i;
	struct row row;
	int error;

	for (i = 0; i < n; i++) {
		dataset_at(conf->signing_table, i, &row);
		check_labels(conf, "SigningTable", &row, report);
		error = check_signing_row(conf, &row, report);
		if (error != 0)
			return error;
	}
	return 0;
}

/*
 * A list of domains: Domain, ExemptDomains.
 */
static void
check_domains(const struct conf *conf, const char *name,
    const struct dataset *set, struct report *report)
{
	struct row row;
	size_t i;

	for (i = 0; set != NULL && i < dataset_count(set); i++) {
		dataset_at(set, i, &row);
		check_labels(conf, name, &row, report);
	}
}

/*
 * Macro names are written without braces; with them a row would never hit.
 */
static void
check_macros(const struct conf *conf, struct report *report)
{
	const struct dataset *set = conf->macro_list;
	struct row row;
	size_t i;

	for (i = 0; set != NULL && i < dataset_count(set); i++) {
		dataset_at(set, i, &row);
		if (slice_find(row.key, '{') < row.key.n ||
		    slice_find(row.key, '}') < row.key.n)
			fault(conf, report, FAULT_ROW, "MacroList", &row,
			    row.key, "a macro is named without braces, as "
			    "daemon_name=ORIGINATING|SUBMIT");
	}
}

/*
 * How many rows every look-up tries one by one.
 */
static void
note_linear(const char *name, const struct dataset *set, struct report *report)
{
	if (set != NULL && dataset_linear(set) > 0)
		report_fault(report, FAULT_NOTE, "%s: %zu of %zu patterns are "
		    "tried one by one (regular expressions, or * at both "
		    "ends)", name, dataset_linear(set), dataset_count(set));
}

/*
 * A list that is one word without "=" is a path whose "file:" was forgotten.
 */
static bool
is_path(const struct conf *conf, const char *name, const char *text,
    const struct dataset *set, struct report *report)
{
	struct option_where where;
	struct report_octets shown;
	struct row row;

	if (set == NULL || dataset_kind(set) != DATASET_CSL ||
	    dataset_count(set) != 1 || strchr(text, '=') != NULL)
		return false;
	dataset_at(set, 0, &row);
	report_octets(&shown, row.key);
	report_fault(report, FAULT_FATAL, "%s: \"%s\" is a list of one item "
	    "without \"=\"; is this a path? write file:/path/%s or "
	    "refile:/path/%s", conf_options_where(&conf->options, name, &where),
	    shown.text, shown.text, shown.text);
	return true;
}

int
conf_rows_check(const struct conf *conf, struct report *report)
{
	size_t fatals = report->fatals;
	bool key_path, signing_path;
	int error = 0;

	check_domains(conf, "Domain", conf->domain, report);
	check_domains(conf, "ExemptDomains", conf->exempt_domains, report);
	check_macros(conf, report);
	note_linear("SigningTable", conf->signing_table, report);
	note_linear("KeyTable", conf->key_table, report);
	key_path = is_path(conf, "KeyTable", conf->options.key_table,
	    conf->key_table, report);
	signing_path = is_path(conf, "SigningTable",
	    conf->options.signing_table, conf->signing_table, report);
	if (key_path || signing_path)
		return DKIM_ERR_SYNTAX;
	if (conf->key_table != NULL)
		error = check_key_table(conf, report);
	if (error != DKIM_ERR_NOMEM && conf->signing_table != NULL &&
	    check_signing_table(conf, report) != 0)
		error = DKIM_ERR_NOMEM;
	if (error != DKIM_ERR_NOMEM && conf_deadrows_check(conf, report) != 0)
		error = DKIM_ERR_NOMEM;
	return error == 0 && report->fatals > fatals ? DKIM_ERR_SYNTAX : error;
}
