/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data sets: which kind an option's text names, and one way to all kinds
 * (MIGRATION 2b).
 */

/* system */
#include <sys/socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <strings.h>

/* this room */
#include "dataset_index.h"
#include "textfile.h"

static const struct dataset_ops *const kinds[] = {
	&dataset_file_ops,
	&dataset_refile_ops,
	&dataset_csl_ops,
};

/* OpenDKIM's further kinds, so that none is taken for a comma list */
static const char *const later[] = {
	"db", "bdb", "dsn", "ldap", "ldaps", "ldapi", "lmdb", "mdb", "lua",
	"memcache", "erlang", "redis", "repute", "socket", "sql",
};

static bool
slice_is_nocase(struct slice a, const char *text)
{
	return slice_equal_nocase(a, slice_text(text));
}

/*
 * Does the first item read as an IPv6 address, or a network of them?
 */
static bool
is_ipv6(struct slice item)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;

	item = slice_trim(item);
	if (item.n > 0 && item.p[0] == '!')
		item = slice_from(item, 1);
	item = slice_sub(item, 0, slice_find(item, '/'));
	if (item.n >= sizeof(text))
		return false;
	memcpy(text, item.p, item.n);
	text[item.n] = '\0';
	return inet_pton(AF_INET6, text, &address) == 1;
}

static bool
is_letters(struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (slice_lower(s.p[i]) < 'a' || slice_lower(s.p[i]) > 'z')
			return false;
	return s.n > 0;
}

static int
not_yet(const char *option, struct slice what, struct report *report)
{
	struct report_octets shown;

	report_fault(report, FAULT_FATAL, "%s: data sets of kind \"%s\" are "
	    "not supported yet; write the rows into a text file and name it "
	    "with file: or refile:", option, report_octets(&shown, what));
	return DKIM_ERR_SYNTAX;
}

/*
 * The kind that a prefix names, or NULL: no prefix, so the text is a list.
 *   where    what follows the prefix
 *   errors   DKIM_ERR_SYNTAX: reported
 */
static int
find_prefix(const char *option, struct slice text, struct report *report,
    const struct dataset_ops **ops, struct slice *where)
{
	struct slice first = slice_sub(text, 0, slice_find(text, ','));
	struct slice prefix = slice_sub(first, 0, slice_find(first, ':'));
	struct report_octets shown;
	size_t i;

	*ops = NULL;
	*where = text;
	if (prefix.n == first.n || is_ipv6(first))
		return 0;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (slice_is_nocase(prefix, kinds[i]->prefix)) {
			*ops = kinds[i];
			*where = slice_trim(slice_from(text, prefix.n + 1));
			return 0;
		}
	for (i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		if (slice_is_nocase(prefix, later[i]))
			return not_yet(option, prefix, report);
	if (is_letters(prefix) && first.n > prefix.n + 1 &&
	    first.p[prefix.n + 1] == '/') {
		report_fault(report, FAULT_FATAL, "%s: unknown kind of data "
		    "set \"%s\"; known are file:, refile: and csl:", option,
		    report_octets(&shown, prefix));
		return DKIM_ERR_SYNTAX;
	}
	return 0;
}

static int
choose_kind(const char *option, struct slice text, struct report *report,
    const struct dataset_ops **ops, struct slice *where)
{
	int error;

	error = find_prefix(option, text, report, ops, where);
	if (error != 0 || *ops != NULL)
		return error;
	if (slice_find(text, ',') == text.n && text.n > 3 &&
	    slice_is_nocase(slice_from(text, text.n - 3), ".db"))
		return not_yet(option, slice_text("db"), report);
	*ops = text.n > 0 && text.p[0] == '/' ? &dataset_file_ops :
	    &dataset_csl_ops;
	return 0;
}

/*
 * Fill set->text with what where names.
 */
static int
load_text(struct dataset *set, struct slice where, const char *option,
    const char *base, struct report *report, size_t *n)
{
	struct report_octets shown;
	const char *reason;
	int error;

	if (!set->ops->is_file) {
		*n = where.n;
		if ((set->text = malloc(where.n + 1)) == NULL)
			return DKIM_ERR_NOMEM;
		memcpy(set->text, where.p, where.n);
		return 0;
	}
	if (where.p[0] != '/' && base == NULL) {
		report_fault(report, FAULT_FATAL, "%s: \"%s\": a relative path "
		    "needs BaseDirectory; write the whole path", option,
		    report_octets(&shown, where));
		return DKIM_ERR_SYNTAX;
	}
	if ((error = textfile_path(base, where, &set->file)) != 0)
		return error;
	error = textfile_read(set->file, DATASET_FILE_MAX, &set->text, n,
	    &reason);
	if (error == DKIM_ERR_ARGUMENT) {
		report_fault(report, FAULT_FATAL, "%s: cannot read \"%s\": %s",
		    option, report_octets(&shown, slice_text(set->file)),
		    reason);
		return DKIM_ERR_SYNTAX;
	}
	return error;
}

int
dataset_open(const char *option, const char *text, const char *base,
    struct report *report, struct dataset **out)
{
	const struct dataset_ops *ops;
	struct dataset *set;
	struct slice where;
	size_t n = 0, fatals = report->fatals;
	int error;

	error = choose_kind(option, slice_trim(slice_text(text)), report, &ops,
	    &where);
	if (error != 0)
		return error;
	if (where.n == 0) {
		report_fault(report, FAULT_FATAL, "%s: \"%s\" names nothing; "
		    "wanted is file:/path, refile:/path or a list", option,
		    text);
		return DKIM_ERR_SYNTAX;
	}
	if ((set = calloc(1, sizeof(*set))) == NULL)
		return DKIM_ERR_NOMEM;
	set->ops = ops;
	error = load_text(set, where, option, base, report, &n);
	if (error == 0)
		error = ops->open(set, n, option, report);
	if (error == 0 && report->fatals > fatals)
		error = DKIM_ERR_SYNTAX;	/* rows, all of them named */
	if (error != 0) {
		dataset_free(set);
		return error;
	}
	*out = set;
	return 0;
}

void
dataset_free(struct dataset *set)
{
	if (set == NULL)
		return;
	dataset_refile_clear(set);
	dataset_index_clear(&set->literal);
	dataset_index_clear(&set->suffix);
	dataset_index_clear(&set->prefix);
	free(set->next);
	free(set->rows);
	free(set->text);
	free(set->file);
	free(set);
}

enum dataset_kind
dataset_kind(const struct dataset *set)
{
	return set->ops->kind;
}

size_t
dataset_count(const struct dataset *set)
{
	return set->n;
}

size_t
dataset_linear(const struct dataset *set)
{
	return set->live_n;
}

void
dataset_at(const struct dataset *set, size_t i, struct row *out)
{
	const struct dataset_row *row = &set->rows[i];

	assert(i < set->n);
	*out = (struct row){
		.key = { row->p, row->key_n },
		.value = { row->p + row->value_at, row->value_n },
		.file = set->file,
		.line = row->line,
	};
}

int
dataset_find(const struct dataset *set, struct slice key, bool nocase,
    struct row *out, size_t max, size_t *n)
{
	*n = 0;
	if (key.n > DATASET_KEY_MAX || max == 0)
		return 0;
	return set->ops->find(set, key, nocase, out, max, n);
}
