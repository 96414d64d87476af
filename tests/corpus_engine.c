/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine against the corpus of third-party messages, key records and
 * signature fields that lies beside the repository (DKIMD_CORPUS, or
 * ../shared/corpus): each verdict must be the ruling, and each RSA signature
 * whose key is there must come out again, octet for octet.
 */

/* system */
#include <dirent.h>

/* this room */
#include "tests/replay.h"
#include "dkim/base64.h"
#include "dkim/canon.h"
#include "dkim/digest.h"
#include "dkim/select.h"
#include "dkim/sigfield.h"

#define NOW		1798761600	/* 2027-01-01, where a row gives none */
#define VERDICTS_MAX	1024

static const char *corpus;
static size_t agreed, wrong, made;

static const struct dkim_verify_options plain = {
	.now = NOW,
	.clock_drift = 300,
	.max_signatures = 20,
	.min_bits = DKIM_RSA_BITS_FLOOR,
};

static void
judge(const char *name, const struct replay_message *m, const char *expected)
{
	char got[VERDICTS_MAX], want[VERDICTS_MAX];
	size_t i;

	replay_results(m, got, sizeof(got));
	replay_first_choices(expected, want, sizeof(want));
	/* two From fields: a pass becomes policy, which the corpus leaves */
	if (strcmp(name, "lieser/added_header-from.eml") == 0)
		snprintf(want, sizeof(want), "policy");
	if (strcmp(got, want) == 0) {
		agreed++;
		return;
	}
	wrong++;
	fprintf(stderr, "# %s: got %s, want %s\n", name, got, want);
	for (i = 0; i < dkim_verifier_count(m->verifier); i++)
		fprintf(stderr, "#   %zu: %s\n", i + 1,
		    dkim_verifier_verdict(m->verifier, i)->reason);
}

static void
add_to_digest(void *context, struct slice octets)
{
	digest_add(context, octets);
}

/*
 * The hash that field own signs, by the parts of the engine.
 */
static void
hash_field(const struct replay *r, const struct dkim_header *header,
    size_t own, const struct sigfield *f, uint8_t out[DIGEST_SIZE])
{
	struct slice value = dkim_header_value(header, own);
	struct slice *names = calloc(f->names_n, sizeof(*names));
	uint8_t *bare = malloc(value.n);
	struct digest digest;
	struct sink sink = { add_to_digest, &digest };

	sigfield_names(f, names);
	memcpy(bare, value.p, f->b_at);
	memcpy(bare + f->b_at, value.p + f->b_at + f->b_n,
	    value.n - f->b_at - f->b_n);
	assert_int_equal(digest_init(&digest, r->lib), 0);
	assert_int_equal(select_fields(header, names, f->names_n, own,
	    f->header_canon, &sink), 0);
	canon_field_last(f->header_canon, dkim_header_name(header, own),
	    slice_of(bare, value.n - f->b_n), &sink);
	assert_int_equal(digest_finish(&digest, out), 0);
	digest_clear(&digest);
	free(names);
	free(bare);
}

/*
 * The private key whose public half the records of name hold, or NULL.
 */
static struct rsab_key *
find_key(const struct replay *r, const char *dns, const char *name)
{
	char folder[4096], *table, *rest, *pem, *column[REPLAY_COLUMNS];
	struct rsab_key *key = NULL;
	size_t n, pem_n;

	snprintf(folder, sizeof(folder), "%s/keys", corpus);
	table = replay_file(folder, "keys.tsv", &n);
	rest = table;
	while (key == NULL && table != NULL && replay_row(&rest, column)) {
		const char *at = dns;

		if (strcmp(column[1], "rsa") != 0)
			continue;
		while ((at = strstr(at, name)) != NULL) {
			size_t line = strcspn(at, "\n");
			char *p = strstr(at, column[3]);

			if (p != NULL && (size_t)(p - at) < line)
				break;
			at += line;
		}
		if (at == NULL)
			continue;
		pem = replay_file(folder, column[0], &pem_n);
		assert_int_equal(rsab_key_load_private(r->backend,
		    (const uint8_t *)pem, pem_n, &key), 0);
		free(pem);
	}
	free(table);
	return key;
}

/*
 * RSA is deterministic: signing the same hash again gives the same b=.
 */
static void
sign_again(const struct replay *r, const char *name,
    const struct replay_message *m, const char *dns)
{
	size_t i, own, count = dkim_header_count(m->header);
	struct rsab_job job = { .op = RSAB_OP_SIGN, .hash = RSAB_SHA256 };
	struct rsab_job *jobs[] = { &job };
	struct sigfield f;
	struct arena a;

	arena_init(&a, DKIM_HEADER_HARD_MAX);
	own = dkim_header_find(m->header, slice_text("DKIM-Signature"), 0);
	for (i = 0; own < count; i++) {
		const struct dkim_verdict *v =
		    dkim_verifier_verdict(m->verifier, i);

		assert_int_equal(sigfield_parse(dkim_header_value(m->header,
		    own), &a, &f), 0);
		job.key = v->result == DKIM_PASS &&
		    f.alg == SIGFIELD_RSA_SHA256 ?
		    find_key(r, dns, (const char *)f.query.p) : NULL;
		if (job.key != NULL) {
			hash_field(r, m->header, own, &f, job.digest);
			rsab_run(r->worker, jobs, 1);
			test_int(name, job.result, 0);
			test_octets(name, job.signature, job.signature_len,
			    f.signature, f.signature_len);
			rsab_key_unref(job.key);
			made++;
		}
		own = dkim_header_find(m->header, slice_text("DKIM-Signature"),
		    own + 1);
	}
	arena_clear(&a);
}

