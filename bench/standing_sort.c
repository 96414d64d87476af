/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of the table of 2009; see standing_sort in standing.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "options.h"
#include "standing.h"

struct key {
	size_t		text;		/* offset of a text, where figure < 0 */
	int		figure;		/* a measure; CLOCK, BITS */
	unsigned	what;		/* mean, percent, corrected */
	bool		down;
};

#define CLOCK	STANDING_MEASURES
#define BITS	(STANDING_MEASURES + 1)

static const char *const figures[] = {
	"dkim_sign", "dkim_verify", "rsa_sign", "rsa_verify", "mhz",
	"key_bits",
};

static const char *const suffixes[] = { "", "_pct", "_cor" };

static const struct {
	const char	*name;
	size_t		 offset;
} texts[] = {
	{ "row", offsetof(struct standing_row, row) },
	{ "machine", offsetof(struct standing_row, machine) },
	{ "os", offsetof(struct standing_row, os) },
	{ "openssl", offsetof(struct standing_row, openssl) },
	{ "backend", offsetof(struct standing_row, backend) },
};

#define COUNT(a)	(sizeof (a) / sizeof (a)[0])

static bool
find_figure(const char *name, struct key *out)
{
	char full[OPTIONS_NAME_MAX];

	for (size_t f = 0; f < COUNT(figures); f++)
		for (unsigned w = 0; w < (f < CLOCK ? COUNT(suffixes) : 1);
		    w++) {
			snprintf(full, sizeof full, "%s%s", figures[f],
			    suffixes[w]);
			if (strcmp(full, name) != 0)
				continue;
			*out = (struct key){ .figure = (int)f, .what = w,
			    .down = f < CLOCK };
			return true;
		}
	return false;
}

static bool
find_text(const char *name, struct key *out)
{
	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(texts[i].name, name) == 0) {
			*out = (struct key){ .text = texts[i].offset,
			    .figure = -1 };
			return true;
		}
	return false;
}

static int
parse_key(const char *name, struct key *out)
{
	size_t n = strcspn(name, ":");
	char bare[OPTIONS_NAME_MAX];

	snprintf(bare, sizeof bare, "%.*s", (int)n, name);
	if (!find_figure(bare, out) && !find_text(bare, out)) {
		warnx("--sort %s: row, machine, os, openssl, backend, mhz, "
		    "key_bits, dkim_sign, dkim_verify, rsa_sign and rsa_verify"
		    " are known, these four also with _pct or _cor", bare);
		return EX_USAGE;
	}
	if (name[n] == '\0')
		return 0;
	if (strcmp(name + n, ":up") != 0 && strcmp(name + n, ":down") != 0) {
		warnx("--sort %s: :up or :down may follow a key", name);
		return EX_USAGE;
	}
	out->down = strcmp(name + n, ":down") == 0;
	return 0;
}

static double
figure_of(const struct standing_row *row, const struct key *key)
{
	const struct standing_figure *f;

	if (key->figure == CLOCK)
		return row->mhz;
	if (key->figure == BITS)
		return row->key_bits;
	f = &row->figure[key->figure];
	return key->what == 0 ? f->mean : key->what == 1 ? f->percent :
	    f->corrected;
}

/*
 * Labels that are numbers by their value, in front of all others.
 */
static int
compare_texts(const char *a, const char *b)
{
	char *end_a, *end_b;
	double x = strtod(a, &end_a), y = strtod(b, &end_b);
	bool is_a = end_a != a && *end_a == '\0';
	bool is_b = end_b != b && *end_b == '\0';

	if (is_a && is_b && (x < y || x > y))
		return x < y ? -1 : 1;
	if (is_a != is_b)
		return is_a ? -1 : 1;
	return strcmp(a, b);
}

static int
compare_rows(const struct standing_row *a, const struct standing_row *b,
    const struct key *key)
{
	double x, y;
	int order;

	if (key->figure < 0) {
		order = compare_texts((const char *)a + key->text,
		    (const char *)b + key->text);
		return key->down ? -order : order;
	}
	x = figure_of(a, key);
	y = figure_of(b, key);
	if ((x < 0) != (y < 0))
		return x < 0 ? 1 : -1;
	order = (x > y) - (x < y);
	return key->down ? -order : order;
}

/*
 * Sort stably: an insertion, since rows are few and qsort takes no keys.
 */
static void
sort_by(struct standing *s, const struct key *key)
{
	struct standing_row row;
	size_t k;

	for (size_t i = 1; i < s->n; i++) {
		for (k = i; k > 0 && compare_rows(&s->rows[k - 1],
		    &s->rows[i], key) > 0; k--)
			continue;
		row = s->rows[i];
		memmove(&s->rows[k + 1], &s->rows[k],
		    (i - k) * sizeof row);
		s->rows[k] = row;
	}
}

int
standing_sort(struct standing *s, const char *keys)
{
	struct options_names names;
	struct key parsed[OPTIONS_LIST_MAX];
	int status = options_names("--sort", keys, &names);

	for (size_t i = 0; i < names.n && status == 0; i++)
		status = parse_key(names.v[i], &parsed[i]);
	/* the last key first, since each sort keeps the order of equals */
	for (size_t i = names.n; status == 0 && i > 0; i--)
		sort_by(s, &parsed[i - 1]);
	return status;
}
