/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding backends, jobs and the check after signing. The backends that make
 * mistakes are of this file.
 */

/* system */
#include <pthread.h>

/* libcrypto */
#include <openssl/err.h>

/* rsa-backend */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/cpu.h"
#include "rsa-backend/key.h"

/* this room */
#include "tests/test.h"

#define THREADS	4
#define ROUNDS	200	/* jobs a thread */

static const struct rsab_backend *backend;
static struct rsab_worker *worker;
static struct rsab_key *rsa, *rsa2, *ed25519, *public;

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

static struct rsab_job
job_new(struct rsab_key *key, enum rsab_op op)
{
	struct rsab_job job;

	memset(&job, 0, sizeof job);
	job.key = key;
	job.op = op;
	job.hash = RSAB_SHA256;
	memset(job.digest, 0x42, sizeof job.digest);
	job.result = 99;
	return job;
}

static void
run_one(struct rsab_job *job)
{
	rsab_run(worker, &job, 1);
}

static void
backend_find_names(void **state)
{
	static const struct {
		const char	*name;
		int		 want;
	} rows[] = {
		{ "libcrypto", RSAB_OK }, { "auto", RSAB_OK },
		{ "bn64", RSAB_OK }, { "bn64:portable", RSAB_OK },
		{ "bn64:emulated", RSAB_OK },
		{ "", RSAB_ERR_UNKNOWN }, { "libcrypt", RSAB_ERR_UNKNOWN },
		{ "libcrypto ", RSAB_ERR_UNKNOWN },
		{ "AUTO", RSAB_ERR_UNKNOWN }, { "bn6", RSAB_ERR_UNKNOWN },
		{ "bn64:", RSAB_ERR_UNKNOWN }, { "bn64 ", RSAB_ERR_UNKNOWN },
		{ "bn64:portabl", RSAB_ERR_UNKNOWN },
		{ "bn64:portable ", RSAB_ERR_UNKNOWN },
		{ "bn64:bn64:adx", RSAB_ERR_UNKNOWN },
		{ "portable", RSAB_ERR_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct rsab_backend *found = NULL;

		test_int(rows[i].name, rsab_backend_find(rows[i].name, &found),
		    rows[i].want);
		test_int(rows[i].name, found != NULL, rows[i].want == 0);
		if (found == NULL || strcmp(rows[i].name, "auto") == 0 ||
		    strcmp(rows[i].name, "bn64") == 0)
			continue;
		test_str(rows[i].name, rsab_backend_name(found), rows[i].name);
	}
}

/* There where it is built in (configure's p11-kit). */
static void
backend_find_pkcs11(void **state)
{
	const struct rsab_backend *found = NULL;
	int r = rsab_backend_find("pkcs11", &found);

	(void)state;
	test_true("pkcs11", r == RSAB_OK || r == RSAB_ERR_UNSUPPORTED);
	if (r == RSAB_OK)
		test_str("pkcs11", rsab_backend_name(found), "pkcs11");
}

/*
 * What needs a machine is there if and only if this one can it, "bn64" is the
 * fastest that can be named, and "auto" is that only with lanes.
 */
static void
backend_find_by_machine(void **state)
{
	unsigned features = cpu_features();
	bool ifma = (lanes_ifma.features & ~features) == 0;
	bool adx = (scalar_adx.features & ~features) == 0;
	const struct rsab_backend *found;

	(void)state;
	test_int("ifma", rsab_backend_find("bn64:ifma", &found), ifma ?
	    RSAB_OK : RSAB_ERR_UNSUPPORTED);
	test_int("adx", rsab_backend_find("bn64:adx", &found), adx ?
	    RSAB_OK : RSAB_ERR_UNSUPPORTED);
	test_int("bn64", rsab_backend_find("bn64", &found), RSAB_OK);
	test_str("bn64", rsab_backend_name(found), ifma ? "bn64:ifma" :
	    adx ? "bn64:adx" : "bn64:portable");
	test_int("auto", rsab_backend_find("auto", &found), RSAB_OK);
	test_str("auto", rsab_backend_name(found), ifma ? "bn64:ifma" :
	    "libcrypto");
}

static void
strerror_every_code(void **state)
{
	(void)state;
	for (int code = RSAB_ERR_TOKEN_NAME - 2; code <= 2; code++) {
		bool known = code <= 0 && code >= RSAB_ERR_TOKEN_NAME;

		test_true("text", rsab_strerror(code) != NULL);
		test_int("known", strcmp(rsab_strerror(code),
		    "unknown error") != 0, known);
	}
}

static void
run_sign_and_verify(void **state)
{
	struct rsab_key *const keys[] = { rsa, rsa2, ed25519 };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(keys); i++) {
		struct rsab_job job = job_new(keys[i], RSAB_OP_SIGN);

		run_one(&job);
		test_int("sign", job.result, RSAB_OK);
		test_int("length", job.signature_len,
		    rsab_key_signature_size(keys[i]));
		job.op = RSAB_OP_VERIFY;
		run_one(&job);
		test_int("verify", job.result, RSAB_OK);
		job.digest[31] ^= 1;
		run_one(&job);
		test_int("another digest", job.result, RSAB_ERR_SIGNATURE);
		test_int("libcrypto's queue", (long long)ERR_peek_error(), 0);
	}
}

