/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim verify: judge the signatures of messages in files.
 */

/* system */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "dkim/dkim.h"

/* this room */
#include "answers.h"
#include "input.h"
#include "subcommand.h"
#include "tsv.h"

enum output {
	OUTPUT_PEOPLE,
	OUTPUT_TSV,
	OUTPUT_HEADER,
};

struct verify {
	struct dkim_verify_options	 options;
	struct answers_options		 where;
	const char			*authserv_id;
	enum output			 output;
	bool				 explain;
	struct dkim_lib			*lib;
	struct rsab_worker		*worker;
	struct answers			*answers;
	/* of the message at hand */
	struct dkim_header		*header;
	struct dkim_verifier		*verifier;
	struct dkim_explainer		*explainer;	/* --explain */
};

#define EXPLANATION_MAX	65536	/* octets on one signature */

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkim verify [--dns FILE | --testkeys FILE | --nameserver ADDR[@PORT]]\n"
"                   [--now SECONDS] [--max-signatures N] [--min-bits N]\n"
"                   [--authserv-id ID] [--explain] [--tsv | --header]\n"
"                   [FILE ...]\n"
"  --dns FILE        key records: name TAB value, a line each\n"
"  --testkeys FILE   key records as TestPublicKeys has them\n"
"  --nameserver A@P  ask this server\n"
"  --now SECONDS     the time to judge at, Unix time\n"
"  --explain         why a signature did not pass, and which known change\n"
"                    would account for it; with --tsv one more column\n"
"  --tsv             file, signature, result, reason, d, s, a\n"
"  --header          the Authentication-Results field\n"
"Exit: 0 every message has a pass, 1 one has not, 65 not a message,\n"
"66 cannot read, 75 a key could not be looked up now, 78 configuration.\n");
}

static int
take_number(const char *name, unsigned long long max, unsigned long long *out)
{
	return subcommand_number(name, optarg, max, out);
}

