/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of dkimbench rsa; see rsa_options.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "rsa_contestant.h"
#include "rsa_options.h"

#define BITS_DEFAULT	"1024,2048"
#define BACKEND_DEFAULT	"libcrypto,bn64"
#define BATCH_DEFAULT	"1,8"
#define OP_DEFAULT	"sign,verify,boundary"
#define PART_MAX	200.0		/* percent of the capacity */
#define RATE_MAX	1e7		/* a second */

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench rsa [--backend LIST] [--bits LIST | --key FILE]\n"
"                     [--op LIST] [--batch LIST] [--threads LIST]\n"
"                     [--module PATH [--token URI] [--init-args TEXT]\n"
"                     [--pin-file FILE]]... [--rate LIST]\n"
"                     [--tsv | --openssl-form] [--seconds S] [--runs N]\n"
"                     [--cpu N] [--seed N]\n"
"  --backend LIST   as RSABackend of dkimd.conf; ratios are to the first;\n"
"                   default %s\n"
"  --bits LIST      of fresh keys, %d to %d; default %s\n"
"  --key FILE       this private key instead\n"
"  --op LIST        sign, verify, boundary (what the process of a token\n"
"                   costs); default all\n"
"  --batch LIST     jobs handed over at once, 1 to %d; default %s\n"
"  --threads LIST   each with a workspace or session of its own; default 1\n"
"  --module PATH    a token for pkcs11: its module, at most %d times; the\n"
"                   next three belong to it\n"
"  --token URI      which token (RFC 7512)\n"
"  --init-args TEXT as PKCS11InitArgs of dkimd.conf\n"
"  --pin-file FILE  its PIN, in the first line\n"
"  --rate LIST      how long signatures wait in the daemon's queue at random\n"
"                   arrivals: so many a second, or a part of what is\n"
"                   possible, as 50%%\n"
"  --openssl-form   lines as openssl speed prints them\n"
"  --seconds S      of a window; default %g\n"
"  --runs N         windows of each backend; default %d\n"
"  --cpu N          processor to stay on; default the last allowed one\n"
"  --seed N         of the messages and arrivals; default 1\n"
"Exit: 0 measured, 64 usage, 65 not a key, 66 cannot read, 69 no backend of\n"
"the list is here, 70 a result was wrong, 74 cannot write, 78 a token cannot\n"
"be used.\n",
	    BACKEND_DEFAULT, RSAB_RSA_BITS_MIN, RSAB_RSA_BITS_MAX,
	    BITS_DEFAULT, RSA_BATCH_MAX, BATCH_DEFAULT, RSA_TOKENS_MAX,
	    MEASURE_SECONDS, MEASURE_RUNS);
}

static int
take_rate(const char *text, struct rsa_rate *out)
{
	char *end;

	out->value = strtod(text, &end);
	out->is_part = *end == '%' && end[1] == '\0';
	/* not-a-number compares false, so the right case is what is asked */
	if (end != text && (out->is_part ?
	    out->value >= 1 && out->value <= PART_MAX :
	    *end == '\0' && out->value > 0 && out->value <= RATE_MAX)) {
		if (out->is_part)
			out->value /= 100;
		return 0;
	}
	warnx("--rate %s: a number above 0, to %g, or 1%% to %g%% is wanted",
	    text, RATE_MAX, PART_MAX);
	return EX_USAGE;
}

static int
take_rates(struct rsa_options *o, const char *text)
{
	struct options_names names;
	int status = options_names("--rate", text, &names);

	for (o->rates_n = 0; o->rates_n < names.n && status == 0;
	    o->rates_n++)
		status = take_rate(names.v[o->rates_n],
		    &o->rates[o->rates_n]);
	return status;
}

static int
take_module(struct rsa_options *o, const char *text)
{
	if (o->places_n == RSA_TOKENS_MAX) {
		warnx("--module %s: at most %d modules", text, RSA_TOKENS_MAX);
		return EX_USAGE;
	}
	if (text[0] != '/') {
		warnx("--module %s: an absolute path is wanted", text);
		return EX_USAGE;
	}
	rsa_token_place(&o->places[o->places_n++], text);
	return 0;
}

/*
 * An option of the last --module.
 */
static int
take_place(struct rsa_options *o, int option, const char *text)
{
	struct rsa_token_place *place;

	if (o->places_n == 0) {
		warnx("%s %s: it belongs behind its --module", option == 'u' ?
		    "--token" : option == 'i' ? "--init-args" : "--pin-file",
		    text);
		return EX_USAGE;
	}
	place = &o->places[o->places_n - 1];
	switch (option) {
	case 'u':
		place->uri = text;
		return 0;
	case 'i':
		place->init_args = text;
		return 0;
	default:
		return rsa_token_pin(place, text);
	}
}

