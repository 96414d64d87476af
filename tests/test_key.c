/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private keys: every shape, every error, prints, counts. What a file holds
 * is told by OpenSSL's program (vectors/rsa/README).
 */

/* libcrypto */
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

/* rsa-backend */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/test.h"

static const struct rsab_backend *backend;

static uint8_t *
key_file(const char *name, size_t *n)
{
	char path[256];

	snprintf(path, sizeof path, "vectors/rsa/keys/%s", name);
	return test_file(path, n);
}

static int
load_file(const char *name, struct rsab_key **out)
{
	size_t n;
	uint8_t *octets = key_file(name, &n);
	int r = rsab_key_load_private(backend, octets, n, out);

	free(octets);
	/* Nothing of libcrypto's complaints may be left for somebody else. */
	test_int(name, (long long)ERR_peek_error(), 0);
	return r;
}

static void
load_private_every_shape(void **state)
{
	static const char *const same[] = {
		"pkcs1.der", "pkcs8.der", "pkcs1.b64", "pkcs8.b64",
		"pkcs1.pem", "around.pem",
	};
	uint8_t want[RSAB_FINGERPRINT_SIZE], got[RSAB_FINGERPRINT_SIZE];
	struct rsab_key *key;

	(void)state;
	test_int("pkcs8.pem", load_file("rsa1024.pem", &key), RSAB_OK);
	rsab_key_fingerprint(key, want);
	rsab_key_unref(key);
	for (size_t i = 0; i < TEST_COUNT(same); i++) {
		test_int(same[i], load_file(same[i], &key), RSAB_OK);
		rsab_key_fingerprint(key, got);
		test_octets(same[i], got, sizeof got, want, sizeof want);
		test_int(same[i], rsab_key_bits(key), 1024);
		test_true(same[i], rsab_key_is_private(key));
		rsab_key_unref(key);
	}
}

static void
fingerprint_check(const char *name, const struct rsab_key *key,
    const char *want)
{
	uint8_t octets[RSAB_FINGERPRINT_SIZE];
	char text[2 * sizeof octets + 1];

	rsab_key_fingerprint(key, octets);
	for (size_t i = 0; i < sizeof octets; i++)
		snprintf(&text[2 * i], 3, "%02x", octets[i]);
	test_str(name, text, want);
}

static void
load_private_as_openssl_says(void **state)
{
	size_t n, rows = 0;
	char *text = (char *)key_file("keys.tsv", &n), *at = text, *line;

	(void)state;
	while ((line = strsep(&at, "\n")) != NULL) {
		char name[64], type[16], fingerprint[65];
		unsigned bits;
		struct rsab_key *key;

		if (*line == '#' || sscanf(line, "%63s %15s %u %64s", name,
		    type, &bits, fingerprint) != 4)
			continue;
		test_int(name, load_file(name, &key), RSAB_OK);
		test_int(name, rsab_key_bits(key), bits);
		test_int(name, rsab_key_type(key), type[0] == 'r' ?
		    RSAB_RSA : RSAB_ED25519);
		test_int(name, rsab_key_signature_size(key),
		    type[0] == 'r' ? (bits + 7) / 8 : 64);
		test_str(name, rsab_backend_name(rsab_key_backend(key)),
		    "libcrypto");
		fingerprint_check(name, key, fingerprint);
		rsab_key_unref(key);
		rows++;
	}
	test_true("rows", rows >= 13);
	free(text);
}

