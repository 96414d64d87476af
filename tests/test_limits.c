/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each limit of the table in dkim.h one below, at its edge and one above: what
 * is beyond is refused by name, what is within is taken whole (BEHAVIOUR 2).
 */

/* this room */
#include "tests/made.h"
#include "dkim/keyrec.h"
#include "dkim/taglist.h"
#include "milter/wire.h"

#define TEXT_MAX	((size_t)1 << 25)	/* octets */
#define ED25519_P	"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define BODY_HASH	"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
#define HEADER		"From: a@example.com\r\n"
#define DNS_NAME	"sel._domainkey.example.com"

static struct replay world;

static int
set_up(void **state)
{
	(void)state;
	replay_begin(&world);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	replay_end(&world);
	return 0;
}

static void
put_octets(struct buf *b, char c, size_t n)
{
	while (n-- > 0)
		buf_add_octet(b, (uint8_t)c);
}

static const char *
of_code(int r)
{
	return r == 0 ? "taken" : dkim_strerror(r);
}

/* ---- header ------------------------------------------------------------- */

/*
 * What becomes of a header whose last field brings it to n octets.
 */
static const char *
fill_header(size_t max, size_t n)
{
	static char over[64];
	struct dkim_header *header;
	struct slice name = slice_text("X");
	struct buf value;
	size_t share;
	int r = 0;

	assert_int_equal(dkim_header_new(max, &header), 0);
	while (n > 0 && r == 0) {
		share = n > 200000 ? 100000 : n;
		buf_init(&value, TEXT_MAX);
		put_octets(&value, 'v', share - 2);
		r = dkim_header_add(header, name, buf_slice(&value));
		buf_clear(&value);
		n -= share;
	}
	snprintf(over, sizeof(over), "%s", r == 0 ? "taken" :
	    dkim_header_over(header));
	/* nothing smaller comes in behind what was refused */
	if (r != 0)
		test_int(over, dkim_header_add(header, name,
		    slice_text("v")), DKIM_ERR_LIMIT);
	dkim_header_free(header);
	return over;
}

static const char *
try_header(size_t n)
{
	return fill_header(DKIM_HEADER_MAX, n);
}

static const char *
try_header_hard(size_t n)
{
	return fill_header(0, n);
}

static const char *
try_fields(size_t n)
{
	static char over[64];
	struct dkim_header *header;
	int r = 0;

	assert_int_equal(dkim_header_new(0, &header), 0);
	for (; n > 0 && r == 0; n--)
		r = dkim_header_add(header, slice_text("X"), slice_text(""));
	snprintf(over, sizeof(over), "%s", r == 0 ? "taken" :
	    dkim_header_over(header));
	dkim_header_free(header);
	return over;
}

/*
 * One field, out of a message.
 */
static const char *
read_field(struct buf *text)
{
	static char over[64];
	struct dkim_header *header;
	struct dkim_reader *reader;
	int r;

	buf_add_text(text, "\r\n\r\n");
	assert_int_equal(buf_end(text), 0);
	assert_int_equal(dkim_header_new(0, &header), 0);
	assert_int_equal(dkim_reader_new(header, made_no_header, made_no_body,
	    NULL, &reader), 0);
	r = dkim_reader_feed(reader, buf_slice(text));
	if (r == 0)
		r = dkim_reader_end(reader);
	snprintf(over, sizeof(over), "%s", r == 0 ? "taken" :
	    dkim_header_over(header));
	dkim_reader_free(reader);
	dkim_header_free(header);
	buf_clear(text);
	return over;
}

static const char *
try_field(size_t n)
{
	struct buf text;

	buf_init(&text, TEXT_MAX);
	buf_add_text(&text, "Subject:");
	put_octets(&text, 'v', n - strlen("Subject:"));
	return read_field(&text);
}

