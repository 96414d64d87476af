/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The eight-lane arithmetic with digits of two bits, where "every case" can be
 * had: all odd moduli below 2^8 in five digits (R = 1024 > 4 m), all operands
 * below 2 m. What is checked is the definition, z R = a b mod m and the bound
 * z < m (1 + 1 / 2^width) + a b / R, with the compiler's own % alone. Ten
 * digits, whose kernel is another one, and operations made of several get a
 * selection; chains of operations have moduli below R / 8, since here
 * 1 / 2^width is not next to nothing.
 */
#define V52_WIDTH 2

#include "tests/test.h"

/* rsa-backend */
#include "rsa-backend/bn/v52_array.h"
#include "rsa-backend/bn/lanes.h"
#include "rsa-backend/bn/residue.h"

#define DIGITS	20		/* at most */
#define LANES	V52_LANES

static const struct path path = { .name = "two bits", LANES_OPERATIONS };

static struct {
	_Alignas(64) uint64_t m[(DIGITS + 1) * LANES];
	_Alignas(64) uint64_t mm[DIGITS * LANES];
	_Alignas(64) uint64_t k0[LANES];
	_Alignas(64) uint64_t t[(2 * DIGITS + 1) * LANES];
	_Alignas(64) uint64_t q[DIGITS * LANES];
	_Alignas(64) uint64_t a[DIGITS * LANES];
	_Alignas(64) uint64_t b[DIGITS * LANES];
	_Alignas(64) uint64_t z[2 * DIGITS * LANES];
	struct lookup52 lookup;
} room;

static void
put(uint64_t *z, unsigned lane, uint64_t x, unsigned n)
{
	for (unsigned i = 0; i < n; i++, x >>= V52_WIDTH)
		z[i * LANES + lane] = x & V52_DIGIT;
	assert_int_equal(x, 0);
}

static uint64_t
get(const uint64_t *z, unsigned lane, unsigned n)
{
	uint64_t x = 0;

	for (unsigned i = n; i-- > 0;) {
		assert_true(z[i * LANES + lane] <= V52_DIGIT);
		x = x << V52_WIDTH | z[i * LANES + lane];
	}
	return x;
}

static struct mont52
field(unsigned n, uint64_t m)
{
	struct mont52 f = { n, room.m, room.mm, room.k0, room.t, room.q,
	    &room.lookup };

	for (unsigned lane = 0; lane < LANES; lane++) {
		put(room.m, lane, m, n);
		room.k0[lane] = residue_k0(m) & V52_DIGIT;
	}
	mont52_prepare(&f);
	return f;
}

static uint64_t
radix(unsigned n)
{
	return UINT64_C(1) << (V52_WIDTH * n);
}

/* z is t / R mod m, t = a b. */
static void
check(const char *what, uint64_t z, uint64_t a, uint64_t b, unsigned n,
    uint64_t m)
{
	const uint64_t t = a * b, r = radix(n);

	if (z * (r % m) % m == t % m && z * r < t + m * r + m * r / 4)
		return;
	print_error("%s: m %llu, a %llu, b %llu, %u digits: got %llu\n", what,
	    (unsigned long long)m, (unsigned long long)a,
	    (unsigned long long)b, n, (unsigned long long)z);
	fail();
}

/* Eight lanes have eight b; the last batch has some twice. */
static void
every_pair(unsigned n, uint64_t m)
{
	const struct mont52 f = field(n, m);

	for (uint64_t a = 0; a < 2 * m; a++) {
		for (unsigned lane = 0; lane < LANES; lane++)
			put(room.a, lane, a, n);
		for (uint64_t b = 0; b < 2 * m; b += LANES) {
			for (unsigned lane = 0; lane < LANES; lane++)
				put(room.b, lane, (b + lane) % (2 * m), n);
			mont52_multiply(room.z, room.a, room.b, &f);
			for (unsigned lane = 0; lane < LANES; lane++) {
				const uint64_t bl = (b + lane) % (2 * m);

				check("multiply", get(room.z, lane, n), a, bl,
				    n, m);
			}
		}
	}
}