static void
load_private_refused(void **state)
{
	static const struct {
		const char	*name;
		int		 want;
	} rows[] = {
		{ "encrypted-pkcs1.pem", RSAB_ERR_ENCRYPTED },
		{ "encrypted-pkcs8.pem", RSAB_ERR_ENCRYPTED },
		{ "encrypted-pkcs8.der", RSAB_ERR_ENCRYPTED },
		{ "ec.pem", RSAB_ERR_KEY_TYPE },
		{ "ec-pkcs8.pem", RSAB_ERR_KEY_TYPE },
		{ "pss.pem", RSAB_ERR_KEY_TYPE },
		{ "public.pem", RSAB_ERR_KEY },
		{ "primes3.pem", RSAB_ERR_KEY_TYPE },
		{ "e65.pem", RSAB_ERR_KEY_SIZE },
		{ "bad-n.pem", RSAB_ERR_KEY },
		{ "bad-e.pem", RSAB_ERR_KEY },
		{ "bad-d.pem", RSAB_ERR_KEY },
		{ "bad-d-large.pem", RSAB_ERR_KEY },
		{ "bad-p.pem", RSAB_ERR_KEY },
		{ "bad-dp.pem", RSAB_ERR_KEY },
		{ "bad-dp-large.pem", RSAB_ERR_KEY },
		{ "bad-dq.pem", RSAB_ERR_KEY },
		{ "bad-qinv.pem", RSAB_ERR_KEY },
		{ "bad-qinv-zero.pem", RSAB_ERR_KEY },
		{ "bad-no-primes.pem", RSAB_ERR_KEY },
		{ "bad-p-one.pem", RSAB_ERR_KEY },
		{ "bad-p-is-q.pem", RSAB_ERR_KEY },
		{ "bad-composite.pem", RSAB_ERR_KEY },
	};
	struct rsab_key *key = NULL;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, load_file(rows[i].name, &key),
		    rows[i].want);
		test_true(rows[i].name, key == NULL);
	}
}

static void
load_private_text_refused(void **state)
{
	static const struct {
		const char	*name;
		const uint8_t	*in;
		size_t		 n;
		int		 want;
	} rows[] = {
		{ "nothing", TEST_OCTETS(""), RSAB_ERR_KEY },
		{ "one octet", TEST_OCTETS("0"), RSAB_ERR_KEY },
		{ "blank", TEST_OCTETS(" \r\n\t"), RSAB_ERR_KEY },
		{ "words", TEST_OCTETS("not a key at all"), RSAB_ERR_KEY },
		{ "base64 of something else", TEST_OCTETS("Zm9vYmFy"),
		    RSAB_ERR_KEY },
		{ "base64, odd length", TEST_OCTETS("MIIB"
		    "IjA"), RSAB_ERR_KEY },
		{ "base64, = inside", TEST_OCTETS("MI==IBIj"), RSAB_ERR_KEY },
		{ "base64, only =", TEST_OCTETS("===="), RSAB_ERR_KEY },
		{ "PEM, no end", TEST_OCTETS(
		    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIE\n"),
		    RSAB_ERR_KEY },
		{ "PEM, empty", TEST_OCTETS("-----BEGIN PRIVATE KEY-----\n"
		    "-----END PRIVATE KEY-----\n"), RSAB_ERR_KEY },
		{ "PEM, other end", TEST_OCTETS("-----BEGIN PRIVATE KEY-----\n"
		    "MC4CAQAwBQYDK2VwBCIE\n"
		    "-----END RSA PRIVATE KEY-----\n"), RSAB_ERR_KEY },
		{ "OpenSSH", TEST_OCTETS("-----BEGIN OPENSSH PRIVATE KEY-----\n"
		    "b3BlbnNzaC1rZXktdjEAAAAA\n"
		    "-----END OPENSSH PRIVATE KEY-----\n"),
		    RSAB_ERR_KEY_TYPE },
	};
	struct rsab_key *key = NULL;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].name, rsab_key_load_private(backend,
		    rows[i].in, rows[i].n, &key), rows[i].want);
}

/* Base64 of DER as people paste it: white space of any kind, anywhere. */
static void
load_private_base64_with_blanks(void **state)
{
	static const char blanks[] = " \t\r\n";
	size_t n, at = 0;
	uint8_t *octets = key_file("pkcs8.b64", &n), *wide = malloc(3 * n);
	struct rsab_key *key = NULL;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		wide[at++] = (uint8_t)blanks[i % 4];
		wide[at++] = octets[i];
		if (i % 3 == 0)
			wide[at++] = (uint8_t)blanks[i % 5 % 4];
	}
	test_int("blanks", rsab_key_load_private(backend, wide, at, &key), 0);
	rsab_key_unref(key);
	wide[at++] = '-';
	test_int("a dash", rsab_key_load_private(backend, wide, at, &key),
	    RSAB_ERR_KEY);
	free(wide);
	free(octets);
}

