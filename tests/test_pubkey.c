/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public keys as strangers publish them.
 */

/* libcrypto */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

/* rsa-backend */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/test.h"

#define ALGORITHM	"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01" \
	"\x05\x00"
#define ALGORITHM_BARE	"\x30\x0b\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"
#define EIGHT(octet)	octet octet octet octet octet octet octet octet

/* Magnitude of an odd number of 512 bits; no RSA key, but that costs to see */
#define N512	EIGHT("\xc5") EIGHT("\x3a") EIGHT("\x5c") EIGHT("\xa3") \
	EIGHT("\x11") EIGHT("\x22") EIGHT("\x33") EIGHT("\x77")
#define E	"\x02\x03\x01\x00\x01"
#define BARE	"\x30\x48\x02\x41\x00" N512 E

static const struct rsab_backend *backend;

/*
 * Load octets that end where the page of a checker could end.
 */
static int
load(enum rsab_key_type type, const uint8_t *in, size_t n,
    struct rsab_key **out)
{
	uint8_t *copy = malloc(n == 0 ? 1 : n);
	int r;

	if (n != 0)
		memcpy(copy, in, n);
	*out = NULL;
	r = rsab_key_load_public(backend, type, copy, n, out);
	/* The key keeps nothing of the caller's octets. */
	memset(copy, 0xdd, n);
	free(copy);
	test_int("libcrypto's queue", (long long)ERR_peek_error(), 0);
	return r;
}

static void
load_public_forms(void **state)
{
	static const struct {
		const char	*name;
		const uint8_t	*in;
		size_t		 n;
		int		 want;
	} rows[] = {
		{ "RSAPublicKey", TEST_OCTETS(BARE), RSAB_OK },
		{ "SubjectPublicKeyInfo", TEST_OCTETS("\x30\x5c" ALGORITHM
		    "\x03\x4b\x00" BARE), RSAB_OK },
		{ "without NULL", TEST_OCTETS("\x30\x5a" ALGORITHM_BARE
		    "\x03\x4b\x00" BARE), RSAB_OK },
		{ "NULL with contents", TEST_OCTETS("\x30\x5d\x30\x0e\x06\x09"
		    "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x01\x00"
		    "\x03\x4b\x00" BARE), RSAB_ERR_KEY },
		{ "unused bits", TEST_OCTETS("\x30\x5c" ALGORITHM
		    "\x03\x4b\x01" BARE), RSAB_ERR_KEY },
		{ "octet behind the outer", TEST_OCTETS("\x30\x5c" ALGORITHM
		    "\x03\x4b\x00" BARE "\x00"), RSAB_ERR_KEY },
		{ "octet behind the BIT STRING", TEST_OCTETS("\x30\x5d"
		    ALGORITHM "\x03\x4b\x00" BARE "\x00"), RSAB_ERR_KEY },
		{ "octet in the BIT STRING", TEST_OCTETS("\x30\x5d"
		    ALGORITHM "\x03\x4c\x00" BARE "\x00"), RSAB_ERR_KEY },
		{ "octet behind e", TEST_OCTETS("\x30\x49\x02\x41\x00" N512 E
		    "\x00"), RSAB_ERR_KEY },
		{ "octet behind the bare key", TEST_OCTETS(BARE "\x00"),
		    RSAB_ERR_KEY },
		{ "length in BER", TEST_OCTETS("\x30\x81\x48\x02\x41\x00" N512
		    E), RSAB_ERR_KEY },
		{ "indefinite", TEST_OCTETS("\x30\x80\x02\x41\x00" N512 E
		    "\x00\x00"), RSAB_ERR_KEY },
		{ "negative n", TEST_OCTETS("\x30\x47\x02\x40" N512 E),
		    RSAB_ERR_KEY },
		{ "no e", TEST_OCTETS("\x30\x43\x02\x41\x00" N512),
		    RSAB_ERR_KEY },
		{ "e 0", TEST_OCTETS("\x30\x46\x02\x41\x00" N512
		    "\x02\x01\x00"), RSAB_ERR_KEY },
		{ "e 1", TEST_OCTETS("\x30\x46\x02\x41\x00" N512
		    "\x02\x01\x01"), RSAB_ERR_KEY },
		{ "e 2", TEST_OCTETS("\x30\x46\x02\x41\x00" N512
		    "\x02\x01\x02"), RSAB_ERR_KEY },
		{ "e 3", TEST_OCTETS("\x30\x46\x02\x41\x00" N512
		    "\x02\x01\x03"), RSAB_OK },
		{ "e 65536", TEST_OCTETS("\x30\x48\x02\x41\x00" N512
		    "\x02\x03\x01\x00\x00"), RSAB_ERR_KEY },
		{ "e 2^64 - 1", TEST_OCTETS("\x30\x4e\x02\x41\x00" N512
		    "\x02\x09\x00" EIGHT("\xff")), RSAB_OK },
		{ "e 2^64 + 1", TEST_OCTETS("\x30\x4e\x02\x41\x00" N512
		    "\x02\x09\x01" "\0\0\0\0\0\0\0\x01"),
		    RSAB_ERR_KEY_SIZE },
		{ "EC", TEST_OCTETS("\x30\x1a\x30\x13\x06\x07\x2a\x86\x48\xce"
		    "\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
		    "\x03\x03\x00\x04\x01"), RSAB_ERR_KEY_TYPE },
		{ "Ed25519 in DER", TEST_OCTETS("\x30\x2a\x30\x05\x06\x03\x2b"
		    "\x65\x70\x03\x21\x00" EIGHT("a") EIGHT("b") EIGHT("c")
		    EIGHT("d")), RSAB_ERR_KEY_TYPE },
		{ "empty", TEST_OCTETS(""), RSAB_ERR_KEY },
		{ "empty SEQUENCE", TEST_OCTETS("\x30\x00"), RSAB_ERR_KEY },
		{ "junk", TEST_OCTETS("eeee"), RSAB_ERR_KEY },
	};
	struct rsab_key *key;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, load(RSAB_RSA, rows[i].in, rows[i].n,
		    &key), rows[i].want);
		test_true(rows[i].name, (key == NULL) == (rows[i].want != 0));
		rsab_key_unref(key);
	}
}

