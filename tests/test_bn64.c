/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backends bn64, each path that this machine has: signatures are those of
 * libcrypto, octet by octet, for every shape of key and any mixture of jobs.
 */

/* system */
#include <pthread.h>

/* this room */
#include "tests/bn64_made.h"

#define THREADS	4
#define ROUNDS	40

static struct rsab_worker *worker;
static const struct rsab_backend *libcrypto;
static struct rsab_key *references[MADE_KEYS];

/*
 * The emulated lanes take a hundred times as long: large keys sign once, in
 * no more than one fill of the lanes.
 */
static bool
is_slow(const struct bn64 *bn64, const struct made_key *row)
{
	return bn64->lanes == &lanes_emulated && row->bits > 1024;
}

static void
sign_count(const char *name, struct rsab_key *key, struct rsab_key *reference,
    size_t n, unsigned first)
{
	struct rsab_job jobs[RSAB_PASS_MAX], *pointers[RSAB_PASS_MAX];

	for (size_t i = 0; i < n; i++) {
		jobs[i] = made_job(key, RSAB_OP_SIGN, first + (unsigned)i);
		pointers[i] = &jobs[i];
	}
	rsab_run(worker, pointers, n);
	for (size_t i = 0; i < n; i++) {
		test_int(name, jobs[i].result, RSAB_OK);
		made_compare(name, worker, &jobs[i], reference);
		jobs[i].op = RSAB_OP_VERIFY;
	}
	rsab_run(worker, pointers, n);
	for (size_t i = 0; i < n; i++)
		test_int(name, jobs[i].result, RSAB_OK);
}

/* Every key, with every number of jobs. */
static void
sign_as_libcrypto(const struct bn64 *bn64)
{
	unsigned long faults = rsab_worker_faults(worker);

	for (size_t i = 0; i < MADE_KEYS; i++) {
		const struct made_key *row = &made_keys[i];
		struct rsab_key *key = made_load(&bn64->backend, row->file);
		size_t most = is_slow(bn64, row) || row->bits > 4096 ? 1 :
		    RSAB_PASS_MAX;

		test_int(row->file, rsab_key_bits(key), row->bits);
		for (size_t n = 1; n <= most; n++)
			sign_count(row->file, key, references[i], n,
			    (unsigned)(100 * i + 10 * n));
		rsab_key_unref(key);
	}
	test_int("faults", rsab_worker_faults(worker) - faults, 0);
}

/* What runs, as benches print it; and what libcrypto gets. */
static void
key_path_by_shape(const struct bn64 *bn64)
{
	const char *scalar = bn64->scalar->name;
	const char *lanes = bn64->lanes == NULL ? scalar : bn64->lanes->name;

	for (size_t i = 0; i < MADE_KEYS; i++) {
		const struct made_key *row = &made_keys[i];
		struct rsab_key *key, *public;
		bool has_lanes = row->way == MADE_LANES;
		const char *one;

		if (row->bits > 2048 && row->bits != 8192)
			continue;
		key = made_load(&bn64->backend, row->file);
		public = made_public(&bn64->backend, key);
		one = row->way == MADE_LIBCRYPTO ? "evp" :
		    has_lanes ? lanes : scalar;
		test_str(row->file, rsab_key_path(key, RSAB_OP_SIGN, 1), one);
		test_str(row->file, rsab_key_path(key, RSAB_OP_SIGN, 8), one);
		test_str(row->file, rsab_key_path(key, RSAB_OP_VERIFY, 8),
		    one);
		test_str(row->file, rsab_key_path(key, RSAB_OP_VERIFY, 1),
		    row->way == MADE_LIBCRYPTO ? "evp" : scalar);
		test_str(row->file, rsab_backend_name(rsab_key_backend(key)),
		    row->way == MADE_LIBCRYPTO ? "libcrypto" :
		    bn64->backend.name);
		/* A public key does not show its primes. */
		test_str(row->file, rsab_key_path(public, RSAB_OP_VERIFY, 2),
		    row->bits > 4096 ? scalar : lanes);
		test_str(row->file, rsab_key_path(public, RSAB_OP_VERIFY, 1),
		    scalar);
		rsab_key_unref(public);
		rsab_key_unref(key);
	}
}