static void
run_message(const struct replay *r, const char *folder, char **column)
{
	struct dkim_verify_options options = plain;
	struct replay_message m;
	char path[4096], name[512], *octets, *dns;
	size_t n = 0, dns_n;
	int e;

	snprintf(path, sizeof(path), "%s/%s", corpus, folder);
	snprintf(name, sizeof(name), "%s/%s", folder, column[0]);
	octets = replay_file(path, column[0], &n);
	assert_non_null(octets);
	if (column[6] != NULL && strcmp(column[6], "-") != 0)
		options.now = strtoull(column[6], NULL, 10);
	snprintf(name, sizeof(name), "%s.dns.tsv", column[0]);
	dns = replay_file(path, name, &dns_n);
	if (dns == NULL)
		dns = replay_file(path, "dns.tsv", &dns_n);
	snprintf(name, sizeof(name), "%s/%s", folder, column[0]);
	e = replay_verify(r, slice_of(octets, n), 0, dns == NULL ? "" : dns,
	    &options, &m);
	if (e != 0) {
		wrong++;
		fprintf(stderr, "# %s: %s\n", name, dkim_strerror(e));
	} else {
		judge(name, &m, column[1]);
		sign_again(r, name, &m, dns == NULL ? "" : dns);
	}
	replay_done(&m);
	free(octets);
	free(dns);
}

static void
messages_ruling(void **state)
{
	char path[4096], *table, *rest, *column[REPLAY_COLUMNS];
	struct dirent *entry;
	struct replay r;
	size_t n;
	DIR *d;

	(void)state;
	agreed = wrong = made = 0;
	replay_begin(&r);
	d = opendir(corpus);
	assert_non_null(d);
	while ((entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", corpus, entry->d_name);
		table = entry->d_name[0] == '.' ? NULL :
		    replay_file(path, "expect.tsv", &n);
		rest = table;
		while (table != NULL && replay_row(&rest, column))
			run_message(&r, entry->d_name, column);
		free(table);
	}
	closedir(d);
	replay_end(&r);
	fprintf(stderr, "# messages: %zu agreed, %zu wrong; "
	    "%zu signatures made again\n", agreed, wrong, made);
	assert_int_equal(wrong, 0);
	assert_true(agreed >= 295);
	assert_true(made > 0);
}

static void
key_records_ruling(void **state)
{
	char path[4096], last[256] = "", want[256] = "", file[256] = "";
	char *table, *rest, *column[REPLAY_COLUMNS], *octets;
	char dns[65536] = "";
	struct replay_message m;
	struct replay r;
	size_t n, used = 0;
	bool more;

	(void)state;
	agreed = wrong = 0;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/keyrec", corpus);
	table = replay_file(path, "keyrecords.tsv", &n);
	rest = table;
	do {
		more = replay_row(&rest, column);
		if (last[0] != '\0' && (!more || strcmp(last, column[0]))) {
			octets = replay_file(path, file, &n);
			test_int(last, replay_verify(&r, slice_of(octets, n),
			    0, dns, &plain, &m), 0);
			judge(last, &m, want);
			replay_done(&m);
			free(octets);
			used = 0;
		}
		if (!more)
			break;
		snprintf(last, sizeof(last), "%s", column[0]);
		snprintf(file, sizeof(file), "%s", column[1]);
		snprintf(want, sizeof(want), "%s", column[4]);
		used += (size_t)snprintf(dns + used, sizeof(dns) - used,
		    "%s\t%s\n", column[2], column[3]);
	} while (more);
	free(table);
	replay_end(&r);
	fprintf(stderr, "# key records: %zu agreed, %zu wrong\n", agreed,
	    wrong);
	assert_int_equal(wrong, 0);
	assert_true(agreed >= 53);
}

static void
signature_fields_ruling(void **state)
{
	char path[4096], *table, *body, *dns, *rest, *column[REPLAY_COLUMNS];
	struct replay_message m;
	struct replay r;
	size_t n, body_n, dns_n, field_n;

	(void)state;
	agreed = wrong = 0;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/sighdr", corpus);
	table = replay_file(path, "sigheaders.tsv", &n);
	body = replay_file(path, "rest.eml", &body_n);
	dns = replay_file(path, "dns.tsv", &dns_n);
	rest = table;
	while (replay_row(&rest, column)) {
		struct buf b;

		field_n = replay_unescape(column[1]);
		buf_init(&b, SIZE_MAX / 2);
		buf_add_text(&b, "DKIM-Signature: ");
		buf_add(&b, slice_of(column[1], field_n));
		buf_add_text(&b, "\r\n");
		buf_add(&b, slice_of(body, body_n));
		test_int(column[0], replay_verify(&r, buf_slice(&b), 0, dns,
		    &plain, &m), 0);
		judge(column[0], &m, column[2]);
		replay_done(&m);
		buf_clear(&b);
	}
	free(table);
	free(body);
	free(dns);
	replay_end(&r);
	fprintf(stderr, "# signature fields: %zu agreed, %zu wrong\n", agreed,
	    wrong);
	assert_int_equal(wrong, 0);
	assert_true(agreed >= 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_ruling),
		cmocka_unit_test(key_records_ruling),
		cmocka_unit_test(signature_fields_ruling),
	};
	DIR *d;

	corpus = getenv("DKIMD_CORPUS");
	if (corpus == NULL)
		corpus = TESTS_SRCDIR "/../../shared/corpus";
	d = opendir(corpus);
	if (d == NULL) {
		printf("1..0 # SKIP no corpus beside the source\n");
		return 0;
	}
	closedir(d);
	return TEST_RUN(tests);
}
