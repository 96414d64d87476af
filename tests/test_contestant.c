/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench gives no figure for wrong results: backends that are wrong, lazy
 * or credulous, and references that do not fit.
 */

/* system */
#include <sysexits.h>

/* rooms */
#include "bench/path_key.h"
#include "bench/rsa_contestant.h"

/* this room */
#include "tests/fake_backend.h"

#define BITS	512

static struct reference *reference;

static int
set_up(void **state)
{
	(void)state;
	fake_init();
	return reference_make(BITS, 7, &reference);
}

static int
tear_down(void **state)
{
	(void)state;
	reference_free(reference);
	return 0;
}

/* Signed once more, by the backend: the same octets, over other messages. */
static void
reference_make_signs(void **state)
{
	struct rsa_contestant c;
	struct reference *other;

	(void)state;
	test_int("bits", reference->bits, BITS);
	test_int("octets", reference->size, BITS / 8);
	test_int("libcrypto agrees", rsa_contestant_init(&c,
	    &backend_libcrypto, reference, RSAB_OP_SIGN, 1, 1), 0);
	rsa_contestant_clear(&c);
	test_true("messages differ", memcmp(reference->digest[0],
	    reference->digest[1], RSAB_DIGEST_MAX) != 0);
	test_int("the same seed", reference_make(BITS, 7, &other), 0);
	test_octets("gives the same messages", other->digest,
	    sizeof other->digest, reference->digest,
	    sizeof reference->digest);
	test_true("by another key", memcmp(other->signature[0],
	    reference->signature[0], other->size) != 0);
	reference_free(other);
}

static void
reference_corrupt_one_bit(void **state)
{
	uint8_t zero[64], other[64];

	(void)state;
	for (size_t i = 0; i < REFERENCE_MESSAGES; i++) {
		unsigned ones = 0;

		memset(zero, 0, sizeof zero);
		reference_corrupt(zero, sizeof zero, i);
		for (size_t k = 0; k < sizeof zero; k++)
			for (unsigned bit = zero[k]; bit != 0; bit >>= 1)
				ones += bit & 1;
		test_int("bits", ones, 1);
		memset(other, 0, sizeof other);
		reference_corrupt(other, sizeof other, i + 1);
		test_true("another one", memcmp(zero, other, 64) != 0);
	}
	reference_corrupt(zero, sizeof zero, 31);
	for (size_t k = 0; k < sizeof zero; k++)
		test_int("twice is none", zero[k], 0);
}

static void
contestant_ring_of_full_batches(void **state)
{
	static const unsigned want[][2] = { { 1, 32 }, { 3, 30 }, { 8, 32 },
	    { 17, 17 }, { 32, 32 } };
	struct rsa_contestant c;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(want); i++) {
		test_int("init", rsa_contestant_init(&c, &backend_libcrypto,
		    reference, RSAB_OP_VERIFY, want[i][0], 1), 0);
		test_int("jobs", c.in_ring, want[i][1]);
		/* once more round than there are batches, and on */
		test_int("run", rsa_contestant_run(&c, 0, 2 * want[i][1] /
		    want[i][0] + 1), 0);
		test_true("at a batch", c.seat[0].at % want[i][0] == 0 &&
		    c.seat[0].at + want[i][0] <= c.in_ring);
		rsa_contestant_clear(&c);
	}
}

static void
contestant_wrong_signatures(void **state)
{
	static const struct {
		const char	*name;
		enum habit	 habit;
		int		 want;
	} rows[] = {
		{ "honest", HONEST, 0 },
		{ "lazy: the last round's octets are no result", LAZY,
		    EX_SOFTWARE },
		{ "wrong", WRONG, EX_SOFTWARE },
		{ "short", SHORT, EX_SOFTWARE },
		{ "failing", FAILING, EX_SOFTWARE },
	};
	struct rsa_contestant c;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		habit = HONEST;
		test_int("begins well", rsa_contestant_init(&c, &fake,
		    reference, RSAB_OP_SIGN, 4, 1), 0);
		habit = rows[i].habit;
		test_int(rows[i].name, rsa_contestant_run(&c, 0, 3),
		    rows[i].want);
		rsa_contestant_clear(&c);
	}
}

static void
contestant_verify_failing(void **state)
{
	struct rsa_contestant c;

	(void)state;
	habit = HONEST;
	test_int("begins well", rsa_contestant_init(&c, &fake, reference,
	    RSAB_OP_VERIFY, 4, 1), 0);
	c.seat[0].job[5].signature[3] ^= 1;
	test_int("the first batch is right", rsa_contestant_run(&c, 0, 1), 0);
	test_int("the second is not", rsa_contestant_run(&c, 0, 1),
	    EX_SOFTWARE);
	rsa_contestant_clear(&c);
}

static void
contestant_control_of_credulous(void **state)
{
	struct rsa_contestant c;

	(void)state;
	habit = LAZY;
	test_int("all signatures verify", rsa_contestant_init(&c, &fake,
	    reference, RSAB_OP_VERIFY, 4, 1), EX_SOFTWARE);
	test_true("nothing is left", c.key == NULL && c.seat == NULL);
}

static void
path_key_every_operation(void **state)
{
	static const struct path *const paths[] = { &scalar_portable,
	    &lanes_emulated };
	static struct path_key key;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(paths); i++) {
		test_int("init", path_key_init(&key, paths[i], reference), 0);
		test_int("sign", path_key_sign(&key, 0, 40), 0);
		test_int("verify", path_key_verify(&key, 0, 40), 0);
		test_int("control", path_key_control(&key), 0);
		path_key_clear(&key);
	}
}

static void
path_key_wrong(void **state)
{
	static struct path_key key;
	static struct reference other;

	(void)state;
	other = *reference;
	test_int("init", path_key_init(&key, &scalar_portable, &other), 0);
	other.signature[2][5] ^= 1;
	test_int("two are right", path_key_sign(&key, 0, 2), 0);
	test_int("the third is not", path_key_sign(&key, 0, 1), EX_SOFTWARE);
	key.at = 0;
	test_int("two verify", path_key_verify(&key, 0, 2), 0);
	test_int("the third does not", path_key_verify(&key, 0, 1),
	    EX_SOFTWARE);
	/* a reference that is wrong just so that the turned bit rights it */
	other.signature[2][5] ^= 1;
	reference_corrupt(other.signature[2], other.size, 2);
	test_int("a corrupted one verifies", path_key_control(&key),
	    EX_SOFTWARE);
	path_key_clear(&key);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_make_signs),
		cmocka_unit_test(reference_corrupt_one_bit),
		cmocka_unit_test(contestant_ring_of_full_batches),
		cmocka_unit_test(contestant_wrong_signatures),
		cmocka_unit_test(contestant_verify_failing),
		cmocka_unit_test(contestant_control_of_credulous),
		cmocka_unit_test(path_key_every_operation),
		cmocka_unit_test(path_key_wrong),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
