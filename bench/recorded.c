/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench table: recorded runs as the table of 2009, recorded tables of 2005
 * with their ratios.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "bn_recorded.h"
#include "options.h"
#include "standing_report.h"
#include "subcommand.h"

struct recorded {
	struct options_measure	 measure;
	const char		*baseline, *sort;
	struct standing		 standing;
	struct bn_recorded	 bn;
	struct tsv		 tsv;
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench table [--baseline ROW] [--sort KEYS] [--tsv] FILE...\n"
"  --baseline ROW  what percentages are of; default the first row\n"
"  --sort KEYS     row, machine, os, openssl, backend, mhz, key_bits,\n"
"                  dkim_sign, dkim_verify, rsa_sign, rsa_verify; these four\n"
"                  also with _pct and _cor; :up or :down behind a key\n"
"  --tsv           for programs\n"
"FILE: recorded runs, rows parted by TABs; - is standard input.\n"
"Exit: 0 printed, 64 usage, 65 a file is wrong, 66 cannot be read, 71 no\n"
"memory, 74 cannot write.\n");
}

static int
take_option(void *arg, int option, const char *text)
{
	struct recorded *r = arg;

	switch (option) {
	case 'b':
		r->baseline = text;
		return 0;
	case 's':
		r->sort = text;
		return 0;
	default:
		return EX_USAGE;
	}
}

/*
 * All rows of a file, each kind into its table.
 */
static int
read_rows(struct recorded *r)
{
	bool is_header, is_run = false, more;
	struct tsv *tsv = &r->tsv;
	int status;

	for (;;) {
		status = tsv_next(tsv, &is_header, &more);
		if (status != 0 || !more)
			return status;
		if (is_header) {
			is_run = standing_is_header(tsv);
			if (!is_run && !bn_recorded_is_header(tsv))
				return tsv_fail(tsv, "these columns are "
				    "neither those of runs (row machine mhz "
				    "os openssl backend measure key_bits run "
				    "value) nor of dkimbench bn --tsv");
			continue;
		}
		status = is_run ? standing_add(&r->standing, tsv) :
		    bn_recorded_add(&r->bn, tsv);
		if (status != 0)
			return status;
	}
}

static int
read_file(struct recorded *r, const char *file)
{
	char *octets;
	size_t n;
	int status = tsv_load(file, &octets, &n);

	if (status != 0)
		return status;
	tsv_begin(&r->tsv, file, octets, n);
	status = read_rows(r);
	if (status != 0)
		warnx("%s", r->tsv.error);
	else if (r->tsv.columns == 0) {
		warnx("%s: no recorded runs: no line begins with # and names "
		    "columns", file);
		status = EX_DATAERR;
	}
	free(octets);
	return status;
}

static int
print(struct recorded *r)
{
	int status = standing_compare(&r->standing, r->baseline);

	if (status == 0 && r->sort != NULL)
		status = standing_sort(&r->standing, r->sort);
	if (status != 0)
		return status;
	/* with --tsv one header line alone; a second table is for people */
	if (r->measure.tsv && r->standing.n > 0 && r->bn.n > 0) {
		warnx("--tsv: runs and tables of dkimbench bn have other "
		    "columns: one kind of file at a time");
		return EX_USAGE;
	}
	if (r->bn.n == 0 || r->standing.n > 0)
		standing_report(&r->standing, r->measure.tsv, stdout);
	if (r->bn.n > 0)
		bn_recorded_report(&r->bn, r->measure.tsv, stdout);
	return 0;
}

int
subcommand_table(int argc, char **argv)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "baseline", required_argument, NULL, 'b' },
		{ "sort", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
		.operands = true,
	};
	static struct recorded r = { .measure = OPTIONS_MEASURE_DEFAULT };
	int status = options_parse(argc, argv, &syntax, &r, &r.measure);

	if (status == 0 && optind == argc) {
		warnx("no file of recorded runs");
		usage(stderr);
		status = EX_USAGE;
	}
	for (int i = optind; i < argc && status == 0; i++)
		status = read_file(&r, argv[i]);
	if (status == 0)
		status = print(&r);
	standing_clear(&r.standing);
	bn_recorded_clear(&r.bn);
	return status;
}
