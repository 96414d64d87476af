/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key records and their sets (RFC 6376 s3.6.1, RFC 8463 s4). The keys are those
 * of RFC 6376 Appendix C and RFC 8463 A.2.
 */

/* this room */
#include "tests/made.h"
#include "dkim/base64.h"
#include "dkim/keyrec.h"

#define RSA_P \
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQ" \
    "g1fWn7/zYtIxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT9" \
    "47qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2Q" \
    "IDAQAB"
#define RSA_BARE_P \
    "MIGJAoGBAPAhE/9QLdIGwSYapn1klbf8OQygZ4udCDV9afv/Ni0jE3ZKcUKPE4Iob2/dvi" \
    "Nh9xM2HmKNKyrrfW4Ei0truh36/9G10LZTMnWVZP3jupH5FxpzaBu2j80yonR/N9WMfg64" \
    "qGK11j21/qZzAaNo0FxZOggyY9I8N1A81RhyRxDZAgMBAAE="
#define ED25519_P "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

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
keyrec_parse_records(void **state)
{
	static const struct {
		const char		*name, *record;
		enum keyrec_state	 want;
		const char		*error;
	} rows[] = {
		/* RFC 6376 s3.6.1 #12, #13; RFC 8463 s3, s4.1, s4.2 */
		{ "p only", "p=" RSA_P, KEYREC_USABLE, NULL },
		{ "bare RSAPublicKey", "p=" RSA_BARE_P, KEYREC_USABLE, NULL },
		{ "ed25519", "v=DKIM1; k=ed25519; p=" ED25519_P,
		    KEYREC_USABLE, NULL },
		/* RFC 6376 s3.6.1 #3, #16, s7.5, sC.2 */
		{ "g= means nothing", "v=DKIM1; g=nobody; p=" RSA_P,
		    KEYREC_USABLE, NULL },
		{ "n= means nothing", "v=DKIM1; n=h=sha1 s=x t=s; p=" RSA_P,
		    KEYREC_USABLE, NULL },
		{ "tag nobody knows", "v=DKIM1; hh=sha1; kk=; p=" RSA_P,
		    KEYREC_USABLE, NULL },
		{ "final semicolon and blank", "p=" RSA_P " ; ",
		    KEYREC_USABLE, NULL },
		{ "k in capitals", "k=RSA; p=" RSA_P, KEYREC_USABLE, NULL },
		/* RFC 6376 s6.1.2 #2, #3, #10, s3.6.1 #1, s8.8 */
		{ "empty", "", KEYREC_MALFORMED, "key syntax error" },
		{ "spf", "v=spf1 -all", KEYREC_MALFORMED,
		    "key syntax error: bad v=" },
		{ "text", "no key here", KEYREC_MALFORMED,
		    "key syntax error" },
		/* RFC 6376 s3.6.1 #6, #7, #8, s6.1.2 #11, s3.2 #7 */
		{ "v not first", "k=rsa; v=DKIM1; p=" RSA_P, KEYREC_MALFORMED,
		    "key syntax error: bad v=" },
		{ "v DKIM1.0", "v=DKIM1.0; p=" RSA_P, KEYREC_MALFORMED,
		    "key syntax error: bad v=" },
		{ "v in lower case", "v=dkim1; p=" RSA_P, KEYREC_MALFORMED,
		    "key syntax error: bad v=" },
		{ "p twice", "p=; p=" RSA_P, KEYREC_MALFORMED,
		    "key syntax error: p= twice" },
		{ "t twice", "t=y; t=s; p=" RSA_P, KEYREC_MALFORMED,
		    "key syntax error: t= twice" },
		{ "unknown twice", "x=y; p=" RSA_P "; x=y", KEYREC_MALFORMED,
		    "key syntax error: a tag twice" },
		{ "once, and broken", "p=; ;", KEYREC_MALFORMED,
		    "key syntax error" },
		/* RFC 6376 s3.6.1 #18, #19, s6.1.2 #13 */
		{ "no p", "v=DKIM1; k=rsa", KEYREC_MALFORMED,
		    "key syntax error: no p=" },
		{ "revoked", "v=DKIM1; p=", KEYREC_REVOKED, "key revoked" },
		{ "revoked, blank", "v=DKIM1; k=zzz; p= ;", KEYREC_REVOKED,
		    "key revoked" },
		{ "not base64", "p=abc*", KEYREC_MALFORMED,
		    "key syntax error: p= not base64" },
		{ "base64 of no key", "p=YWJjZA==", KEYREC_MALFORMED,
		    "key syntax error: p= not an RSA key" },
		/* RFC 8463 s4.2 */
		{ "ed25519 of 31", "k=ed25519; p="
		    "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHUQ==",
		    KEYREC_MALFORMED, "key syntax error: p= not an Ed25519 key"
		},
		/* RFC 6376 s3.6.1 #14 */
		{ "k unknown", "k=dsa; p=" RSA_P, KEYREC_UNFIT,
		    "inappropriate key algorithm" },
		{ "k a list", "k=rsa:ed25519; p=" RSA_P, KEYREC_UNFIT,
		    "inappropriate key algorithm" },
	};
	struct keyrec rec;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, keyrec_parse(world.backend,
		    slice_text(rows[i].record), &rec), 0);
		test_int(rows[i].name, rec.state, rows[i].want);
		test_str(rows[i].name, rec.error, rows[i].error);
		test_int(rows[i].name, rec.key != NULL,
		    rows[i].want == KEYREC_USABLE);
		keyrec_clear(&rec);
	}
}

