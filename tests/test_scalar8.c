/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scalar paths with limbs of 8 bits, where every operand can be tried:
 * all of one limb, all products and squares of two, and all moduli of two with
 * the operands at which carries are lost. What is right comes from the
 * machine's own arithmetic. Makefile.in compiles this optimized and without
 * sanitizers: there are 2^32 products.
 */

#define BN_LIMB_BITS	8

/* rsa-backend */
#include "rsa-backend/bn/limb.h"
#include "rsa-backend/bn/row_portable.h"
#include "rsa-backend/bn/mont.h"
#include "rsa-backend/bn/residue.h"

/* this room */
#include "tests/test.h"

#define EDGES	64

static void
from_integer(limb *z, unsigned n, uint32_t x)
{
	for (unsigned i = 0; i < n; i++, x >>= 8)
		z[i] = (limb)x;
}

static uint32_t
to_integer(const limb *x, unsigned n)
{
	uint32_t z = 0;

	while (n-- > 0)
		z = z << 8 | x[n];
	return z;
}

/* One modulus and what its functions need. */
struct modulus {
	struct mont	c;
	uint32_t	m, r;		/* R = 2^(8 n) */
	limb		digits[8];
	limb		t[16];
};

static void
modulus_set(struct modulus *s, unsigned n, uint32_t m)
{
	from_integer(s->digits, n, m);
	s->m = m;
	s->r = UINT32_C(1) << 8 * n;
	s->c = (struct mont){
		.m = s->digits,
		.k0 = (limb)residue_k0(m),
		.n = n,
		.t = s->t,
	};
}

/* z is t / R mod m, and below m. */
static bool
is_quotient(const struct modulus *s, uint32_t z, uint32_t t)
{
	return z < s->m &&
	    (uint64_t)z * s->r % s->m == t % s->m;
}

static void
wrong(const char *what, const struct modulus *s, uint32_t a, uint32_t b,
    uint32_t got)
{
	fail_msg("%s: m %#x, operands %#x and %#x: got %#x", what, s->m, a, b,
	    got);
}

static void
check_multiply(struct modulus *s, uint32_t a, uint32_t b)
{
	limb x[8] = { 0 }, y[8] = { 0 }, z[8];
	unsigned n = s->c.n;

	from_integer(x, n, a);
	from_integer(y, n, b);
	mont_multiply(&s->c, z, x, y);
	if (!is_quotient(s, to_integer(z, n), a * b))
		wrong("multiply", s, a, b, to_integer(z, n));
}

static void
check_square(struct modulus *s, uint32_t a)
{
	limb x[8] = { 0 };
	unsigned n = s->c.n;

	from_integer(x, n, a);
	mont_square(&s->c, x, x);
	if (!is_quotient(s, to_integer(x, n), a * a))
		wrong("square", s, a, a, to_integer(x, n));
}

static void
check_reduce(struct modulus *s, uint32_t t)
{
	limb z[8] = { 0 };
	unsigned n = s->c.n;

	from_integer(s->t, 2 * n, t);
	mont_reduce(&s->c, z);
	if (!is_quotient(s, to_integer(z, n), t))
		wrong("reduce", s, t, 0, to_integer(z, n));
}

static void
check_leave(struct modulus *s, uint32_t a)
{
	limb z[8] = { 0 };
	unsigned n = s->c.n;

	from_integer(z, n, a);
	mont_leave(&s->c, z, z);
	if (!is_quotient(s, to_integer(z, n), a))
		wrong("leave", s, a, 0, to_integer(z, n));
}

/* Operands at or above m too, where the product is below m R. */
static void
mont_multiply_one_limb(void **state)
{
	struct modulus s;

	(void)state;
	for (uint32_t m = 1; m < 0x100; m += 2) {
		modulus_set(&s, 1, m);
		for (uint32_t a = 0; a < 0x100; a++)
			for (uint32_t b = 0; b < 0x100; b++)
				if (a * b < m * s.r)
					check_multiply(&s, a, b);
	}
}

static void
mont_square_one_limb(void **state)
{
	struct modulus s;

	(void)state;
	for (uint32_t m = 1; m < 0x100; m += 2) {
		modulus_set(&s, 1, m);
		for (uint32_t a = 0; a < 0x100; a++)
			if (a * a < m * s.r)
				check_square(&s, a);
	}
}

static void
mont_reduce_one_limb(void **state)
{
	struct modulus s;

	(void)state;
	for (uint32_t m = 1; m < 0x100; m += 2) {
		modulus_set(&s, 1, m);
		for (uint32_t t = 0; t < m * s.r; t++)
			check_reduce(&s, t);
		for (uint32_t a = 0; a < 0x100; a++)
			check_leave(&s, a);
	}
}