/* Every length but the right one, and every octet changed. */
static void
run_verify_lengths_and_octets(void **state)
{
	struct rsab_key *const keys[] = { rsa, ed25519 };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(keys); i++) {
		struct rsab_job job = job_new(keys[i], RSAB_OP_SIGN);
		size_t size = rsab_key_signature_size(keys[i]);

		run_one(&job);
		job.op = RSAB_OP_VERIFY;
		for (size_t n = 0; n <= RSAB_SIGNATURE_MAX + 1; n++) {
			job.signature_len = n;
			run_one(&job);
			test_int("length", job.result, n == size ? RSAB_OK :
			    RSAB_ERR_SIGNATURE);
		}
		job.signature_len = size;
		for (size_t k = 0; k < size; k++) {
			job.signature[k] ^= 0x10;
			run_one(&job);
			test_int("octet", job.result, RSAB_ERR_SIGNATURE);
			job.signature[k] ^= 0x10;
		}
		test_int("libcrypto's queue", (long long)ERR_peek_error(), 0);
	}
}

/*
 * s + n has the same residue: it must be refused for its size. It fits the
 * octets for a modulus of less than whole octets, as 2047 bits.
 */
static void
run_verify_signature_not_below_n(void **state)
{
	struct rsab_key *key = load("rsa2047.pem");
	struct rsab_job job = job_new(key, RSAB_OP_SIGN);
	unsigned carry = 0;

	(void)state;
	run_one(&job);
	test_int("sign", job.result, RSAB_OK);
	job.op = RSAB_OP_VERIFY;
	for (size_t i = key->rsa.n.n; i-- > 0;) {
		carry += (unsigned)job.signature[i] + key->rsa.n.p[i];
		job.signature[i] = (uint8_t)carry;
		carry >>= 8;
	}
	test_int("fits", carry, 0);
	run_one(&job);
	test_int("s + n", job.result, RSAB_ERR_SIGNATURE);
	memcpy(job.signature, key->rsa.n.p, key->rsa.n.n);
	run_one(&job);
	test_int("n", job.result, RSAB_ERR_SIGNATURE);
	memset(job.signature, 0, sizeof job.signature);
	run_one(&job);
	test_int("0", job.result, RSAB_ERR_SIGNATURE);
	job.signature[key->rsa.n.n - 1] = 1;
	run_one(&job);
	test_int("1", job.result, RSAB_ERR_SIGNATURE);
	rsab_key_unref(key);
}

/*
 * RFC 8301 s3.1 #3: SHA-1 signs nothing.
 */