/* DESIGN.md: 4 signatures or 8 verifications fill the lanes; by class. */
static void
key_group_by_class(const struct bn64 *bn64)
{
	static const struct {
		const char	*file;
		unsigned	 sign, verify;	/* digits of the modulus */
	} rows[] = {
		{ "keys/rsa512.pem", 10, 10 },
		{ "keys-bn64/258+258.pem", 10, 10 },
		{ "keys/rsa1024.pem", 20, 20 },
		{ "keys-bn64/518+518.pem", 20, 20 },
		{ "keys-bn64/519+518.pem", 40, 20 },
		{ "keys/rsa1148.pem", 40, 40 },
		{ "keys/rsa2048.pem", 40, 40 },
		{ "keys/unequal.pem", 0, 20 },
		{ "keys-bn64/bits8192.pem", 0, 0 },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct rsab_key *key = made_load(&bn64->backend, rows[i].file);
		struct rsab_key *public = made_public(&bn64->backend, key);
		unsigned signs = bn64->lanes == NULL ? 0 : rows[i].sign;
		unsigned verifies = bn64->lanes == NULL ? 0 : rows[i].verify;
		struct rsab_group sign = rsab_key_group(key, RSAB_OP_SIGN);
		struct rsab_group verify = rsab_key_group(public,
		    RSAB_OP_VERIFY);
		struct rsab_group other = libcrypto->group(references[0],
		    RSAB_OP_SIGN);

		test_int(rows[i].file, sign.batch, signs == 0 ? 1 : 4);
		test_int(rows[i].file, verify.batch, verifies == 0 ? 1 : 8);
		test_int(rows[i].file, sign.id & 0xff, signs);
		test_int(rows[i].file, verify.id & 0xff, verifies);
		test_true("operations", sign.id >> 8 != verify.id >> 8);
		test_true("not libcrypto's", sign.id >> 16 != other.id >> 16);
		rsab_key_unref(public);
		rsab_key_unref(key);
	}
}

/* All shapes at once, in every order of passes; some fail. */
static void
run_mixed(const struct bn64 *bn64)
{
	static struct rsab_job jobs[3 * MADE_KEYS];
	struct rsab_job *pointers[3 * MADE_KEYS];
	struct rsab_key *keys[MADE_KEYS];
	unsigned long faults = rsab_worker_faults(worker);
	size_t n = 0;

	for (size_t i = 0; i < MADE_KEYS; i++)
		keys[i] = is_slow(bn64, &made_keys[i]) ||
		    made_keys[i].bits > 4096 ? NULL :
		    made_load(&bn64->backend, made_keys[i].file);
	for (size_t i = 0; i < 3 * MADE_KEYS; i++) {
		size_t k = i * 7 % MADE_KEYS;

		if (keys[k] == NULL)
			continue;
		jobs[n] = made_job(keys[k], RSAB_OP_SIGN, (unsigned)i);
		if (i % 11 == 3)
			jobs[n].hash = RSAB_SHA1;	/* not for signing */
		pointers[n] = &jobs[n];
		n++;
	}
	rsab_run(worker, pointers, n);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (jobs[i].key != keys[k])
			k++;
		if (jobs[i].hash == RSAB_SHA1) {
			test_int("refused", jobs[i].result,
			    RSAB_ERR_ARGUMENT);
			test_int("nothing", jobs[i].signature_len, 0);
			jobs[i].hash = RSAB_SHA256;
			made_run(worker, &jobs[i]);
		}
		test_int(made_keys[k].file, jobs[i].result, RSAB_OK);
		made_compare(made_keys[k].file, worker, &jobs[i],
		    references[k]);
		/* Every second signs again among those that verify. */
		if (i % 2 == 0)
			jobs[i].op = RSAB_OP_VERIFY;
		if (i % 6 == 2)
			jobs[i].digest[3] ^= 1;
	}
	rsab_run(worker, pointers, n);
	for (size_t i = 0; i < n; i++)
		test_int("again", jobs[i].result, i % 6 == 2 ?
		    RSAB_ERR_SIGNATURE : RSAB_OK);
	/* The second try would have mended a wrong one. */
	test_int("faults", rsab_worker_faults(worker) - faults, 0);
	for (size_t i = 0; i < MADE_KEYS; i++)
		rsab_key_unref(keys[i]);
}

