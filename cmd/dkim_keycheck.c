/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim keycheck: compare private keys with the records published for them.
 */

/* system */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "dkim/dkim.h"
#include "milter/bringup.h"
#include "milter/conf.h"
#include "milter/keystore.h"

/* this room */
#include "answers.h"
#include "config_user.h"
#include "private_key.h"
#include "subcommand.h"
#include "terminal_report.h"
#include "tsv.h"

struct keycheck {
	const char	*domain, *selector, *key_path, *config;
	struct token_open token;
	struct answers_options where;
	struct answers	*answers;
	int		 status;	/* worst so far */
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkim keycheck -d DOMAIN -s SELECTOR [-k KEY] [--dns FILE |\n"
"                     --testkeys FILE | --nameserver ADDR[@PORT]]\n"
"       dkim keycheck --config CONF [--dns FILE | ...]\n"
"  -k, --key KEY    PEM file, or pkcs11: URI, whose public half the record\n"
"                   must hold\n"
"  --config CONF    all keys of this dkimd.conf and its KeyTable\n"
"  --dns FILE       records: name TAB value, a line each\n"
TOKEN_OPEN_USAGE
"Exit: 0 all agree, 1 one does not, 75 one could not be looked up now,\n"
"78 key or configuration.\n");
}

static int
parse_options(int argc, char **argv, struct keycheck *k)
{
	enum { CONFIG = 256, DNS, TESTKEYS, NAMESERVER, MODULE, INIT_ARGS };
	static const struct option longs[] = {
		{ "key", required_argument, NULL, 'k' },
		{ "config", required_argument, NULL, CONFIG },
		{ "dns", required_argument, NULL, DNS },
		{ "testkeys", required_argument, NULL, TESTKEYS },
		{ "nameserver", required_argument, NULL, NAMESERVER },
		{ "module", required_argument, NULL, MODULE },
		{ "init-args", required_argument, NULL, INIT_ARGS },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "d:hk:s:", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			k->domain = optarg;
			break;
		case 'k':
			k->key_path = optarg;
			break;
		case 's':
			k->selector = optarg;
			break;
		case CONFIG:
			k->config = optarg;
			break;
		case DNS:
			k->where.dns = optarg;
			break;
		case TESTKEYS:
			k->where.testkeys = optarg;
			break;
		case NAMESERVER:
			k->where.nameserver = optarg;
			break;
		case MODULE:
			k->token.module = optarg;
			break;
		case INIT_ARGS:
			k->token.init_args = optarg;
			break;
		case 'h':
			usage(stdout);
			exit(EX_OK);
		default:
			usage(stderr);
			return EX_USAGE;
		}
	}
	if (optind == argc && (k->config != NULL ?
	    k->domain == NULL && k->selector == NULL && k->key_path == NULL :
	    k->domain != NULL && k->selector != NULL))
		return 0;
	usage(stderr);
	return EX_USAGE;
}

static void
note(struct keycheck *k, int status)
{
	/* a settled disagreement beats what may change by itself */
	if (k->status == 0 || k->status == EX_TEMPFAIL)
		k->status = status;
}

static bool
same_key(const struct rsab_key *a, const struct rsab_key *b)
{
	uint8_t fa[RSAB_FINGERPRINT_SIZE], fb[RSAB_FINGERPRINT_SIZE];

	rsab_key_fingerprint(a, fa);
	rsab_key_fingerprint(b, fb);
	return memcmp(fa, fb, sizeof(fa)) == 0;
}

/*
 * Tell of one record whether it publishes key (NULL: any will do).
 */
static bool
check_record(const char *name, const struct dkim_key_info *info,
    const struct rsab_key *key, enum dkim_dnssec dnssec)
{
	if (info->revoked) {
		printf("%s: revoked: the record has an empty p=\n", name);
		return false;
	}
	if (info->error != NULL) {
		printf("%s: bad record: %s\n", name, info->error);
		return false;
	}
	if (key != NULL && !same_key(key, info->key)) {
		printf("%s: the record publishes another key\n", name);
		return false;
	}
	printf("%s: ok, %u-bit %s key%s%s, %s\n", name,
	    rsab_key_bits(info->key),
	    rsab_key_type(info->key) == RSAB_RSA ? "RSA" : "Ed25519",
	    info->testing ? ", testing (t=y)" : "",
	    info->strict ? ", no sub-domains (t=s)" : "",
	    dnssec == DKIM_DNSSEC_SECURE ? "DNSSEC secure" : "no DNSSEC");
	return true;
}

static void
check_keyset(struct keycheck *k, const char *name, const struct rsab_key *key,
    const struct dkim_answer *answer)
{
	struct dkim_key_info info;
	size_t i, n = dkim_keyset_count(answer->keyset);
	bool ok = false;

	for (i = 0; i < n; i++) {
		dkim_keyset_info(answer->keyset, i, &info);
		ok = check_record(name, &info, key, answer->dnssec) || ok;
	}
	if (n > 1)
		printf("%s: note: %zu records at one name; verifiers may try "
		    "only one (RFC 6376 s3.6.2.2)\n", name, n);
	if (!ok)
		note(k, 1);
}

/*
 * Look up and compare; domain and selector as configured.
 */