static void
run_job_that_does_not_fit(void **state)
{
	const struct {
		const char	*name;
		struct rsab_key	*key;
		int		 op;
		int		 hash;
	} rows[] = {
		{ "sign with a public key", public, RSAB_OP_SIGN,
		    RSAB_SHA256 },
		{ "sign rsa-sha1", rsa, RSAB_OP_SIGN, RSAB_SHA1 },
		{ "sign, no hash", rsa, RSAB_OP_SIGN, 7 },
		{ "sign Ed25519 over SHA-1", ed25519, RSAB_OP_SIGN,
		    RSAB_SHA1 },
		{ "verify Ed25519 over SHA-1", ed25519, RSAB_OP_VERIFY,
		    RSAB_SHA1 },
		{ "verify, no hash", rsa, RSAB_OP_VERIFY, 7 },
		{ "no operation", rsa, 7, RSAB_SHA256 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct rsab_job job = job_new(rows[i].key,
		    (enum rsab_op)rows[i].op);

		job.hash = (enum rsab_hash)rows[i].hash;
		job.signature_len = rsab_key_signature_size(rows[i].key);
		run_one(&job);
		test_int(rows[i].name, job.result, RSAB_ERR_ARGUMENT);
	}
}

/* Many jobs, good and bad, of several keys: none touches another. */
static void
run_many_mixed(void **state)
{
	struct rsab_key *const keys[] = { rsa, ed25519, public, rsa2 };
	struct rsab_job jobs[23], *pointers[23];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(jobs); i++) {
		jobs[i] = job_new(keys[i % 4], RSAB_OP_SIGN);
		jobs[i].digest[0] = (uint8_t)i;
		pointers[i] = &jobs[i];
	}
	rsab_run(worker, pointers, 0);
	test_int("none run", jobs[0].result, 99);
	rsab_run(worker, pointers, TEST_COUNT(jobs));
	for (size_t i = 0; i < TEST_COUNT(jobs); i++) {
		bool fits = keys[i % 4] != public;

		test_int("sign", jobs[i].result, fits ? RSAB_OK :
		    RSAB_ERR_ARGUMENT);
		test_int("length", jobs[i].signature_len, fits ?
		    rsab_key_signature_size(keys[i % 4]) : 0);
		jobs[i].op = RSAB_OP_VERIFY;
		if (i % 5 == 0)
			jobs[i].signature[10] ^= 1;
	}
	rsab_run(worker, pointers, TEST_COUNT(jobs));
	for (size_t i = 0; i < TEST_COUNT(jobs); i++)
		test_int("verify", jobs[i].result, i % 5 == 0 ||
		    keys[i % 4] == public ? RSAB_ERR_SIGNATURE : RSAB_OK);
}

static void
key_group_classes(void **state)
{
	struct rsab_group sign = rsab_key_group(rsa, RSAB_OP_SIGN);
	struct rsab_group verify = rsab_key_group(rsa, RSAB_OP_VERIFY);

	(void)state;
	test_int("batch", sign.batch, 1);
	test_true("operations", sign.id != verify.id);
	test_true("sizes", sign.id != rsab_key_group(rsa2, RSAB_OP_SIGN).id);
	test_true("types", sign.id !=
	    rsab_key_group(ed25519, RSAB_OP_SIGN).id);
	test_int("same for the same", verify.id,
	    rsab_key_group(public, RSAB_OP_VERIFY).id);
}

/* ---- backends that make mistakes ---- */

static int mistakes;	/* signatures yet to come out wrong */
static int seconds;	/* times that the second backend was asked */

static void
wrong_run(void *state, struct rsab_job *const *jobs, backend_em em, size_t n)
{
	struct rsab_worker *own;

	(void)state;
	(void)em;
	test_int("worker", rsab_worker_new(&own), 0);
	for (size_t i = 0; i < n; i++) {
		struct rsab_job copy = *jobs[i], *const one[] = { &copy };
		const struct rsab_backend *saved = copy.key->backend;

		copy.key->backend = &backend_libcrypto;
		rsab_run(own, one, 1);
		copy.key->backend = saved;
		*jobs[i] = copy;
		if (mistakes > 0) {
			mistakes--;
			jobs[i]->signature[20] ^= 4;
		}
	}
	rsab_worker_free(own);
}

