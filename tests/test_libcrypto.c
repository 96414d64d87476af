/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libcrypto's own allocations fail, one after the other: want of memory is
 * never taken for a wrong signature, a wrong signature never for a right one.
 * And: the raw operation and pkcs1.c judge as EVP_PKEY_verify does.
 */

/* libcrypto */
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

/* rsa-backend */
#include "rsa-backend/key.h"
#include "rsa-backend/pkcs1.h"

/* this room */
#include "tests/test.h"

/* More than any operation here makes. */
#define ALLOCATIONS_MAX	5000

static const struct rsab_backend *backend;
static long countdown;	/* allocations until one fails; 0: none does */
static bool failed;

static bool
fails(void)
{
	if (countdown == 0 || --countdown != 0)
		return false;
	failed = true;
	return true;
}

static void *
count_malloc(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return fails() ? NULL : malloc(n);
}

static void *
count_realloc(void *p, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return fails() ? NULL : realloc(p, n);
}

static void
count_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

static struct rsab_key *
load(const char *name)
{
	struct rsab_key *key;
	char path[256];
	size_t n;
	uint8_t *octets;

	snprintf(path, sizeof path, "vectors/rsa/keys/%s", name);
	octets = test_file(path, &n);
	test_int(name, rsab_key_load_private(backend, octets, n, &key), 0);
	free(octets);
	return key;
}

/* A file to load with all allocations failing in turn. */
static void
load_fails_in_turn(const char *name)
{
	char path[256];
	long n = 0;
	size_t size;
	uint8_t *octets;

	snprintf(path, sizeof path, "vectors/rsa/keys/%s", name);
	octets = test_file(path, &size);
	do {
		struct rsab_key *key = NULL;
		int r;

		failed = false;
		countdown = ++n;
		r = rsab_key_load_private(backend, octets, size, &key);
		countdown = 0;
		test_true(name, (r == 0) == (key != NULL));
		test_true(name, r == 0 || failed);
		test_true("the key is not to blame for our memory",
		    r != RSAB_ERR_ENCRYPTED && r != RSAB_ERR_KEY_TYPE &&
		    r != RSAB_ERR_KEY_SIZE);
		rsab_key_unref(key);
		ERR_clear_error();
	} while (failed && n < ALLOCATIONS_MAX);
	print_message("%s: %ld allocations\n", name, n - 1);
	test_true(name, n > 1 && n < ALLOCATIONS_MAX);
	free(octets);
}

static void
load_private_every_libcrypto_allocation_fails(void **state)
{
	(void)state;
	load_fails_in_turn("rsa512.pem");
	load_fails_in_turn("ed25519.pem");
	load_fails_in_turn("pkcs8.b64");
}

/*
 * Run one job again and again, another allocation failing each time.
 *   want     result without a failure
 *   fresh    with a key that has no context yet, else with a used one
 */
static void
run_fails_in_turn(const char *name, enum rsab_op op, bool good, bool fresh)
{
	struct rsab_key *key = load(name);
	struct rsab_job job, *const jobs[] = { &job };
	struct rsab_worker *worker;
	long n = 0, memory = 0;

	test_int("worker", rsab_worker_new(&worker), 0);
	memset(&job, 0, sizeof job);
	job.key = key;
	job.hash = RSAB_SHA256;
	job.op = RSAB_OP_SIGN;
	rsab_run(worker, jobs, 1);
	test_int("sign", job.result, RSAB_OK);
	job.signature[0] ^= !good;
	do {
		int want = good ? RSAB_OK : RSAB_ERR_SIGNATURE;

		if (fresh) {
			rsab_key_unref(key);
			job.key = key = load(name);
		}
		job.op = op;
		failed = false;
		countdown = ++n;
		rsab_run(worker, jobs, 1);
		countdown = 0;
		if (job.result != want) {
			test_true(name, failed);
			test_true("memory, not verdict", job.result ==
			    RSAB_ERR_NOMEM || job.result == RSAB_ERR_BACKEND);
			memory += job.result == RSAB_ERR_NOMEM;
		}
		ERR_clear_error();
	} while (failed && n < ALLOCATIONS_MAX);
	print_message("%s %s: %ld allocations\n", name,
	    op == RSAB_OP_SIGN ? "sign" : "verify", n - 1);
	test_true(name, n < ALLOCATIONS_MAX);
	/* Ed25519 leaves no word of it, OpenSSL 3.0 */
	test_true("some say so", memory > 0 || rsab_key_type(key) != RSAB_RSA);
	rsab_worker_free(worker);
	rsab_key_unref(key);
}

static void
run_rsa_every_libcrypto_allocation_fails(void **state)
{
	(void)state;
	run_fails_in_turn("rsa512.pem", RSAB_OP_SIGN, true, false);
	run_fails_in_turn("rsa512.pem", RSAB_OP_SIGN, true, true);
	run_fails_in_turn("rsa512.pem", RSAB_OP_VERIFY, true, false);
	run_fails_in_turn("rsa512.pem", RSAB_OP_VERIFY, true, true);
	run_fails_in_turn("rsa512.pem", RSAB_OP_VERIFY, false, false);
	run_fails_in_turn("rsa512.pem", RSAB_OP_VERIFY, false, true);
}