/* A flat table and a flat switch: one entry an option. */
static int
parse_options(int argc, char **argv, struct verify *v)
{
	enum { DNS = 256, TESTKEYS, NAMESERVER, NOW, MAX_SIGNATURES, MIN_BITS,
	    AUTHSERV_ID, EXPLAIN, TSV, HEADER };
	static const struct option longs[] = {
		{ "dns", required_argument, NULL, DNS },
		{ "testkeys", required_argument, NULL, TESTKEYS },
		{ "nameserver", required_argument, NULL, NAMESERVER },
		{ "now", required_argument, NULL, NOW },
		{ "max-signatures", required_argument, NULL, MAX_SIGNATURES },
		{ "min-bits", required_argument, NULL, MIN_BITS },
		{ "authserv-id", required_argument, NULL, AUTHSERV_ID },
		{ "explain", no_argument, NULL, EXPLAIN },
		{ "tsv", no_argument, NULL, TSV },
		{ "header", no_argument, NULL, HEADER },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned long long n = 0;
	int c, status = 0;

	while (status == 0 &&
	    (c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case DNS:
			v->where.dns = optarg;
			break;
		case TESTKEYS:
			v->where.testkeys = optarg;
			break;
		case NAMESERVER:
			v->where.nameserver = optarg;
			break;
		case NOW:
			status = take_number("--now", UINT64_MAX, &n);
			v->options.now = n;
			break;
		case MAX_SIGNATURES:
			status = take_number("--max-signatures", 10000, &n);
			v->options.max_signatures = (size_t)n;
			break;
		case MIN_BITS:
			status = take_number("--min-bits", RSAB_RSA_BITS_MAX,
			    &n);
			v->options.min_bits = (unsigned)n;
			break;
		case AUTHSERV_ID:
			v->authserv_id = optarg;
			break;
		case EXPLAIN:
			v->explain = true;
			break;
		case TSV:
			v->output = OUTPUT_TSV;
			break;
		case HEADER:
			v->output = OUTPUT_HEADER;
			break;
		case 'h':
			usage(stdout);
			exit(EX_OK);
		default:
			usage(stderr);
			status = EX_USAGE;
		}
	}
	if (status == 0 && (v->where.dns != NULL) +
	    (v->where.testkeys != NULL) + (v->where.nameserver != NULL) > 1) {
		warnx("--dns, --testkeys and --nameserver exclude each other");
		status = EX_USAGE;
	}
	if (status == 0 && v->explain && v->output == OUTPUT_HEADER) {
		warnx("--explain and --header exclude each other");
		status = EX_USAGE;
	}
	return status;
}

/*
 * The header is complete: find the signatures, fetch their keys.
 */
static int
on_header(void *context)
{
	struct verify *v = context;
	struct dkim_answer *answers;
	const char **names;
	size_t i, n;
	int error;

	error = dkim_verifier_new(v->lib, v->header, &v->options,
	    &v->verifier);
	if (error == 0 && v->explain)
		error = dkim_explainer_new(v->verifier, &v->explainer);
	if (error != 0)
		return error;
	n = dkim_verifier_queries(v->verifier);
	if (n == 0)
		return 0;
	names = calloc(n, sizeof(*names));
	answers = calloc(n, sizeof(*answers));
	if (names == NULL || answers == NULL) {
		free(names);
		free(answers);
		return DKIM_ERR_NOMEM;
	}
	for (i = 0; i < n; i++)
		names[i] = dkim_verifier_query(v->verifier, i);
	answers_get(v->answers, names, n, answers);
	for (i = 0; i < n; i++)
		dkim_verifier_answer(v->verifier, i, answers[i]);
	free(names);
	free(answers);
	return 0;
}

static int
on_body(void *context, struct slice in)
{
	struct verify *v = context;
	int error = dkim_verifier_body(v->verifier, in);

	if (error == 0 && v->explain)
		error = dkim_explainer_body(v->explainer, in);
	return error;
}

static void
print_tsv(struct slice file, size_t number, const struct dkim_verdict *d,
    const struct slice *explanation)
{
	char text[24];

	tsv_field(file, 0);
	snprintf(text, sizeof(text), "%zu", number);
	tsv_field(slice_text(text), 0);
	tsv_field(slice_text(d == NULL ? "none" :
	    dkim_result_text(d->result)), 0);
	tsv_field(slice_text(d == NULL ? "" : d->reason), 0);
	tsv_field(d == NULL ? slice_text("") : d->domain, 0);
	tsv_field(d == NULL ? slice_text("") : d->selector, 0);
	tsv_field(d == NULL ? slice_text("") : d->algorithm,
	    explanation == NULL);
	if (explanation != NULL)
		tsv_field(*explanation, 1);
}

static void
print_people(const char *file, size_t number, const struct dkim_verdict *d)
{
	tsv_text(slice_text(file));
	fputs(": ", stdout);
	if (d == NULL) {
		puts("none (no DKIM-Signature)");
		return;
	}
	printf("signature %zu: %s", number, dkim_result_text(d->result));
	if (d->reason[0] != '\0')
		printf(" (%s)", d->reason);
	fputs(" d=", stdout);
	tsv_text(d->domain);
	fputs(" s=", stdout);
	tsv_text(d->selector);
	fputs(" a=", stdout);
	tsv_text(d->algorithm);
	if (d->key_known)
		printf(" %u-bit key", d->key_bits);
	if (d->testing)
		fputs(" testing", stdout);
	putchar('\n');
}

/*
 * Lines for people, set off from those of the verdicts.
 */
static void
print_lines(struct slice text)
{
	size_t n;

	while (text.n > 0) {
		n = slice_find(text, '\n');
		fputs("  ", stdout);
		fwrite(text.p, 1, n, stdout);
		putchar('\n');
		text = slice_from(text, n < text.n ? n + 1 : n);
	}
}

/*
 * One verdict; with --explain the explanation behind it.
 *   d        NULL: the message has no signature
 */
static int
print_verdict(struct verify *v, const char *file, size_t i,
    const struct dkim_verdict *d)
{
	struct slice text = { NULL, 0 };
	struct buf b;
	int error = 0;

	if (v->output == OUTPUT_HEADER)
		return 0;
	buf_init(&b, EXPLANATION_MAX);
	if (v->explain && d != NULL)
		error = dkim_explainer_print(v->explainer, v->worker, i, &b);
	text = buf_slice(&b);
	if (v->output == OUTPUT_TSV)
		print_tsv(slice_text(file), d == NULL ? 0 : i + 1, d,
		    v->explain ? &text : NULL);
	else {
		print_people(file, i + 1, d);
		print_lines(text);
	}
	buf_clear(&b);
	return error;
}

static int
print_header(const struct verify *v)
{
	struct dkim_authres ar = { .authserv_id = slice_text(v->authserv_id),
	    .line_end = "\n" };
	struct buf b;
	int error;

	buf_init(&b, 1 << 20);
	buf_add_text(&b, "Authentication-Results:");
	error = dkim_authres_print(&ar, v->verifier, NULL, &b);
	buf_add_octet(&b, '\n');
	if (error == 0)
		error = buf_end(&b);
	if (error == 0)
		fwrite(b.p, 1, b.n, stdout);
	buf_clear(&b);
	return error;
}

/*
 * Print the verdicts; 0 with a pass, 75 with none but a temperror, else 1.
 */
static int
settle(struct verify *v, const char *file)
{
	size_t i, n = dkim_verifier_count(v->verifier);
	bool pass = false, temperror = false;
	int error;

	for (i = 0; i < n || i == 0; i++) {
		const struct dkim_verdict *d =
		    n == 0 ? NULL : dkim_verifier_verdict(v->verifier, i);

		if ((error = print_verdict(v, file, i, d)) != 0) {
			warnx("%s: %s", file, dkim_strerror(error));
			return EX_OSERR;
		}
		if (d != NULL && d->result == DKIM_PASS)
			pass = true;
		if (d != NULL && d->result == DKIM_TEMPERROR)
			temperror = true;
	}
	if (v->output == OUTPUT_HEADER && print_header(v) != 0) {
		warnx("%s: cannot write the field", file);
		return EX_OSERR;
	}
	return pass ? 0 : temperror ? EX_TEMPFAIL : 1;
}

static int
verify_file(struct verify *v, const char *path)
{
	struct input in;
	int error, status;

	v->header = NULL;
	v->verifier = NULL;
	v->explainer = NULL;
	status = input_open(path, false, &in);
	if (status != 0)
		return status;
	error = dkim_header_new(DKIM_HEADER_MAX, &v->header);
	if (error != 0) {
		status = EX_OSERR;
		goto out;
	}
	status = input_message(&in, v->header, on_header, on_body, v, NULL);
	if (status != 0)
		goto out;
	error = dkim_verifier_body_end(v->verifier);
	if (error == 0 && v->explain)
		error = dkim_explainer_body_end(v->explainer);
	if (error == 0)
		error = dkim_verifier_finish(v->verifier, v->worker);
	if (error != 0) {
		warnx("%s: %s", in.name, dkim_strerror(error));
		status = EX_OSERR;
		goto out;
	}
	status = settle(v, in.name);
out:
	dkim_explainer_free(v->explainer);
	dkim_verifier_free(v->verifier);
	dkim_header_free(v->header);
	input_close(&in);
	return status;
}

/*
 * Of the codes of several messages: trouble beats a verdict, a settled verdict
 * beats one that may change.
 */
static int
worse(int a, int b)
{
	static const int order[] = { 0, EX_TEMPFAIL, 1, EX_DATAERR,
	    EX_NOINPUT };
	size_t i, at_a = sizeof(order), at_b = sizeof(order);

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (order[i] == a)
			at_a = i;
		if (order[i] == b)
			at_b = i;
	}
	return at_b > at_a ? b : a;
}