static void
keyrec_misfit_records(void **state)
{
	static const struct {
		const char		*name, *record;
		enum rsab_key_type	 type;
		bool			 below;
		const char		*want;
	} rows[] = {
		{ "fits", "p=" RSA_P, RSAB_RSA, true, NULL },
		{ "ed25519 fits", "k=ed25519; p=" ED25519_P, RSAB_ED25519,
		    false, NULL },
		/* RFC 6376 s6.1.2 #14 */
		{ "rsa for ed25519", "p=" RSA_P, RSAB_ED25519, false,
		    "inappropriate key algorithm" },
		{ "ed25519 for rsa", "k=ed25519; p=" ED25519_P, RSAB_RSA,
		    false, "inappropriate key algorithm" },
		/* RFC 6376 s3.6.1 #10, s6.1.2 #12 */
		{ "h with sha256", "h=sha1:SHA256:x; p=" RSA_P, RSAB_RSA,
		    false, NULL },
		{ "h without", "h=sha1; p=" RSA_P, RSAB_RSA, false,
		    "inappropriate hash algorithm" },
		{ "h empty", "h=; p=" RSA_P, RSAB_RSA, false,
		    "inappropriate hash algorithm" },
		/* RFC 6376 s3.6.1 #23, #24 */
		{ "s star", "s=x : *; p=" RSA_P, RSAB_RSA, false, NULL },
		{ "s other", "s=tlsrpt; p=" RSA_P, RSAB_RSA, false,
		    "key is not for email" },
		{ "s empty", "s=; p=" RSA_P, RSAB_RSA, false,
		    "key is not for email" },
		/* RFC 6376 s3.6.1 #26, #29, #30, s3.10 */
		{ "t=s at d=", "t=y:s; p=" RSA_P, RSAB_RSA, false, NULL },
		{ "t=s below", "t=y : s; p=" RSA_P, RSAB_RSA, true,
		    "domain mismatch: i= in a subdomain, key has t=s" },
		{ "t unknown", "t=:x::y; p=" RSA_P, RSAB_RSA, true, NULL },
	};
	struct keyrec rec;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		assert_int_equal(keyrec_parse(world.backend,
		    slice_text(rows[i].record), &rec), 0);
		test_int(rows[i].name, rec.state, KEYREC_USABLE);
		test_str(rows[i].name, keyrec_misfit(&rec, rows[i].type,
		    rows[i].below), rows[i].want);
		keyrec_clear(&rec);
	}
	assert_int_equal(keyrec_parse(world.backend,
	    slice_text("t=s:y; p=" RSA_P), &rec), 0);
	test_true("t=s:y", rec.strict && rec.testing);
	keyrec_clear(&rec);
}

/*
 * PROBLEMS 23, RFC 6376 s3.6.1 #20: white space inside p=, as records folded by
 * hand have it.
 */
static void
keyrec_parse_white_space(void **state)
{
	static const char p[] = RSA_P;
	char record[2 * sizeof(p) + 16] = "p=";
	struct keyrec rec;
	size_t i, n = 2;

	(void)state;
	for (i = 0; i < sizeof(p) - 1; i++) {
		record[n++] = p[i];
		record[n++] = i % 2 ? ' ' : '\t';
	}
	assert_int_equal(keyrec_parse(world.backend, slice_of(record, n),
	    &rec), 0);
	test_str("error", rec.error, NULL);
	keyrec_clear(&rec);
}

/*
 * PROBLEMS 29, RFC 6376 s8.8.
 * A key above the cap is not decoded, not even looked at: what
 * stands there is no base64. One of 8192 bits is within it.
 */