static void
every_square(unsigned n, uint64_t m)
{
	const struct mont52 f = field(n, m);

	for (uint64_t a = 0; a < 2 * m; a += LANES) {
		for (unsigned lane = 0; lane < LANES; lane++)
			put(room.z, lane, (a + lane) % (2 * m), n);
		mont52_square(room.z, room.z, &f);
		for (unsigned lane = 0; lane < LANES; lane++) {
			const uint64_t al = (a + lane) % (2 * m);

			check("square", get(room.z, lane, n), al, al, n, m);
		}
	}
}

/* All t below m R, a step apart. */
static void
every_reduction(unsigned n, uint64_t m, uint64_t step)
{
	const struct mont52 f = field(n, m);
	const uint64_t end = m * radix(n);

	for (uint64_t t = 0; t < end; t += step * LANES) {
		for (unsigned lane = 0; lane < LANES; lane++)
			put(room.t, lane, (t + step * lane) % end, 2 * n);
		mont52_reduce(room.z, &f);
		for (unsigned lane = 0; lane < LANES; lane++) {
			const uint64_t tl = (t + step * lane) % end;

			check("reduce", get(room.z, lane, n), tl, 1, n, m);
		}
	}
}

static void
multiply_every_pair(void **state)
{
	(void)state;
	for (uint64_t m = 1; m < 256; m += 2)
		every_pair(5, m);
}

static void
square_every_operand(void **state)
{
	(void)state;
	for (uint64_t m = 1; m < 256; m += 2) {
		every_square(5, m);
		every_square(10, m);
		every_square(20, m);
	}
	for (uint64_t m = (1 << 18) - 1; m > 1 << 12; m -= m / 4 * 2)
		every_square(10, m);
	every_square(20, (1 << 12) - 1);
	every_square(20, (1 << 12) + 1);
}

static void
reduce_every_number(void **state)
{
	(void)state;
	for (uint64_t m = 1; m < 256; m += 2)
		every_reduction(5, m, 1);
}

static void
multiply_ten_digits(void **state)
{
	(void)state;
	for (uint64_t m = 1; m < 100; m += 14)
		every_pair(10, m);
	every_pair(10, 255);
	every_pair(20, 63);
}

static void
reduce_ten_digits(void **state)
{
	(void)state;
	for (uint64_t m = 1; m < 1 << 18; m = m * 5 | 1)
		every_reduction(10, m, m * 1021 + 2);
	every_reduction(10, (1 << 18) - 1, 30000001);
}

/* a - b and a - 2 b where that is not negative, for all a below 4 b. */
static void
subtract_once_every_number(void **state)
{
	(void)state;
	for (uint64_t m = 1; m < 256; m += 2)
		for (unsigned twice = 0; twice < 2; twice++)
			for (uint64_t a = 0; a < 4 * m; a += LANES) {
				field(5, m);
				for (unsigned i = 0; i < LANES; i++)
					put(room.a, i, (a + i) % (4 * m), 5);
				mont52_subtract_once(room.z, room.a, room.m,
				    twice, 5);
				for (unsigned i = 0; i < LANES; i++) {
					uint64_t x = (a + i) % (4 * m);

					if (x >= m << twice)
						x -= m << twice;
					assert_int_equal(get(room.z, i, 5), x);
				}
			}
}

/* ---- what path.h has, with digits of two bits ---- */

static _Alignas(64) uint8_t scratch[1 << 18];

struct number {
	uint64_t	digit[DIGITS];
};

static struct number
number(uint64_t x, unsigned n)
{
	struct number z = { { 0 } };

	for (unsigned i = 0; i < n; i++, x >>= V52_WIDTH)
		z.digit[i] = x & V52_DIGIT;
	assert_int_equal(x, 0);
	return z;
}

static uint64_t
value(const struct number *x, unsigned n)
{
	uint64_t z = 0;

	for (unsigned i = n; i-- > 0;)
		z = z << V52_WIDTH | x->digit[i];
	return z;
}

static uint64_t
power(uint64_t x, uint64_t e, uint64_t m)
{
	uint64_t z = 1 % m;

	for (x %= m; e > 0; e >>= 1, x = x * x % m)
		if (e & 1)
			z = z * x % m;
	return z;
}

struct modulus {
	struct path_modulus	modulus;
	struct number		m, rr, r3, d;
};

