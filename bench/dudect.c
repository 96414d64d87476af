/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dudect: does the private operation take a time that depends on the key or
 * the message? Two kinds of input, one always the same and one always another,
 * come in random order; Welch's t tells whether their times differ.
 *
 *	dudect [--path LIST] [--bits N] [--class exponent,message]
 *	    [--runs N] [--cpu N] [--seed N] [--leak] [--tsv]
 *
 * What is timed is rsasign_run of one request: both halves and CRT, without
 * blinding, which would hide what is looked for. Of the class "exponent" d_p
 * and d_q are fixed or random, of the class "message" the encoded message is.
 * --leak adds a comparison of the secret that ends at the first difference, to
 * show that such a thing is seen.
 *
 * Exit: 0 every |t| is below 5, 1 one is not; usage and faults as dkimbench.
 *   source   Reparaz, Balasch, Verbauwhede: Dude, is my code constant time?
 *            2017
 */

/* system */
#include <err.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* rooms below */
#include "rsa-backend/cpu.h"

/* this room */
#include "dudect_sample.h"
#include "machine.h"
#include "options.h"
#include "table.h"

#define RUNS_DEFAULT	1000000
#define BITS_DEFAULT	1024
#define T_MAX		5.0

struct dudect {
	struct options_measure	 measure;
	struct options_names	 paths, classes;
	uint64_t		 runs;
	unsigned		 bits;
	bool			 leak;
	struct table		 table;
};

static const struct path *const paths[] = {
	&scalar_portable, &scalar_adx, &lanes_ifma, &lanes_emulated,
};

static const struct table_column columns[] = {
	{ "path", -9, false }, { "bits", 5, false }, { "class", -9, false },
	{ "leak", -5, false }, { "runs", 9, false }, { "t", 8, false },
	{ "crop", 6, false },
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dudect [--path LIST] [--bits N] [--class exponent,message]\n"
"              [--runs N] [--cpu N] [--seed N] [--leak] [--tsv]\n"
"  --path LIST   portable, adx, ifma, emulated; default those of this\n"
"                machine but the last\n"
"  --bits N      of a fresh key; default %d\n"
"  --class LIST  what is fixed or random; default both\n"
"  --runs N      operations that are timed; default %d\n"
"  --leak        with a planted leak, which must be seen\n"
"Exit: 0 every |t| is below %g, 1 one is not.\n",
	    BITS_DEFAULT, RUNS_DEFAULT, T_MAX);
}

static int
parse_option(struct dudect *d, int c)
{
	switch (c) {
	case 'b':
		return options_unsigned("--bits", optarg, RSAB_RSA_BITS_MIN,
		    RSAB_RSA_BITS_MAX, &d->bits);
	case 'c':
		return options_names("--class", optarg, &d->classes);
	case 'l':
		d->leak = true;
		return 0;
	case 'p':
		return options_names("--path", optarg, &d->paths);
	case OPTIONS_RUNS:
		return options_number("--runs", optarg, 1000, 1000000000,
		    &d->runs);
	case 'h':
		usage(stdout);
		exit(fflush(stdout) == 0 ? EX_OK : EX_IOERR);
	case OPTIONS_CPU:
	case OPTIONS_SEED:
	case OPTIONS_TSV:
		return options_measure(&d->measure, c, optarg);
	default:
		usage(stderr);
		return EX_USAGE;
	}
}

static bool
runs_here(const struct path *path)
{
	return (path->features & ~cpu_features()) == 0;
}

static int
parse_options(int argc, char **argv, struct dudect *d)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "bits", required_argument, NULL, 'b' },
		{ "class", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "leak", no_argument, NULL, 'l' },
		{ "path", required_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	int c, status = options_names("--class", "exponent,message",
	    &d->classes);

	for (size_t i = 0; i < 3; i++)
		if (runs_here(paths[i]))
			snprintf(d->paths.v[d->paths.n++],
			    sizeof d->paths.v[0], "%s", paths[i]->name);
	while (status == 0 &&
	    (c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
		status = parse_option(d, c);
	if (status == 0 && optind < argc) {
		usage(stderr);
		status = EX_USAGE;
	}
	return status;
}

static int
find_path(const char *name, const struct path **out)
{
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		if (strcmp(name, paths[i]->name) != 0)
			continue;
		*out = paths[i];
		if (runs_here(paths[i]))
			return 0;
		warnx("--path %s: this machine or build has no such "
		    "instructions", name);
		return EX_UNAVAILABLE;
	}
	warnx("--path %s: portable, adx, ifma and emulated are known", name);
	return EX_USAGE;
}

/*
 * One line of the table.
 *   worst    raised to |t|
 */
static int
run_one(struct dudect *d, const struct path *path, const char *class,
    const struct reference *reference, double *worst)
{
	struct dudect_sample sample = { .path = path, .reference = reference,
	    .runs = d->runs, .seed = d->measure.seed, .leak = d->leak,
	    .is_exponent = strcmp(class, "exponent") == 0 };
	char text[32];
	int status;

	if (!sample.is_exponent && strcmp(class, "message") != 0) {
		warnx("--class %s: exponent and message are known", class);
		return EX_USAGE;
	}
	status = dudect_sample_run(&sample);
	if (status != 0)
		return status;
	table_text(&d->table, path->name);
	table_number(&d->table, reference->bits);
	table_text(&d->table, class);
	table_text(&d->table, d->leak ? "yes" : "no");
	table_number(&d->table, d->runs);
	snprintf(text, sizeof text, "%.2f", sample.t);
	table_text(&d->table, text);
	/* "all": of all values; else of those up to that percentile */
	snprintf(text, sizeof text, "%.2f", sample.crop);
	table_text(&d->table, sample.crop < 100 ? text : "all");
	table_end(&d->table, fabs(sample.t) < T_MAX ? NULL : "differs");
	if (fabs(sample.t) > *worst)
		*worst = fabs(sample.t);
	return 0;
}

static int
run_all(struct dudect *d, const struct reference *reference)
{
	const struct path *path;
	double worst = 0;
	int status = 0;

	for (size_t i = 0; i < d->paths.n && status == 0; i++) {
		status = find_path(d->paths.v[i], &path);
		for (size_t k = 0; k < d->classes.n && status == 0; k++)
			status = run_one(d, path, d->classes.v[k], reference,
			    &worst);
	}
	if (status != 0)
		return status;
	return fflush(stdout) != 0 ? EX_IOERR : worst < T_MAX ? 0 : 1;
}

int
main(int argc, char **argv)
{
	static struct dudect d = { .measure = OPTIONS_MEASURE_DEFAULT,
	    .runs = RUNS_DEFAULT, .bits = BITS_DEFAULT };
	struct reference *reference;
	struct pin pin;
	int status = parse_options(argc, argv, &d);

	if (status == 0)
		status = options_pin(&d.measure, &pin);
	if (status == 0)
		status = reference_make(d.bits, d.measure.seed, &reference);
	if (status != 0)
		return status;
	machine_print(d.measure.tsv ? stderr : stdout, "# ", &pin);
	table_init(&d.table, columns, sizeof columns / sizeof columns[0],
	    d.measure.tsv, stdout);
	table_header(&d.table);
	status = run_all(&d, reference);
	reference_free(reference);
	return status;
}
