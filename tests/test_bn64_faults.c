/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bit turns somewhere in a signature: nothing of it leaves, it is counted,
 * and the signature is made once more. And what would leave without the
 * check: a prime.
 */

/* libcrypto */
#include <openssl/bn.h>

/* rsa-backend */
#include "rsa-backend/bn/rsasign.h"
#include "rsa-backend/pkcs1.h"
#include "rsa-backend/selftest.h"

/* this room */
#include "tests/bn64_made.h"
#include "tests/bn64_faulty.h"

#define JOBS	4

static struct rsab_worker *worker;
static const struct rsab_backend *libcrypto;

/* A backend with a faulty path, and one key of it. */
struct faulty {
	struct bn64	 bn64;
	struct path	 path;
	struct rsab_key	*key, *reference;
};

static void
faulty_open(struct faulty *faulty, const struct bn64 *bn64,
    const struct path *base, const char *file)
{
	faulty->bn64 = *bn64;
	faulty->path = faulty_path(base);
	if (bn64->lanes != NULL)
		faulty->bn64.lanes = &faulty->path;
	else
		faulty->bn64.scalar = &faulty->path;
	faulty->key = made_load(&faulty->bn64.backend, file);
	faulty->reference = made_load(libcrypto, file);
}

static void
faulty_close(struct faulty *faulty)
{
	faulty_at = FAULTY_NONE;
	rsab_key_unref(faulty->key);
	rsab_key_unref(faulty->reference);
}

/*
 * The number of a key that a point is about; NULL: it is none at rest.
 */
static const void *
at_rest(const struct rsab_key *key, enum faulty_point point)
{
	const struct bn64_key *own = key->own;
	const struct rsakey_private *private = bn64key_private(key);

	switch (point) {
	case FAULTY_DP:
		return private->p.d;
	case FAULTY_DQ:
		return private->q.d;
	case FAULTY_P:
		return private->p.modulus.m;
	case FAULTY_Q_PRIME:
		return private->q.modulus.m;
	case FAULTY_QINV:
		return private->qinv;
	case FAULTY_R2_P:
		return private->p.modulus.rr;
	case FAULTY_R3_Q:
		return private->q.r3;
	case FAULTY_R2_N:
		return own->lanes.path == NULL ? own->scalar.modulus.rr :
		    own->lanes.modulus.rr;
	case FAULTY_N:
		return private->public->modulus.m;
	default:
		return NULL;
	}
}

/*
 * Let it happen, or, a second time, take it back.
 */
static void
strike(struct faulty *faulty, enum faulty_point point, bool on)
{
	const void *number = at_rest(faulty->key, point);

	if (number != NULL)
		faulty_turn(number);
	else
		faulty_at = on ? point : FAULTY_NONE;
}

/*
 * A point between operations meets one request, any other all of the key's.
 */
static bool
meets_all(enum faulty_point point)
{
	return point >= FAULTY_DP;
}

static void
run_jobs(struct faulty *faulty, struct rsab_job *jobs, unsigned first)
{
	struct rsab_job *pointers[JOBS];

	for (size_t i = 0; i < JOBS; i++) {
		jobs[i] = made_job(faulty->key, RSAB_OP_SIGN,
		    first + (unsigned)i);
		pointers[i] = &jobs[i];
	}
	rsab_run(worker, pointers, JOBS);
}

static void
check_wiped(const char *name, const struct rsab_job *job)
{
	test_int(name, job->result, RSAB_ERR_BACKEND);
	test_int(name, job->signature_len, 0);
	for (size_t k = 0; k < sizeof job->signature; k++)
		test_int("wiped", job->signature[k], 0);
}

/*
 * One point: with a second try, then without; and all is well when it is over.
 */
static void
check_point(struct faulty *faulty, enum faulty_point point)
{
	const struct rsab_backend *second = faulty->bn64.backend.second;
	const char *name = faulty_names[point];
	unsigned long before = rsab_worker_faults(worker);
	struct rsab_job jobs[JOBS];
	unsigned hit;

	/* Inside the scalar path, the first half of all is the one that hits */
	faulty_request = point == FAULTY_TABLE || point == FAULTY_DIGIT ? 0 :
	    2;
	strike(faulty, point, true);
	run_jobs(faulty, jobs, 100 * (unsigned)point);
	for (size_t i = 0; i < JOBS; i++) {
		test_int(name, jobs[i].result, RSAB_OK);
		made_compare(name, worker, &jobs[i], faulty->reference);
	}
	hit = meets_all(point) ? JOBS : 1;
	test_int(name, rsab_worker_faults(worker) - before, hit);

	faulty->bn64.backend.second = NULL;
	run_jobs(faulty, jobs, 100 * (unsigned)point + 50);
	for (size_t i = 0; i < JOBS; i++)
		if (meets_all(point) || i == faulty_request)
			check_wiped(name, &jobs[i]);
		else
			made_compare(name, worker, &jobs[i],
			    faulty->reference);
	test_int(name, rsab_worker_faults(worker) - before, 2 * hit);
	faulty->bn64.backend.second = second;

	strike(faulty, point, false);
	run_jobs(faulty, jobs, 7);
	for (size_t i = 0; i < JOBS; i++)
		made_compare(name, worker, &jobs[i], faulty->reference);
	test_int(name, rsab_worker_faults(worker) - before, 2 * hit);
}

