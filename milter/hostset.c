/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of hosts (MIGRATION 2d): the first entry that decides counts, in the
 * order exact name, .suffix from long to short, address, networks from narrow
 * to wide; at one step "!" comes first.
 */

/* system */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "dataset_pattern.h"
#include "hostset.h"
#include "hostspec.h"

struct hostset {
	struct dataset	*rows;		/* NULL: "-" */
	struct hostspec	*names;		/* exact names and .suffixes, sorted */
	size_t		 names_n;
	struct hostspec	*nets;		/* addresses and networks, sorted from
					 * narrow to wide */
	size_t		 nets_n;
	struct hostspec	*globs;		/* refile only, in file order */
	size_t		 globs_n;
};

enum decision {
	UNDECIDED,
	IN,
	OUT,
};

static int
compare_text(struct slice a, struct slice b)
{
	size_t i;

	for (i = 0; i < a.n && i < b.n; i++)
		if (slice_lower(a.p[i]) != slice_lower(b.p[i]))
			return slice_lower(a.p[i]) < slice_lower(b.p[i]) ?
			    -1 : 1;
	return (a.n > b.n) - (a.n < b.n);
}

/*
 * By name; of equal names the negated one first.
 */
static int
compare_names(const void *a, const void *b)
{
	const struct hostspec *x = a, *y = b;
	int order = compare_text(x->name, y->name);

	return order != 0 ? order : y->negated - x->negated;
}

/*
 * Narrow before wide, then by address, the negated one first.
 */
static int
compare_nets(const void *a, const void *b)
{
	const struct hostspec *x = a, *y = b;
	int order;

	if (x->bits != y->bits)
		return x->bits > y->bits ? -1 : 1;
	order = memcmp(x->address, y->address, sizeof(x->address));
	return order != 0 ? order : y->negated - x->negated;
}

/*
 * The first of n sorted entries that is not before key.
 */
