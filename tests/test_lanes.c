/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The eight-lane paths against libcrypto's BIGNUM: every class, random and
 * structured operands, every fill, lanes that have nothing to do with each
 * other, and nothing touched or left behind that should not be.
 */

/* this room */
#include "tests/lanes_oracle.h"

static const unsigned prime_classes[] = { 5, 10, 20, 30, 40 };
static const unsigned modulus_classes[] = { 10, 20, 40, 60, 80 };

static void
digits_of_the_classes(void)
{
	const struct path *path = oracle.path;

	for (size_t i = 0; i < 5; i++) {
		const unsigned p = prime_classes[i], m = modulus_classes[i];
		const unsigned next_p = i < 4 ? prime_classes[i + 1] : 0;
		const unsigned next_m = i < 4 ? modulus_classes[i + 1] : 0;

		test_int("prime fits", path->digits_prime(52 * p - 2), p);
		test_int("prime is long", path->digits_prime(52 * p - 1),
		    next_p);
		test_int("modulus fits", path->digits_modulus(52 * m - 2), m);
		test_int("modulus is long", path->digits_modulus(52 * m - 1),
		    next_m);
	}
	test_int("4096 bits", path->digits_modulus(4096), 80);
	test_int("absurd", path->digits_prime(0x7fffffff), 0);
	test_int("width", path->width, WIDTH);
	test_int("lanes", path->lanes, PATH_LANES);
}

static void
octets_to_digits_and_back(void)
{
	for (unsigned bits = 1; bits < 700; bits += bits < 120 ? 1 : 19)
		for (size_t len = (bits + 7) / 8; len < 100; len += 5) {
			const unsigned n = (bits + WIDTH - 1) / WIDTH;
			BIGNUM *x = oracle_odd(bits, bits);
			uint8_t *in = oracle_place(len);
			uint8_t *out = oracle_place(len);
			uint64_t *z = oracle_number(n);

			test_int("padded", BN_bn2binpad(x, in, (int)len), len);
			oracle.path->from_octets(z, n, in, len);
			oracle_want("from octets", bits, z, x, n);
			oracle.path->to_octets(out, len, z, n);
			test_octets("to octets", out, len, in, len);
			oracle_end();
			oracle_start(oracle.path);
		}
}

/* More digits than octets, and none of them: zeros. */
static void
octets_shorter_than_digits(void)
{
	static const uint8_t in[] = { 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54,
	    0x32, 0x10 };
	uint64_t z[3] = { 7, 7, 7 };
	uint8_t out[10];

	oracle.path->from_octets(z, 2, in, sizeof(in));
	assert_true(z[0] == 0xcba9876543210 && z[1] == 0xfed && z[2] == 7);
	oracle.path->to_octets(out, sizeof(out), z, 2);
	test_octets("zeros above", out, 10,
	    "\0\0\xfe\xdc\xba\x98\x76\x54\x32\x10", 10);
	oracle.path->from_octets(z, 3, in, 0);
	assert_true(z[0] == 0 && z[1] == 0 && z[2] == 0);
}

static void
products(unsigned n, unsigned bits, unsigned kind)
{
	const struct path *path = oracle.path;
	struct oracle_modulus f[PATH_LANES];
	struct path_product product[PATH_LANES];
	const BIGNUM *want[PATH_LANES];

	for (unsigned i = 0; i < PATH_LANES; i++) {
		BIGNUM *a, *b;

		oracle_modulus(&f[i], oracle_odd(bits - i, kind + i), NULL, n);
		a = oracle_below(f[i].m, kind * 5 + i);
		b = oracle_below(f[i].m, kind * 7 + i / 2);
		want[i] = oracle_product(a, b, &f[i]);
		product[i].modulus = &f[i].modulus;
		product[i].a = oracle_put(a, n);
		product[i].b = oracle_put(b, n);
		product[i].z = oracle_number(n);
	}
	path->product(n, product, PATH_LANES,
	    oracle_place(path->scratch_public(n)));
	for (unsigned i = 0; i < PATH_LANES; i++)
		oracle_want("product", i, product[i].z, want[i], n);
}

static void
product_of_every_class(void)
{
	for (size_t i = 0; i < 5; i++)
		for (unsigned kind = 0; kind < 12; kind++) {
			const unsigned n = modulus_classes[i];

			products(n, 52 * n - (kind % 2 == 0 ? 2 : 30), kind);
			oracle_end();
			oracle_start(oracle.path);
		}
}

static void
powers_public(unsigned n, unsigned kind, const uint64_t *e, unsigned count)
{
	const struct path *path = oracle.path;
	struct oracle_modulus f[PATH_LANES];
	struct path_power power[PATH_LANES];
	const BIGNUM *want[PATH_LANES];

	for (unsigned i = 0; i < count; i++) {
		BIGNUM *x;

		oracle_modulus(&f[i], oracle_odd(52 * n - 2 - i, kind + i),
		    NULL, n);
		x = oracle_below(f[i].m, kind * 5 + i);
		want[i] = oracle_exp(x, oracle_word(e[i]), f[i].m);
		power[i].modulus = &f[i].modulus;
		power[i].e = e[i];
		power[i].x = oracle_put(x, n);
		/* In place, every other one. */
		power[i].z = i % 2 == 0 ? oracle_number(n) :
		    (void *)(uintptr_t)power[i].x;
	}
	path->power_public(n, power, count,
	    oracle_place(path->scratch_public(n)));
	for (unsigned i = 0; i < count; i++)
		oracle_want("public", i, power[i].z, want[i], n);
}