/*
 * Products make a pair, too, and square it: a wrong one is a lasting fault of
 * the pair. Without lanes public operations come one by one. So those are not
 * among the others.
 */
static bool
is_single(const struct bn64 *bn64, enum faulty_point point)
{
	return point != FAULTY_NONE && point != FAULTY_PRODUCT &&
	    point != FAULTY_TABLE && point != FAULTY_DIGIT &&
	    (point != FAULTY_POWER || bn64->lanes != NULL);
}

static void
fault_at_every_point(void **state)
{
	(void)state;
	for (size_t i = 0; i < MADE_PATHS; i++) {
		const struct bn64 *bn64 = made_bn64(made_paths[i]);
		struct faulty faulty;

		if (bn64 == NULL)
			continue;
		print_message("%s\n", bn64->backend.name);
		faulty_open(&faulty, bn64, bn64->lanes != NULL ?
		    bn64->lanes : bn64->scalar, "keys/rsa1024.pem");
		for (unsigned k = 0; k < FAULTY_POINTS; k++)
			if (is_single(bn64, (enum faulty_point)k))
				check_point(&faulty, (enum faulty_point)k);
		faulty_close(&faulty);
	}
}

/* Inside an exponentiation: the templates, with a reduction that errs. */
static void
fault_inside_power(void **state)
{
	struct faulty faulty;

	(void)state;
	faulty_open(&faulty, made_bn64("bn64:portable"), &faulty_scalar,
	    "keys/rsa1024.pem");
	/* Scalar jobs of a pass come in turn: the first half errs, once */
	check_point(&faulty, FAULTY_TABLE);
	check_point(&faulty, FAULTY_DIGIT);
	faulty_close(&faulty);
}

/* A blinding that does not cancel out: wrong, counted, mended by libcrypto. */
static void
fault_of_blinding(void **state)
{
	struct faulty faulty;
	struct rsab_job job;
	unsigned long before = rsab_worker_faults(worker);

	(void)state;
	faulty_open(&faulty, made_bn64("bn64:portable"), &scalar_portable,
	    "keys/rsa512.pem");
	faulty_request = 0;
	faulty_at = FAULTY_PRODUCT;
	for (unsigned i = 0; i < 3; i++) {
		job = made_job(faulty.key, RSAB_OP_SIGN, i);
		made_run(worker, &job);
		made_compare("product", worker, &job, faulty.reference);
		test_int("faults", rsab_worker_faults(worker) - before,
		    i + 1);
	}
	faulty_close(&faulty);
}

/*
 * gcd(s^e - em, n): who has one wrong signature and its message has this.
 */
static BIGNUM *
attack(const struct rsab_key *key, const uint8_t *s, const uint8_t *em)
{
	int len = (int)key->rsa.n.n;
	BN_CTX *context = BN_CTX_new();
	BIGNUM *n = BN_bin2bn(key->rsa.n.p, len, NULL);
	BIGNUM *e = BN_bin2bn(key->rsa.e.p, (int)key->rsa.e.n, NULL);
	BIGNUM *x = BN_bin2bn(s, len, NULL), *m = BN_bin2bn(em, len, NULL);

	test_int("BIGNUM", BN_mod_exp(x, x, e, n, context) &&
	    BN_mod_sub(x, x, m, n, context) && BN_gcd(x, x, n, context), 1);
	BN_free(m);
	BN_free(e);
	BN_free(n);
	BN_CTX_free(context);
	return x;
}

/*
 * Sign by rsasign.c alone, which does not check.
 */
static void
sign_unchecked(const struct rsab_key *key, const uint8_t *em, uint8_t *s)
{
	const struct rsakey_private *private = bn64key_private(key);
	const struct path *path = private->public->path;
	const struct rsasign_request request = {
		.key = private, .in = em, .out = s,
	};
	void *scratch = aligned_alloc(RSAKEY_ALIGN, rsakey_align(
	    rsasign_scratch(path, private->n)));

	rsasign_run(&request, 1, scratch);
	free(scratch);
}