/* Each place of a full pass once fails; all others stay what they are. */
static void
run_one_wrong_of_many(const struct bn64 *bn64)
{
	struct rsab_key *key = made_load(&bn64->backend, "keys/rsa1024.pem");
	struct rsab_key *public = made_public(&bn64->backend, key);
	struct rsab_job jobs[RSAB_PASS_MAX], *pointers[RSAB_PASS_MAX];

	for (size_t bad = 0; bad < RSAB_PASS_MAX; bad++) {
		for (size_t i = 0; i < RSAB_PASS_MAX; i++) {
			jobs[i] = made_job(i == bad ? public : key,
			    RSAB_OP_SIGN, (unsigned)(bad * 8 + i));
			pointers[i] = &jobs[i];
		}
		rsab_run(worker, pointers, RSAB_PASS_MAX);
		for (size_t i = 0; i < RSAB_PASS_MAX; i++) {
			test_int("sign", jobs[i].result, i == bad ?
			    RSAB_ERR_ARGUMENT : RSAB_OK);
			if (i != bad)
				made_compare("sign", worker, &jobs[i],
				    references[3]);
			jobs[i].op = RSAB_OP_VERIFY;
			jobs[i].key = public;
		}
		jobs[bad] = jobs[(bad + 1) % RSAB_PASS_MAX];
		jobs[bad].signature[bad * 16] ^= 0x40;
		rsab_run(worker, pointers, RSAB_PASS_MAX);
		for (size_t i = 0; i < RSAB_PASS_MAX; i++)
			test_int("verify", jobs[i].result, i == bad ?
			    RSAB_ERR_SIGNATURE : RSAB_OK);
	}
	rsab_key_unref(public);
	rsab_key_unref(key);
}

/*
 * z = a + b, numbers of n octets.
 *   returns  the carry out
 */
static unsigned
add(uint8_t *z, const uint8_t *a, const uint8_t *b, size_t n)
{
	unsigned carry = 0;

	while (n-- > 0) {
		carry += (unsigned)a[n] + b[n];
		z[n] = (uint8_t)carry;
		carry >>= 8;
	}
	return carry;
}

/*
 * What is not a signature at all, alone and in a pass beside good ones:
 * RFC 8017 s5.2.2 step 1, s8.2.2 step 1.
 */
