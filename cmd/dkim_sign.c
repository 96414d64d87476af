/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim sign: sign a message in a file.
 */

/* system */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <time.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "dkim/dkim.h"

/* this room */
#include "input.h"
#include "private_key.h"
#include "sign_config.h"
#include "subcommand.h"

struct sign {
	/* options */
	const char	*domain[DKIM_SIGNATURES_MADE];
	const char	*selector[DKIM_SIGNATURES_MADE];
	const char	*key_path[DKIM_SIGNATURES_MADE];
	size_t		 domains, selectors, keys;
	struct token_open token;
	const char	*algorithm, *sign_headers, *oversign, *config;
	bool		 field_only;
	struct dkim_sign_options options;	/* the same for all */

	/* made of them */
	struct rsab_key	*key[DKIM_SIGNATURES_MADE];
	struct dkim_names *sign, *omit, *over;
	struct dkim_lib	*lib;
	struct rsab_worker *worker;

	/* of the message */
	struct dkim_header *header;
	struct dkim_signer *signer;
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkim sign -d DOMAIN -s SELECTOR -k KEY [-a ALG] [-c HEADER/BODY]\n"
"                 [--sign-headers LIST] [--oversign LIST] [-i AUID]\n"
"                 [-x SECONDS] [--now SECONDS] [--field] [FILE]\n"
"       dkim sign --config CONF [--now SECONDS] [--field] [FILE]\n"
"  -d, -s, -k        repeated: several signatures, the first on top\n"
"  -k, --key KEY     PEM file of an RSA or Ed25519 private key, or the\n"
"                    pkcs11: URI of one in a token\n"
"  -a ALG            rsa-sha256 or ed25519-sha256; the key decides anyway\n"
"  -c HEADER/BODY    simple or relaxed each; default relaxed/relaxed\n"
"  -i AUID           i=, in the domain of d= or below\n"
"  -x SECONDS        x= that long after t=\n"
"  --sign-headers    names, or * and +name,-name; --oversign likewise\n"
"  --config CONF     the tables of this dkimd.conf decide\n"
"  --field           print the DKIM-Signature field only\n"
TOKEN_OPEN_USAGE
"Exit: 0 done, 65 not a message or not to be signed, 66 cannot read,\n"
"75 the token is not there, 78 key or configuration.\n");
}

/*
 * One more value of an option that may be repeated.
 */
static int
add_value(const char *option, const char **list, size_t *n)
{
	if (*n == DKIM_SIGNATURES_MADE) {
		warnx("%s: at most %d signatures a message", option,
		    DKIM_SIGNATURES_MADE);
		return EX_USAGE;
	}
	list[(*n)++] = optarg;
	return 0;
}