static void
run_ed25519_every_libcrypto_allocation_fails(void **state)
{
	(void)state;
	run_fails_in_turn("ed25519.pem", RSAB_OP_SIGN, true, false);
	run_fails_in_turn("ed25519.pem", RSAB_OP_SIGN, true, true);
	run_fails_in_turn("ed25519.pem", RSAB_OP_VERIFY, true, true);
	run_fails_in_turn("ed25519.pem", RSAB_OP_VERIFY, true, false);
	run_fails_in_turn("ed25519.pem", RSAB_OP_VERIFY, false, false);
}

/*
 * Sign any encoded message: EVP without padding.
 */
static void
sign_raw(const struct rsab_key *key, const uint8_t *em, struct rsab_job *job)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(evpkey_pkey(key->evp), NULL);

	job->signature_len = sizeof job->signature;
	test_int("init", EVP_PKEY_sign_init(context), 1);
	test_int("padding", EVP_PKEY_CTX_set_rsa_padding(context,
	    RSA_NO_PADDING), 1);
	test_int("sign", EVP_PKEY_sign(context, job->signature,
	    &job->signature_len, em, rsab_key_signature_size(key)), 1);
	EVP_PKEY_CTX_free(context);
}

/*
 * Every octet of the encoding changed in turn, signed with the key: exactly
 * the right encoding verifies, and libcrypto's own verification agrees.
 */
static void
run_verify_every_octet_of_the_encoding(void **state)
{
	struct rsab_key *key = load("rsa1024.pem");
	struct rsab_job job, *const jobs[] = { &job };
	size_t size = rsab_key_signature_size(key);
	uint8_t em[RSAB_SIGNATURE_MAX];
	struct rsab_worker *worker;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(evpkey_pkey(key->evp), NULL);

	(void)state;
	test_int("worker", rsab_worker_new(&worker), 0);
	test_int("init", EVP_PKEY_verify_init(context), 1);
	test_int("padding", EVP_PKEY_CTX_set_rsa_padding(context,
	    RSA_PKCS1_PADDING), 1);
	test_int("md", EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()),
	    1);
	memset(&job, 0, sizeof job);
	job.key = key;
	job.hash = RSAB_SHA256;
	job.op = RSAB_OP_VERIFY;
	for (size_t i = 0; i <= size; i++) {
		test_int("encode", pkcs1_encode(RSAB_SHA256, job.digest, em,
		    size), 0);
		if (i < size)
			em[i] ^= 1;
		if (em[0] != 0)
			continue;	/* not below n */
		sign_raw(key, em, &job);
		rsab_run(worker, jobs, 1);
		test_int("ours", job.result, i == size ? RSAB_OK :
		    RSAB_ERR_SIGNATURE);
		test_int("libcrypto's", EVP_PKEY_verify(context, job.signature,
		    job.signature_len, job.digest, 32) == 1, i == size);
		ERR_clear_error();
	}
	EVP_PKEY_CTX_free(context);
	rsab_worker_free(worker);
	rsab_key_unref(key);
}

/* DigestInfo without its NULL: RFC 8017 s9.2 note 1, B.1 */
static void
run_verify_digest_info_without_null(void **state)
{
	static const uint8_t info[] = {
		0x30, 0x2f, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
		0x65, 0x03, 0x04, 0x02, 0x01, 0x04, 0x20,
	};
	struct rsab_key *key = load("rsa1024.pem");
	struct rsab_job job, *const jobs[] = { &job };
	size_t size = rsab_key_signature_size(key);
	uint8_t em[RSAB_SIGNATURE_MAX];
	struct rsab_worker *worker;

	(void)state;
	test_int("worker", rsab_worker_new(&worker), 0);
	memset(&job, 0, sizeof job);
	job.key = key;
	job.hash = RSAB_SHA256;
	job.op = RSAB_OP_VERIFY;
	memset(em, 0xff, size);
	em[0] = 0;
	em[1] = 1;
	em[size - 32 - sizeof info - 1] = 0;
	memcpy(&em[size - 32 - sizeof info], info, sizeof info);
	memset(&em[size - 32], 0, 32);
	sign_raw(key, em, &job);
	rsab_run(worker, jobs, 1);
	test_int("without NULL", job.result, RSAB_ERR_SIGNATURE);
	rsab_worker_free(worker);
	rsab_key_unref(key);
}

/*
 * Everything once: what libcrypto initializes a single time and does not try
 * again after a failure is not what is tested here.
 */
static int
setup(void **state)
{
	(void)state;
	if (rsab_backend_find("libcrypto", &backend) != 0)
		return 1;
	rsab_key_unref(load("rsa512.pem"));
	rsab_key_unref(load("pkcs8.b64"));
	rsab_key_unref(load("ed25519.pem"));
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_private_every_libcrypto_allocation_fails),
		cmocka_unit_test(run_rsa_every_libcrypto_allocation_fails),
		cmocka_unit_test(run_ed25519_every_libcrypto_allocation_fails),
		cmocka_unit_test(run_verify_every_octet_of_the_encoding),
		cmocka_unit_test(run_verify_digest_info_without_null),
	};

	/* Before libcrypto's first allocation, or it refuses. */
	if (CRYPTO_set_mem_functions(count_malloc, count_realloc,
	    count_free) != 1)
		return 1;
	return cmocka_run_group_tests(tests, setup, NULL) != 0;
}