static void
check(struct keycheck *k, const char *domain, const char *selector,
    const struct rsab_key *key)
{
	char name[2 * DKIM_NAME_MAX + 16];
	const char *names[1] = { name };
	struct dkim_answer answer;

	snprintf(name, sizeof(name), "%s._domainkey.%s", selector, domain);
	answers_get(k->answers, names, 1, &answer);
	switch (answer.state) {
	case DKIM_ANSWER_FOUND:
		check_keyset(k, name, key, &answer);
		break;
	case DKIM_ANSWER_NO_KEY:
		printf("%s: no record is published\n", name);
		note(k, 1);
		break;
	default:
		printf("%s: cannot be looked up now: %s\n", name,
		    answer.detail != NULL ? answer.detail : "no answer");
		note(k, EX_TEMPFAIL);
	}
	dkim_keyset_unref(answer.keyset);
}

static int
check_one(struct keycheck *k)
{
	char domain[DKIM_NAME_MAX + 1], selector[DKIM_NAME_MAX + 1];
	struct rsab_key *key = NULL;
	int status;

	if (dkim_domain_to_ascii(slice_text(k->domain), domain) != 0 ||
	    dkim_selector_to_ascii(slice_text(k->selector), selector) != 0) {
		warnx("-d %s -s %s: no domain name and selector", k->domain,
		    k->selector);
		return EX_USAGE;
	}
	if (k->key_path != NULL) {
		status = private_key_load(k->key_path, &k->token, &key);
		if (status != 0)
			return status;
	}
	check(k, domain, selector, key);
	rsab_key_unref(key);
	return k->status;
}

/*
 * One row of KeyTable, or Domain, Selector and KeyFile made into one.
 */
static void
check_row(struct keycheck *k, struct conf *conf, struct report *report,
    const struct row *row, const struct key_row *key_row)
{
	char domain[DKIM_NAME_MAX + 1], selector[DKIM_NAME_MAX + 1];
	struct rsab_key *key;
	int r;

	if (slice_is(key_row->domain, "%")) {
		fputs("note: key \"", stdout);
		tsv_text(row->key);
		puts("\" serves any domain (%): not checked");
		return;
	}
	if (dkim_domain_to_ascii(key_row->domain, domain) != 0 ||
	    dkim_selector_to_ascii(key_row->selector, selector) != 0) {
		note(k, EX_CONFIG);
		return;
	}
	/* a key that does not load is in the report */
	r = keystore_load(conf->keystore, row, key_row, domain, report, &key);
	if (r != 0) {
		if (r != DKIM_ERR_SYNTAX) {
			warnx("%s", dkim_strerror(r));
			note(k, EX_OSERR);
		}
		return;
	}
	check(k, domain, selector, key);
	rsab_key_unref(key);
}

static void
check_tables(struct keycheck *k, struct conf *conf, struct report *report)
{
	const struct options *o = &conf->options;
	struct row row;
	struct key_row key_row;
	struct report told = { .write = NULL };
	const char *reason;
	size_t i;

	for (i = 0; conf->key_table != NULL &&
	    i < dataset_count(conf->key_table); i++) {
		dataset_at(conf->key_table, i, &row);
		/* a bad row has been reported by conf_new */
		if (conf_key_row(row.value, &key_row, &reason) == 0)
			check_row(k, conf, report, &row, &key_row);
	}
	if (conf->key_table != NULL || conf->domain == NULL ||
	    o->selector == NULL || o->key_file == NULL)
		return;
	/* what is wrong with KeyFile was told when it was read */
	if (report->rows + report->fatals > 0)
		report = &told;
	for (i = 0; i < dataset_count(conf->domain); i++) {
		dataset_at(conf->domain, i, &row);
		conf_key_file(o->key_file, &key_row);
		key_row.domain = row.key;
		key_row.selector = slice_text(o->selector);
		check_row(k, conf, report, &row, &key_row);
	}
}

/*
 * All of a configuration but its resolver, as the user that dkimd runs as.
 */
static int
open_config(const char *path, struct report *report, struct conf **out)
{
	struct options options;
	struct bringup parts = { .key_file = NULL };
	int error, status;

	if (conf_options_load(path, NULL, 0, report, &options) != 0)
		return EX_CONFIG;
	status = config_user_become(&options, report, &parts.key_file);
	if (status != 0) {
		conf_options_clear(&options);
		return status;
	}
	error = bringup_conf(&parts, &options, NULL, report, out);
	config_user_done(parts.key_file);
	return error == 0 ? 0 : error == DKIM_ERR_NOMEM ? EX_OSERR :
	    EX_CONFIG;
}

static int
check_config(struct keycheck *k)
{
	struct report report;
	struct conf *conf;
	int status;

	terminal_report_init(&report);
	status = open_config(k->config, &report, &conf);
	if (status != 0)
		return status;
	check_tables(k, conf, &report);
	conf_unref(conf);
	if (report.rows + report.fatals > 0)
		note(k, report.fatals == 0 && report.rows == report.temporary ?
		    EX_TEMPFAIL : EX_CONFIG);
	return k->status;
}

int
subcommand_keycheck(int argc, char **argv)
{
	struct keycheck k = { .status = 0 };
	int status = parse_options(argc, argv, &k);

	if (status == 0)
		status = answers_new(&k.where, &k.answers);
	if (status == 0)
		status = k.config != NULL ? check_config(&k) : check_one(&k);
	answers_free(k.answers);
	return status;
}