int
subcommand_verify(int argc, char **argv)
{
	struct verify v = { .options = { .now = (uint64_t)time(NULL),
	    .clock_drift = 300, .min_bits = DKIM_RSA_BITS_FLOOR } };
	char host[256] = "localhost";
	int i, status;

	gethostname(host, sizeof(host) - 1);
	v.authserv_id = host;
	status = parse_options(argc, argv, &v);
	if (status != 0)
		return status;
	status = answers_new(&v.where, &v.answers);
	if (status != 0)
		return status;
	if (dkim_lib_new(&v.lib) != 0 || rsab_worker_new(&v.worker) != 0) {
		warnx("libcrypto cannot be set up");
		status = EX_OSERR;
		goto out;
	}
	if (v.output == OUTPUT_TSV)
		printf("#file\tsignature\tresult\treason\td\ts\ta%s\n",
		    v.explain ? "\texplanation" : "");
	if (optind == argc)
		status = verify_file(&v, "-");
	for (i = optind; i < argc; i++)
		status = worse(status, verify_file(&v, argv[i]));
	if (fflush(stdout) != 0) {
		warn("standard output");
		status = EX_IOERR;
	}
out:
	rsab_worker_free(v.worker);
	dkim_lib_free(v.lib);
	answers_free(v.answers);
	return status;
}