static const char *
try_field_name(size_t n)
{
	struct buf text;

	buf_init(&text, TEXT_MAX);
	put_octets(&text, 'n', n);
	buf_add_text(&text, ": v");
	return read_field(&text);
}

/* ---- tag lists ---------------------------------------------------------- */

/*
 * A signature field that is whole but for its h=, without an end.
 */
static void
begin_signature(struct buf *b, const char *domain, const char *selector)
{
	buf_init(b, TEXT_MAX);
	buf_add_format(b, "v=1; a=ed25519-sha256; d=%s; s=%s; bh=%s; b=YQ==; "
	    "h=from", domain, selector, BODY_HASH);
}

static const char *
parse_signature(struct buf *b)
{
	struct sigfield f;
	struct arena a;

	assert_int_equal(buf_end(b), 0);
	arena_init(&a, TEXT_MAX);
	assert_int_equal(sigfield_parse(buf_slice(b), &a, &f), 0);
	arena_clear(&a);
	buf_clear(b);
	return f.error == NULL ? "taken" : f.error;
}

static const char *
try_tags(size_t n)
{
	struct buf b;

	begin_signature(&b, "example.com", "sel");
	for (; n > 7; n--)
		buf_add_format(&b, "; x%zu=", n);
	return parse_signature(&b);
}

static const char *
try_names(size_t n)
{
	struct buf b;

	begin_signature(&b, "example.com", "sel");
	for (; n > 1; n--)
		buf_add_text(&b, ":x");
	return parse_signature(&b);
}

static const char *
try_digits(size_t n)
{
	struct buf b;

	begin_signature(&b, "example.com", "sel");
	buf_add_text(&b, "; l=");
	put_octets(&b, '1', n);
	return parse_signature(&b);
}

/* ---- names -------------------------------------------------------------- */

/*
 * A domain of n octets: short labels.
 */
static void
put_domain(struct buf *b, size_t n)
{
	for (; n > 3; n -= 2)
		buf_add_text(b, "d.");
	buf_add_text(b, n == 3 ? "d.d" : "dd");
}

static const char *
try_domain(size_t n)
{
	char ascii[DKIM_NAME_MAX + 1];
	struct buf b;
	int r;

	buf_init(&b, TEXT_MAX);
	put_domain(&b, n);
	assert_int_equal(b.n, n);
	r = dkim_domain_to_ascii(buf_slice(&b), ascii);
	buf_clear(&b);
	return of_code(r);
}

static const char *
try_label(size_t n)
{
	char ascii[DKIM_NAME_MAX + 1];
	struct buf b;
	int r;

	buf_init(&b, TEXT_MAX);
	put_octets(&b, 'l', n);
	buf_add_text(&b, ".example");
	r = dkim_domain_to_ascii(buf_slice(&b), ascii);
	buf_clear(&b);
	return of_code(r);
}

/*
 * The whole name that is asked for, with ._domainkey. in it.
 */
static const char *
try_query(size_t n)
{
	struct buf b, domain;
	const char *got;

	buf_init(&domain, TEXT_MAX);
	put_domain(&domain, n - strlen("s._domainkey."));
	buf_add_nul(&domain);
	begin_signature(&b, (const char *)domain.p, "s");
	got = parse_signature(&b);
	buf_clear(&domain);
	return got;
}

static const char *
try_mailboxes(size_t n)
{
	struct dkim_mailbox out[DKIM_MAILBOXES_MAX];
	struct arena a;
	struct buf b;
	size_t found;
	int r;

	buf_init(&b, TEXT_MAX);
	buf_add_text(&b, "a@example.com");
	for (; n > 1; n--)
		buf_add_text(&b, ", a@example.com");
	arena_init(&a, TEXT_MAX);
	r = dkim_mailbox_parse(buf_slice(&b), &a, out, DKIM_MAILBOXES_MAX,
	    &found);
	arena_clear(&a);
	buf_clear(&b);
	return of_code(r);
}

/* ---- key records -------------------------------------------------------- */

