/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench rsa: raw RSA by backend, key size, operation and batch.
 *
 * A heat is one key size, operation and batch; its contestants are the
 * backends, measured by turns.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "options.h"
#include "rsa_contestant.h"
#include "rsa_report.h"
#include "subcommand.h"

#define BITS_DEFAULT	"1024,2048"
#define BACKEND_DEFAULT	"libcrypto,bn64"
#define BATCH_DEFAULT	"1,8"

struct rsa {
	struct options_measure	 measure;
	struct options_names	 backends, ops;
	struct options_numbers	 bits, batches;
	const char		*key;
	bool			 openssl_form;
	bool			 bits_given;

	/* by the order of backends; NULL: not here, for that reason */
	const struct rsab_backend *backend[OPTIONS_LIST_MAX];
	const char		*reason[OPTIONS_LIST_MAX];

	struct pin		 pin;
	struct progress		 progress;
	struct measure_plan	 plan;
	struct rsa_report	 report;
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench rsa [--backend LIST] [--bits LIST | --key FILE]\n"
"                     [--op sign,verify] [--batch LIST] [--threads N]\n"
"                     [--tsv | --openssl-form] [--seconds S] [--runs N]\n"
"                     [--cpu N] [--seed N]\n"
"  --backend LIST   as RSABackend of dkimd.conf; ratios are to the first;\n"
"                   default %s\n"
"  --bits LIST      of fresh keys, %d to %d; default %s\n"
"  --key FILE       this private key instead\n"
"  --op LIST        sign, verify; default both\n"
"  --batch LIST     jobs handed over at once, 1 to %d; default %s\n"
"  --threads N      each with a workspace of its own; default 1\n"
"  --openssl-form   lines as openssl speed prints them\n"
"  --seconds S      of a window; default %g\n"
"  --runs N         windows of each backend; default %d\n"
"  --cpu N          processor to stay on; default the last allowed one\n"
"  --seed N         of the messages; default 1\n"
"Exit: 0 measured, 64 usage, 65 not a key, 66 cannot read, 69 no backend of\n"
"the list is here, 70 a result was wrong, 74 cannot write.\n",
	    BACKEND_DEFAULT, RSAB_RSA_BITS_MIN, RSAB_RSA_BITS_MAX,
	    BITS_DEFAULT, RSA_BATCH_MAX, BATCH_DEFAULT, MEASURE_SECONDS,
	    MEASURE_RUNS);
}

static int
take_option(void *arg, int option, const char *text)
{
	struct rsa *r = arg;

	switch (option) {
	case 'b':
		r->bits_given = true;
		return options_numbers("--bits", text, RSAB_RSA_BITS_MIN,
		    RSAB_RSA_BITS_MAX, &r->bits);
	case 'B':
		return options_names("--backend", text, &r->backends);
	case 'f':
		r->openssl_form = true;
		return 0;
	case 'k':
		r->key = text;
		return 0;
	case 'n':
		return options_numbers("--batch", text, 1, RSA_BATCH_MAX,
		    &r->batches);
	case 'o':
		return options_names("--op", text, &r->ops);
	default:
		return EX_USAGE;
	}
}

static int
parse_options(int argc, char **argv, struct rsa *r)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "backend", required_argument, NULL, 'B' },
		{ "batch", required_argument, NULL, 'n' },
		{ "bits", required_argument, NULL, 'b' },
		{ "key", required_argument, NULL, 'k' },
		{ "op", required_argument, NULL, 'o' },
		{ "openssl-form", no_argument, NULL, 'f' },
		{ "threads", required_argument, NULL, OPTIONS_THREADS },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	int status;

	/* all within the limits: what the defaults are is told above */
	status = options_numbers("--bits", BITS_DEFAULT, 1, UINT32_MAX,
	    &r->bits);
	if (status == 0)
		status = options_numbers("--batch", BATCH_DEFAULT, 1,
		    RSA_BATCH_MAX, &r->batches);
	if (status == 0)
		status = options_names("--backend", BACKEND_DEFAULT,
		    &r->backends);
	if (status == 0)
		status = options_names("--op", "sign,verify", &r->ops);
	if (status == 0)
		status = options_parse(argc, argv, &syntax, r, &r->measure);
	return status;
}

static int
check_options(const struct rsa *r)
{
	if (r->key != NULL && r->bits_given) {
		warnx("--bits: not together with --key, which has its own");
		return EX_USAGE;
	}
	for (size_t i = 0; i < r->ops.n; i++)
		if (strcmp(r->ops.v[i], "sign") != 0 &&
		    strcmp(r->ops.v[i], "verify") != 0) {
			warnx("--op %s: sign and verify are known",
			    r->ops.v[i]);
			return EX_USAGE;
		}
	if (r->openssl_form && (r->ops.n != 2 || r->measure.tsv)) {
		warnx("--openssl-form: %s", r->measure.tsv ?
		    "not together with --tsv" :
		    "a line has both signing and verifying, leave --op out");
		return EX_USAGE;
	}
	return 0;
}

/*
 * Look the backends up and let each show its known answers.
 */
