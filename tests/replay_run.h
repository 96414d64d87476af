/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs whole tables of messages, key records and signature fields, and counts
 * how many verdicts are those of the table.
 */
#ifndef TEST_REPLAY_RUN_H
#define TEST_REPLAY_RUN_H

/* system */
#include <dirent.h>

/* this room */
#include "tests/replay.h"
#include "dkim/canon.h"
#include "dkim/digest.h"
#include "dkim/select.h"
#include "dkim/sigfield.h"

#define REPLAY_NOW	1798761600	/* 2027-01-01, where a row gives none */
#define REPLAY_LINE	1024		/* octets of a line of verdicts */
#define REPLAY_KEYS	64		/* private keys of a folder */

static const struct dkim_verify_options replay_plain = {
	.now = REPLAY_NOW,
	.clock_drift = 300,
	.max_signatures = 20,
	.min_bits = DKIM_RSA_BITS_FLOOR,
};

struct replay_tally {
	size_t	agreed;
	size_t	wrong;
	size_t	made;		/* signatures made again */
	size_t	changed;	/* not, since the message has changed */
};

struct replay_keys {
	struct rsab_key	*keys[REPLAY_KEYS];
	size_t		 n;
};

/*
 * All the PEM files of a folder that hold a key.
 */
static inline void
replay_load_keys(const struct replay *r, const char *folder,
    struct replay_keys *out)
{
	struct dirent *entry;
	DIR *d = opendir(folder);
	char *pem;
	size_t n;

	out->n = 0;
	while (d != NULL && (entry = readdir(d)) != NULL) {
		if (strstr(entry->d_name, ".pem") == NULL)
			continue;
		pem = replay_file(folder, entry->d_name, &n);
		assert_true(out->n < REPLAY_KEYS);
		if (rsab_key_load_private(r->backend, (const uint8_t *)pem, n,
		    &out->keys[out->n]) == 0)
			out->n++;
		free(pem);
	}
	if (d != NULL)
		closedir(d);
}

static inline void
replay_unload_keys(struct replay_keys *keys)
{
	while (keys->n > 0)
		rsab_key_unref(keys->keys[--keys->n]);
}

static inline void
replay_judge(const char *name, const struct replay_message *m,
    const char *expected, struct replay_tally *tally)
{
	char got[REPLAY_LINE], want[REPLAY_LINE];
	size_t i;

	replay_results(m, got, sizeof(got));
	replay_first_choices(expected, want, sizeof(want));
	if (strcmp(got, want) == 0) {
		tally->agreed++;
		return;
	}
	tally->wrong++;
	fprintf(stderr, "# %s: got %s, want %s\n", name, got, want);
	for (i = 0; i < dkim_verifier_count(m->verifier); i++)
		fprintf(stderr, "#   %zu: %s\n", i + 1,
		    dkim_verifier_verdict(m->verifier, i)->reason);
}

/*
 * Give out what field own signs, from the parts of the engine.
 */
static inline void
replay_put_signed(const struct dkim_header *header, size_t own,
    const struct sigfield *f, struct sink *out)
{
	struct slice value = dkim_header_value(header, own);
	struct slice *names = calloc(f->names_n, sizeof(*names));
	uint8_t *bare = malloc(value.n);

	sigfield_names(f, names);
	memcpy(bare, value.p, f->b_at);
	memcpy(bare + f->b_at, value.p + f->b_at + f->b_n,
	    value.n - f->b_at - f->b_n);
	assert_int_equal(select_fields(header, names, f->names_n, own,
	    f->header_canon, out), 0);
	canon_field_last(f->header_canon, dkim_header_name(header, own),
	    slice_of(bare, value.n - f->b_n), out);
	free(names);
	free(bare);
}

static inline void
replay_add_to_digest(void *context, struct slice octets)
{
	digest_add(context, octets);
}

/*
 * Its SHA-256.
 */
static inline void
replay_hash_field(const struct replay *r, const struct dkim_header *header,
    size_t own, const struct sigfield *f, uint8_t out[DIGEST_SIZE])
{
	struct digest digest;
	struct sink sink = { replay_add_to_digest, &digest };

	assert_int_equal(digest_init(&digest, r->lib), 0);
	replay_put_signed(header, own, f, &sink);
	assert_int_equal(digest_finish(&digest, out), 0);
	digest_clear(&digest);
}