static void
load_private_too_long(void **state)
{
	size_t n = RSAB_KEY_FILE_MAX + 1, file_n;
	uint8_t *octets = calloc(1, n), *file = key_file("pkcs1.pem", &file_n);
	struct rsab_key *key;

	(void)state;
	/* A good key with blank lines up to the limit, and one octet over it */
	memset(octets, '\n', n);
	memcpy(octets, file, file_n);
	test_int("at the limit", rsab_key_load_private(backend, octets, n - 1,
	    &key), RSAB_OK);
	rsab_key_unref(key);
	test_int("over it", rsab_key_load_private(backend, octets, n, &key),
	    RSAB_ERR_KEY_SIZE);
	free(file);
	free(octets);
}

static void
load_private_cut_and_trailing(void **state)
{
	static const char *const names[] = { "pkcs1.der", "pkcs8.der" };
	struct rsab_key *key;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		size_t n;
		uint8_t *octets = key_file(names[i], &n);

		/* The NUL of test_file is the octet behind */
		test_int("one octet behind", rsab_key_load_private(backend,
		    octets, n + 1, &key), RSAB_ERR_KEY);
		for (size_t cut = 0; cut < n; cut++) {
			/* An exact copy, so that a checker sees overreads */
			uint8_t *copy = malloc(cut + 1);

			memcpy(copy, octets, cut);
			test_int(names[i], rsab_key_load_private(backend, copy,
			    cut, &key), RSAB_ERR_KEY);
			free(copy);
		}
		free(octets);
	}
}

/*
 * Any one bit of the numbers changed is found; elsewhere, it never crashes,
 * and what still loads is a whole key.
 */
static void
load_private_every_octet_changed(void **state)
{
	size_t n, loaded = 0;
	uint8_t *octets = key_file("pkcs1.der", &n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct rsab_key *key = NULL;
		int r;

		octets[i] ^= 1;
		r = rsab_key_load_private(backend, octets, n, &key);
		test_true("a key if and only if 0", (r == 0) == (key != NULL));
		loaded += r == 0;
		rsab_key_unref(key);
		octets[i] ^= 1;
	}
	test_int("changed keys that load", loaded, 0);
	free(octets);
}

static void
load_private_rfc8410(void **state)
{
	/* RFC 8410 s10.1: the public half of the same key */
	static const uint8_t want[] = {
		0x19, 0xbf, 0x44, 0x09, 0x69, 0x84, 0xcd, 0xfe, 0x85, 0x41,
		0xba, 0xc1, 0x67, 0xdc, 0x3b, 0x96, 0xc8, 0x50, 0x86, 0xaa,
		0x30, 0xb6, 0xb6, 0xcb, 0x0c, 0x5c, 0x38, 0xad, 0x70, 0x31,
		0x66, 0xe1,
	};
	struct rsab_key *key;
	uint8_t *point;
	size_t n;

	(void)state;
	test_int("v2", load_file("rfc8410.pem", &key), RSAB_OK);
	test_int("print", rsab_key_print_public(key, &point, &n), RSAB_OK);
	test_octets("point", point, n, want, sizeof want);
	free(point);
	rsab_key_unref(key);
}

/*
 * DER of the Ed25519 key of RFC 8032 s7.1 TEST 1 with its public key [1];
 * the last octet of the point is at the end.
 */
#define SEED1 \
	"\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4" \
	"\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60"
#define POINT1 \
	"\xd7\x5a\x98\x01\x82\xb1\x0a\xb7\xd5\x4b\xfe\xd3\xc9\x64\x07\x3a" \
	"\x0e\xe1\x72\xf3\xda\xa6\x23\x25\xaf\x02\x1a\x68\xf7\x07\x51\x1a"

