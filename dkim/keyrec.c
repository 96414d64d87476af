/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key records (RFC 6376 s3.6.1, RFC 8463 s4). Tags that RFC 6376 does not know
 * (g= of RFC 4871 among them) mean nothing.
 */

/* system */
#include <stdatomic.h>
#include <stdlib.h>

/* this room */
#include "keyrec.h"
#include "base64.h"
#include "taglist.h"

#define PUBLIC_MAX	1100	/* octets: SubjectPublicKeyInfo of 8192 bits
				 * with an exponent of 64 */
#define ED25519_SIZE	32	/* octets */
/* Octets of memory that a loaded key takes in libcrypto, measured: some, and
 * its modulus twice, and three times more with its first use */
#define KEY_OCTETS	1024
#define KEY_MODULI	5

_Static_assert(DKIM_RSA_BITS_MAX == RSAB_RSA_BITS_MAX,
    "dkim.h does not include rsab.h, and says what it says");

struct dkim_keyset {
	atomic_size_t	refs;
	size_t		n;
	struct keyrec	records[];
};

static void
refuse(struct keyrec *rec, enum keyrec_state state, const char *error)
{
	rec->state = state;
	rec->error = error;
}

/*
 * Does a colon list hold this word? RFC 6376 s3.6.1 #10, #24, #26: words that
 * nobody knows are passed over.
 */
static bool
has_word(struct slice list, const char *word)
{
	struct slice item;

	while (taglist_next(&list, ':', &item))
		if (slice_equal_nocase(item, slice_text(word)))
			return true;
	return false;
}

static void
parse_flags(const struct taglist *list, struct keyrec *rec)
{
	/* RFC 6376 s7.5, s3.6.1 #16, sC.2: neither n= nor g= is looked for */
	const struct tag *h = taglist_find(list, "h");
	const struct tag *s = taglist_find(list, "s");
	const struct tag *t = taglist_find(list, "t");

	rec->sha256 = h == NULL || has_word(h->value, "sha256");
	/* RFC 6376 s3.6.1 #23: a record for other services is none */
	rec->email = s == NULL || has_word(s->value, "*") ||
	    has_word(s->value, "email");
	rec->testing = t != NULL && has_word(t->value, "y");
	rec->strict = t != NULL && has_word(t->value, "s");
}

static size_t
count_solid(struct slice s)
{
	size_t i, n = 0;

	for (i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\r' &&
		    s.p[i] != '\n')
			n++;
	return n;
}

/*
 * Load the key that p= holds.
 *   p        not empty
 *   errors   DKIM_ERR_NOMEM
 */
static int
load(const struct rsab_backend *backend, enum rsab_key_type type,
    struct slice p, struct keyrec *rec)
{
	uint8_t *octets;
	size_t n;
	int r;

	/* A stranger's zone: capped before it is decoded (RFC 6376 s8.8) */
	if (count_solid(p) > BASE64_SIZE(PUBLIC_MAX)) {
		refuse(rec, KEYREC_OVER, "key is larger than 8192 bits");
		return 0;
	}
	octets = malloc(p.n / 4 * 3 + 3);
	if (octets == NULL)
		return DKIM_ERR_NOMEM;
	r = base64_decode(p, octets, &n);
	if (r != 0) {
		refuse(rec, KEYREC_MALFORMED,
		    "key syntax error: p= not base64");
		free(octets);
		return 0;
	}
	/* RFC 8463 s4.2: the 32 octets alone */
	if (type == RSAB_ED25519 && n != ED25519_SIZE)
		r = RSAB_ERR_KEY;
	else
		/* RFC 6376 s3.6.1 #12, #13; RFC 8301 s3.2 #3: 512 to 8192
		 * bits */
		r = rsab_key_load_public(backend, type, octets, n, &rec->key);
	free(octets);
	if (r == RSAB_ERR_NOMEM)
		return DKIM_ERR_NOMEM;
	if (r == RSAB_ERR_KEY_SIZE && n > DKIM_RSA_BITS_MAX / 8)
		refuse(rec, KEYREC_OVER, "key is larger than 8192 bits");
	else if (r == RSAB_ERR_KEY_SIZE)
		refuse(rec, KEYREC_UNFIT, "key size not supported");
	else if (r != 0)
		refuse(rec, KEYREC_MALFORMED, type == RSAB_RSA ?
		    "key syntax error: p= not an RSA key" :
		    "key syntax error: p= not an Ed25519 key");
	return 0;
}

