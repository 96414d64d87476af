/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine against the corpus of third-party messages, key records,
 * signature fields, canonical forms and keys that lies beside the repository
 * (DKIMD_CORPUS, or ../shared/corpus): each verdict must be the ruling, and
 * each signature whose private key is there must come out again, octet for
 * octet.
 */

/* system */
#include <openssl/evp.h>

/* this room */
#include "tests/replay_run.h"
#include "dkim/base64.h"
#include "dkim/bodyhash.h"
#include "dkim/keyrec.h"

#define MESSAGES	295
#define KEY_RECORDS	54
#define FIELDS		32
#define FORMS		49
#define KEYS		17
#define MADE_AGAIN	126	/* signatures by RSA keys of keys/ */
#define CHANGED		7	/* others of them: see changed_since */
#define SHA1_GOOD	35	/* signatures by rsa-sha1 that are good */

static const char *corpus;

/*
 * Messages whose header was changed behind their signer's back; what they are
 * rejected for is the header hash (RFC 6376 s6.1.3 step 3), or a body hash in
 * front of it.
 */
static const char *const changed_since[] = {
	"t-test35.eml",			/* blanks put into the field */
	"t-test45.eml",			/* its first signature */
	"t-test48.eml",			/* a signed field is missing */
	"ed25519-broken.eml",		/* another From */
	"rfc6376-A.2-as-printed.eml",	/* white space lost in print */
	"bad_extra_signature_spaces.eml",
	"bad_missing_signed_header.eml",
};

/*
 * Call run for each row of each expect.tsv.
 */
static void
each_message(void (*run)(void *arg, const char *folder, char **column),
    void *arg)
{
	char path[4096], *table, *rest;
	char *column[REPLAY_COLUMNS];
	struct dirent *entry;
	size_t n;
	DIR *d;

	d = opendir(corpus);
	assert_non_null(d);
	while ((entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", corpus, entry->d_name);
		table = entry->d_name[0] == '.' ? NULL :
		    replay_file(path, "expect.tsv", &n);
		rest = table;
		while (table != NULL && replay_row(&rest, column))
			run(arg, path, column);
		free(table);
	}
	closedir(d);
}

struct world {
	struct replay		r;
	struct replay_keys	keys;
	struct replay_tally	tally;
};

static bool
is_changed(const char *name)
{
	size_t i;

	for (i = 0; i < TEST_COUNT(changed_since); i++)
		if (strcmp(name, changed_since[i]) == 0)
			return true;
	return false;
}

static void
judge_message(void *arg, const char *folder, char **column)
{
	struct world *w = arg;
	size_t before = w->tally.changed;

	/* two From fields: a pass becomes policy (BEHAVIOUR 6) */
	replay_row_message(&w->r, folder, column, 6,
	    strcmp(column[0], "added_header-from.eml") == 0 ? "policy" : NULL,
	    &w->keys, &w->tally);
	test_int(column[0], w->tally.changed - before, is_changed(column[0]));
}

static void
messages_ruling(void **state)
{
	char path[4096];
	struct world w = { 0 };

	(void)state;
	replay_begin(&w.r);
	snprintf(path, sizeof(path), "%s/keys", corpus);
	replay_load_keys(&w.r, path, &w.keys);
	each_message(judge_message, &w);
	replay_unload_keys(&w.keys);
	replay_end(&w.r);
	fprintf(stderr, "# messages: %zu agreed, %zu wrong; "
	    "%zu signatures made again\n", w.tally.agreed, w.tally.wrong,
	    w.tally.made);
	test_int("wrong", w.tally.wrong, 0);
	test_int("agreed", w.tally.agreed, MESSAGES);
	test_int("made again", w.tally.made, MADE_AGAIN);
	test_int("changed since", w.tally.changed, CHANGED);
}

static void
add_to_sha1(void *context, struct slice octets)
{
	assert_int_equal(EVP_DigestUpdate(context, octets.p, octets.n), 1);
}

/*
 * Is the value of b= the signature of this field by a key of its records?
 * PKCS#1 v1.5 makes no two of one hash, so who verifies one has made it again.
 */
static bool
verify_sha1(const struct replay *r, const struct replay_message *m, size_t own,
    const struct sigfield *f, const struct dkim_keyset *set)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	struct sink sink = { add_to_sha1, context };
	struct rsab_job job = { .op = RSAB_OP_VERIFY, .hash = RSAB_SHA1 };
	struct rsab_job *jobs[] = { &job };
	bool good = false;
	size_t i;

	assert_int_equal(EVP_DigestInit_ex(context, EVP_sha1(), NULL), 1);
	replay_put_signed(m->header, own, f, &sink);
	assert_int_equal(EVP_DigestFinal_ex(context, job.digest, NULL), 1);
	EVP_MD_CTX_free(context);
	memcpy(job.signature, f->signature, f->signature_len);
	job.signature_len = f->signature_len;
	for (i = 0; i < dkim_keyset_count(set); i++) {
		job.key = keyrec_at(set, i)->key;
		if (job.key == NULL || rsab_key_type(job.key) != RSAB_RSA)
			continue;
		rsab_run(r->worker, jobs, 1);
		good = good || job.result == RSAB_OK;
	}
	return good;
}