static void
load_private_ed25519_tail(void **state)
{
	static const struct {
		const char	*name;
		const uint8_t	*in;
		size_t		 n;
		int		 want;
	} rows[] = {
		{ "version 0", TEST_OCTETS("\x30\x2e\x02\x01\x00\x30\x05\x06"
		    "\x03\x2b\x65\x70\x04\x22\x04\x20" SEED1), RSAB_OK },
		{ "with its point", TEST_OCTETS("\x30\x51\x02\x01\x01\x30\x05"
		    "\x06\x03\x2b\x65\x70\x04\x22\x04\x20" SEED1
		    "\x81\x21\x00" POINT1), RSAB_OK },
		{ "with another point", TEST_OCTETS("\x30\x51\x02\x01\x01\x30"
		    "\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20" SEED1
		    "\x81\x21\x00" SEED1), RSAB_ERR_KEY },
		{ "point in version 0", TEST_OCTETS("\x30\x51\x02\x01\x00\x30"
		    "\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20" SEED1
		    "\x81\x21\x00" POINT1), RSAB_ERR_KEY },
		{ "version 2", TEST_OCTETS("\x30\x2e\x02\x01\x02\x30\x05\x06"
		    "\x03\x2b\x65\x70\x04\x22\x04\x20" SEED1), RSAB_ERR_KEY },
		{ "NULL parameters", TEST_OCTETS("\x30\x30\x02\x01\x00\x30\x07"
		    "\x06\x03\x2b\x65\x70\x05\x00\x04\x22\x04\x20" SEED1),
		    RSAB_ERR_KEY },
		{ "seed without its OCTET STRING", TEST_OCTETS("\x30\x2c\x02"
		    "\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x20" SEED1),
		    RSAB_ERR_KEY },
		{ "X25519", TEST_OCTETS("\x30\x2e\x02\x01\x00\x30\x05\x06"
		    "\x03\x2b\x65\x6e\x04\x22\x04\x20" SEED1),
		    RSAB_ERR_KEY_TYPE },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct rsab_key *key = NULL;

		test_int(rows[i].name, rsab_key_load_private(backend,
		    rows[i].in, rows[i].n, &key), rows[i].want);
		rsab_key_unref(key);
	}
}

/*
 * OpenSSL's reader of the PEM that we print gets the key that OpenSSL's
 * reader gets from the file.
 */
static void
print_private_read_by_openssl(void **state)
{
	static const char *const names[] = {
		"rsa1024.pem", "rsa1023.pem", "e3.pem", "unequal.pem",
		"pkcs1.pem", "ed25519.pem",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		size_t n, file_n;
		uint8_t *file = key_file(names[i], &file_n);
		struct rsab_key *key;
		EVP_PKEY *got, *want;
		BIO *bio;
		char *text;

		test_int(names[i], load_file(names[i], &key), RSAB_OK);
		test_int(names[i], rsab_key_print_private(key, &text, &n), 0);
		test_int(names[i], strlen(text), n);
		test_true(names[i], strncmp(text,
		    "-----BEGIN PRIVATE KEY-----\n", 28) == 0);
		bio = BIO_new_mem_buf(text, (int)n);
		got = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
		BIO_free(bio);
		bio = BIO_new_mem_buf(file, (int)file_n);
		want = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
		BIO_free(bio);
		test_true(names[i], got != NULL && want != NULL);
		test_int(names[i], EVP_PKEY_eq(got, want), 1);
		EVP_PKEY_free(got);
		EVP_PKEY_free(want);
		rsab_wipe_free(text, n);
		rsab_key_unref(key);
		free(file);
	}
}