static void
keyrec_parse_caps(void **state)
{
	static char record[DKIM_TXT_MAX + 2];
	struct rsab_key *key;
	struct keyrec rec;
	struct buf text;

	(void)state;
	strcpy(record, "p=");
	memset(record + 2, '*', 5460);
	record[5462] = '\0';
	assert_int_equal(keyrec_parse(world.backend, slice_text(record),
	    &rec), 0);
	test_int("32768 bits", rec.state, KEYREC_OVER);
	test_str("32768 bits", rec.error, "key is larger than 8192 bits");

	strcpy(record, "n=");
	memset(record + 2, 'n', DKIM_TXT_MAX - 2);
	assert_int_equal(keyrec_parse(world.backend, slice_of(record,
	    DKIM_TXT_MAX + 1), &rec), 0);
	test_str("record", rec.error, "key record is too long");
	assert_int_equal(keyrec_parse(world.backend, slice_of(record,
	    DKIM_TXT_MAX), &rec), 0);
	test_str("record at the limit", rec.error, "key syntax error: no p=");

	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, 1148,
	    &key), 0);
	buf_init(&text, 65536);
	assert_int_equal(dkim_key_record_print(key, true, true, &text), 0);
	test_true("printed", text.n > 30 && memcmp(text.p,
	    "v=DKIM1; k=rsa; t=y:s; p=M", 26) == 0);
	assert_int_equal(keyrec_parse(world.backend, buf_slice(&text), &rec),
	    0);
	test_str("odd size", rec.error, NULL);
	test_int("odd size", rsab_key_bits(rec.key), 1148);
	test_true("flags", rec.testing && rec.strict);
	keyrec_clear(&rec);
	buf_clear(&text);
	rsab_key_unref(key);
}

static void
put_der(struct buf *out, uint8_t tag, size_t n)
{
	buf_add_octet(out, tag);
	if (n > 255) {
		buf_add_octet(out, 0x82);
		buf_add_octet(out, (uint8_t)(n >> 8));
	} else if (n > 127)
		buf_add_octet(out, 0x81);
	buf_add_octet(out, (uint8_t)n);
}

/*
 * A modulus of so many bits, not a key, as p= has it: RSAPublicKey in DER.
 */
static void
print_modulus(unsigned bits, struct buf *out)
{
	struct buf inner, der;
	size_t n = bits / 8;

	buf_init(&inner, 65536);
	buf_init(&der, 65536);
	put_der(&inner, 0x02, n + 1);
	buf_add_octet(&inner, 0);
	while (n-- > 0)
		buf_add_octet(&inner, 0xff);
	buf_add(&inner, slice_of("\x02\x03\x01\x00\x01", 5));
	put_der(&der, 0x30, inner.n);
	buf_add(&der, buf_slice(&inner));
	buf_add_text(out, "p=");
	base64_encode(buf_slice(&der), out);
	assert_int_equal(buf_end(&der), 0);
	buf_clear(&der);
	buf_clear(&inner);
}

static void
keyrec_parse_sizes(void **state)
{
	static const struct {
		unsigned		 bits;
		enum keyrec_state	 want;
	} rows[] = {
		{ 504, KEYREC_UNFIT },
		{ 512, KEYREC_USABLE },
		{ 8192, KEYREC_USABLE },
		{ 8200, KEYREC_OVER },
	};
	struct keyrec rec;
	struct buf text;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		char row[16];

		snprintf(row, sizeof(row), "%u", rows[i].bits);
		buf_init(&text, 65536);
		print_modulus(rows[i].bits, &text);
		assert_int_equal(keyrec_parse(world.backend, buf_slice(&text),
		    &rec), 0);
		test_int(row, rec.state, rows[i].want);
		keyrec_clear(&rec);
		buf_clear(&text);
	}
}

/*
 * The set: order of octets, counted, its limit.
 */