/*
 * What the table says of a message's rsa-sha1 signatures: how many verify apart
 * from the algorithm, and how many do not by their value. Of the others it says
 * what else comes first.
 */
static void
count_sha1(const char *reason, size_t *good, size_t *bad)
{
	static const char verifies[] = "rsa-sha1 (RFC 8301 3.1); "
	    "apart from that the signature verifies";
	static const char does_not[] = "rsa-sha1 (RFC 8301 3.1); apart from "
	    "that the signature does not verify (signature value";

	*good = *bad = 0;
	for (; *reason != '\0'; reason++) {
		*good += strncmp(reason, verifies, sizeof(verifies) - 1) == 0;
		*bad += strncmp(reason, does_not, sizeof(does_not) - 1) == 0;
	}
}

static void
verify_old_message(void *arg, const char *folder, char **column)
{
	struct world *w = arg;
	struct slice field = slice_text("DKIM-Signature");
	size_t n, own, good, bad, seen = 0, got = 0;
	struct replay_message m;
	struct dkim_answer answer;
	struct sigfield f;
	struct arena a;
	char *octets, *dns;

	count_sha1(column[2], &good, &bad);
	octets = replay_file(folder, column[0], &n);
	dns = replay_dns(folder, column[0]);
	arena_init(&a, DKIM_HEADER_HARD_MAX);
	assert_int_equal(replay_verify(&w->r, slice_of(octets, n), 0, dns,
	    &replay_plain, &m), 0);
	for (own = dkim_header_find(m.header, field, 0);
	    own < dkim_header_count(m.header);
	    own = dkim_header_find(m.header, field, own + 1)) {
		assert_int_equal(sigfield_parse(dkim_header_value(m.header,
		    own), &a, &f), 0);
		if (f.error != NULL || f.alg != SIGFIELD_RSA_SHA1)
			continue;
		seen++;
		answer = replay_answer(&w->r, dns, (const char *)f.query.p);
		if (answer.keyset != NULL)
			got += verify_sha1(&w->r, &m, own, &f, answer.keyset);
		dkim_keyset_unref(answer.keyset);
	}
	if (got < good || got + bad > seen)
		fprintf(stderr, "# %s: %zu of %zu verify, want %zu, not %zu\n",
		    column[0], got, seen, good, bad);
	w->tally.agreed += good;
	w->tally.wrong += got < good || got + bad > seen;
	replay_done(&m);
	arena_clear(&a);
	free(octets);
	free(dns);
}

/*
 * Never a pass any more, but canonicalization and selection are the same as
 * ever: what was signed with rsa-sha1 is what we make of it.
 */
static void
messages_of_sha1(void **state)
{
	struct world w = { 0 };

	(void)state;
	replay_begin(&w.r);
	each_message(verify_old_message, &w);
	replay_end(&w.r);
	fprintf(stderr, "# rsa-sha1: %zu verify\n", w.tally.agreed);
	test_int("wrong", w.tally.wrong, 0);
	test_int("verify", w.tally.agreed, SHA1_GOOD);
}

static void
key_records_ruling(void **state)
{
	struct replay_tally tally = { 0 };
	char path[4096];
	struct replay r;

	(void)state;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/keyrec", corpus);
	replay_key_records(&r, path, &tally);
	replay_end(&r);
	fprintf(stderr, "# key records: %zu agreed, %zu wrong\n",
	    tally.agreed, tally.wrong);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.agreed, KEY_RECORDS);
}

static void
signature_fields_ruling(void **state)
{
	struct replay_tally tally = { 0 };
	char path[4096];
	struct replay r;

	(void)state;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/sighdr", corpus);
	replay_fields(&r, path, &tally);
	replay_end(&r);
	fprintf(stderr, "# signature fields: %zu agreed, %zu wrong\n",
	    tally.agreed, tally.wrong);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.agreed, FIELDS);
}

static void
keep(void *context, struct slice octets)
{
	buf_add(context, octets);
}

/*
 * The form of a body, in pieces of so many octets.
 */
static void
check_form(const char *row, enum dkim_canon alg, struct slice in,
    struct slice want, size_t piece)
{
	struct canon c;
	struct sink sink;
	struct buf got;
	size_t at;

	buf_init(&got, 1 << 20);
	sink = (struct sink){ keep, &got };
	canon_init(&c, alg, false);
	for (at = 0; at < in.n; at += piece)
		canon_body(&c, slice_sub(in, at, in.n - at < piece ?
		    in.n - at : piece), &sink);
	canon_body_end(&c, &sink);
	test_octets(row, got.p, got.n, want.p, want.n);
	buf_clear(&got);
}

static void
check_hash(const struct replay *r, const char *row, enum dkim_canon alg,
    struct slice in, const char *want)
{
	uint8_t hash[DIGEST_SIZE], text[BASE64_SIZE(DIGEST_SIZE)];
	struct bodyhash *b;
	uint64_t total;
	size_t index;