/*
 * An RSAPublicKey with a modulus of so many bits, e = 65537.
 *   returns  octets, for the caller to free
 */
static uint8_t *
bare_key(size_t bits, bool odd, size_t *n)
{
	size_t size = (bits + 7) / 8, zero = bits % 8 == 0;
	size_t contents = 4 + zero + size + 5, at = 0;
	uint8_t *octets = malloc(4 + contents), *modulus;

	/* Long forms of two octets throughout: bits is over 1016 */
	memcpy(octets, (uint8_t[]){ 0x30, 0x82, (uint8_t)(contents >> 8),
	    (uint8_t)contents, 0x02, 0x82, (uint8_t)((size + zero) >> 8),
	    (uint8_t)(size + zero) }, 8);
	at = 8;
	if (zero)
		octets[at++] = 0;
	modulus = &octets[at];
	memset(modulus, 0x5b, size);
	modulus[0] = (uint8_t)(1U << ((bits + 7) % 8));
	if (!odd)
		modulus[size - 1] = 0x5a;
	memcpy(&octets[at + size], E, 5);
	*n = at + size + 5;
	return octets;
}

static void
load_public_sizes(void **state)
{
	static const struct {
		size_t	bits;
		bool	odd;
		int	want;
	} rows[] = {
		{ 2049, true, RSAB_OK }, { 2047, true, RSAB_OK },
		{ 4095, true, RSAB_OK }, { 8191, true, RSAB_OK },
		{ 8192, true, RSAB_OK }, { 8193, true, RSAB_ERR_KEY_SIZE },
		{ 8200, true, RSAB_ERR_KEY_SIZE },
		{ 16384, true, RSAB_ERR_KEY_SIZE },
		{ 32768, true, RSAB_ERR_KEY_SIZE },
		{ 524000, true, RSAB_ERR_KEY_SIZE },	/* 64 KiB */
		{ 2048, false, RSAB_ERR_KEY },
	};
	struct rsab_key *key;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		char name[32];
		size_t n;
		uint8_t *octets = bare_key(rows[i].bits, rows[i].odd, &n);

		snprintf(name, sizeof name, "%zu bits", rows[i].bits);
		test_int(name, load(RSAB_RSA, octets, n, &key), rows[i].want);
		if (key != NULL)
			test_int(name, rsab_key_bits(key), rows[i].bits);
		rsab_key_unref(key);
		free(octets);
	}
}

static void
load_public_small(void **state)
{
	static const uint8_t n511[] = "\x30\x47\x02\x40\x45" EIGHT("\x3a")
	    EIGHT("\x5c") EIGHT("\xa3") EIGHT("\x11") EIGHT("\x22")
	    EIGHT("\x33") EIGHT("\x77") "\x77\x77\x77\x77\x77\x77\x77" E;
	struct rsab_key *key;

	(void)state;
	test_int("511 bits", load(RSAB_RSA, n511, sizeof n511 - 1, &key),
	    RSAB_ERR_KEY_SIZE);
}

