/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys, messages and signatures to compare with; see reference.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

/* this room */
#include "random.h"
#include "reference.h"

void
reference_corrupt(uint8_t *signature, size_t size, size_t number)
{
	size_t bit = (number * 41 + 5) % (8 * size);

	signature[bit / 8] ^= (uint8_t)(1U << bit % 8);
}

/*
 * A context of libcrypto for PKCS#1 v1.5 over SHA-256.
 */
static EVP_PKEY_CTX *
context_new(EVP_PKEY *pkey, int (*init)(EVP_PKEY_CTX *))
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(pkey, NULL);

	if (context != NULL && init(context) > 0 &&
	    EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0 &&
	    EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0)
		return context;
	EVP_PKEY_CTX_free(context);
	return NULL;
}

/*
 * Sign message i, verify, and see that a wrong signature is refused.
 */
static int
sign(struct reference *r, EVP_PKEY_CTX *signer, EVP_PKEY_CTX *verifier,
    size_t i)
{
	uint8_t wrong[RSAB_SIGNATURE_MAX];
	size_t n = sizeof r->signature[i];

	if (EVP_PKEY_sign(signer, r->signature[i], &n, r->digest[i],
	    RSAB_DIGEST_MAX) <= 0 || n != r->size ||
	    EVP_PKEY_verify(verifier, r->signature[i], n, r->digest[i],
	    RSAB_DIGEST_MAX) != 1) {
		warnx("libcrypto: signature %zu by %u bits is wrong", i,
		    r->bits);
		return EX_SOFTWARE;
	}
	memcpy(wrong, r->signature[i], n);
	reference_corrupt(wrong, n, i);
	if (EVP_PKEY_verify(verifier, wrong, n, r->digest[i],
	    RSAB_DIGEST_MAX) == 1) {
		warnx("libcrypto: a corrupted signature by %u bits verifies",
		    r->bits);
		return EX_SOFTWARE;
	}
	return 0;
}

static int
sign_all(struct reference *r, uint64_t seed)
{
	struct random random = { seed };
	EVP_PKEY_CTX *signer = NULL, *verifier = NULL;
	EVP_PKEY *pkey = NULL;
	BIO *bio = BIO_new_mem_buf(r->pem, (int)r->pem_len);
	int status = EX_SOFTWARE;

	if (bio != NULL)
		pkey = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
	if (pkey != NULL) {
		signer = context_new(pkey, EVP_PKEY_sign_init);
		verifier = context_new(pkey, EVP_PKEY_verify_init);
	}
	if (signer == NULL || verifier == NULL)
		warnx("libcrypto does not take the key of %u bits", r->bits);
	else
		status = 0;
	for (size_t i = 0; i < REFERENCE_MESSAGES && status == 0; i++) {
		random_fill(&random, r->digest[i], sizeof r->digest[i]);
		status = sign(r, signer, verifier, i);
	}
	EVP_PKEY_CTX_free(verifier);
	EVP_PKEY_CTX_free(signer);
	EVP_PKEY_free(pkey);
	BIO_free(bio);
	return status;
}

/*
 * Everything else from a key.
 */
static int
from_key(const struct rsab_key *key, uint64_t seed, struct reference **out)
{
	struct reference *r = calloc(1, sizeof *r);
	int status;

	if (r == NULL) {
		warnx("no memory for a key");
		return EX_OSERR;
	}
	r->bits = rsab_key_bits(key);
	r->size = rsab_key_signature_size(key);
	if (rsab_key_print_private(key, &r->pem, &r->pem_len) != 0 ||
	    rsab_key_print_public(key, &r->public, &r->public_len) != 0) {
		warnx("the key of %u bits cannot be written", r->bits);
		status = EX_SOFTWARE;
	} else
		status = sign_all(r, seed);
	if (status == 0)
		*out = r;
	else
		reference_free(r);
	return status;
}

static int
libcrypto(const struct rsab_backend **out)
{
	int error = rsab_backend_find("libcrypto", out);

	if (error == 0)
		return 0;
	warnx("libcrypto: %s", rsab_strerror(error));
	return EX_SOFTWARE;
}

int
reference_make(unsigned bits, uint64_t seed, struct reference **out)
{
	const struct rsab_backend *backend;
	struct rsab_key *key;
	int error, status = libcrypto(&backend);

	if (status != 0)
		return status;
	error = rsab_key_generate(backend, RSAB_RSA, bits, &key);
	if (error != 0) {
		warnx("making a key of %u bits: %s", bits,
		    rsab_strerror(error));
		return EX_SOFTWARE;
	}
	status = from_key(key, seed, out);
	rsab_key_unref(key);
	return status;
}

/*
 * A whole file; one octet more than a key may have tells that it is too long.
 */
static int
file_read(const char *path, uint8_t *in, size_t size, size_t *n)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	int failed;

	if (f == NULL) {
		warn("--key %s", path);
		return EX_NOINPUT;
	}
	*n = fread(in, 1, size, f);
	failed = ferror(f);
	if (failed)
		warn("--key %s", path);
	if (f != stdin)
		fclose(f);
	if (!failed && *n > RSAB_KEY_FILE_MAX) {
		warnx("--key %s: longer than %d octets", path,
		    RSAB_KEY_FILE_MAX);
		return EX_DATAERR;
	}
	return failed ? EX_NOINPUT : 0;
}

int
reference_load(const char *path, uint64_t seed, struct reference **out)
{
	static const char what[] = "not a private RSA key that can be used";
	uint8_t in[RSAB_KEY_FILE_MAX + 1];
	const struct rsab_backend *backend;
	struct rsab_key *key = NULL;
	size_t n = 0;
	int error, status = libcrypto(&backend);

	if (status == 0)
		status = file_read(path, in, sizeof in, &n);
	if (status != 0)
		return status;
	error = rsab_key_load_private(backend, in, n, &key);
	rsab_wipe(in, sizeof in);
	if (error != 0 || rsab_key_type(key) != RSAB_RSA) {
		warnx("--key %s: %s: %s", path, what, error != 0 ?
		    rsab_strerror(error) : "it is of Ed25519");
		status = EX_DATAERR;
	} else
		status = from_key(key, seed, out);
	rsab_key_unref(key);
	return status;
}

int
reference_parse(const char *pem, uint64_t seed, struct reference **out)
{
	const struct rsab_backend *backend;
	struct rsab_key *key;
	int error, status = libcrypto(&backend);

	if (status != 0)
		return status;
	error = rsab_key_load_private(backend, (const uint8_t *)pem,
	    strlen(pem), &key);
	if (error != 0) {
		warnx("the key of this program: %s", rsab_strerror(error));
		return EX_SOFTWARE;
	}
	status = from_key(key, seed, out);
	rsab_key_unref(key);
	return status;
}

void
reference_free(struct reference *reference)
{
	if (reference == NULL)
		return;
	if (reference->pem != NULL)
		rsab_wipe_free(reference->pem, reference->pem_len);
	free(reference->public);
	free(reference);
}