static void
second_run(void *state, struct rsab_job *const *jobs, backend_em em, size_t n)
{
	seconds++;
	wrong_run(state, jobs, em, n);
}

static const struct rsab_backend second = {
	.name = "second", .index = 1000, .run = second_run,
};
static const struct rsab_backend wrong = {
	.name = "wrong", .index = 1001, .run = wrong_run, .second = &second,
};
static const struct rsab_backend wrong_once = {
	.name = "wrong, no second", .index = 1002, .run = wrong_run,
};

static void
run_check_after_signing(void **state)
{
	struct rsab_key *const keys[] = { rsa, ed25519 };
	static const struct {
		const char			*name;
		const struct rsab_backend	*backend;
		int				 mistakes, want, seconds;
		unsigned long			 faults;
	} rows[] = {
		{ "right", &wrong, 0, RSAB_OK, 0, 0 },
		{ "wrong, then right", &wrong, 1, RSAB_OK, 1, 1 },
		{ "wrong twice", &wrong, 2, RSAB_ERR_BACKEND, 1, 2 },
		{ "right, no second", &wrong_once, 0, RSAB_OK, 0, 0 },
		{ "wrong, no second", &wrong_once, 1, RSAB_ERR_BACKEND, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * TEST_COUNT(rows); i++) {
		struct rsab_key *key = keys[i % 2];
		struct rsab_job job = job_new(key, RSAB_OP_SIGN);
		const char *name = rows[i / 2].name;
		unsigned long before = rsab_worker_faults(worker);

		mistakes = rows[i / 2].mistakes;
		seconds = 0;
		key->backend = rows[i / 2].backend;
		run_one(&job);
		key->backend = &backend_libcrypto;
		test_int(name, job.result, rows[i / 2].want);
		test_int(name, seconds, rows[i / 2].seconds);
		test_int(name, rsab_worker_faults(worker) - before,
		    rows[i / 2].faults);
		if (job.result != 0) {
			test_int(name, job.signature_len, 0);
			for (size_t k = 0; k < sizeof job.signature; k++)
				test_int("wiped", job.signature[k], 0);
			continue;
		}
		job.op = RSAB_OP_VERIFY;
		run_one(&job);
		test_int(name, job.result, RSAB_OK);
	}
}

/* A whole pass, of which the third and the last come out wrong for good. */
static void
pass_run_two_wrong(void *state, struct rsab_job *const *jobs, backend_em em,
    size_t n)
{
	mistakes = 0;
	wrong_run(state, jobs, em, n);
	jobs[2]->signature[0] ^= 1;
	jobs[n - 1]->signature_len--;
}

static void
run_check_of_a_pass(void **state)
{
	static const struct rsab_backend two = {
		.name = "two", .index = 1003, .run = pass_run_two_wrong,
	};
	struct rsab_job jobs[RSAB_PASS_MAX], *pointers[RSAB_PASS_MAX];

	(void)state;
	for (size_t i = 0; i < RSAB_PASS_MAX; i++) {
		jobs[i] = job_new(rsa, RSAB_OP_SIGN);
		jobs[i].digest[7] = (uint8_t)i;
		pointers[i] = &jobs[i];
	}
	rsa->backend = &two;
	rsab_run(worker, pointers, RSAB_PASS_MAX);
	rsa->backend = &backend_libcrypto;
	for (size_t i = 0; i < RSAB_PASS_MAX; i++)
		test_int("result", jobs[i].result,
		    i == 2 || i == RSAB_PASS_MAX - 1 ? RSAB_ERR_BACKEND :
		    RSAB_OK);
}

/* ---- threads ---- */

static void *
thread_run(void *arg)
{
	struct rsab_key *const keys[] = { rsa, ed25519, rsa2, public };
	struct rsab_worker *own;
	size_t first = *(size_t *)arg, wrong_results = 0;

	if (rsab_worker_new(&own) != 0)
		return arg;
	for (size_t i = 0; i < ROUNDS; i++) {
		struct rsab_key *key = rsab_key_ref(keys[(first + i) % 3]);
		struct rsab_job job = job_new(key, RSAB_OP_SIGN);
		struct rsab_job *const one[] = { &job };

		job.digest[3] = (uint8_t)(first + i);
		rsab_run(own, one, 1);
		wrong_results += job.result != RSAB_OK;
		job.op = RSAB_OP_VERIFY;
		if (key == rsa)
			job.key = public;
		rsab_run(own, one, 1);
		wrong_results += job.result != RSAB_OK;
		rsab_key_unref(key);
	}
	rsab_worker_free(own);
	return wrong_results == 0 ? NULL : arg;
}

static void
run_threads_share_keys(void **state)
{
	pthread_t threads[THREADS];
	size_t first[THREADS];

	(void)state;
	for (size_t i = 0; i < THREADS; i++) {
		first[i] = i;
		test_int("create", pthread_create(&threads[i], NULL,
		    thread_run, &first[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		void *result;

		test_int("join", pthread_join(threads[i], &result), 0);
		test_true("all of its jobs", result == NULL);
	}
}

static bool
worker_make(void *arg)
{
	struct rsab_worker *own;
	int r = rsab_worker_new(&own);

	(void)arg;
	test_true("RSAB_ERR_NOMEM", r == 0 || r == RSAB_ERR_NOMEM);
	if (r == 0)
		rsab_worker_free(own);
	return r == 0;
}

static void
worker_new_every_allocation_fails(void **state)
{
	(void)state;
	test_int("sites", test_every_allocation(worker_make, NULL), 2);
	rsab_worker_free(NULL);
}

/*
 * A run in the steady state takes nothing from our malloc.
 */
static void
run_allocates_nothing(void **state)
{
	struct rsab_job job = job_new(rsa, RSAB_OP_SIGN);

	(void)state;
	failmalloc_from(1);
	run_one(&job);
	test_int("sign", job.result, RSAB_OK);
	job.op = RSAB_OP_VERIFY;
	run_one(&job);
	test_int("verify", job.result, RSAB_OK);
	test_int("allocations", failmalloc_count(), 0);
	failmalloc_off();
}

static int
setup(void **state)
{
	uint8_t *octets;
	size_t n;

	(void)state;
	if (rsab_backend_find("libcrypto", &backend) != 0 ||
	    rsab_worker_new(&worker) != 0)
		return 1;
	rsa = load("rsa1024.pem");
	rsa2 = load("rsa2048.pem");
	ed25519 = load("ed25519.pem");
	if (rsab_key_print_public(rsa, &octets, &n) != 0 ||
	    rsab_key_load_public(backend, RSAB_RSA, octets, n, &public) != 0)
		return 1;
	free(octets);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rsab_key_unref(rsa);
	rsab_key_unref(rsa2);
	rsab_key_unref(ed25519);
	rsab_key_unref(public);
	rsab_worker_free(worker);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backend_find_names),
		cmocka_unit_test(backend_find_pkcs11),
		cmocka_unit_test(backend_find_by_machine),
		cmocka_unit_test(strerror_every_code),
		cmocka_unit_test(run_sign_and_verify),
		cmocka_unit_test(run_verify_lengths_and_octets),
		cmocka_unit_test(run_verify_signature_not_below_n),
		cmocka_unit_test(run_job_that_does_not_fit),
		cmocka_unit_test(run_many_mixed),
		cmocka_unit_test(key_group_classes),
		cmocka_unit_test(run_check_after_signing),
		cmocka_unit_test(run_check_of_a_pass),
		cmocka_unit_test(run_threads_share_keys),
		cmocka_unit_test(worker_new_every_allocation_fails),
		cmocka_unit_test(run_allocates_nothing),
	};

	return cmocka_run_group_tests(tests, setup, teardown) != 0;
}