static void
dkim_keyset_parse_order(void **state)
{
	const struct slice records[] = {
		slice_text("p=" RSA_P), slice_text("k=ed25519; p=" ED25519_P),
		slice_text("junk"), slice_text("p="),
	};
	struct slice many[DKIM_TXT_RECORDS_MAX + 1];
	struct dkim_keyset *set, *other;
	struct dkim_key_info info;
	size_t i;

	(void)state;
	assert_int_equal(dkim_keyset_parse(world.backend, records,
	    TEST_COUNT(records), &set), 0);
	test_int("count", dkim_keyset_count(set), 4);
	dkim_keyset_info(set, 0, &info);
	test_str("junk", info.error, "key syntax error");
	dkim_keyset_info(set, 1, &info);
	test_int("ed25519", rsab_key_type(info.key), RSAB_ED25519);
	dkim_keyset_info(set, 2, &info);
	test_true("revoked", info.revoked && info.key == NULL);
	dkim_keyset_info(set, 3, &info);
	test_int("rsa", rsab_key_bits(info.key), 1024);
	test_true("octets", dkim_keyset_octets(set) > 0);
	other = dkim_keyset_ref(set);
	dkim_keyset_unref(set);
	test_int("still there", dkim_keyset_count(other), 4);
	dkim_keyset_unref(other);
	for (i = 0; i < TEST_COUNT(many); i++)
		many[i] = records[0];
	assert_int_equal(dkim_keyset_parse(world.backend, many,
	    DKIM_TXT_RECORDS_MAX, &set), 0);
	test_int("16", dkim_keyset_count(set), 16);
	dkim_keyset_unref(set);
	assert_int_equal(dkim_keyset_parse(world.backend, many,
	    DKIM_TXT_RECORDS_MAX + 1, &set), 0);
	dkim_keyset_info(set, 0, &info);
	test_str("17", info.error, "too many TXT records");
	dkim_keyset_unref(set);
}

/*
 * What a record says of itself, whatever asks: RFC 6376 s3.6.1 s=, h=, t=.
 */
static void
dkim_keyset_info_unfit(void **state)
{
	const struct slice records[] = {
		slice_text("h=sha1; p=" RSA_P),
		slice_text("s=*; h=sha1:sha256; t=y:s; p=" RSA_P),
		slice_text("s=tlsrpt; p=" RSA_P),
	};
	struct dkim_keyset *set;
	struct dkim_key_info info;

	(void)state;
	assert_int_equal(dkim_keyset_parse(world.backend, records,
	    TEST_COUNT(records), &set), 0);
	dkim_keyset_info(set, 0, &info);
	test_str("h=sha1", info.error, "inappropriate hash algorithm");
	test_true("h=sha1, key", info.key == NULL);
	dkim_keyset_info(set, 1, &info);
	test_true("s=*", info.error == NULL && info.key != NULL);
	test_true("t=y:s", info.testing && info.strict);
	dkim_keyset_info(set, 2, &info);
	test_str("s=tlsrpt", info.error, "key is not for email");
	test_true("s=tlsrpt, key", info.key == NULL);
	dkim_keyset_unref(set);
}

static bool
parse_once(void *arg)
{
	const struct slice records[] = {
		slice_text("p=" RSA_P), slice_text("k=ed25519; p=" ED25519_P),
	};
	struct dkim_keyset *set;
	int e;

	(void)arg;
	e = dkim_keyset_parse(world.backend, records, 2, &set);
	if (e != 0) {
		test_int("error", e, DKIM_ERR_NOMEM);
		return false;
	}
	dkim_keyset_unref(set);
	return true;
}

static void
dkim_keyset_parse_every_allocation(void **state)
{
	(void)state;
	test_every_allocation(parse_once, NULL);
}

static bool
print_once(void *arg)
{
	struct buf out;
	int e;

	buf_init(&out, 65536);
	e = dkim_key_record_print(arg, true, false, &out);
	if (e != 0)
		test_int("error", e, DKIM_ERR_NOMEM);
	buf_clear(&out);
	return e == 0;
}

/*
 * What we publish: RFC 6376 s3.6.1 #1, #5, #6, #18; RFC 8616 s5 #9.
 */
static void
dkim_key_record_print_every_allocation(void **state)
{
	struct rsab_key *key = made_key(&world, "rfc6376.pem");
	struct buf out;

	(void)state;
	buf_init(&out, 65536);
	assert_int_equal(dkim_key_record_print(key, false, false, &out), 0);
	test_octets("RFC 6376 C", out.p, out.n,
	    "v=DKIM1; k=rsa; p=" RSA_P, strlen("v=DKIM1; k=rsa; p=" RSA_P));
	buf_clear(&out);
	test_every_allocation(print_once, key);
	rsab_key_unref(key);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keyrec_parse_records),
		cmocka_unit_test(keyrec_misfit_records),
		cmocka_unit_test(keyrec_parse_white_space),
		cmocka_unit_test(keyrec_parse_caps),
		cmocka_unit_test(keyrec_parse_sizes),
		cmocka_unit_test(dkim_keyset_parse_order),
		cmocka_unit_test(dkim_keyset_info_unfit),
		cmocka_unit_test(dkim_keyset_parse_every_allocation),
		cmocka_unit_test(dkim_key_record_print_every_allocation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