/*
 * What is wrong with a list that is none.
 */
static const char *
tell_list(const struct taglist *list)
{
	static const struct {
		const char	*name;
		const char	*error;
	} rows[] = {
		{ "v", "key syntax error: v= twice" },
		{ "h", "key syntax error: h= twice" },
		{ "k", "key syntax error: k= twice" },
		{ "n", "key syntax error: n= twice" },
		{ "p", "key syntax error: p= twice" },
		{ "s", "key syntax error: s= twice" },
		{ "t", "key syntax error: t= twice" },
		{ "g", "key syntax error: g= twice" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (slice_is(list->twice, rows[i].name))
			return rows[i].error;
	return list->twice.n > 0 ? "key syntax error: a tag twice" :
	    "key syntax error";
}

int
keyrec_parse(const struct rsab_backend *backend, struct slice record,
    struct keyrec *out)
{
	const struct tag *v, *k, *p;
	struct taglist list;
	bool rsa, ed25519;

	memset(out, 0, sizeof(*out));
	out->head_n = record.n < KEYREC_HEAD ? record.n : KEYREC_HEAD;
	if (record.n > 0)
		memcpy(out->head, record.p, out->head_n);
	if (record.n > DKIM_TXT_MAX) {
		refuse(out, KEYREC_MALFORMED, "key record is too long");
		return 0;
	}
	/* RFC 6376 s3.6.1 #1, s6.1.2 #2, #3, #10: not in this form, no key */
	if (taglist_parse(record, &list) != 0) {
		refuse(out, KEYREC_MALFORMED, tell_list(&list));
		return 0;
	}
	v = taglist_find(&list, "v");
	/* RFC 6376 s3.6.1 #6, #7, #8, s6.1.2 #11: v=, where given, MUST be
	 * first and exactly DKIM1 */
	if (v != NULL && (v != &list.tags[0] || !slice_is(v->value, "DKIM1"))) {
		refuse(out, KEYREC_MALFORMED, "key syntax error: bad v=");
		return 0;
	}
	parse_flags(&list, out);
	p = taglist_find(&list, "p");
	/* RFC 6376 s3.6.1 #18, #19, s6.1.2 #13: absent and empty differ */
	if (p == NULL) {
		refuse(out, KEYREC_MALFORMED, "key syntax error: no p=");
		return 0;
	}
	if (p->value.n == 0) {
		refuse(out, KEYREC_REVOKED, "key revoked");
		return 0;
	}
	k = taglist_find(&list, "k");
	rsa = k == NULL || slice_equal_nocase(k->value, slice_text("rsa"));
	ed25519 = k != NULL &&
	    slice_equal_nocase(k->value, slice_text("ed25519"));
	/* RFC 6376 s3.6.1 #14, RFC 8463 s4.1: no other types */
	if (!rsa && !ed25519) {
		refuse(out, KEYREC_UNFIT, "inappropriate key algorithm");
		return 0;
	}
	return load(backend, rsa ? RSAB_RSA : RSAB_ED25519, p->value, out);
}

void
keyrec_clear(struct keyrec *rec)
{
	rsab_key_unref(rec->key);
	rec->key = NULL;
}

const char *
keyrec_misfit(const struct keyrec *rec, enum rsab_key_type type, bool below)
{
	if (!rec->email)
		return "key is not for email";
	/* RFC 6376 s6.1.2 #12: h= does not allow the hash */
	if (!rec->sha256)
		return "inappropriate hash algorithm";
	/* RFC 6376 s6.1.2 #14: k= is of another algorithm than a= */
	if (rsab_key_type(rec->key) != type)
		return "inappropriate key algorithm";
	/* RFC 6376 s3.6.1 #29, #30, s3.10: i= MUST NOT be a subdomain of d= */
	if (rec->strict && below)
		return "domain mismatch: i= in a subdomain, key has t=s";
	return NULL;
}

/*
 * Octets of a before those of b?
 */
static bool
is_before(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return order < 0 || (order == 0 && a.n < b.n);
}

/*
 * Records of one name have no order (RFC 6376 s6.1.2 step 4): the order of
 * their octets makes a verdict repeatable.
 */
static void
sort(const struct slice *in, size_t n, struct slice *out)
{
	size_t i, at;

	for (i = 0; i < n; i++) {
		for (at = i; at > 0 && is_before(in[i], out[at - 1]); at--)
			out[at] = out[at - 1];
		out[at] = in[i];
	}
}

int
dkim_keyset_parse(const struct rsab_backend *backend,
    const struct slice *records, size_t n, struct dkim_keyset **out)
{
	struct slice sorted[DKIM_TXT_RECORDS_MAX];
	bool over = n > DKIM_TXT_RECORDS_MAX;
	struct dkim_keyset *set;
	size_t i;
	int r;

	if (over)
		n = 1;
	set = calloc(1, sizeof(*set) + n * sizeof(set->records[0]));
	if (set == NULL)
		return DKIM_ERR_NOMEM;
	atomic_init(&set->refs, 1);
	if (over) {
		refuse(&set->records[0], KEYREC_MALFORMED,
		    "too many TXT records");
		set->n = 1;
		*out = set;
		return 0;
	}
	sort(records, n, sorted);
	for (i = 0; i < n; i++) {
		r = keyrec_parse(backend, sorted[i], &set->records[i]);
		if (r != 0) {
			dkim_keyset_unref(set);
			return r;
		}
		set->n++;
	}
	*out = set;
	return 0;
}

struct dkim_keyset *
dkim_keyset_ref(struct dkim_keyset *set)
{
	atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
	return set;
}

void
dkim_keyset_unref(struct dkim_keyset *set)
{
	size_t i;

	if (set == NULL ||
	    atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (i = 0; i < set->n; i++)
		keyrec_clear(&set->records[i]);
	free(set);
}

static size_t
key_octets(const struct rsab_key *key)
{
	if (key == NULL)
		return 0;
	return KEY_OCTETS + rsab_key_bits(key) / 8 * KEY_MODULI;
}

size_t
dkim_keyset_octets(const struct dkim_keyset *set)
{
	size_t i, octets = sizeof(*set);

	for (i = 0; i < set->n; i++)
		octets += sizeof(set->records[0]) +
		    key_octets(set->records[i].key);
	return octets;
}

size_t
dkim_keyset_count(const struct dkim_keyset *set)
{
	return set->n;
}

const struct keyrec *
keyrec_at(const struct dkim_keyset *set, size_t i)
{
	return &set->records[i];
}

void
dkim_keyset_info(const struct dkim_keyset *set, size_t i,
    struct dkim_key_info *out)
{
	const struct keyrec *rec = &set->records[i];

	out->error = rec->error;
	if (out->error == NULL && !rec->email)
		out->error = "key is not for email";
	if (out->error == NULL && !rec->sha256)
		out->error = "inappropriate hash algorithm";
	out->key = out->error == NULL ? rec->key : NULL;
	out->revoked = rec->state == KEYREC_REVOKED;
	out->testing = rec->testing;
	out->strict = rec->strict;
}

int
dkim_key_record_print(const struct rsab_key *key, bool testing,
    bool no_subdomains, struct buf *out)
{
	uint8_t *octets;
	size_t n;
	int r;

	r = rsab_key_print_public(key, &octets, &n);
	if (r != 0)
		return r == RSAB_ERR_NOMEM ? DKIM_ERR_NOMEM : DKIM_ERR_CRYPTO;
	/* RFC 6376 s3.6.1 #5, #6, RFC 8463 s3: v= first, and k=; all of it is
	 * ASCII (RFC 8616 s3, s5 #9) */
	buf_add_text(out, "v=DKIM1; k=");
	buf_add_text(out, rsab_key_type(key) == RSAB_RSA ? "rsa" : "ed25519");
	if (testing || no_subdomains) {
		buf_add_text(out, "; t=");
		buf_add_text(out, testing ? "y" : "");
		buf_add_text(out, testing && no_subdomains ? ":" : "");
		buf_add_text(out, no_subdomains ? "s" : "");
	}
	buf_add_text(out, "; p=");
	base64_encode(slice_of(octets, n), out);
	free(octets);
	return buf_end(out);
}