static void
run_verify_not_below_n(const struct bn64 *bn64)
{
	static const char *const names[] = {
		"good", "s + n", "n", "n + 1", "all ones", "n - 1", "0", "1",
		"short", "long", "none",
	};
	struct rsab_key *key = made_load(&bn64->backend, "keys/rsa2047.pem");
	struct rsab_job good = made_job(key, RSAB_OP_SIGN, 5);
	const uint8_t *n = key->rsa.n.p;
	size_t len = key->rsa.n.n;
	uint8_t one[256] = { [255] = 1 };

	made_run(worker, &good);
	test_int("sign", good.result, RSAB_OK);
	good.op = RSAB_OP_VERIFY;
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct rsab_job beside = good, job = good;
		struct rsab_job *const pair[] = { &beside, &job };
		uint8_t *s = job.signature;

		if (i == 1)
			test_int("fits", add(s, s, n, len), 0);
		else if (i >= 2 && i <= 5)
			memcpy(s, n, len);
		if (i == 3)
			test_int("fits", add(s, n, one, len), 0);
		else if (i == 4)
			memset(s, 0xff, len);
		else if (i == 5)
			s[len - 1]--;
		else if (i == 6 || i == 7)
			memset(s, 0, len);
		if (i == 7)
			s[len - 1] = 1;
		job.signature_len = i == 8 ? len - 1 : i == 9 ? len + 1 :
		    i == 10 ? 0 : len;
		made_run(worker, &job);
		test_int(names[i], job.result, i == 0 ? RSAB_OK :
		    RSAB_ERR_SIGNATURE);
		rsab_run(worker, pair, 2);
		test_int(names[i], job.result, i == 0 ? RSAB_OK :
		    RSAB_ERR_SIGNATURE);
		test_int("beside", beside.result, RSAB_OK);
	}
	rsab_key_unref(key);
}

/* Lanes filled: of signatures, by how many were in a pass. */
static void
worker_passes_counts(const struct bn64 *bn64)
{
	static const size_t sizes[] = { 1, 1, 4, 8, 11 };
	static const unsigned long want[RSAB_PASS_MAX] = {
		2, 0, 1, 1, 0, 0, 0, 2,
	};
	struct rsab_key *key = made_load(&bn64->backend, "keys/rsa512.pem");
	struct rsab_job jobs[11], *pointers[11];
	unsigned long got[RSAB_PASS_MAX];
	struct rsab_worker *own;

	test_int("worker", rsab_worker_new(&own), 0);
	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		for (size_t k = 0; k < sizes[i]; k++) {
			jobs[k] = made_job(key, RSAB_OP_SIGN, (unsigned)k);
			pointers[k] = &jobs[k];
		}
		rsab_run(own, pointers, sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			jobs[k].op = RSAB_OP_VERIFY;
		rsab_run(own, pointers, sizes[i]);
	}
	rsab_worker_passes(own, got);
	for (size_t i = 0; i < RSAB_PASS_MAX; i++)
		test_int("passes", got[i], want[i]);
	rsab_worker_free(own);
	rsab_key_unref(key);
}

/* PEM of a key that libcrypto never saw as an object. */
static void
print_private_and_load_again(const struct bn64 *bn64)
{
	static const char *const files[] = {
		"keys/rsa1024.pem", "keys/reversed.pem", "keys/unequal.pem",
	};

	for (size_t i = 0; i < TEST_COUNT(files); i++) {
		struct rsab_key *key = made_load(&bn64->backend, files[i]);
		struct rsab_key *want = made_load(libcrypto, files[i]);
		struct rsab_key *public = made_public(&bn64->backend, key);
		char *text, *want_text;
		size_t n, want_n;

		test_int(files[i], rsab_key_print_private(key, &text, &n), 0);
		test_int(files[i], rsab_key_print_private(want, &want_text,
		    &want_n), 0);
		test_octets(files[i], text, n, want_text, want_n);
		rsab_wipe_free(text, n);
		rsab_wipe_free(want_text, want_n);
		test_int("public", rsab_key_print_private(public, &text, &n),
		    RSAB_ERR_ARGUMENT);
		rsab_key_unref(public);
		rsab_key_unref(want);
		rsab_key_unref(key);
	}
}

/* ---- threads ---- */

struct crowd {
	struct rsab_key	*keys[3], *references[3];
};