static void
modulus(struct modulus *f, uint64_t m, uint64_t d, unsigned n)
{
	f->m = number(m, n);
	f->rr = number(power(2, 2 * V52_WIDTH * n, m), n);
	f->r3 = number(power(2, 3 * V52_WIDTH * n, m), n);
	f->d = number(d, n);
	f->modulus.m = &f->m;
	f->modulus.rr = &f->rr;
	f->modulus.k0 = residue_k0(m) & V52_DIGIT;
}

/* Every exponent of eight bits, of some x of up to m R; 0 is among them. */
static void
power_private_every_exponent(void **state)
{
	(void)state;
	for (uint64_t m = 3; m < 128; m += 4)
		for (uint64_t d = 0; d < 256; d += PATH_HALVES) {
			struct modulus f[PATH_HALVES];
			struct path_prime prime[PATH_HALVES];
			struct path_half half[PATH_HALVES];
			struct number x[PATH_HALVES], z[PATH_HALVES];

			for (unsigned i = 0; i < PATH_HALVES; i++) {
				modulus(&f[i], m, d + i, 5);
				x[i] = number((d + i) * 7919 * m % (m << 10) +
				    i % 3, 10);
				prime[i] = (struct path_prime){ f[i].modulus,
				    &f[i].r3, &f[i].d };
				half[i] = (struct path_half){ &prime[i], &x[i],
				    &z[i] };
			}
			path.power_private(5, 8, half, PATH_HALVES, scratch);
			for (unsigned i = 0; i < PATH_HALVES; i++)
				assert_int_equal(value(&z[i], 5),
				    power(value(&x[i], 10), d + i, m));
		}
}

/* Every pair of halves of some pairs of factors, p < q and p > q. */
static void
crt_every_pair(void **state)
{
	static const uint64_t factors[][2] = { { 251, 3 }, { 3, 251 },
	    { 255, 127 }, { 127, 255 }, { 13, 11 }, { 17, 19 } };

	(void)state;
	for (size_t row = 0; row < TEST_COUNT(factors); row++) {
		const uint64_t p = factors[row][0], q = factors[row][1];
		struct number qn = number(q, 5), qinv, x, y, z;
		struct path_prime prime;
		struct modulus f;
		uint64_t inverse = 1;

		while (inverse * q % p != 1024 % p)
			inverse++;
		qinv = number(inverse, 5);
		modulus(&f, p, 1, 5);
		prime.modulus = f.modulus;
		for (uint64_t s = 0; s < p * q; s += 1 + s / 900) {
			struct path_crt crt = { &prime, &qn, &qinv, &x, &y,
			    &z };

			x = number(s % p, 5);
			y = number(s % q, 5);
			path.crt(5, &crt, 1, scratch);
			assert_int_equal(value(&z, 10), s);
		}
	}
}

/* Odd exponents, a lane each, of every x below m. */
static void
power_public_exponents(void **state)
{
	static const uint64_t e[LANES] = { 3, 5, 17, 255, 257, 65537, 7, 11 };

	(void)state;
	for (uint64_t m = 3; m < 1 << 17; m = m * 9 / 2 | 1)
		for (uint64_t x = 0; x < m; x += 1 + m / 50) {
			struct path_power p[LANES];
			struct number in = number(x, 10), z[LANES];
			struct modulus f;

			modulus(&f, m, 1, 10);
			for (unsigned i = 0; i < LANES; i++)
				p[i] = (struct path_power){ &f.modulus,
				    e[(i + x) % LANES], &in, &z[i] };
			path.power_public(10, p, LANES, scratch);
			for (unsigned i = 0; i < LANES; i++)
				assert_int_equal(value(&z[i], 10),
				    power(x, p[i].e, m));
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiply_every_pair),
		cmocka_unit_test(square_every_operand),
		cmocka_unit_test(reduce_every_number),
		cmocka_unit_test(multiply_ten_digits),
		cmocka_unit_test(reduce_ten_digits),
		cmocka_unit_test(subtract_once_every_number),
		cmocka_unit_test(power_private_every_exponent),
		cmocka_unit_test(crt_every_pair),
		cmocka_unit_test(power_public_exponents),
	};

	return TEST_RUN(tests);
}