static void
generate_and_load_again(void **state)
{
	static const struct {
		const char		*name;
		enum rsab_key_type	 type;
		unsigned		 bits;
		int			 want;
	} rows[] = {
		{ "512", RSAB_RSA, 512, RSAB_OK },
		{ "1024", RSAB_RSA, 1024, RSAB_OK },
		{ "1100", RSAB_RSA, 1100, RSAB_OK },
		{ "2048", RSAB_RSA, 2048, RSAB_OK },
		{ "Ed25519", RSAB_ED25519, 0, RSAB_OK },
		{ "0", RSAB_RSA, 0, RSAB_ERR_KEY_SIZE },
		{ "511", RSAB_RSA, 511, RSAB_ERR_KEY_SIZE },
		{ "8193", RSAB_RSA, 8193, RSAB_ERR_KEY_SIZE },
		{ "no such type", (enum rsab_key_type)7, 1024,
		    RSAB_ERR_KEY_TYPE },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		uint8_t a[RSAB_FINGERPRINT_SIZE], b[RSAB_FINGERPRINT_SIZE];
		struct rsab_key *key, *again;
		size_t n;
		char *text;

		test_int(rows[i].name, rsab_key_generate(backend,
		    rows[i].type, rows[i].bits, &key), rows[i].want);
		if (rows[i].want != 0)
			continue;
		test_int(rows[i].name, rsab_key_bits(key),
		    rows[i].type == RSAB_RSA ? rows[i].bits : 256);
		test_int(rows[i].name, rsab_key_print_private(key, &text, &n),
		    0);
		test_int(rows[i].name, rsab_key_load_private(backend,
		    (const uint8_t *)text, n, &again), 0);
		rsab_key_fingerprint(key, a);
		rsab_key_fingerprint(again, b);
		test_octets(rows[i].name, a, sizeof a, b, sizeof b);
		rsab_wipe_free(text, n);
		rsab_key_unref(again);
		rsab_key_unref(key);
	}
}

static void
key_ref_counts(void **state)
{
	struct rsab_key *key;

	(void)state;
	test_int("load", load_file("ed25519.pem", &key), RSAB_OK);
	for (int i = 0; i < 1000; i++)
		test_true("itself", rsab_key_ref(key) == key);
	for (int i = 0; i < 1000; i++)
		rsab_key_unref(key);
	/* Still there; a leak checker sees whether the next one frees it. */
	test_int("alive", rsab_key_bits(key), 256);
	rsab_key_unref(key);
	rsab_key_unref(NULL);
}

/* One private key, loaded and printed both ways; for failing allocations. */
static bool
load_and_print(void *arg)
{
	struct rsab_key *key;
	uint8_t *octets = NULL;
	char *text = NULL;
	size_t n, text_n;
	bool done = false;
	const struct { const uint8_t *p; size_t n; } *in = arg;
	int r;

	if ((r = rsab_key_load_private(backend, in->p, in->n, &key)) != 0) {
		test_int("load", r, RSAB_ERR_NOMEM);
		return false;
	}
	r = rsab_key_print_public(key, &octets, &n);
	if (r == 0)
		r = rsab_key_print_private(key, &text, &text_n);
	if (r == 0)
		done = true;
	else
		test_int("print", r, RSAB_ERR_NOMEM);
	free(octets);
	if (text != NULL)
		rsab_wipe_free(text, text_n);
	rsab_key_unref(key);
	return done;
}

static void
load_private_every_allocation_fails(void **state)
{
	static const char *const names[] = {
		"rsa512.pem", "pkcs1.b64", "ed25519.pem",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct { const uint8_t *p; size_t n; } in;
		uint8_t *octets = key_file(names[i], &in.n);

		in.p = octets;
		test_true(names[i],
		    test_every_allocation(load_and_print, &in) >= 5);
		free(octets);
	}
}

static int
setup(void **state)
{
	(void)state;
	return rsab_backend_find("libcrypto", &backend);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_private_every_shape),
		cmocka_unit_test(load_private_as_openssl_says),
		cmocka_unit_test(load_private_refused),
		cmocka_unit_test(load_private_text_refused),
		cmocka_unit_test(load_private_base64_with_blanks),
		cmocka_unit_test(load_private_too_long),
		cmocka_unit_test(load_private_cut_and_trailing),
		cmocka_unit_test(load_private_every_octet_changed),
		cmocka_unit_test(load_private_rfc8410),
		cmocka_unit_test(load_private_ed25519_tail),
		cmocka_unit_test(print_private_read_by_openssl),
		cmocka_unit_test(generate_and_load_again),
		cmocka_unit_test(key_ref_counts),
		cmocka_unit_test(load_private_every_allocation_fails),
	};

	return cmocka_run_group_tests(tests, setup, NULL) != 0;
}