static size_t
lower_bound(const struct hostspec *specs, size_t n, const struct hostspec *key,
    int (*compare)(const void *, const void *))
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare(&specs[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static enum decision
decide(const struct hostspec *spec)
{
	return spec->negated ? OUT : IN;
}

static enum decision
find_name(const struct hostset *set, struct slice name)
{
	const struct hostspec key = { .name = name, .negated = true };
	size_t at = lower_bound(set->names, set->names_n, &key, compare_names);

	if (at == set->names_n ||
	    !slice_equal_nocase(set->names[at].name, name))
		return UNDECIDED;
	return decide(&set->names[at]);
}

/*
 * The name itself, then each ".suffix" of it.
 */
static enum decision
find_names(const struct hostset *set, struct slice name)
{
	enum decision found;
	size_t i;

	if (name.n > 0 && name.p[name.n - 1] == '.')
		name = slice_sub(name, 0, name.n - 1);
	/* "[192.0.2.1]" and "unknown" are no names that anybody proved */
	if (name.n == 0 || name.n > DKIM_NAME_MAX || name.p[0] == '[')
		return UNDECIDED;
	if ((found = find_name(set, name)) != UNDECIDED)
		return found;
	for (i = 0; i < set->globs_n; i++)
		if (dataset_pattern_glob(set->globs[i].name, name, true))
			return decide(&set->globs[i]);
	for (i = 1; i < name.n; i++)
		if (name.p[i] == '.' && (found = find_name(set,
		    slice_from(name, i))) != UNDECIDED)
			return found;
	return UNDECIDED;
}

static enum decision
find_nets(const struct hostset *set, const uint8_t address[16])
{
	struct hostspec key = { .negated = true };
	size_t at, next;

	for (at = 0; at < set->nets_n; at = next) {
		/* all networks of one width are neighbours */
		key.bits = set->nets[at].bits;
		memcpy(key.address, address, sizeof(key.address));
		hostspec_mask(key.address, key.bits);
		next = lower_bound(set->nets, set->nets_n, &key, compare_nets);
		if (next < set->nets_n && set->nets[next].bits == key.bits &&
		    memcmp(set->nets[next].address, key.address,
		    sizeof(key.address)) == 0)
			return decide(&set->nets[next]);
		/* on to the first one that is wider */
		memset(key.address, 0xff, sizeof(key.address));
		key.negated = false;
		next = lower_bound(set->nets, set->nets_n, &key, compare_nets);
		while (next < set->nets_n && set->nets[next].bits == key.bits)
			next++;
		key.negated = true;
	}
	return UNDECIDED;
}

/*
 * IPv4 as ::ffff:0:0/96, so that a mapped address is the same host.
 */
static bool
to_octets(const struct sockaddr *address, uint8_t out[16])
{
	const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in v4 = { 0 };
	struct sockaddr_in6 v6;
	uint8_t local[4] = { 127, 0, 0, 1 };

	if (address != NULL && address->sa_family == AF_INET6) {
		memcpy(&v6, address, sizeof(v6));
		memcpy(out, &v6.sin6_addr, 16);
		return true;
	}
	memcpy(out, prefix, sizeof(prefix));
	if (address == NULL || address->sa_family == AF_UNIX ||
	    address->sa_family == AF_UNSPEC) {
		memcpy(out + 12, local, sizeof(local));
		return true;
	}
	if (address->sa_family != AF_INET)
		return false;
	memcpy(&v4, address, sizeof(v4));
	memcpy(out + 12, &v4.sin_addr, 4);
	return true;
}

bool
hostset_has(const struct hostset *set, struct slice name,
    const struct sockaddr *address)
{
	enum decision found;
	uint8_t octets[16];

	if (set == NULL || set->rows == NULL)
		return false;
	found = find_names(set, name);
	if (found == UNDECIDED && to_octets(address, octets))
		found = find_nets(set, octets);
	return found == IN;
}

static void
add_spec(struct hostset *set, struct hostspec spec)
{
	switch (spec.kind) {
	case HOSTSPEC_NAME:
		set->names[set->names_n++] = spec;
		break;
	case HOSTSPEC_NET:
		set->nets[set->nets_n++] = spec;
		break;
	case HOSTSPEC_GLOB:
		set->globs[set->globs_n++] = spec;
		break;
	case HOSTSPEC_NONE:
		break;
	}
}

/*
 * Is there more than one word in an item of a list?
 */
static bool
has_blank(struct slice item)
{
	return slice_find(item, ' ') < item.n ||
	    slice_find(item, '\t') < item.n;
}

/*
 * An entry that cannot be read stops the start, of a file as of a list: which
 * hosts it means is not known, so their mail could not wait.
 */
static int
add_row(struct hostset *set, const char *option, const struct row *row,
    struct report *report)
{
	struct report_octets shown;
	struct hostspec spec;
	const char *reason = NULL;
	char where[4224];
	int error;

	error = hostspec_parse(row->key,
	    dataset_kind(set->rows) == DATASET_REFILE, &spec, &reason);
	if (error == 0)
		add_spec(set, spec);
	else if (has_blank(row->key))
		reason = "separate the entries of a list by commas";
	if (reason == NULL)
		return error;
	if (row->file == NULL)
		snprintf(where, sizeof(where), "%s", option);
	else
		snprintf(where, sizeof(where), "%s:%u: %s", row->file,
		    row->line, report_name(option));
	report_fault(report, error == 0 ? FAULT_WARNING : FAULT_FATAL,
	    "%s: \"%s\": %s", where, report_octets(&shown, row->key), reason);
	return error;
}

static int
add_rows(struct hostset *set, const char *option, struct report *report)
{
	size_t n = dataset_count(set->rows), i;
	struct row row;
	int error = 0;

	set->names = calloc(n + 1, sizeof(*set->names));
	set->nets = calloc(n + 1, sizeof(*set->nets));
	set->globs = calloc(n + 1, sizeof(*set->globs));
	if (set->names == NULL || set->nets == NULL || set->globs == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; i < n; i++) {
		dataset_at(set->rows, i, &row);
		if (add_row(set, option, &row, report) != 0)
			error = DKIM_ERR_SYNTAX;
	}
	qsort(set->names, set->names_n, sizeof(*set->names), compare_names);
	qsort(set->nets, set->nets_n, sizeof(*set->nets), compare_nets);
	return error;
}

int
hostset_open(const char *option, const char *text, const char *base,
    struct report *report, struct hostset **out)
{
	struct hostset *set;
	int error = 0;

	if ((set = calloc(1, sizeof(*set))) == NULL)
		return DKIM_ERR_NOMEM;
	if (!slice_is(slice_trim(slice_text(text)), "-"))
		error = dataset_open(option, text, base, report, &set->rows);
	if (error == 0 && set->rows != NULL)
		error = add_rows(set, option, report);
	if (error != 0) {
		hostset_free(set);
		return error;
	}
	*out = set;
	return 0;
}

void
hostset_free(struct hostset *set)
{
	if (set == NULL)
		return;
	dataset_free(set->rows);
	free(set->names);
	free(set->nets);
	free(set->globs);
	free(set);
}
