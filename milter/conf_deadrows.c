/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows that match nothing.
 */

/* system */
#include <stdio.h>

/* this room */
#include "conf_deadrows.h"
#include "conf_options.h"

#define HINT_MAX	(2 * DATASET_PATTERN_MAX)

static void
warn(const struct conf *conf, struct report *report, const char *name,
    const struct row *row, const char *what, const char *hint)
{
	struct option_where where;
	struct report_octets shown;

	if (row->file == NULL)
		conf_options_where(&conf->options, name, &where);
	else
		snprintf(where.text, sizeof(where.text), "%s:%u: %s",
		    row->file, row->line, name);
	report_fault(report, FAULT_WARNING, "%s: \"%s\" %s%s", where.text,
	    report_octets(&shown, row->key), what, hint);
}

static bool
has(struct slice s, char c)
{
	return slice_find(s, (uint8_t)c) < s.n;
}

static bool
begins(struct slice s, char c)
{
	return s.n > 0 && s.p[0] == (uint8_t)c;
}

/*
 * Has a pattern characters of regular expressions?
 */
static bool
is_live(struct slice pattern)
{
	const char *c;

	for (c = "^$[](){}?|\\"; *c != '\0'; c++)
		if (has(pattern, *c))
			return true;
	return false;
}

/*
 * Behind the last "@", or all of it.
 */
static struct slice
domain_of(struct slice address, struct slice *local)
{
	size_t at = address.n;

	while (at > 0 && address.p[at - 1] != '@')
		at--;
	*local = slice_sub(address, 0, at == 0 ? 0 : at - 1);
	return slice_from(address, at);
}

/*
 * A refile is asked for whole addresses, user@host, and nothing else.
 */
static void
check_pattern(const struct conf *conf, const struct row *row,
    struct report *report)
{
	struct report_octets shown;
	char hint[HINT_MAX];
	const char *star = begins(row->key, '@') || begins(row->key, '.') ?
	    "*" : "*@";

	if (is_live(row->key) ||
	    (!begins(row->key, '@') && (has(row->key, '@') ||
	    has(row->key, '*'))))
		return;
	snprintf(hint, sizeof(hint), "%s%s", star,
	    report_octets(&shown, row->key));
	warn(conf, report, "SigningTable", row, "matches no address: a refile "
	    "is asked for user@host; write ", hint);
}

/*
 * A file or list is asked for user@host, host, user@.suffix, .suffix, user@*
 * and *; no other star means anything (MIGRATION 2c).
 */
static void
check_literal(const struct conf *conf, const struct row *row,
    struct report *report)
{
	struct slice local, domain = domain_of(row->key, &local);
	bool bare = local.n == 0 || slice_is(local, "*");
	struct report_octets user, host;
	char hint[HINT_MAX];

	if (!begins(row->key, '@') && !has(local, '*') &&
	    (slice_is(domain, "*") || !has(domain, '*')))
		return;
	if (domain.n > 1 && begins(domain, '*') && domain.p[1] == '.')
		domain = slice_from(domain, 1);
	if (domain.n == 0 || (has(local, '*') && !bare) ||
	    (has(domain, '*') && !slice_is(domain, "*")))
		snprintf(hint, sizeof(hint), "only patterns of refile: have *");
	else
		snprintf(hint, sizeof(hint), "write %s%s%s, or refile:/path "
		    "for patterns", bare ? "" : report_octets(&user, local),
		    bare ? "" : "@", report_octets(&host, domain));
	warn(conf, report, "SigningTable", row, "matches no address in a file "
	    "or list; ", hint);
}

/*
 * Only the first row of a pattern is used.
 */
static int
check_repeated(const struct conf *conf, const struct row *row,
    struct report *report)
{
	struct row found[8];
	size_t n, i;
	int error;

	if (conf->options.multiple_signatures || is_live(row->key))
		return 0;
	error = dataset_find(conf->signing_table, row->key, true, found, 8, &n);
	if (error != 0)
		return error;
	for (i = 0; i < n && found[i].key.p != row->key.p; i++)
		if (slice_equal_nocase(found[i].key, row->key) &&
		    !slice_equal(found[i].value, row->value)) {
			warn(conf, report, "SigningTable", row, "is never "
			    "used: an earlier row has the same pattern; take "
			    "one out, or write MultipleSignatures yes", "");
			break;
		}
	return 0;
}

static int
check_signing_table(const struct conf *conf, struct report *report)
{
	const struct dataset *set = conf->signing_table;
	struct row row;
	size_t i;
	int error;

	for (i = 0; i < dataset_count(set); i++) {
		dataset_at(set, i, &row);
		if (dataset_kind(set) == DATASET_REFILE)
			check_pattern(conf, &row, report);
		else
			check_literal(conf, &row, report);
		if ((error = check_repeated(conf, &row, report)) != 0)
			return error;
	}
	return 0;
}