/*
 * The private key whose public half the records that f asks for hold, or NULL.
 */
static inline struct rsab_key *
replay_find_key(const struct replay *r, const struct replay_keys *keys,
    const char *dns, const struct sigfield *f)
{
	struct dkim_answer answer = replay_answer(r, dns,
	    (const char *)f->query.p);
	enum rsab_key_type type = f->alg == SIGFIELD_ED25519_SHA256 ?
	    RSAB_ED25519 : RSAB_RSA;
	uint8_t public[RSAB_FINGERPRINT_SIZE], private[RSAB_FINGERPRINT_SIZE];
	struct rsab_key *found = NULL;
	struct dkim_key_info info;
	size_t i, k;

	for (i = 0; answer.keyset != NULL &&
	    i < dkim_keyset_count(answer.keyset); i++) {
		dkim_keyset_info(answer.keyset, i, &info);
		if (info.key == NULL || rsab_key_type(info.key) != type)
			continue;
		rsab_key_fingerprint(info.key, public);
		for (k = 0; k < keys->n; k++) {
			rsab_key_fingerprint(keys->keys[k], private);
			if (memcmp(public, private, sizeof(public)) == 0)
				found = keys->keys[k];
		}
	}
	dkim_keyset_unref(answer.keyset);
	return found;
}

/*
 * Make one signature again and say whether b= came out.
 */
static inline bool
replay_sign_field(const struct replay *r, const struct replay_message *m,
    size_t own, const struct sigfield *f, struct rsab_key *key)
{
	struct rsab_job job = { .key = key, .op = RSAB_OP_SIGN,
	    .hash = RSAB_SHA256 };
	struct rsab_job *jobs[] = { &job };

	replay_hash_field(r, m->header, own, f, job.digest);
	rsab_run(r->worker, jobs, 1);
	assert_int_equal(job.result, 0);
	return job.signature_len == f->signature_len &&
	    memcmp(job.signature, f->signature, f->signature_len) == 0;
}

/*
 * Must the signature come out again? It covers bh=, not the body itself, so a
 * changed body changes nothing; a changed header does.
 */
static inline bool
replay_is_signed(const struct dkim_verdict *v, bool *surely)
{
	*surely = v->result == DKIM_PASS || v->result == DKIM_POLICY;
	return *surely || v->result == DKIM_FAIL;
}

/*
 * RSA and Ed25519 are deterministic: signing the same hash again must give the
 * same b=, for each signature that is good and whose private key is there.
 */
static inline void
replay_sign_again(const struct replay *r, const char *name,
    const struct replay_message *m, const struct replay_keys *keys,
    const char *dns, struct replay_tally *tally)
{
	size_t i, own, count = dkim_header_count(m->header);
	struct slice field = slice_text("DKIM-Signature");
	struct rsab_key *key;
	bool surely, same;
	struct sigfield f;
	struct arena a;

	arena_init(&a, DKIM_HEADER_HARD_MAX);
	own = dkim_header_find(m->header, field, 0);
	for (i = 0; own < count; i++) {
		key = NULL;
		if (replay_is_signed(dkim_verifier_verdict(m->verifier, i),
		    &surely)) {
			assert_int_equal(sigfield_parse(dkim_header_value(
			    m->header, own), &a, &f), 0);
			key = replay_find_key(r, keys, dns, &f);
		}
		if (key != NULL) {
			same = replay_sign_field(r, m, own, &f, key);
			test_true(name, same || !surely);
			tally->made += same;
			tally->changed += !same;
			if (!same)
				fprintf(stderr, "# %s: signature %zu does not "
				    "come out again\n", name, i + 1);
		}
		own = dkim_header_find(m->header, field, own + 1);
	}
	arena_clear(&a);
}

/*
 * The records to verify a message of a folder with; the caller frees.
 */