/* A flat table and a flat switch: one entry an option. */
static int
parse_options(int argc, char **argv, struct sign *s)
{
	enum { SIGN_HEADERS = 256, OVERSIGN, NOW, FIELD, CONFIG, MODULE,
	    INIT_ARGS };
	static const struct option longs[] = {
		{ "key", required_argument, NULL, 'k' },
		{ "sign-headers", required_argument, NULL, SIGN_HEADERS },
		{ "oversign", required_argument, NULL, OVERSIGN },
		{ "now", required_argument, NULL, NOW },
		{ "field", no_argument, NULL, FIELD },
		{ "config", required_argument, NULL, CONFIG },
		{ "module", required_argument, NULL, MODULE },
		{ "init-args", required_argument, NULL, INIT_ARGS },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned long long n;
	int c, status = 0;

	while (status == 0 && (c = getopt_long(argc, argv, "a:c:d:hi:k:s:x:",
	    longs, NULL)) != -1) {
		switch (c) {
		case 'a':
			s->algorithm = optarg;
			break;
		case 'c':
			if (dkim_canon_parse(slice_text(optarg),
			    &s->options.header_canon,
			    &s->options.body_canon) != 0) {
				warnx("-c %s: simple or relaxed is wanted, or "
				    "two with / between", optarg);
				status = EX_USAGE;
			}
			break;
		case 'd':
			status = add_value("-d", s->domain, &s->domains);
			break;
		case 's':
			status = add_value("-s", s->selector, &s->selectors);
			break;
		case 'k':
			status = add_value("-k", s->key_path, &s->keys);
			break;
		case 'i':
			s->options.identity = slice_text(optarg);
			break;
		case 'x':
			status = subcommand_number("-x", optarg, UINT32_MAX,
			    &n);
			s->options.ttl = status == 0 ? n : 0;
			break;
		case NOW:
			status = subcommand_number("--now", optarg,
			    999999999999, &n);
			s->options.now = status == 0 ? n : 0;
			break;
		case SIGN_HEADERS:
			s->sign_headers = optarg;
			break;
		case OVERSIGN:
			s->oversign = optarg;
			break;
		case FIELD:
			s->field_only = true;
			break;
		case CONFIG:
			s->config = optarg;
			break;
		case MODULE:
			s->token.module = optarg;
			break;
		case INIT_ARGS:
			s->token.init_args = optarg;
			break;
		case 'h':
			usage(stdout);
			exit(EX_OK);
		default:
			usage(stderr);
			status = EX_USAGE;
		}
	}
	return status;
}

/*
 * d= and s= by their grammar, told here with the option's name.
 */
static int
check_names(const struct sign *s)
{
	char name[DKIM_NAME_MAX + 1];
	size_t i;

	for (i = 0; i < s->domains; i++)
		if (dkim_domain_to_ascii(slice_text(s->domain[i]),
		    name) != 0) {
			warnx("-d %s: no domain name: labels of letters, "
			    "digits, - and _, two at least, are wanted",
			    s->domain[i]);
			return EX_USAGE;
		}
	for (i = 0; i < s->selectors; i++)
		if (dkim_selector_to_ascii(slice_text(s->selector[i]),
		    name) != 0) {
			warnx("-s %s: no selector: labels of letters, digits, "
			    "- and _ are wanted", s->selector[i]);
			return EX_USAGE;
		}
	return 0;
}

static int
check_options(int argc, const struct sign *s)
{
	if (argc - optind > 1) {
		warnx("one file at a time");
		return EX_USAGE;
	}
	if (s->config != NULL) {
		if (s->domains + s->selectors + s->keys == 0)
			return 0;
		warnx("--config: its tables decide, -d, -s and -k are not "
		    "wanted");
		return EX_USAGE;
	}
	if (s->domains == 0 || s->selectors == 0 || s->keys == 0) {
		warnx("-d, -s and -k are wanted, or --config");
		usage(stderr);
		return EX_USAGE;
	}
	/* -d given once serves all keys; else each has its own */
	if ((s->domains != 1 && s->domains != s->keys) ||
	    s->selectors != s->keys) {
		warnx("%zu -d, %zu -s, %zu -k: one -s for each -k is wanted, "
		    "and one -d in all or one for each", s->domains,
		    s->selectors, s->keys);
		return EX_USAGE;
	}
	return check_names(s);
}

static int
load_names(enum dkim_names_kind kind, const char *option, const char *text,
    struct dkim_names **out)
{
	struct slice bad = { NULL, 0 };
	struct slice list = { NULL, 0 };
	int error;

	if (text != NULL)
		list = slice_text(text);
	error = dkim_names_parse(kind, list, out, &bad);
	if (error == DKIM_ERR_SYNTAX) {
		warnx("%s: \"%.*s\" is no field name", option, (int)bad.n,
		    (const char *)bad.p);
		return EX_USAGE;
	}
	return error == 0 ? 0 : EX_OSERR;
}

static int
load_key(const struct sign *s, const char *path, struct rsab_key **out)
{
	const char *algorithm;
	int status = private_key_load(path, &s->token, out);

	if (status != 0)
		return status;
	algorithm = rsab_key_type(*out) == RSAB_RSA ? "rsa-sha256" :
	    "ed25519-sha256";
	if (rsab_key_type(*out) == RSAB_RSA &&
	    rsab_key_bits(*out) < DKIM_RSA_BITS_FLOOR) {
		warnx("%s: %u bits: less than %d, which verifiers refuse "
		    "(RFC 8301 s3.2)", path, rsab_key_bits(*out),
		    DKIM_RSA_BITS_FLOOR);
		return EX_CONFIG;
	}
	if (s->algorithm == NULL || strcmp(s->algorithm, algorithm) == 0)
		return 0;
	/* RFC 8301 s3.1: rsa-sha1 must not be made */
	if (strcmp(s->algorithm, "rsa-sha1") == 0 &&
	    rsab_key_type(*out) == RSAB_RSA) {
		warnx("-a rsa-sha1: no longer allowed (RFC 8301), signing "
		    "with rsa-sha256");
		return 0;
	}
	warnx("-a %s: the key in %s makes %s", s->algorithm, path, algorithm);
	return EX_CONFIG;
}

static int
load(struct sign *s)
{
	size_t i;
	int status;

	status = load_names(DKIM_NAMES_SIGN, "--sign-headers",
	    s->sign_headers, &s->sign);
	if (status == 0)
		status = load_names(DKIM_NAMES_OMIT, "omit", NULL, &s->omit);
	if (status == 0)
		status = load_names(DKIM_NAMES_OVERSIGN, "--oversign",
		    s->oversign, &s->over);
	for (i = 0; status == 0 && i < s->keys; i++)
		status = load_key(s, s->key_path[i], &s->key[i]);
	if (status == 0 && (dkim_lib_new(&s->lib) != 0 ||
	    rsab_worker_new(&s->worker) != 0)) {
		warnx("libcrypto cannot be set up");
		status = EX_OSERR;
	}
	return status;
}

static int
on_header(void *context)
{
	struct sign *s = context;
	struct dkim_sign_options options = s->options;
	size_t i, index;
	int error;

	error = dkim_signer_new(s->lib, s->header, false, &s->signer);
	options.sign = s->sign;
	options.omit = s->omit;
	options.oversign = s->over;
	for (i = 0; error == 0 && i < s->keys; i++) {
		options.domain = slice_text(s->domain[s->domains == 1 ? 0 :
		    i]);
		options.selector = slice_text(s->selector[i]);
		options.key = s->key[i];
		error = dkim_signer_add(s->signer, &options, &index);
	}
	return error;
}

static int
on_body(void *context, struct slice in)
{
	struct sign *s = context;

	return dkim_signer_body(s->signer, in);
}

/*
 * Make signature index and write its field, line end included.
 */
static int
make_field(struct sign *s, size_t index, const char *line_end,
    struct buf *out)
{
	struct rsab_job job = { .key = s->key[index] };
	struct rsab_job *jobs[1] = { &job };
	struct rsab_token_detail detail;
	int error = dkim_signer_job(s->signer, index, &job);

	if (error != 0)
		return error;
	rsab_run(s->worker, jobs, 1);
	if (job.result != RSAB_OK) {
		token_open_detail(job.key, &detail);
		if (detail.text[0] != '\0')
			warnx("%s", detail.text);
		return DKIM_ERR_CRYPTO;
	}
	buf_add_text(out, "DKIM-Signature:");
	error = dkim_signer_field(s->signer, index,
	    slice_of(job.signature, job.signature_len), line_end, out);
	buf_add_text(out, line_end);
	return error != 0 ? error : buf_end(out);
}

static int
copy_out(void *context, struct slice in)
{
	(void)context;
	return fwrite(in.p, 1, in.n, stdout) == in.n ? 0 : EX_IOERR;
}

static int
sign_message(struct sign *s, struct input *in, struct buf *fields)
{
	bool is_lf = false;
	size_t i;
	int error, status;

	status = input_message(in, s->header, on_header, on_body, s, &is_lf);
	if (status != 0)
		return status;
	error = dkim_signer_body_end(s->signer);
	for (i = 0; error == 0 && i < s->keys; i++)
		error = make_field(s, i, is_lf ? "\n" : "\r\n", fields);
	if (error == 0)
		return 0;
	warnx("%s: not signed: %s", in->name, dkim_strerror(error));
	return EX_SOFTWARE;
}

static int
sign_file(struct sign *s, const char *path)
{
	struct input in;
	struct buf fields;
	int status = input_open(path, !s->field_only, &in);

	if (status != 0)
		return status;
	buf_init(&fields, 1 << 20);
	if (dkim_header_new(DKIM_HEADER_MAX, &s->header) != 0)
		status = EX_OSERR;
	if (status == 0 && s->config != NULL)
		status = sign_config(s->config, s->options.now, s->header, &in,
		    &fields);
	else if (status == 0)
		status = sign_message(s, &in, &fields);
	if (status == 0)
		status = copy_out(NULL, buf_slice(&fields));
	if (status == 0 && !s->field_only)
		status = input_each(&in, copy_out, NULL);
	if (status == 0 && fflush(stdout) != 0)
		status = EX_IOERR;
	if (status == EX_IOERR)
		warn("standard output");
	buf_clear(&fields);
	input_close(&in);
	return status;
}

int
subcommand_sign(int argc, char **argv)
{
	struct sign s = { .options = { .now = (uint64_t)time(NULL),
	    .header_canon = DKIM_RELAXED, .body_canon = DKIM_RELAXED } };
	size_t i;
	int status;

	status = parse_options(argc, argv, &s);
	if (status == 0)
		status = check_options(argc, &s);
	if (status == 0)
		status = load(&s);
	if (status == 0)
		status = sign_file(&s, optind < argc ? argv[optind] : "-");
	dkim_signer_free(s.signer);
	dkim_header_free(s.header);
	for (i = 0; i < s.keys; i++)
		rsab_key_unref(s.key[i]);
	dkim_names_free(s.sign);
	dkim_names_free(s.omit);
	dkim_names_free(s.over);
	rsab_worker_free(s.worker);
	dkim_lib_free(s.lib);
	return status;
}
