/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench bn: the same arithmetic with limbs of 32 and of 64 bits, as the
 * tables of 2005 have it. The two programs are run by turns, a window each;
 * the window's length and its count are the programs' own.
 */

/* system */
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "bn_report.h"
#include "helper.h"
#include "options.h"
#include "reference.h"
#include "subcommand.h"

#define BITS_DEFAULT	"512,1024,2048,4096"
#define LIMB_DEFAULT	"32,64"
#define PARTS		"sign,verify,mul,sqr,modmul,modsqr"

struct bn {
	struct options_measure	 measure;
	struct options_numbers	 limbs, bits;
	struct options_names	 ops;
	bool			 parts;
	struct pin		 pin;
	struct progress		 progress;
	struct measure_plan	 plan;
	char			 path[BN_LIMBS][PATH_MAX];
	struct bn_report	 report;
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench bn [--limb LIST] [--bits LIST] [--parts] [--tsv]\n"
"                    [--seconds S] [--runs N] [--cpu N] [--seed N]\n"
"  --limb LIST    32, 64; ratios are to the first; default %s\n"
"  --bits LIST    of the modulus, %d to %d; default %s\n"
"  --parts        a row for each of %s\n"
"  --seconds S    of a window; default %g\n"
"  --runs N       windows of each; default %d\n"
"  --cpu N        processor to stay on; default the last allowed one\n"
"  --seed N       of messages and operands; default 1\n"
"Exit: 0 measured, 64 usage, 69 a program is not there, 70 a result was\n"
"wrong, 74 cannot write.\n",
	    LIMB_DEFAULT, RSAB_RSA_BITS_MIN, RSAB_RSA_BITS_MAX, BITS_DEFAULT,
	    PARTS, MEASURE_SECONDS, MEASURE_RUNS);
}

static int
parse_limbs(const char *text, struct options_numbers *out)
{
	int status = options_numbers("--limb", text, 32, 64, out);

	for (size_t i = 0; i < out->n && status == 0; i++)
		if (out->v[i] != 32 && out->v[i] != 64) {
			warnx("--limb %s: 32 and 64 are there", text);
			status = EX_USAGE;
		}
	return status;
}

static int
take_option(void *arg, int option, const char *text)
{
	struct bn *b = arg;

	switch (option) {
	case 'b':
		return options_numbers("--bits", text, RSAB_RSA_BITS_MIN,
		    RSAB_RSA_BITS_MAX, &b->bits);
	case 'l':
		return parse_limbs(text, &b->limbs);
	case 'p':
		b->parts = true;
		return options_names("--parts", PARTS, &b->ops);
	default:
		return EX_USAGE;
	}
}

static int
parse_options(int argc, char **argv, struct bn *b)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "bits", required_argument, NULL, 'b' },
		{ "limb", required_argument, NULL, 'l' },
		{ "parts", no_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	int status;

	status = options_numbers("--bits", BITS_DEFAULT, 1, UINT32_MAX,
	    &b->bits);
	if (status == 0)
		status = parse_limbs(LIMB_DEFAULT, &b->limbs);
	if (status == 0)
		status = options_names("--op", "sign,verify", &b->ops);
	if (status == 0)
		status = options_parse(argc, argv, &syntax, b, &b->measure);
	return status;
}

static int
find_programs(struct bn *b)
{
	char name[32];
	int status = 0;

	for (size_t i = 0; i < b->limbs.n && status == 0; i++) {
		snprintf(name, sizeof name, "dkimbench-bn%u", b->limbs.v[i]);
		status = helper_find(name, b->path[i], sizeof b->path[i]);
	}
	return status;
}

/*
 * One window of program i.
 */
static int
window(struct bn *b, size_t i, char *op, const struct reference *reference,
    struct measure_window *out)
{
	char seconds[32], cpu[32] = "-", seed[32], text[256];
	char *argv[] = { b->path[i], op, seconds, cpu, seed, NULL };
	int status;

	snprintf(seconds, sizeof seconds, "%.6f", b->measure.seconds);
	snprintf(seed, sizeof seed, "%llu",
	    (unsigned long long)b->measure.seed);
	if (b->pin.n > 0)
		snprintf(cpu, sizeof cpu, "%u", b->pin.cpu[0]);
	status = helper_run(argv, reference->pem, reference->pem_len, text,
	    sizeof text);
	if (status == 0 && sscanf(text, "%lf %lf %lf %lf", &out->ops,
	    &out->ns, &out->ghz_before, &out->ghz_after) != 4) {
		warnx("%s: it gives no figures", b->path[i]);
		status = EX_SOFTWARE;
	}
	return status;
}

/*
 * All windows of one size and operation, A B A B.
 */
static int
run_heat(struct bn *b, const struct reference *reference, char *op)
{
	struct measure_contestant c[BN_LIMBS] = { { .n = 0 } };
	struct measure_summary summary[BN_LIMBS];
	size_t n = b->limbs.n;
	int status = 0;

	progress_name(&b->progress, "%u bits, %s", reference->bits, op);
	for (size_t i = 0; i < n; i++)
		if ((c[i].windows = calloc(b->measure.runs,
		    sizeof *c[i].windows)) == NULL) {
			warnx("no memory for %u windows", b->measure.runs);
			status = EX_OSERR;
		}
	for (unsigned run = 0; run < b->measure.runs && status == 0; run++) {
		if (b->plan.progress != NULL)
			b->plan.progress(&b->progress, run + 1,
			    b->measure.runs);
		for (size_t i = 0; i < n && status == 0; i++)
			status = window(b, i, op, reference,
			    &c[i].windows[c[i].n++]);
	}
	for (size_t i = 0; i < n && status == 0; i++)
		status = measure_summarize(&b->plan, c, n, i, &summary[i]);
	if (status == 0)
		status = bn_report_add(&b->report, reference->bits, op,
		    summary);
	measure_clear(c, n);
	return status;
}

static int
run_all(struct bn *b)
{
	struct reference *reference;
	int status = 0;

	for (size_t i = 0; i < b->bits.n && status == 0; i++) {
		status = reference_make(b->bits.v[i], b->measure.seed,
		    &reference);
		if (status != 0)
			break;
		for (size_t k = 0; k < b->ops.n && status == 0; k++)
			status = run_heat(b, reference, b->ops.v[k]);
		reference_free(reference);
	}
	if (status == 0)
		bn_report_end(&b->report);
	return status;
}

int
subcommand_bn(int argc, char **argv)
{
	static struct bn b = { .measure = OPTIONS_MEASURE_DEFAULT };
	int status = parse_options(argc, argv, &b);

	if (status == 0)
		status = find_programs(&b);
	if (status == 0)
		status = options_begin(&b.measure, &b.pin, &b.progress,
		    &b.plan);
	if (status != 0)
		return status;
	bn_report_begin(&b.report, &b.limbs, b.parts, b.measure.tsv, stdout);
	return run_all(&b);
}
