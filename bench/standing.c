/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of 2009; see standing.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "standing.h"

#define NONE	(-1.0)
#define MHZ_MIN	0.001
#define MHZ_MAX	1e9

/* As the column measure has them. */
static const char *const measures[STANDING_MEASURES] = {
	"dkim-sign", "dkim-verify", "rsa-sign", "rsa-verify",
};

bool
standing_is_header(const struct tsv *tsv)
{
	static const char *const names[] = { "row", "machine", "mhz", "os",
	    "openssl", "backend", "measure", "key_bits", "run", "value" };

	return tsv_has(tsv, names, sizeof names / sizeof names[0]);
}

static int
take_row(struct tsv *tsv, struct standing_row *row)
{
	const struct {
		const char	*column;
		char		*out;
	} texts[] = {
		{ "row", row->row }, { "machine", row->machine },
		{ "os", row->os }, { "openssl", row->openssl },
		{ "backend", row->backend },
	};
	int status = 0;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == 0;
	    i++)
		status = tsv_text(tsv, texts[i].column, texts[i].out,
		    STANDING_TEXT_SIZE);
	if (status == 0)
		status = tsv_whole(tsv, "key_bits", 1, STANDING_BITS_MAX,
		    &row->key_bits);
	if (status == 0)
		status = tsv_figure(tsv, "mhz", &row->mhz);
	if (status == 0 && row->mhz >= 0 &&
	    (row->mhz < MHZ_MIN || row->mhz > MHZ_MAX))
		status = tsv_fail(tsv, "mhz %g: %g to %g is wanted, - for "
		    "none", row->mhz, MHZ_MIN, MHZ_MAX);
	return status;
}

static int
take_measure(struct tsv *tsv, enum standing_measure *out)
{
	const char *text = tsv_field(tsv, "measure");

	for (unsigned i = 0; text != NULL && i < STANDING_MEASURES; i++)
		if (strcmp(text, measures[i]) == 0) {
			*out = (enum standing_measure)i;
			return 0;
		}
	return tsv_fail(tsv, "measure \"%.60s\": dkim-sign, dkim-verify, "
	    "rsa-sign and rsa-verify are known", text == NULL ? "" : text);
}

static bool
is_same(const struct standing_row *a, const struct standing_row *b)
{
	return strcmp(a->row, b->row) == 0 && a->key_bits == b->key_bits &&
	    strcmp(a->machine, b->machine) == 0 &&
	    strcmp(a->os, b->os) == 0 &&
	    strcmp(a->openssl, b->openssl) == 0 &&
	    strcmp(a->backend, b->backend) == 0;
}

/*
 * The row of that description, a new one where there is none.
 */
static int
find_row(struct standing *s, struct tsv *tsv, const struct standing_row *like,
    struct standing_row **out)
{
	int status;

	for (size_t i = 0; i < s->n; i++)
		if (is_same(&s->rows[i], like)) {
			*out = &s->rows[i];
			if (like->mhz < (*out)->mhz || like->mhz > (*out)->mhz)
				return tsv_fail(tsv, "mhz %g; row %s had %g "
				    "above", like->mhz, like->row,
				    (*out)->mhz);
			return 0;
		}
	s->rows = tsv_room(tsv, s->rows, s->n, STANDING_ROWS_MAX,
	    sizeof *s->rows, &status);
	if (status != 0)
		return status;
	*out = &s->rows[s->n];
	**out = *like;
	(*out)->order = s->n++;
	return 0;
}

int
standing_add(struct standing *s, struct tsv *tsv)
{
	enum standing_measure measure = STANDING_DKIM_SIGN;
	struct standing_row like = { .key_bits = 0 }, *row = NULL;
	struct standing_figure *f;
	unsigned run = 0;
	double value = NONE;
	int status = take_row(tsv, &like);

	if (status == 0)
		status = take_measure(tsv, &measure);
	if (status == 0)
		status = tsv_whole(tsv, "run", 1, STANDING_RUNS_MAX, &run);
	if (status == 0)
		status = tsv_figure(tsv, "value", &value);
	if (status == 0)
		status = find_row(s, tsv, &like, &row);
	if (status != 0)
		return status;
	f = &row->figure[measure];
	if ((f->seen[run / 64] >> run % 64 & 1) != 0)
		return tsv_fail(tsv, "run %u of %s of row %s (%s, %u bits) is "
		    "there twice", run, measures[measure], row->row,
		    row->backend, row->key_bits);
	f->seen[run / 64] |= UINT64_C(1) << run % 64;
	if (value < 0)
		return 0;
	f->sum += value;
	f->runs++;
	return 0;
}

/*
 * The row that percentages of a row are of; NULL: there is none.
 */
static const struct standing_row *
base_of(const struct standing *s, const struct standing_row *row,
    const char *baseline)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->rows[i].row, baseline) == 0 &&
		    s->rows[i].key_bits == row->key_bits)
			return &s->rows[i];
	return NULL;
}

static void
compare(struct standing_row *row, const struct standing_row *base)
{
	for (unsigned m = 0; m < STANDING_MEASURES; m++) {
		struct standing_figure *f = &row->figure[m];

		f->percent = f->corrected = NONE;
		if (base == NULL || f->mean < 0 || base->figure[m].mean <= 0)
			continue;
		f->percent = 100 * f->mean / base->figure[m].mean;
		if (base->mhz > 0 && row->mhz > 0)
			f->corrected = f->percent * base->mhz / row->mhz;
	}
}

int
standing_compare(struct standing *s, const char *baseline)
{
	bool found = false;

	if (s->n == 0)
		return 0;
	if (baseline == NULL)
		baseline = s->rows[0].row;
	for (size_t i = 0; i < s->n; i++) {
		found = found || strcmp(s->rows[i].row, baseline) == 0;
		for (unsigned m = 0; m < STANDING_MEASURES; m++) {
			struct standing_figure *f = &s->rows[i].figure[m];

			f->mean = f->runs == 0 ? NONE : f->sum / f->runs;
		}
	}
	if (!found) {
		warnx("--baseline %s: no row has that label", baseline);
		return EX_USAGE;
	}
	for (size_t i = 0; i < s->n; i++)
		compare(&s->rows[i], base_of(s, &s->rows[i], baseline));
	return 0;
}

void
standing_clear(struct standing *s)
{
	free(s->rows);
	s->rows = NULL;
	s->n = 0;
}