/* Why the check: without it each of these gives a prime away. */
static void
unchecked_signature_gives_a_prime(void **state)
{
	static const enum faulty_point points[] = {
		FAULTY_XP, FAULTY_XQ, FAULTY_H, FAULTY_TABLE, FAULTY_DIGIT,
		FAULTY_DP, FAULTY_DQ, FAULTY_QINV, FAULTY_R2_P, FAULTY_R3_Q,
	};
	uint8_t em[RSAB_SIGNATURE_MAX], s[RSAB_SIGNATURE_MAX];
	const struct rsakey_private *private;
	struct faulty faulty;
	BIGNUM *p, *q, *found;
	size_t len;

	(void)state;
	faulty_open(&faulty, made_bn64("bn64:portable"), &faulty_scalar,
	    "keys/rsa1024.pem");
	private = bn64key_private(faulty.key);
	len = faulty.key->rsa.n.n;
	test_int("encode", pkcs1_encode(RSAB_SHA256,
	    (const uint8_t *)"thirty-two octets of any digest.", em, len), 0);
	scalar_portable.to_octets(s, len, private->p.modulus.m, private->n);
	p = BN_bin2bn(s, (int)len, NULL);
	scalar_portable.to_octets(s, len, private->q.modulus.m, private->n);
	q = BN_bin2bn(s, (int)len, NULL);
	faulty_request = 0;
	for (size_t i = 0; i < TEST_COUNT(points); i++) {
		const char *name = faulty_names[points[i]];

		strike(&faulty, points[i], true);
		sign_unchecked(faulty.key, em, s);
		strike(&faulty, points[i], false);
		found = attack(faulty.key, s, em);
		test_true(name, BN_cmp(found, p) == 0 ||
		    BN_cmp(found, q) == 0);
		BN_free(found);
	}
	sign_unchecked(faulty.key, em, s);
	found = attack(faulty.key, s, em);
	test_int("a right one gives n", BN_num_bits(found), 1024);
	BN_free(found);
	BN_free(q);
	BN_free(p);
	faulty_close(&faulty);
}

/* ---- the self-test ---- */

/* Whatever is broken, in whatever class, it says so and names the class. */
static void
selftest_finds_every_fault(void **state)
{
	static const enum faulty_point points[] = {
		FAULTY_X, FAULTY_XP, FAULTY_XQ, FAULTY_H, FAULTY_S,
		FAULTY_PRODUCT, FAULTY_POWER,
	};
	static const unsigned bits[] = { 512, 1024, 2048 };
	const struct bn64 *bn64 = made_bn64("bn64:ifma");
	const struct path *base = bn64 == NULL ? &scalar_portable :
	    bn64->lanes;
	struct path path = faulty_path(base);
	unsigned class;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(points); i++)
		for (size_t k = 0; k < TEST_COUNT(bits); k++) {
			faulty_request = base->lanes == 1 ? 0 : i % 4;
			faulty_class = 2 * base->digits_prime(bits[k] / 2);
			faulty_at = points[i];
			class = 0;
			test_int(faulty_names[points[i]], selftest_path(&path,
			    &class), RSAB_ERR_BACKEND);
			test_int("class", class, bits[k]);
		}
	faulty_at = FAULTY_NONE;
	test_int("none", selftest_path(&path, &class), RSAB_OK);
}

/* What comes next: the next of this machine, in the end libcrypto. */
static void
selftest_names_the_next(void **state)
{
	static const char *const order[] = {
		"bn64:ifma", "bn64:adx", "bn64:portable",
	};
	const struct rsab_backend *want = libcrypto;

	(void)state;
	for (size_t i = TEST_COUNT(order); i-- > 0;) {
		const struct bn64 *bn64 = made_bn64(order[i]);
		const struct rsab_backend *next = NULL;
		struct bn64 broken;
		struct path path;
		unsigned class = 0;

		if (bn64 == NULL)
			continue;
		broken = *bn64;
		path = faulty_path(bn64->scalar);
		broken.scalar = &path;
		faulty_request = 0;
		faulty_at = FAULTY_XP;
		test_int(order[i], rsab_backend_selftest(&broken.backend,
		    &next, &class), RSAB_ERR_BACKEND);
		test_int(order[i], class, 512);
		test_str(order[i], rsab_backend_name(next),
		    rsab_backend_name(want));
		want = &bn64->backend;
	}
	faulty_at = FAULTY_NONE;
}

static bool
selftest_make(void *arg)
{
	unsigned class;
	int r = selftest_path(&scalar_portable, &class);

	(void)arg;
	test_true("RSAB_ERR_NOMEM", r == 0 || r == RSAB_ERR_NOMEM);
	return r == 0;
}

static void
selftest_every_allocation_fails(void **state)
{
	(void)state;
	test_true("sites", test_every_allocation(selftest_make, NULL) >= 10);
}

static int
setup(void **state)
{
	(void)state;
	libcrypto = made_libcrypto();
	return rsab_worker_new(&worker) != 0;
}

static int
teardown(void **state)
{
	(void)state;
	rsab_worker_free(worker);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fault_at_every_point),
		cmocka_unit_test(fault_inside_power),
		cmocka_unit_test(fault_of_blinding),
		cmocka_unit_test(unchecked_signature_gives_a_prime),
		cmocka_unit_test(selftest_finds_every_fault),
		cmocka_unit_test(selftest_names_the_next),
		cmocka_unit_test(selftest_every_allocation_fails),
	};

	return cmocka_run_group_tests(tests, setup, teardown) != 0;
}