static void *
crowd_run(void *arg)
{
	const struct crowd *crowd = arg;
	struct rsab_worker *own;
	size_t wrong = 0;

	if (rsab_worker_new(&own) != 0)
		return arg;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct rsab_key *key = rsab_key_ref(crowd->keys[i % 3]);
		struct rsab_job job = made_job(key, RSAB_OP_SIGN, i);
		struct rsab_job copy = job;
		struct rsab_job *const pair[] = { &job, &copy };

		rsab_run(own, pair, 2);
		wrong += job.result != 0 || copy.result != 0;
		copy.key = crowd->references[i % 3];
		copy.op = job.op = RSAB_OP_VERIFY;
		rsab_run(own, pair, 2);
		wrong += job.result != 0 || copy.result != 0;
		rsab_key_unref(key);
	}
	rsab_worker_free(own);
	return wrong == 0 ? NULL : arg;
}

static void
run_threads_share_keys(const struct bn64 *bn64)
{
	static const size_t rows[] = { 0, 3, 11 };	/* of made_keys */
	pthread_t threads[THREADS];
	struct crowd crowd;

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		crowd.keys[i] = made_load(&bn64->backend,
		    made_keys[rows[i]].file);
		crowd.references[i] = references[rows[i]];
	}
	for (size_t i = 0; i < THREADS; i++)
		test_int("create", pthread_create(&threads[i], NULL,
		    crowd_run, &crowd), 0);
	for (size_t i = 0; i < THREADS; i++) {
		void *result;

		test_int("join", pthread_join(threads[i], &result), 0);
		test_true("all of its jobs", result == NULL);
	}
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		rsab_key_unref(crowd.keys[i]);
}

/*
 * A known answer in each path, and what comes after a path that has none.
 */
static void
selftest_passes(const struct bn64 *bn64)
{
	const struct rsab_backend *next = NULL;
	unsigned class = 0;

	test_int(bn64->backend.name, rsab_backend_selftest(&bn64->backend,
	    &next, &class), RSAB_OK);
	test_int("libcrypto", rsab_backend_selftest(libcrypto, &next, &class),
	    RSAB_OK);
	test_true("no next", next == NULL && class == 0);
}

/* ---- each test with each path ---- */

static void
each_path(void (*test)(const struct bn64 *bn64))
{
	for (size_t i = 0; i < MADE_PATHS; i++) {
		const struct bn64 *bn64 = made_bn64(made_paths[i]);

		if (bn64 == NULL)
			continue;
		print_message("%s\n", bn64->backend.name);
		test(bn64);
	}
}

#define EACH_PATH(test) \
	static void \
	test##_each_path(void **state) \
	{ \
		(void)state; \
		each_path(test); \
	}

EACH_PATH(sign_as_libcrypto)
EACH_PATH(key_path_by_shape)
EACH_PATH(key_group_by_class)
EACH_PATH(run_mixed)
EACH_PATH(run_one_wrong_of_many)
EACH_PATH(run_verify_not_below_n)
EACH_PATH(worker_passes_counts)
EACH_PATH(print_private_and_load_again)
EACH_PATH(run_threads_share_keys)
EACH_PATH(selftest_passes)

static int
setup(void **state)
{
	(void)state;
	libcrypto = made_libcrypto();
	for (size_t i = 0; i < MADE_KEYS; i++)
		references[i] = made_load(libcrypto, made_keys[i].file);
	return rsab_worker_new(&worker) != 0;
}

static int
teardown(void **state)
{
	(void)state;
	rsab_worker_free(worker);
	for (size_t i = 0; i < MADE_KEYS; i++)
		rsab_key_unref(references[i]);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sign_as_libcrypto_each_path),
		cmocka_unit_test(key_path_by_shape_each_path),
		cmocka_unit_test(key_group_by_class_each_path),
		cmocka_unit_test(run_mixed_each_path),
		cmocka_unit_test(run_one_wrong_of_many_each_path),
		cmocka_unit_test(run_verify_not_below_n_each_path),
		cmocka_unit_test(worker_passes_counts_each_path),
		cmocka_unit_test(print_private_and_load_again_each_path),
		cmocka_unit_test(run_threads_share_keys_each_path),
		cmocka_unit_test(selftest_passes_each_path),
	};

	return cmocka_run_group_tests(tests, setup, teardown) != 0;
}
