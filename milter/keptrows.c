/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of KeyTable that became bad.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>

/* room below */
#include "../rsa-backend/rsab.h"

/* this room */
#include "milter/conf_options.h"
#include "milter/keptrows.h"
#include "milter/log.h"
#include "milter/stats.h"

#define FIND_MAX	16	/* patterns of a refile that match a key name */

struct kept {
	uint8_t		*octets;	/* key, value: may hold a private key */
	size_t		 key_n, value_n;
};

struct keptrows {
	struct kept	*rows;		/* by key */
	size_t		 n, room;
};

static struct slice
key_of(const struct kept *kept)
{
	return slice_of(kept->octets, kept->key_n);
}

static struct slice
value_of(const struct kept *kept)
{
	return slice_of(kept->octets + kept->key_n, kept->value_n);
}

static int
compare(const void *a, const void *b)
{
	struct slice x = key_of(a), y = key_of(b);
	size_t n = x.n < y.n ? x.n : y.n;
	int r = n == 0 ? 0 : memcmp(x.p, y.p, n);

	return r != 0 ? r : x.n < y.n ? -1 : x.n > y.n;
}

/*
 * "file:line: KeyTable"; of a list, where the option stands.
 */
static const char *
place_of(const struct conf *conf, const struct row *row,
    struct option_where *out)
{
	if (row->file == NULL)
		return conf_options_where(&conf->options, "KeyTable", out);
	snprintf(out->text, sizeof(out->text), "%s:%u: KeyTable", row->file,
	    row->line);
	return out->text;
}

/*
 *   errors   as conf_key_row
 */
static int
parse(const struct row *row)
{
	struct key_row parsed;
	const char *reason;

	return conf_key_row(row->value, &parsed, &reason);
}

/*
 * The kept value of a key, or an empty slice.
 */
static struct slice
find_kept(const struct keptrows *rows, struct slice key)
{
	struct kept *found, wanted = {
		.octets = (uint8_t *)(uintptr_t)key.p,
		.key_n = key.n,
	};

	if (rows == NULL)
		return slice_of(NULL, 0);
	found = bsearch(&wanted, rows->rows, rows->n, sizeof(*found), compare);
	return found == NULL ? slice_of(NULL, 0) : value_of(found);
}

/*
 * The first row of a table whose key is this text. That of a refile is a
 * pattern, which finds others, too.
 *   n        out: 0 or 1
 */
static int
find_row(const struct dataset *set, struct slice key, struct row *out,
    size_t *n)
{
	struct row found[FIND_MAX];
	size_t found_n, i;
	int r;

	*n = 0;
	if (set == NULL)
		return 0;
	r = dataset_find(set, key, false, found, FIND_MAX, &found_n);
	for (i = 0; r == 0 && i < found_n && *n == 0; i++)
		if (slice_equal(found[i].key, key)) {
			*out = found[i];
			*n = 1;
		}
	return r;
}

/*
 * What stood under this key, and was good.
 *   out      empty: nothing
 */
static int
find_old(const struct conf *old, struct slice key, struct slice *out)
{
	struct row row;
	size_t n;
	int r;

	*out = slice_of(NULL, 0);
	r = find_row(old->key_table, key, &row, &n);
	if (r != 0 || n == 0)
		return r;
	r = parse(&row);
	if (r == 0)
		*out = row.value;
	else if (r != DKIM_ERR_NOMEM)
		*out = find_kept(old->kept, key);
	return r == DKIM_ERR_NOMEM ? r : 0;
}

static int
add(struct keptrows *rows, struct slice key, struct slice value)
{
	size_t room = rows->room == 0 ? 8 : rows->room * 2;
	struct kept *kept;

	if (rows->n == rows->room) {
		kept = reallocarray(rows->rows, room, sizeof(*kept));
		if (kept == NULL)
			return DKIM_ERR_NOMEM;
		rows->rows = kept;
		rows->room = room;
	}
	kept = &rows->rows[rows->n];
	kept->octets = malloc(key.n + value.n + 1);
	if (kept->octets == NULL)
		return DKIM_ERR_NOMEM;
	if (key.n > 0)
		memcpy(kept->octets, key.p, key.n);
	memcpy(kept->octets + key.n, value.p, value.n);
	kept->key_n = key.n;
	kept->value_n = value.n;
	rows->n++;
	return 0;
}

static int
keep_one(const struct conf *old, const struct conf *conf,
    const struct row *row, struct keptrows *rows, struct report *report)
{
	struct report_octets shown;
	struct option_where where;
	struct slice value;
	struct row first;
	size_t n;
	int r;

	r = find_row(conf->key_table, row->key, &first, &n);
	/* A later row of the same name is never used */
	if (r != 0 || n == 0 || first.key.p != row->key.p)
		return r;
	r = find_old(old, row->key, &value);
	if (r != 0 || value.n == 0)
		return r;
	r = add(rows, row->key, value);
	if (r == 0)
		report_fault(report, FAULT_WARNING, "%s: \"%s\": the row "
		    "loaded before stays in its place", place_of(conf, row,
		    &where), report_octets(&shown, row->key));
	return r;
}

int
keptrows_make(const struct conf *old, const struct conf *conf,
    struct report *report, struct keptrows **out)
{
	struct keptrows *rows;
	struct row row;
	size_t i;
	int r = 0;

	*out = NULL;
	if (conf->key_table == NULL || old->key_table == NULL)
		return 0;
	rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; r == 0 && i < dataset_count(conf->key_table); i++) {
		dataset_at(conf->key_table, i, &row);
		r = parse(&row);
		if (r != 0 && r != DKIM_ERR_NOMEM)
			r = keep_one(old, conf, &row, rows, report);
	}
	if (r != 0 || rows->n == 0) {
		keptrows_free(rows);
		return r;
	}
	qsort(rows->rows, rows->n, sizeof(*rows->rows), compare);
	*out = rows;
	return 0;
}

void
keptrows_free(struct keptrows *rows)
{
	size_t i;

	if (rows == NULL)
		return;
	for (i = 0; i < rows->n; i++)
		rsab_wipe_free(rows->rows[i].octets, rows->rows[i].key_n +
		    rows->rows[i].value_n + 1);
	free(rows->rows);
	free(rows);
}

void
keptrows_put(const struct conf *conf, struct row *row)
{
	struct report_octets shown;
	struct option_where where;
	struct slice value;

	if (conf->kept == NULL || parse(row) == 0)
		return;
	value = find_kept(conf->kept, row->key);
	if (value.n == 0)
		return;
	row->value = value;
	stats_add(STAT_KEYS_KEPT, 1);
	report_octets(&shown, row->key);
	log_limited(LOG_ERR, shown.text, "%s: \"%s\" is bad, the row loaded "
	    "before is used", place_of(conf, row, &where), shown.text);
}
