/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The digest under an RSA signature (RFC 8017 s8.2, s9.2). Signatures are
 * libcrypto's own, by its padding code.
 */

/* libcrypto */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

/* this room */
#include "tests/test.h"
#include "rsa-backend/rsab.h"

static EVP_PKEY *pkey;
static struct rsab_key *key, *other, *ed25519;
static uint8_t text[64];

static int
set_up(void **state)
{
	const struct rsab_backend *backend;
	size_t n;
	uint8_t *pem = test_file("vectors/messages/keys/rfc6376.pem", &n);
	BIO *bio = BIO_new_mem_buf(pem, (int)n);

	(void)state;
	pkey = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
	assert_non_null(pkey);
	BIO_free(bio);
	assert_int_equal(rsab_backend_find("libcrypto", &backend), 0);
	assert_int_equal(rsab_key_load_private(backend, pem, n, &key), 0);
	free(pem);
	assert_int_equal(rsab_key_generate(backend, RSAB_RSA, 1024, &other),
	    0);
	assert_int_equal(rsab_key_generate(backend, RSAB_ED25519, 0,
	    &ed25519), 0);
	for (n = 0; n < sizeof(text); n++)
		text[n] = (uint8_t)(n * 7);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	EVP_PKEY_free(pkey);
	rsab_key_unref(key);
	rsab_key_unref(other);
	rsab_key_unref(ed25519);
	return 0;
}

/*
 * Sign the first octets of text as a digest.
 *   hash     NULL: no DigestInfo, any n
 *   padding  RSA_*_PADDING
 */
static void
sign(const EVP_MD *hash, int padding, size_t n,
    uint8_t out[RSAB_SIGNATURE_MAX])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(pkey, NULL);
	size_t size = RSAB_SIGNATURE_MAX;

	assert_int_equal(EVP_PKEY_sign_init(context), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_padding(context, padding), 1);
	if (hash != NULL)
		assert_int_equal(EVP_PKEY_CTX_set_signature_md(context, hash),
		    1);
	assert_int_equal(EVP_PKEY_sign(context, out, &size, text, n), 1);
	assert_int_equal(size, 128);
	EVP_PKEY_CTX_free(context);
}

static void
rsab_recover_digest(void **state)
{
	uint8_t signature[RSAB_SIGNATURE_MAX], digest[RSAB_DIGEST_MAX];
	enum rsab_hash hash;

	(void)state;
	sign(EVP_sha256(), RSA_PKCS1_PADDING, 32, signature);
	assert_int_equal(rsab_recover(key, signature, 128, &hash, digest), 0);
	assert_int_equal(hash, RSAB_SHA256);
	test_octets("SHA-256", digest, 32, text, 32);
	sign(EVP_sha1(), RSA_PKCS1_PADDING, 20, signature);
	assert_int_equal(rsab_recover(key, signature, 128, &hash, digest), 0);
	assert_int_equal(hash, RSAB_SHA1);
	test_octets("SHA-1", digest, 20, text, 20);
}

static void
rsab_recover_other_hash(void **state)
{
	uint8_t signature[RSAB_SIGNATURE_MAX], digest[RSAB_DIGEST_MAX];
	enum rsab_hash hash;

	(void)state;
	sign(EVP_sha512(), RSA_PKCS1_PADDING, 64, signature);
	assert_int_equal(rsab_recover(key, signature, 128, &hash, digest),
	    RSAB_ERR_UNSUPPORTED);
	/* RFC 8017 s9.2: a digest alone is no encoding of it */
	sign(NULL, RSA_PKCS1_PADDING, 32, signature);
	assert_int_equal(rsab_recover(key, signature, 128, &hash, digest),
	    RSAB_ERR_UNSUPPORTED);
}

static void
rsab_recover_other_key(void **state)
{
	uint8_t signature[RSAB_SIGNATURE_MAX], digest[RSAB_DIGEST_MAX];
	enum rsab_hash hash;

	(void)state;
	sign(EVP_sha256(), RSA_PKCS1_PADDING, 32, signature);
	assert_int_equal(rsab_recover(other, signature, 128, &hash, digest),
	    RSAB_ERR_SIGNATURE);
	signature[127] ^= 1;
	assert_int_equal(rsab_recover(key, signature, 128, &hash, digest),
	    RSAB_ERR_SIGNATURE);
	sign(EVP_sha256(), RSA_PKCS1_PSS_PADDING, 32, signature);
	assert_int_equal(rsab_recover(key, signature, 128, &hash, digest),
	    RSAB_ERR_SIGNATURE);
	/* RFC 8017 s5.2.2 step 1: above n */
	memset(signature, 0xff, 128);
	assert_int_equal(rsab_recover(key, signature, 128, &hash, digest),
	    RSAB_ERR_SIGNATURE);
}

static void
rsab_recover_argument(void **state)
{
	uint8_t signature[RSAB_SIGNATURE_MAX], digest[RSAB_DIGEST_MAX];
	enum rsab_hash hash;

	(void)state;
	sign(EVP_sha256(), RSA_PKCS1_PADDING, 32, signature);
	assert_int_equal(rsab_recover(key, signature, 127, &hash, digest),
	    RSAB_ERR_ARGUMENT);
	assert_int_equal(rsab_recover(ed25519, signature, 64, &hash, digest),
	    RSAB_ERR_ARGUMENT);
}

/*
 * Of a key of bn64 libcrypto's form is made for the one operation.
 */
static bool
recover_once(void *arg)
{
	uint8_t digest[RSAB_DIGEST_MAX], *signature = arg;
	const struct rsab_backend *backend;
	struct rsab_key *public = NULL;
	enum rsab_hash hash;
	uint8_t *spki = NULL;
	size_t n;
	int r;

	r = rsab_backend_find("bn64:portable", &backend);
	if (r == 0)
		r = rsab_key_print_public(key, &spki, &n);
	if (r == 0)
		r = rsab_key_load_public(backend, RSAB_RSA, spki, n, &public);
	if (r == 0)
		r = rsab_recover(public, signature, 128, &hash, digest);
	if (r == 0)
		test_octets("digest", digest, 32, text, 32);
	else
		test_int("error", r, RSAB_ERR_NOMEM);
	rsab_key_unref(public);
	free(spki);
	return r == 0;
}

static void
rsab_recover_every_allocation(void **state)
{
	uint8_t signature[RSAB_SIGNATURE_MAX];

	(void)state;
	sign(EVP_sha256(), RSA_PKCS1_PADDING, 32, signature);
	test_every_allocation(recover_once, signature);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rsab_recover_digest),
		cmocka_unit_test(rsab_recover_other_hash),
		cmocka_unit_test(rsab_recover_other_key),
		cmocka_unit_test(rsab_recover_argument),
		cmocka_unit_test(rsab_recover_every_allocation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