static const char *
parse_record(struct buf *b)
{
	struct keyrec rec;
	const char *got;

	assert_int_equal(buf_end(b), 0);
	assert_int_equal(keyrec_parse(world.backend, buf_slice(b), &rec), 0);
	got = rec.state == KEYREC_USABLE ? "taken" : rec.error;
	keyrec_clear(&rec);
	buf_clear(b);
	return got;
}

static const char *
try_record_tags(size_t n)
{
	struct buf b;

	buf_init(&b, TEXT_MAX);
	buf_add_text(&b, "k=ed25519; p=" ED25519_P);
	for (; n > 2; n--)
		buf_add_format(&b, "; x%zu=", n);
	return parse_record(&b);
}

static const char *
try_record(size_t n)
{
	struct buf b;

	buf_init(&b, TEXT_MAX);
	buf_add_text(&b, "k=ed25519; p=" ED25519_P "; n=");
	put_octets(&b, 'n', n - b.n);
	return parse_record(&b);
}

static const char *
try_records(size_t n)
{
	struct slice records[DKIM_TXT_RECORDS_MAX + 1];
	struct dkim_keyset *set;
	struct dkim_key_info info;
	size_t i;

	for (i = 0; i < n; i++)
		records[i] = slice_text("k=ed25519; p=" ED25519_P);
	assert_int_equal(dkim_keyset_parse(world.backend, records, n, &set),
	    0);
	dkim_keyset_info(set, 0, &info);
	test_int("records kept", dkim_keyset_count(set),
	    info.error == NULL ? n : 1);
	dkim_keyset_unref(set);
	return info.error == NULL ? "taken" : info.error;
}

static void
put_der(struct buf *out, uint8_t tag, size_t n)
{
	buf_add_octet(out, tag);
	if (n > 127) {
		buf_add_octet(out, 0x82);
		buf_add_octet(out, (uint8_t)(n >> 8));
	}
	buf_add_octet(out, (uint8_t)n);
}

/*
 * A modulus of n bits, all ones: RSAPublicKey in DER.
 */
static const char *
try_modulus(size_t n)
{
	struct buf b, inner, der;
	size_t i, octets = n / 8 + 1;

	buf_init(&b, TEXT_MAX);
	buf_init(&inner, TEXT_MAX);
	buf_init(&der, TEXT_MAX);
	put_der(&inner, 0x02, octets);
	for (i = 0; i < octets; i++)
		buf_add_octet(&inner, i > 0 ? 0xff :
		    (uint8_t)((1U << n % 8) - 1));
	buf_add(&inner, slice_of("\x02\x03\x01\x00\x01", 5));
	put_der(&der, 0x30, inner.n);
	buf_add(&der, buf_slice(&inner));
	buf_add_text(&b, "p=");
	base64_encode(buf_slice(&der), &b);
	buf_clear(&inner);
	buf_clear(&der);
	return parse_record(&b);
}

/*
 * The n-th record in the order of octets is the right one.
 */