/*
 * Can an item of a list match nothing?
 *   strict   it is compared with domains in the form of dkim_domain_to_ascii;
 *            else with any name, "localhost" among them
 */
static int
is_dead(struct slice item, bool strict, bool *dead)
{
	char ascii[DKIM_NAME_MAX + 1];
	int error;

	*dead = begins(item, '.') || has(item, '*') || has(item, '@') ||
	    has(item, ' ') || has(item, '\t');
	if (*dead || !strict)
		return 0;
	error = dkim_domain_to_ascii(item, ascii);
	*dead = error == DKIM_ERR_SYNTAX;
	return error == DKIM_ERR_NOMEM ? error : 0;
}

/*
 * What a list of domains is like.
 */
struct list {
	const char		*name;
	const struct dataset	*set;
	bool			 strict;	/* is_dead */
	bool			 address;	/* user@host is fine, too */
	const char		*below;		/* instead of "*." or "." before
						 * a domain, behind it */
};

static int
check_item(const struct conf *conf, const struct list *list,
    const struct row *row, struct report *report)
{
	struct slice local, domain = domain_of(row->key, &local), rest;
	char ascii[DKIM_NAME_MAX + 1], hint[2 * DKIM_NAME_MAX];
	bool dead;
	int error;

	/* patterns of a refile are theirs who wrote them */
	if (dataset_kind(list->set) == DATASET_REFILE &&
	    (is_live(row->key) || has(row->key, '*')))
		return 0;
	error = is_dead(list->address && local.n > 0 && !has(local, '*') ?
	    domain : row->key, list->strict, &dead);
	if (error != 0 || !dead)
		return error;
	rest = slice_from(domain, begins(domain, '*') ? 1 : 0);
	rest = slice_from(rest, begins(rest, '.') ? 1 : 0);
	error = dkim_domain_to_ascii(rest, ascii);
	if (error == DKIM_ERR_NOMEM)
		return error;
	if (error != 0)
		snprintf(hint, sizeof(hint), "is no domain and matches "
		    "nothing; wanted is as example.com");
	else
		snprintf(hint, sizeof(hint), "matches nothing here; write %s%s",
		    ascii, rest.n < domain.n ? list->below : "");
	warn(conf, report, list->name, row, hint, "");
	return 0;
}

static int
check_list(const struct conf *conf, const struct list *list,
    struct report *report)
{
	size_t n = list->set == NULL ? 0 : dataset_count(list->set), i;
	struct row row;
	int error = 0;

	for (i = 0; i < n && error == 0; i++) {
		dataset_at(list->set, i, &row);
		error = check_item(conf, list, &row, report);
	}
	return error;
}

int
conf_deadrows_check(const struct conf *conf, struct report *report)
{
	static const char each[] = " and each host below it by its own name, "
	    "or refile:/path for patterns";
	const struct list lists[] = {
		{ "Domain", conf->domain, true, false, " and SubDomains yes" },
		{ "ExemptDomains", conf->exempt_domains, true, false, each },
		{ "DontSignMailTo", conf->dont_sign_mail_to, false, true,
		    each },
		{ "RemoveARFrom", conf->remove_ar_from, false, false,
		    " and each host below it by its own name" },
	};
	size_t i;
	int error;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if ((error = check_list(conf, &lists[i], report)) != 0)
			return error;
	return conf->signing_table == NULL ? 0 :
	    check_signing_table(conf, report);
}

int
conf_deadrows_signer(const struct conf *conf, const struct row *row,
    const struct row *key, struct report *report)
{
	size_t colon = slice_find(row->value, ':');
	char signer[DKIM_NAME_MAX + 1], domain[DKIM_NAME_MAX + 1];
	struct slice text, local;
	struct key_row parsed;
	const char *reason;
	int error;

	/* "%" is the From domain of each message */
	text = slice_trim(slice_from(row->value,
	    colon < row->value.n ? colon + 1 : colon));
	if (text.n == 0 || has(text, '%'))
		return 0;
	error = conf_key_row(key->value, &parsed, &reason);
	if (error != 0 || slice_is(parsed.domain, "%"))
		return error == DKIM_ERR_NOMEM ? error : 0;
	if ((error = dkim_domain_to_ascii(parsed.domain, domain)) != 0)
		return error == DKIM_ERR_NOMEM ? error : 0;
	error = dkim_domain_to_ascii(domain_of(text, &local), signer);
	if (error == DKIM_ERR_NOMEM)
		return error;
	if (error != 0 || !dkim_domain_is_within(slice_text(signer),
	    slice_text(domain)))
		warn(conf, report, "SigningTable", row, "names a signer "
		    "outside of its key's domain, so no i= is written; write "
		    "one in ", domain);
	return 0;
}