static int
find_backends(struct rsa *r)
{
	const struct rsab_backend *next;
	unsigned class = 0;
	size_t here = 0;
	int error;

	for (size_t i = 0; i < r->backends.n; i++) {
		error = rsab_backend_find(r->backends.v[i], &r->backend[i]);
		if (error == RSAB_ERR_UNKNOWN) {
			warnx("--backend %s: no such backend",
			    r->backends.v[i]);
			return EX_USAGE;
		}
		r->reason[i] = error != 0 ? rsab_strerror(error) :
		    strcmp(r->backends.v[i], "pkcs11") == 0 ?
		    "its keys lie in a token, no fresh one can be given" :
		    NULL;
		if (r->reason[i] != NULL) {
			r->backend[i] = NULL;
			continue;
		}
		error = rsab_backend_selftest(r->backend[i], &next, &class);
		if (error == RSAB_ERR_BACKEND) {
			warnx("%s: wrong known answer of %u bits: this "
			    "processor or this build cannot be trusted",
			    r->backends.v[i], class);
			return EX_SOFTWARE;
		}
		if (error != 0) {
			warnx("%s: %s", r->backends.v[i],
			    rsab_strerror(error));
			return EX_OSERR;
		}
		here++;
	}
	if (here == 0)
		warnx("no backend of the list is here: %s", r->reason[0]);
	return here == 0 ? EX_UNAVAILABLE : 0;
}

/*
 * Report what a heat gave: all backends in the order asked for.
 *   racing   contestants that ran, their indexes in backends in which
 */
static int
report_heat(struct rsa *r, const struct rsa_contestant *racing,
    const struct measure_contestant *measured, const size_t *which, size_t n,
    enum rsab_op op, unsigned bits, unsigned batch)
{
	struct rsa_result result;
	int status = 0;

	for (size_t i = 0, k = 0; i < r->backends.n && status == 0; i++) {
		result = (struct rsa_result){ .backend = r->backends.v[i],
		    .bits = bits, .op = op, .batch = batch,
		    .threads = r->measure.threads, .reason = r->reason[i] };
		if (k < n && which[k] == i) {
			result.path = rsa_contestant_path(&racing[k]);
			status = measure_summarize(&r->plan, measured, n, k,
			    &result.summary);
			/* the first of the list is what ratios are to */
			if (which[0] != 0)
				result.summary.ratio = 0;
			k++;
		}
		if (status == 0)
			status = rsa_report_add(&r->report, &result);
	}
	return status;
}

static int
run_heat(struct rsa *r, const struct reference *reference, enum rsab_op op,
    unsigned batch)
{
	struct measure_contestant measured[OPTIONS_LIST_MAX] = { { 0 } };
	struct rsa_contestant racing[OPTIONS_LIST_MAX];
	size_t which[OPTIONS_LIST_MAX], n = 0;
	int status = 0;

	progress_name(&r->progress, "%u bits, %s, batch %u", reference->bits,
	    op == RSAB_OP_SIGN ? "sign" : "verify", batch);
	for (size_t i = 0; i < r->backends.n && status == 0; i++) {
		if (r->backend[i] == NULL)
			continue;
		status = rsa_contestant_init(&racing[n], r->backend[i],
		    reference, op, batch, r->measure.threads);
		if (status != 0)
			break;
		measured[n].run = rsa_contestant_run;
		measured[n].arg = &racing[n];
		measured[n].per_round = batch;
		which[n++] = i;
	}
	if (status == 0)
		status = measure_heat(&r->plan, measured, n);
	if (status == 0)
		status = report_heat(r, racing, measured, which, n, op,
		    reference->bits, batch);
	measure_clear(measured, n);
	while (n > 0)
		rsa_contestant_clear(&racing[--n]);
	return status;
}

static int
run_key(struct rsa *r, const struct reference *reference)
{
	int status = 0;

	for (size_t b = 0; b < r->batches.n && status == 0; b++) {
		for (size_t o = 0; o < r->ops.n && status == 0; o++)
			status = run_heat(r, reference,
			    strcmp(r->ops.v[o], "sign") == 0 ? RSAB_OP_SIGN :
			    RSAB_OP_VERIFY, r->batches.v[b]);
		if (status == 0)
			rsa_report_batch(&r->report);
	}
	return status;
}

static int
run_all(struct rsa *r)
{
	struct reference *reference;
	int status = 0;

	if (r->key != NULL) {
		status = reference_load(r->key, r->measure.seed, &reference);
		if (status != 0)
			return status;
		status = run_key(r, reference);
		reference_free(reference);
		return status;
	}
	for (size_t i = 0; i < r->bits.n && status == 0; i++) {
		status = reference_make(r->bits.v[i], r->measure.seed,
		    &reference);
		if (status != 0)
			break;
		status = run_key(r, reference);
		reference_free(reference);
	}
	return status;
}

int
subcommand_rsa(int argc, char **argv)
{
	struct rsa r = { .measure = OPTIONS_MEASURE_DEFAULT };
	int status = parse_options(argc, argv, &r);

	if (status == 0)
		status = check_options(&r);
	if (status == 0)
		status = find_backends(&r);
	if (status == 0)
		status = options_begin(&r.measure, &r.pin, &r.progress,
		    &r.plan);
	if (status != 0)
		return status;
	rsa_report_begin(&r.report, r.measure.tsv ? RSA_REPORT_TSV :
	    r.openssl_form ? RSA_REPORT_OPENSSL : RSA_REPORT_PEOPLE, stdout);
	return run_all(&r);
}