static void
power_public_of_every_class(void)
{
	static const uint64_t usual[] = { 65537, 65537, 65537, 65537, 65537,
	    65537, 65537, 65537 };
	static const uint64_t each[] = { 65537, 3, 17, 257, 5,
	    (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 63) + 29, UINT64_MAX };

	for (size_t i = 0; i < 5; i++)
		for (unsigned kind = 0; kind < 3; kind++) {
			powers_public(modulus_classes[i], kind, usual, 8);
			powers_public(modulus_classes[i], kind, each, 8);
			oracle_end();
			oracle_start(oracle.path);
		}
}

static void
power_public_of_every_fill(void)
{
	static const uint64_t e[] = { 3, 65537, 5, 7, 9, 4097, 127, 3 };

	for (unsigned count = 1; count <= PATH_LANES; count++)
		powers_public(10, count, e, count);
}

static void
power_private_of_every_class(void)
{
	for (size_t i = 0; i < 5; i++)
		for (unsigned kind = 0; kind < (i < 3 ? 6U : 2U); kind++) {
			struct oracle_pass pass = { .n = prime_classes[i] };

			/* The usual size of a prime, and the longest. */
			pass.bits = kind % 2 == 0 ? (i == 4 ? 2048 :
			    (unsigned)(256 << i) - (i == 3 ? 512 : 0)) :
			    52 * pass.n - 2;
			while (pass.count < PATH_LANES) {
				const unsigned j = (unsigned)pass.count;
				BIGNUM *m = oracle_odd(pass.bits - j / 2,
				    kind + j);

				oracle_add(&pass, m,
				    oracle_below(m, kind * 5 + j),
				    oracle_digits(pass.n * WIDTH +
				    (unsigned)BN_num_bits(m) - 1, kind + j));
			}
			oracle_run("private", &pass);
			oracle_end();
			oracle_start(oracle.path);
		}
}

static void
power_private_fill(unsigned n, unsigned bits, size_t count)
{
	struct oracle_pass pass = { .n = n, .bits = bits };

	while (pass.count < count) {
		BIGNUM *m = oracle_odd(bits - (unsigned)pass.count, 0);

		oracle_add(&pass, m, oracle_below(m, 0), oracle_below(m, 0));
	}
	oracle_run("fill", &pass);
	oracle_end();
	oracle_start(oracle.path);
}

static void
power_private_of_every_fill(void)
{
	for (size_t count = 1; count <= PATH_HALVES; count++) {
		power_private_fill(5, 256, count);
		power_private_fill(10, 512, count);
		power_private_fill(20, 600, count);
	}
}

/* What is not below its modulus, and moduli that are none, stay in a lane. */
static void
bad_lane_changes_no_other(void)
{
	for (unsigned bad = 0; bad < PATH_HALVES; bad++) {
		struct oracle_pass pass = { .n = 10, .bits = 512 };
		struct oracle_modulus *f = &pass.f[bad];
		const struct path *path = oracle.path;
		uint64_t *garbage = oracle_number(20);

		for (unsigned i = 0; i < 20; i++)
			garbage[i] = UINT64_MAX - 1 - i % 2;
		while (pass.count < PATH_HALVES) {
			BIGNUM *m = oracle_odd(512, 0);

			oracle_add(&pass, m, oracle_below(m, 0),
			    oracle_below(m, 0));
		}
		f->prime.modulus.m = f->prime.modulus.rr = garbage;
		f->prime.r3 = f->prime.d = garbage;
		f->prime.modulus.k0 = 2;
		pass.half[bad].x = garbage;
		path->power_private(10, 512, pass.half, PATH_HALVES,
		    oracle_place(path->scratch_private(10)));
		for (unsigned i = 0; i < PATH_HALVES; i++)
			if (i != bad)
				oracle_want("beside a bad one", i,
				    pass.half[i].z, pass.want[i], 10);
		oracle_end();
		oracle_start(oracle.path);
	}
}

ORACLE_BOTH(digits_of_the_classes)
ORACLE_BOTH(octets_to_digits_and_back)
ORACLE_BOTH(octets_shorter_than_digits)
ORACLE_BOTH(product_of_every_class)
ORACLE_BOTH(power_public_of_every_class)
ORACLE_BOTH(power_public_of_every_fill)
ORACLE_BOTH(power_private_of_every_class)
ORACLE_BOTH(power_private_of_every_fill)
ORACLE_BOTH(bad_lane_changes_no_other)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ORACLE_UNIT(digits_of_the_classes),
		ORACLE_UNIT(octets_to_digits_and_back),
		ORACLE_UNIT(octets_shorter_than_digits),
		ORACLE_UNIT(product_of_every_class),
		ORACLE_UNIT(power_public_of_every_class),
		ORACLE_UNIT(power_public_of_every_fill),
		ORACLE_UNIT(power_private_of_every_class),
		ORACLE_UNIT(power_private_of_every_fill),
		ORACLE_UNIT(bad_lane_changes_no_other),
	};

	return TEST_RUN(tests);
}