/*
 * row_product's two rows, without its loop: what the first one makes is there
 * before the second's limb is chosen.
 */
static void
row_product_two_limbs(void **state)
{
	(void)state;
	for (uint32_t a = 0; a < 0x10000; a++) {
		limb x[2] = { (limb)a, (limb)(a >> 8) };
		uint32_t wrong_bits = 0;

		for (uint32_t low = 0; low < 0x100; low++) {
			limb first[3] = { 0, 0, 0 };
			uint32_t want = a * low;

			first[2] = row_add_product(first, x, 2, (limb)low);
			for (uint32_t high = 0; high < 0x100; high++) {
				limb z[2] = { first[1], first[2] }, top;

				top = row_add_product(z, x, 2, (limb)high);
				wrong_bits |= want ^ ((uint32_t)first[0] |
				    (uint32_t)z[0] << 8 |
				    (uint32_t)z[1] << 16 |
				    (uint32_t)top << 24);
				want += a << 8;
			}
		}
		if (wrong_bits != 0)
			fail_msg("products of %#x: bits %#x are wrong", a,
			    wrong_bits);
	}
}

/* And with its loop: all of a limb, and two, by a few hundred. */
static void
row_product_calls_rows(void **state)
{
	(void)state;
	for (uint32_t a = 0; a < 0x10000; a++)
		for (uint32_t b = a % 0x100; b < 0x10000; b += 0xfb) {
			limb x[2], y[2], z[4];

			from_integer(x, 2, a);
			from_integer(y, 2, b);
			row_product(z, x, y, 2);
			if (to_integer(z, 4) != a * b)
				fail_msg("%#x times %#x: got %#x, want %#x",
				    a, b, to_integer(z, 4), a * b);
		}
}

static void
row_square_two_limbs(void **state)
{
	(void)state;
	for (uint32_t a = 0; a < 0x10000; a++) {
		limb x[2], z[4];

		from_integer(x, 2, a);
		row_square(z, x, 2);
		if (to_integer(z, 4) != a * a)
			fail_msg("square of %#x: got %#x, want %#x", a,
			    to_integer(z, 4), a * a);
	}
}

/* Digits at which carries begin and end, and the neighbours of m. */
static void
edges_of(uint32_t edges[EDGES], uint32_t m)
{
	static const uint8_t digits[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };
	unsigned n = 0;

	for (size_t i = 0; i < TEST_COUNT(digits); i++)
		for (size_t j = 0; j < TEST_COUNT(digits); j++)
			edges[n++] = (uint32_t)digits[i] << 8 | digits[j];
	for (uint32_t i = 0; i < 4; i++) {
		edges[n++] = m + i - 2;
		edges[n++] = m / 2 + i - 1;
		edges[n++] = 0x10000 - m + i - 2;
		edges[n++] = 0x10000 % m + i - 2;
		edges[n++] = (m & 0xff00) + (i < 2 ? i : i + 0xfc);
		edges[n++] = (m & 0xff) << 8 | (i < 2 ? i : i + 0xfc);
		edges[n++] = (uint32_t)(UINT64_C(0x100000000) % m) + i - 2;
	}
	assert_int_equal(n, EDGES);
	for (unsigned i = 0; i < EDGES; i++)
		edges[i] &= 0xffff;
}

static void
mont_all_moduli_two_limbs(void **state)
{
	uint32_t edges[EDGES];
	struct modulus s;

	(void)state;
	for (uint32_t m = 1; m < 0x10000; m += 2) {
		modulus_set(&s, 2, m);
		edges_of(edges, m);
		for (unsigned i = 0; i < EDGES; i++) {
			uint32_t a = edges[i];

			check_leave(&s, a);
			if ((uint64_t)a * a < (uint64_t)m * s.r)
				check_square(&s, a);
			for (unsigned j = 0; j < EDGES; j++) {
				uint32_t b = edges[j];

				if ((uint64_t)a * b < (uint64_t)m * s.r)
					check_multiply(&s, a, b);
				if (b < m)
					check_reduce(&s, a | b << 16);
			}
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mont_multiply_one_limb),
		cmocka_unit_test(mont_square_one_limb),
		cmocka_unit_test(mont_reduce_one_limb),
		cmocka_unit_test(row_product_two_limbs),
		cmocka_unit_test(row_product_calls_rows),
		cmocka_unit_test(row_square_two_limbs),
		cmocka_unit_test(mont_all_moduli_two_limbs),
	};

	return TEST_RUN(tests);
}
