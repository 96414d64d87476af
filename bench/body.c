/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench body: canonicalizing and hashing a body, against SHA-256 alone on
 * the same octets.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "body_contestant.h"
#include "body_kind.h"
#include "options.h"
#include "subcommand.h"
#include "table.h"

#define FORM_DEFAULT	"simple,relaxed"
#define SIZE_DEFAULT	"1024,65536,1048576"
#define SIZE_MAX_OCTETS	104857600	/* of a body */
#define CHUNK_DEFAULT	65535	/* what libmilter's MTAs send at once */

struct body {
	struct options_measure	 measure;
	struct options_names	 forms, kinds;
	struct options_numbers	 sizes;
	size_t			 chunk;
	struct pin		 pin;
	struct progress		 progress;
	struct measure_plan	 plan;
	struct dkim_lib		*lib;
	struct table		 table;
};

/* Those of --tsv are a contract: more may follow, none changes. */
static const struct table_column columns[] = {
	{ "form", -15, false },
	{ "kind", -8, false },
	{ "size", 9, false },
	{ "mb_per_s_median", 15, false },
	{ "sha256_mb_per_s_median", 22, false },
	{ "ratio", 6, false },
	{ "mb_per_s_min", 12, false },
	{ "mb_per_s_max", 12, false },
	{ "cycles_per_octet", 16, false },
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench body [--form LIST] [--kind LIST] [--size LIST]\n"
"                      [--chunk N] [--tsv] [--seconds S] [--runs N]\n"
"                      [--cpu N] [--seed N]\n"
"  --form LIST    of %s;\n"
"                 default %s\n"
"  --kind LIST    of %s; default all\n"
"  --size LIST    octets of a body, 1 to %d;\n"
"                 default %s\n"
"  --chunk N      octets that come at once; default %d\n"
"  --seconds S    of a window; default %g\n"
"  --runs N       windows of each; default %d\n"
"  --cpu N        processor to stay on; default the last allowed one\n"
"  --seed N       of the bodies; default 1\n"
"Exit: 0 measured, 64 usage, 70 a hash was wrong, 71 no memory, 74 cannot\n"
"write.\n",
	    BODY_CONTESTANT_FORMS, FORM_DEFAULT, BODY_KIND_NAMES,
	    SIZE_MAX_OCTETS, SIZE_DEFAULT, CHUNK_DEFAULT, MEASURE_SECONDS,
	    MEASURE_RUNS);
}

static int
take_option(void *arg, int option, const char *text)
{
	struct body *b = arg;
	uint64_t n = 0;
	int status;

	switch (option) {
	case 'f':
		return options_names("--form", text, &b->forms);
	case 'k':
		return options_names("--kind", text, &b->kinds);
	case 's':
		return options_numbers("--size", text, 1, SIZE_MAX_OCTETS,
		    &b->sizes);
	case 'c':
		status = options_number("--chunk", text, 1, SIZE_MAX_OCTETS,
		    &n);
		b->chunk = (size_t)n;
		return status;
	default:
		return EX_USAGE;
	}
}

/*
 * Names that are wrong are told before anything is measured.
 */
static int
check_names(const struct body *b)
{
	struct body_contestant c;
	uint8_t octet;
	int status = 0;

	for (size_t i = 0; i < b->kinds.n && status == 0; i++)
		status = body_kind_fill(b->kinds.v[i], 1, &octet, 1);
	for (size_t i = 0; i < b->forms.n && status == 0; i++)
		status = body_contestant_init(&c, b->lib, b->forms.v[i],
		    slice_of(&octet, 1), 1);
	return status;
}

