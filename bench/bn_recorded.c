/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recorded tables of 2005; see bn_recorded.h.
 */

/* system */
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "bn_recorded.h"
#include "bn_year.h"

#define KEY_BITS_MAX	65536

bool
bn_recorded_is_header(const struct tsv *tsv)
{
	static const char *const names[] = { "system", "openssl", "bn",
	    "key_bits", "sign_per_s", "verify_per_s", "source" };

	return tsv_has(tsv, names, sizeof names / sizeof names[0]);
}

static bool
is_build(const struct bn_recorded_row *a, const struct bn_recorded_row *b)
{
	return strcmp(a->system, b->system) == 0 &&
	    strcmp(a->openssl, b->openssl) == 0 && strcmp(a->bn, b->bn) == 0;
}

/*
 * Room for one more row, after a look that it is new.
 */
static int
put_row(struct bn_recorded *r, struct tsv *tsv,
    const struct bn_recorded_row *row)
{
	int status;

	for (size_t i = 0; i < r->n; i++)
		if (is_build(&r->rows[i], row) &&
		    r->rows[i].key_bits == row->key_bits)
			return tsv_fail(tsv, "%u bits of %s, %s are there "
			    "twice", row->key_bits, row->openssl, row->bn);
	r->rows = tsv_room(tsv, r->rows, r->n, BN_RECORDED_ROWS_MAX,
	    sizeof *r->rows, &status);
	if (status == 0)
		r->rows[r->n++] = *row;
	return status;
}

/*
 * A ratio, where the columns have it.
 */
static int
take_ratio(struct tsv *tsv, const char *column, double *out)
{
	*out = -1;
	return tsv_field(tsv, column) == NULL ? 0 :
	    tsv_figure(tsv, column, out);
}

int
bn_recorded_add(struct bn_recorded *r, struct tsv *tsv)
{
	struct bn_recorded_row row = { .key_bits = 0 };
	int status = tsv_text(tsv, "system", row.system,
	    BN_RECORDED_TEXT_SIZE);

	if (status == 0)
		status = tsv_text(tsv, "openssl", row.openssl,
		    BN_RECORDED_TEXT_SIZE);
	if (status == 0)
		status = tsv_text(tsv, "bn", row.bn,
		    BN_RECORDED_TEXT_SIZE);
	if (status == 0)
		status = tsv_text(tsv, "source", row.source,
		    BN_RECORDED_TEXT_SIZE);
	if (status == 0)
		status = tsv_whole(tsv, "key_bits", 1, KEY_BITS_MAX,
		    &row.key_bits);
	if (status == 0)
		status = tsv_figure(tsv, "sign_per_s", &row.sign);
	if (status == 0)
		status = tsv_figure(tsv, "verify_per_s", &row.verify);
	if (status == 0)
		status = take_ratio(tsv, "sign_ratio", &row.sign_ratio);
	if (status == 0)
		status = take_ratio(tsv, "verify_ratio", &row.verify_ratio);
	if (status == 0)
		status = put_row(r, tsv, &row);
	return status;
}

/*
 * The row that ratios of a row are to, itself in the first build; NULL: the
 * first build of this system has no such key size.
 */
static const struct bn_recorded_row *
base_of(const struct bn_recorded *r, const struct bn_recorded_row *row)
{
	const struct bn_recorded_row *first = NULL;

	for (size_t i = 0; i < r->n; i++) {
		if (strcmp(r->rows[i].system, row->system) != 0)
			continue;
		if (first == NULL)
			first = &r->rows[i];
		if (is_build(&r->rows[i], first) &&
		    r->rows[i].key_bits == row->key_bits)
			return &r->rows[i];
	}
	return NULL;
}

static double
ratio(double recorded, double figure, double base)
{
	if (recorded > 0)
		return recorded;
	return figure > 0 && base > 0 ? figure / base : 0;
}

void
bn_recorded_report(const struct bn_recorded *r, bool tsv, FILE *out)
{
	const struct bn_recorded_row *row, *base, *before = NULL;
	struct bn_year year;
	struct table table;

	if (tsv)
		bn_year_begin(&table, out);
	for (size_t i = 0; i < r->n; i++, before = row) {
		row = &r->rows[i];
		base = base_of(r, row);
		year = (struct bn_year){ .system = row->system,
		    .openssl = row->openssl, .bn = row->bn,
		    .source = row->source, .bits = row->key_bits,
		    .sign = row->sign, .verify = row->verify };
		year.sign_ratio = ratio(row->sign_ratio, row->sign,
		    base != NULL ? base->sign : 0);
		year.verify_ratio = ratio(row->verify_ratio, row->verify,
		    base != NULL ? base->verify : 0);
		if (tsv) {
			bn_year_row(&table, &year);
			continue;
		}
		if (before == NULL || !is_build(before, row)) {
			fprintf(out, "# %s, %s\n", row->system, row->openssl);
			bn_year_head(out, row->bn, base == row ? NULL :
			    "the first build");
		}
		bn_year_line(out, &year, base != row);
	}
	fflush(out);
}

void
bn_recorded_clear(struct bn_recorded *r)
{
	free(r->rows);
	r->rows = NULL;
	r->n = 0;
}