	assert_int_equal(bodyhash_new(r->lib, false, &b), 0);
	assert_int_equal(bodyhash_want(b, alg, UINT64_MAX, &index), 0);
	assert_int_equal(bodyhash_add(b, in), 0);
	assert_int_equal(bodyhash_end(b), 0);
	bodyhash_get(b, index, hash, &total);
	base64_write(slice_of(hash, sizeof(hash)), text);
	test_octets(row, text, sizeof(text), want, strlen(want));
	bodyhash_free(b);
}

static void
canonical_forms(void **state)
{
	char path[4096], *table, *rest, *column[REPLAY_COLUMNS], row[512];
	struct slice in, want;
	enum dkim_canon alg;
	size_t n, rows = 0, colon;
	struct replay r;
	struct sink sink;
	struct buf got;

	(void)state;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/canon", corpus);
	table = replay_file(path, "canon.tsv", &n);
	assert_non_null(table);
	buf_init(&got, 1 << 20);
	sink = (struct sink){ keep, &got };
	for (rest = table; replay_row(&rest, column); rows++) {
		snprintf(row, sizeof(row), "%s", column[2]);
		alg = strcmp(column[1], "simple") == 0 ? DKIM_SIMPLE :
		    DKIM_RELAXED;
		in = slice_of(column[2], replay_unescape(column[2]));
		want = slice_of(column[3], replay_unescape(column[3]));
		if (strcmp(column[0], "body") == 0) {
			check_form(row, alg, in, want, in.n + 1);
			check_form(row, alg, in, want, 1);
			check_hash(&r, row, alg, in, column[4]);
			continue;
		}
		in.n -= 2;	/* CRLF */
		colon = slice_find(in, ':');
		buf_reset(&got);
		canon_field(alg, slice_sub(in, 0, colon),
		    slice_from(in, colon + 1), &sink);
		test_octets(row, got.p, got.n, want.p, want.n);
	}
	test_int("forms", rows, FORMS);
	buf_clear(&got);
	free(table);
	replay_end(&r);
}

/*
 * A key of keys.tsv: PEM, or the seed of RFC 8463 in base64, which the PKCS#8
 * of RFC 8410 s7 is put round.
 */
static struct rsab_key *
load_key(const struct replay *r, const char *folder, const char *name)
{
	static const char head[] =
	    "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
	uint8_t der[16 + 64];
	struct rsab_key *key = NULL;
	size_t n, seed_n;
	char *text;

	text = replay_file(folder, name, &n);
	assert_non_null(text);
	if (strstr(name, ".pem") != NULL) {
		test_int(name, rsab_key_load_private(r->backend,
		    (const uint8_t *)text, n, &key), 0);
	} else {
		memcpy(der, head, 16);
		assert_true(n < 64);
		assert_int_equal(base64_decode(slice_of(text, n), der + 16,
		    &seed_n), 0);
		test_int(name, seed_n, 32);
		test_int(name, rsab_key_load_private(r->backend, der, 48,
		    &key), 0);
	}
	free(text);
	return key;
}

/*
 * Each key: its size, its public half, and whether it may sign: RFC 8301 s3.2
 * forbids those of 512 bits.
 */
static void
private_keys(void **state)
{
	char path[4096], *table, *rest, *column[REPLAY_COLUMNS];
	size_t n, rows = 0, index;
	struct dkim_header *header;
	struct dkim_signer *signer;
	struct rsab_key *key;
	struct replay r;
	struct buf text;

	(void)state;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/keys", corpus);
	table = replay_file(path, "keys.tsv", &n);
	assert_non_null(table);
	assert_int_equal(dkim_header_new(0, &header), 0);
	assert_int_equal(dkim_header_add(header, slice_text("From"),
	    slice_text(" a@example.com")), 0);
	for (rest = table; replay_row(&rest, column); rows++) {
		struct dkim_sign_options o = {
			.domain = slice_text("example.com"),
			.selector = slice_text("s"),
		};
		unsigned bits = (unsigned)strtoul(column[2], NULL, 10);

		key = load_key(&r, path, column[0]);
		test_int(column[0], rsab_key_bits(key), bits);
		buf_init(&text, 65536);
		assert_int_equal(dkim_key_record_print(key, false, false,
		    &text), 0);
		buf_add_nul(&text);
		test_str(column[0], strstr((char *)text.p, "; p=") + 4,
		    column[3]);
		buf_clear(&text);
		o.key = key;
		assert_int_equal(dkim_signer_new(r.lib, header, false,
		    &signer), 0);
		test_int(column[0], dkim_signer_add(signer, &o, &index),
		    bits == 512 ? DKIM_ERR_ARGUMENT : 0);
		dkim_signer_free(signer);
		rsab_key_unref(key);
	}
	test_int("keys", rows, KEYS);
	dkim_header_free(header);
	free(table);
	replay_end(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_ruling),
		cmocka_unit_test(messages_of_sha1),
		cmocka_unit_test(key_records_ruling),
		cmocka_unit_test(signature_fields_ruling),
		cmocka_unit_test(canonical_forms),
		cmocka_unit_test(private_keys),
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