static int
parse_options(int argc, char **argv, struct body *b)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "chunk", required_argument, NULL, 'c' },
		{ "form", required_argument, NULL, 'f' },
		{ "kind", required_argument, NULL, 'k' },
		{ "size", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	int status;

	b->chunk = CHUNK_DEFAULT;
	status = options_names("--form", FORM_DEFAULT, &b->forms);
	if (status == 0)
		status = options_names("--kind", BODY_KIND_NAMES, &b->kinds);
	if (status == 0)
		status = options_numbers("--size", SIZE_DEFAULT, 1,
		    SIZE_MAX_OCTETS, &b->sizes);
	if (status == 0)
		status = options_parse(argc, argv, &syntax, b, &b->measure);
	if (status == 0)
		status = check_names(b);
	return status;
}

static void
row_print(struct table *table, const char *form, const char *kind, size_t size,
    const struct measure_summary *s, const struct measure_summary *alone)
{
	double mb = (double)size / 1e6;

	table_text(table, form);
	table_text(table, kind);
	table_number(table, size);
	table_figure(table, s->per_s_median * mb, 1);
	table_figure(table, alone->per_s_median * mb, 1);
	table_figure(table, s->ratio, 3);
	table_figure(table, s->per_s_min * mb, 1);
	table_figure(table, s->per_s_max * mb, 1);
	table_figure(table, s->cycles / (double)size, 3);
	table_end(table, NULL);
}

/*
 * SHA-256 alone and all forms, on one body.
 */
static int
run_heat(struct body *b, const char *kind, struct slice octets)
{
	struct measure_contestant measured[OPTIONS_LIST_MAX + 1] = { { 0 } };
	struct body_contestant racing[OPTIONS_LIST_MAX + 1];
	struct measure_summary alone, summary;
	size_t n = b->forms.n + 1;
	int status = 0;

	progress_name(&b->progress, "%s, %zu octets", kind, octets.n);
	for (size_t i = 0; i < n && status == 0; i++) {
		status = body_contestant_init(&racing[i], b->lib, i == 0 ?
		    BODY_CONTESTANT_ALONE : b->forms.v[i - 1], octets,
		    b->chunk);
		measured[i].run = body_contestant_run;
		measured[i].arg = &racing[i];
		measured[i].per_round = 1;
	}
	if (status == 0)
		status = measure_heat(&b->plan, measured, n);
	if (status == 0)
		status = measure_summarize(&b->plan, measured, n, 0, &alone);
	for (size_t i = 1; i < n && status == 0; i++) {
		status = measure_summarize(&b->plan, measured, n, i,
		    &summary);
		if (status == 0)
			row_print(&b->table, b->forms.v[i - 1], kind,
			    octets.n, &summary, &alone);
	}
	measure_clear(measured, n);
	return status != 0 ? status : table_check(&b->table);
}

static int
run_body(struct body *b, const char *kind, size_t size)
{
	uint8_t *octets = malloc(size);
	int status;

	if (octets == NULL) {
		warnx("no memory for a body of %zu octets", size);
		return EX_OSERR;
	}
	status = body_kind_fill(kind, b->measure.seed, octets, size);
	if (status == 0)
		status = run_heat(b, kind, slice_of(octets, size));
	free(octets);
	return status;
}

static int
run_all(struct body *b)
{
	int status = 0;

	table_init(&b->table, columns, sizeof columns / sizeof columns[0],
	    b->measure.tsv, stdout);
	table_header(&b->table);
	for (size_t s = 0; s < b->sizes.n && status == 0; s++)
		for (size_t k = 0; k < b->kinds.n && status == 0; k++)
			status = run_body(b, b->kinds.v[k], b->sizes.v[s]);
	return status;
}

int
subcommand_body(int argc, char **argv)
{
	struct body b = { .measure = OPTIONS_MEASURE_DEFAULT };
	int status = 0;

	if (dkim_lib_new(&b.lib) != 0) {
		warnx("libcrypto gives no SHA-256, or there is no memory");
		return EX_OSERR;
	}
	status = parse_options(argc, argv, &b);
	if (status == 0)
		status = options_begin(&b.measure, &b.pin, &b.progress,
		    &b.plan);
	if (status == 0)
		status = run_all(&b);
	dkim_lib_free(b.lib);
	return status;
}