static int
take_option(void *arg, int option, const char *text)
{
	struct rsa_options *o = arg;

	switch (option) {
	case 'b':
		o->bits_given = true;
		return options_numbers("--bits", text, RSAB_RSA_BITS_MIN,
		    RSAB_RSA_BITS_MAX, &o->bits);
	case 'B':
		return options_names("--backend", text, &o->backends);
	case 'f':
		o->openssl_form = true;
		return 0;
	case 'k':
		o->key = text;
		return 0;
	case 'm':
		return take_module(o, text);
	case 'n':
		o->batches_given = true;
		return options_numbers("--batch", text, 1, RSA_BATCH_MAX,
		    &o->batches);
	case 'o':
		o->ops_given = true;
		return options_names("--op", text, &o->ops);
	case 'r':
		return take_rates(o, text);
	case 't':
		return options_numbers("--threads", text, 1,
		    MEASURE_THREADS_MAX, &o->threads);
	default:
		return take_place(o, option, text);
	}
}

static int
set_defaults(struct rsa_options *o)
{
	int status;

	/* all within the limits: what the defaults are is told above */
	status = options_numbers("--bits", BITS_DEFAULT, 1, UINT32_MAX,
	    &o->bits);
	if (status == 0)
		status = options_numbers("--batch", BATCH_DEFAULT, 1,
		    RSA_BATCH_MAX, &o->batches);
	if (status == 0)
		status = options_numbers("--threads", "1", 1, 1, &o->threads);
	if (status == 0)
		status = options_names("--backend", BACKEND_DEFAULT,
		    &o->backends);
	if (status == 0)
		status = options_names("--op", OP_DEFAULT, &o->ops);
	return status;
}

bool
rsa_options_has(const struct rsa_options *o, const char *op)
{
	for (size_t i = 0; i < o->ops.n; i++)
		if (strcmp(o->ops.v[i], op) == 0)
			return true;
	return false;
}

static int
check_ops(const struct rsa_options *o)
{
	for (size_t i = 0; i < o->ops.n; i++)
		if (strcmp(o->ops.v[i], "sign") != 0 &&
		    strcmp(o->ops.v[i], "verify") != 0 &&
		    strcmp(o->ops.v[i], "boundary") != 0) {
			warnx("--op %s: sign, verify and boundary are known",
			    o->ops.v[i]);
			return EX_USAGE;
		}
	return 0;
}

/*
 * What may not stand together.
 */
static int
check(const struct rsa_options *o)
{
	const char *wrong = NULL;

	if (o->key != NULL && o->bits_given)
		wrong = "--bits: not together with --key, which has its own";
	else if (o->openssl_form && o->measure.tsv)
		wrong = "--openssl-form: not together with --tsv";
	else if (o->openssl_form && !(rsa_options_has(o, "sign") &&
	    rsa_options_has(o, "verify")))
		wrong = "--openssl-form: a line has both signing and "
		    "verifying, leave --op out";
	else if (o->rates_n > 0 && (o->ops_given || o->batches_given ||
	    o->openssl_form))
		wrong = "--rate: signatures that the queue puts together: "
		    "without --op, --batch and --openssl-form";
	if (wrong == NULL)
		return check_ops(o);
	warnx("%s", wrong);
	return EX_USAGE;
}

int
rsa_options_parse(int argc, char **argv, struct rsa_options *out)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "backend", required_argument, NULL, 'B' },
		{ "batch", required_argument, NULL, 'n' },
		{ "bits", required_argument, NULL, 'b' },
		{ "init-args", required_argument, NULL, 'i' },
		{ "key", required_argument, NULL, 'k' },
		{ "module", required_argument, NULL, 'm' },
		{ "op", required_argument, NULL, 'o' },
		{ "openssl-form", no_argument, NULL, 'f' },
		{ "pin-file", required_argument, NULL, 'p' },
		{ "rate", required_argument, NULL, 'r' },
		{ "threads", required_argument, NULL, 't' },
		{ "token", required_argument, NULL, 'u' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	const struct options_measure measure = OPTIONS_MEASURE_DEFAULT;
	int status;

	memset(out, 0, sizeof *out);
	out->measure = measure;
	status = set_defaults(out);
	if (status == 0)
		status = options_parse(argc, argv, &syntax, out,
		    &out->measure);
	if (status == 0)
		status = check(out);
	if (status != 0)
		rsa_options_clear(out);
	return status;
}

void
rsa_options_clear(struct rsa_options *options)
{
	for (size_t i = 0; i < options->places_n; i++)
		rsab_wipe(options->places[i].pin,
		    sizeof options->places[i].pin);
}