static const char *
try_tried(size_t n)
{
	struct dkim_sign_options options = { .domain =
	    slice_text("example.com"), .selector = slice_text("sel"),
	    .now = MADE_NOW };
	struct dkim_header *header = made_header(HEADER);
	struct rsab_key *key = made_key(&world, "rfc8463-ed25519.pem");
	struct dkim_names *names = made_names(DKIM_NAMES_SIGN, NULL);
	struct replay_message m;
	struct buf field, dns;
	const char *got;
	char *line;
	size_t i;

	options.key = key;
	options.sign = names;
	buf_init(&field, TEXT_MAX);
	buf_init(&dns, TEXT_MAX);
	for (i = 1; i < n; i++)
		buf_add_format(&dns, DNS_NAME "\tk=ed25519; n=%02zu; p="
		    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", i);
	buf_add_text(&dns, DNS_NAME "\tk=ed25519; n=99; p=" ED25519_P "\n");
	buf_add_nul(&dns);
	assert_int_equal(made_sign(&world, header, "x\r\n", &options, key,
	    "\r\n", &field), 0);
	line = made_field(&field);
	assert_int_equal(made_verify(&world, line, HEADER, "x\r\n",
	    (const char *)dns.p, &made_plain, &m), 0);
	got = dkim_result_text(dkim_verifier_verdict(m.verifier, 0)->result);
	replay_done(&m);
	free(line);
	buf_clear(&field);
	buf_clear(&dns);
	dkim_names_free(names);
	rsab_key_unref(key);
	dkim_header_free(header);
	return got;
}

/* ---- how many ----------------------------------------------------------- */

/*
 * Verify n signatures, each of its own selector, without a key.
 */
static void
verify_many(size_t n, const char *tag, struct replay_message *m)
{
	struct dkim_verify_options options = made_plain;
	struct buf fields;
	size_t i;

	options.max_signatures = 0;
	buf_init(&fields, TEXT_MAX);
	for (i = 0; i < n; i++)
		buf_add_format(&fields, "DKIM-Signature: v=1; a=rsa-sha256; "
		    "d=example.com; s=s%zu; h=from; bh=" BODY_HASH
		    "; b=YQ==%s\r\n", i, tag);
	buf_add_nul(&fields);
	assert_int_equal(buf_end(&fields), 0);
	assert_int_equal(made_verify(&world, (const char *)fields.p, HEADER,
	    "x\r\n", "", &options, m), 0);
	assert_int_equal(dkim_verifier_count(m->verifier), n);
	buf_clear(&fields);
}

static const char *
try_signatures(size_t n)
{
	struct replay_message m;
	const char *got;

	verify_many(n, "", &m);
	got = dkim_verifier_verdict(m.verifier, n - 1)->evaluated ? "taken" :
	    "not evaluated";
	replay_done(&m);
	return got;
}

/*
 * What stands in Authentication-Results of n signatures beyond those that are
 * looked at, or of n fields at fault.
 */
static const char *
print_many(size_t n, const char *tag, const char *rest)
{
	static const struct dkim_authres ar = { .line_end = "\r\n",
	    .authserv_id = { (const uint8_t *)"mx.example.net", 14 } };
	struct replay_message m;
	struct buf out;
	const char *got, *at;
	size_t clauses = 0;

	verify_many(n, tag, &m);
	buf_init(&out, TEXT_MAX);
	assert_int_equal(dkim_authres_print(&ar, m.verifier, NULL, &out), 0);
	buf_add_nul(&out);
	got = strstr((const char *)out.p, rest) == NULL ? "all told" :
	    "one is counted";
	for (at = (const char *)out.p; (at = strstr(at, "dkim=")) != NULL;
	    at++)
		clauses++;
	/* what is counted takes one clause more */
	test_int(got, clauses, n);
	buf_clear(&out);
	replay_done(&m);
	return got;
}

static const char *
try_skipped(size_t n)
{
	return print_many(n + DKIM_SIGNATURES_DEFAULT, "",
	    "not evaluated: 1 more signature");
}

static const char *
try_faulty(size_t n)
{
	return print_many(n, "; bad", "errors: 1 more signature");
}

static const char *
try_made(size_t n)
{
	struct dkim_header *header = made_header(HEADER);
	struct rsab_key *key = made_key(&world, "rfc8463-ed25519.pem");
	struct dkim_names *names = made_names(DKIM_NAMES_SIGN, NULL);
	struct dkim_sign_options options = { .domain =
	    slice_text("example.com"), .selector = slice_text("sel"),
	    .now = MADE_NOW, .key = key, .sign = names };
	struct dkim_signer *signer;
	size_t index;
	int r = 0;

	assert_int_equal(dkim_signer_new(world.lib, header, false, &signer),
	    0);
	for (; n > 0 && r == 0; n--)
		r = dkim_signer_add(signer, &options, &index);
	dkim_signer_free(signer);
	dkim_names_free(names);
	rsab_key_unref(key);
	dkim_header_free(header);
	return of_code(r);
}

/*
 * i= of n octets.
 */
static const char *
try_identity(size_t n)
{
	struct dkim_header *header = made_header(HEADER);
	struct rsab_key *key = made_key(&world, "rfc8463-ed25519.pem");
	struct dkim_names *names = made_names(DKIM_NAMES_SIGN, NULL);
	struct dkim_sign_options options = { .domain =
	    slice_text("example.com"), .selector = slice_text("sel"),
	    .now = MADE_NOW, .key = key, .sign = names };
	struct dkim_signer *signer;
	struct buf identity;
	size_t index;
	int r;

	buf_init(&identity, TEXT_MAX);
	put_octets(&identity, 'u', n - strlen("@example.com"));
	buf_add_text(&identity, "@example.com");
	options.identity = buf_slice(&identity);
	assert_int_equal(dkim_signer_new(world.lib, header, false, &signer),
	    0);
	r = dkim_signer_add(signer, &options, &index);
	dkim_signer_free(signer);
	buf_clear(&identity);
	dkim_names_free(names);
	rsab_key_unref(key);
	dkim_header_free(header);
	return of_code(r);
}

static const char *
try_packet(size_t n)
{
	static uint8_t octets[WIRE_PACKET_MAX + 2];
	const size_t length = n + 1;
	const uint8_t head[] = { (uint8_t)(length >> 24),
	    (uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length,
	    'B' };
	struct slice in = slice_of(octets, n + sizeof(head));
	struct wire_packet packet;
	int error;

	memcpy(octets, head, sizeof(head));
	return wire_next(&in, &packet, &error) ? "taken" :
	    dkim_strerror(error);
}

/* ---- the table ---------------------------------------------------------- */

static const struct limit {
	const char	*name;
	size_t		 max;
	const char	*(*try)(size_t n);
	const char	*within, *beyond;
} limits[] = {
	{ "header, default", DKIM_HEADER_MAX, try_header, "taken",
	    "header over 1048576 octets" },
	{ "header, MaximumHeaders 0", DKIM_HEADER_HARD_MAX, try_header_hard,
	    "taken", "header over 16777216 octets" },
	{ "fields", DKIM_FIELDS_MAX, try_fields, "taken",
	    "header over 10000 fields" },
	{ "field", DKIM_FIELD_MAX, try_field, "taken",
	    "header field over 262144 octets" },
	{ "field name", DKIM_FIELD_NAME_MAX, try_field_name, "taken",
	    "field name over 998 octets" },
	{ "tags, signature", DKIM_TAGS_MAX, try_tags, "taken",
	    "signature syntax error: too many tags" },
	{ "tags, record", DKIM_TAGS_MAX, try_record_tags, "taken",
	    "key syntax error" },
	{ "names in h=", DKIM_SIGNED_NAMES_MAX, try_names, "taken",
	    "signature syntax error: too many names in h=" },
	{ "digits, RFC 6376 s3.5", 76, try_digits, "taken",
	    "signature syntax error: bad l=" },
	{ "domain", DKIM_NAME_MAX, try_domain, "taken",
	    "syntax error" },
	{ "label", DKIM_LABEL_MAX, try_label, "taken", "syntax error" },
	{ "query", DKIM_NAME_MAX, try_query, "taken",
	    "signature syntax error: d= and s= too long" },
	{ "mailboxes", DKIM_MAILBOXES_MAX, try_mailboxes, "taken",
	    "over a limit" },
	{ "record", DKIM_TXT_MAX, try_record, "taken",
	    "key record is too long" },
	{ "records", DKIM_TXT_RECORDS_MAX, try_records, "taken",
	    "too many TXT records" },
	{ "records tried", DKIM_TXT_RECORDS_TRIED, try_tried, "pass",
	    "fail" },
	{ "modulus", DKIM_RSA_BITS_MAX, try_modulus, "taken",
	    "key is larger than 8192 bits" },
	{ "signatures verified", DKIM_SIGNATURES_DEFAULT, try_signatures,
	    "taken", "not evaluated" },
	{ "clauses not evaluated", DKIM_AUTHRES_SKIPPED, try_skipped,
	    "all told", "one is counted" },
	{ "clauses at fault", DKIM_AUTHRES_FAULTY, try_faulty, "all told",
	    "one is counted" },
	{ "signatures made", DKIM_SIGNATURES_MADE, try_made, "taken",
	    "over a limit" },
	{ "identity", DKIM_ADDRESS_MAX, try_identity, "taken",
	    "bad argument" },
	{ "packet", WIRE_DATA_MAX, try_packet, "taken", "over a limit" },
};

static void
limits_edges(void **state)
{
	char row[80];
	size_t i, n;

	(void)state;
	for (i = 0; i < TEST_COUNT(limits); i++)
		for (n = limits[i].max - 1; n <= limits[i].max + 1; n++) {
			snprintf(row, sizeof(row), "%s: %zu", limits[i].name,
			    n);
			test_str(row, limits[i].try(n), n > limits[i].max ?
			    limits[i].beyond : limits[i].within);
		}
}

/*
 * Far beyond: the same words, not another way.
 */
static void
limits_far(void **state)
{
	static const struct {
		const char	*name;
		size_t		 n;
		const char	*(*try)(size_t n);
		const char	*want;
	} rows[] = {
		{ "a megabyte of h=", 524288, try_names,
		    "signature syntax error: too many names in h=" },
		{ "a million digits", 1000000, try_digits,
		    "signature syntax error: bad l=" },
		{ "a field of 200 KB", 204800, try_field, "taken" },
		{ "a field of 16 MB", 16000000, try_field,
		    "header field over 262144 octets" },
		{ "a record of 64 KB", 65536, try_record,
		    "key record is too long" },
		{ "RSA-16384", 16384, try_modulus,
		    "key is larger than 8192 bits" },
		{ "RSA-65536", 65536, try_modulus,
		    "key is larger than 8192 bits" },
		{ "a thousand signatures", 1000, try_signatures,
		    "not evaluated" },
		{ "a name of 64 KB", 65536, try_domain, "syntax error" },
		{ "ten thousand mailboxes", 10000, try_mailboxes,
		    "over a limit" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		test_str(rows[i].name, rows[i].try(rows[i].n), rows[i].want);
}

/*
 * RFC 8301 s3.2: a key under 1024 bits, which OpenSSL makes by two, never
 * passes; one at the floor and one above do.
 */
static void
limits_floor(void **state)
{
	static const struct {
		unsigned	 bits;
		const char	*want;
	} rows[] = {
		{ DKIM_RSA_BITS_FLOOR - 2, "policy: key is too small" },
		{ DKIM_RSA_BITS_FLOOR, "pass" },
		{ DKIM_RSA_BITS_FLOOR + 2, "pass" },
	};
	struct replay_message m;
	struct rsab_key *key;
	char *line, *dns, row[16];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(row, sizeof(row), "%u bits", rows[i].bits);
		assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA,
		    rows[i].bits, &key), 0);
		line = made_raw(&world, key, HEADER, "x\r\n", "v=1; "
		    "a=rsa-sha256; d=example.com; s=sel; h=from", UINT64_MAX);
		dns = made_dns(key, DNS_NAME);
		assert_int_equal(made_verify(&world, line, HEADER, "x\r\n",
		    dns, &made_plain, &m), 0);
		made_want(row, &m, 0, rows[i].want);
		replay_done(&m);
		free(line);
		free(dns);
		rsab_key_unref(key);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_edges, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(limits_far, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(limits_floor, set_up,
		    tear_down),
	};

	return TEST_RUN(tests);
}