static inline char *
replay_dns(const char *folder, const char *message)
{
	char name[512], *dns;
	size_t n;

	snprintf(name, sizeof(name), "%s.dns.tsv", message);
	dns = replay_file(folder, name, &n);
	if (dns == NULL)
		dns = replay_file(folder, "dns.tsv", &n);
	return dns != NULL ? dns : strdup("");
}

/*
 * One row of expect.tsv.
 *   only     NULL, or the verdicts to want in place of the row's
 */
static inline void
replay_row_message(const struct replay *r, const char *folder, char **column,
    size_t now_column, const char *only, const struct replay_keys *keys,
    struct replay_tally *tally)
{
	struct dkim_verify_options options = replay_plain;
	struct replay_message m;
	char *octets, *dns;
	size_t n = 0;
	int e;

	octets = replay_file(folder, column[0], &n);
	assert_non_null(octets);
	if (column[now_column] != NULL && strcmp(column[now_column], "-") != 0)
		options.now = strtoull(column[now_column], NULL, 10);
	dns = replay_dns(folder, column[0]);
	e = replay_verify(r, slice_of(octets, n), 0, dns, &options, &m);
	if (e != 0) {
		tally->wrong++;
		fprintf(stderr, "# %s/%s: %s\n", folder, column[0],
		    dkim_strerror(e));
	} else {
		replay_judge(column[0], &m, only != NULL ? only : column[1],
		    tally);
		replay_sign_again(r, column[0], &m, keys, dns, tally);
	}
	replay_done(&m);
	free(octets);
	free(dns);
}

/*
 * keyrecords.tsv of a folder: id, message, name, record, verdict; the rows of
 * one id belong together.
 */
static inline void
replay_key_records(const struct replay *r, const char *folder,
    struct replay_tally *tally)
{
	char last[256] = "", want[256] = "", file[256] = "";
	char *table, *rest, *column[REPLAY_COLUMNS], *octets;
	char *dns = calloc(1, 65536);
	struct replay_message m;
	size_t n, used = 0;
	bool more;

	table = replay_file(folder, "keyrecords.tsv", &n);
	assert_non_null(table);
	rest = table;
	do {
		more = replay_row(&rest, column);
		if (last[0] != '\0' && (!more || strcmp(last, column[0]))) {
			octets = replay_file(folder, file, &n);
			test_int(last, replay_verify(r, slice_of(octets, n),
			    0, dns, &replay_plain, &m), 0);
			replay_judge(last, &m, want, tally);
			replay_done(&m);
			free(octets);
			used = 0;
		}
		if (!more)
			break;
		snprintf(last, sizeof(last), "%s", column[0]);
		snprintf(file, sizeof(file), "%s", column[1]);
		snprintf(want, sizeof(want), "%s", column[4]);
		used += (size_t)snprintf(dns + used, 65536 - used, "%s\t%s\n",
		    column[2], column[3]);
	} while (more);
	free(table);
	free(dns);
}

/*
 * sigheaders.tsv of a folder: id, field body, verdict; with rest.eml and
 * dns.tsv.
 */
static inline void
replay_fields(const struct replay *r, const char *folder,
    struct replay_tally *tally)
{
	char *table, *body, *dns, *rest, *column[REPLAY_COLUMNS];
	struct replay_message m;
	size_t n, body_n, dns_n, field_n;
	struct buf b;

	table = replay_file(folder, "sigheaders.tsv", &n);
	body = replay_file(folder, "rest.eml", &body_n);
	dns = replay_file(folder, "dns.tsv", &dns_n);
	assert_non_null(table);
	rest = table;
	while (replay_row(&rest, column)) {
		field_n = replay_unescape(column[1]);
		buf_init(&b, SIZE_MAX / 2);
		buf_add_text(&b, "DKIM-Signature: ");
		buf_add(&b, slice_of(column[1], field_n));
		buf_add_text(&b, "\r\n");
		buf_add(&b, slice_of(body, body_n));
		test_int(column[0], replay_verify(r, buf_slice(&b), 0, dns,
		    &replay_plain, &m), 0);
		replay_judge(column[0], &m, column[2], tally);
		replay_done(&m);
		buf_clear(&b);
	}
	free(table);
	free(body);
	free(dns);
}

#endif