static void
load_public_oversize_costs_nothing(void **state)
{
	struct rsab_key *key;
	size_t n;
	uint8_t *octets = bare_key(32768, true, &n);

	(void)state;
	failmalloc_at(0);
	test_int("32768 bits", rsab_key_load_public(backend, RSAB_RSA, octets,
	    n, &key), RSAB_ERR_KEY_SIZE);
	test_int("nothing was allocated", failmalloc_count(), 0);
	failmalloc_off();
	free(octets);
}

static void
load_public_every_cut(void **state)
{
	static const uint8_t whole[] = "\x30\x5c" ALGORITHM "\x03\x4b\x00"
	    BARE;
	struct rsab_key *key;

	(void)state;
	for (size_t n = 0; n < sizeof whole - 1; n++)
		test_int("cut", load(RSAB_RSA, whole, n, &key), RSAB_ERR_KEY);
	test_int("whole", load(RSAB_RSA, whole, sizeof whole - 1, &key), 0);
	rsab_key_unref(key);
}

static void
load_public_ed25519(void **state)
{
	static const uint8_t point[] = EIGHT("a") EIGHT("b") EIGHT("c")
	    EIGHT("d") "e";
	struct rsab_key *key;
	uint8_t *octets;
	size_t n;

	(void)state;
	for (n = 0; n < sizeof point; n++)
		if (n != 32)
			test_int("other lengths", load(RSAB_ED25519, point, n,
			    &key), RSAB_ERR_KEY);
	test_int("32 octets", load(RSAB_ED25519, point, 32, &key), RSAB_OK);
	test_int("bits", rsab_key_bits(key), 256);
	test_int("signature", rsab_key_signature_size(key), 64);
	test_true("public", !rsab_key_is_private(key));
	test_int("print", rsab_key_print_public(key, &octets, &n), 0);
	test_octets("the same", octets, n, point, 32);
	free(octets);
	rsab_key_unref(key);
	test_int("no such type", load((enum rsab_key_type)5, point, 32, &key),
	    RSAB_ERR_KEY_TYPE);
}

/*
 * What we print is what OpenSSL prints of the same private key.
 */
static void
print_public_as_openssl(void **state)
{
	(void)state;
	for (int bits = 512; bits <= 2048; bits += 253) {
		EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "RSA",
		    (size_t)bits);
		unsigned char *want = NULL;
		int want_n = i2d_PUBKEY(pkey, &want);
		struct rsab_key *key, *again;
		uint8_t *got;
		char *text;
		size_t n;

		test_int("load", load(RSAB_RSA, want, (size_t)want_n, &key),
		    0);
		test_int("print", rsab_key_print_public(key, &got, &n), 0);
		test_octets("the same", got, n, want, (size_t)want_n);
		test_int("again", load(RSAB_RSA, got, n, &again), 0);
		test_int("private half of a public key",
		    rsab_key_print_private(key, &text, &n),
		    RSAB_ERR_ARGUMENT);
		rsab_key_unref(again);
		rsab_key_unref(key);
		free(got);
		OPENSSL_free(want);
		EVP_PKEY_free(pkey);
	}
}

static bool
load_both(void *arg)
{
	static const uint8_t rsa[] = BARE;
	struct rsab_key *a = NULL, *b = NULL;
	int r;

	(void)arg;
	r = rsab_key_load_public(backend, RSAB_RSA, rsa, sizeof rsa - 1, &a);
	if (r == 0)
		r = rsab_key_load_public(backend, RSAB_ED25519, rsa, 32, &b);
	test_true("RSAB_ERR_NOMEM", r == 0 || r == RSAB_ERR_NOMEM);
	rsab_key_unref(a);
	rsab_key_unref(b);
	return r == 0;
}

static void
load_public_every_allocation_fails(void **state)
{
	(void)state;
	test_int("sites", test_every_allocation(load_both, NULL), 4);
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
		cmocka_unit_test(load_public_forms),
		cmocka_unit_test(load_public_sizes),
		cmocka_unit_test(load_public_small),
		cmocka_unit_test(load_public_oversize_costs_nothing),
		cmocka_unit_test(load_public_every_cut),
		cmocka_unit_test(load_public_ed25519),
		cmocka_unit_test(print_public_as_openssl),
		cmocka_unit_test(load_public_every_allocation_fails),
	};

	return cmocka_run_group_tests(tests, setup, NULL) != 0;
}
