/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values at which other libraries' arithmetic of this kind went wrong, or
 * could: one test each, on both eight-lane paths, against BIGNUM.
 */

/* this room */
#include "tests/lanes_oracle.h"

static const unsigned classes[] = { 5, 10, 20, 30, 40, 0 };

/* The usual bits of a prime of that class. */
static unsigned
usual(unsigned n)
{
	return n == 5 ? 256 : n / 5 * 256;
}

/* A next test case: memory is taken back. */
static void
again(void)
{
	oracle_end();
	oracle_start(oracle.path);
}

/* Every class; the longest modulus that it takes, and the usual one. */
#define EACH_CLASS(n, bits) \
	for (unsigned i_ = 0, n, bits; n = classes[i_ / 2], \
	    bits = i_ % 2 == 0 ? usual(n) : WIDTH * n - 2, n > 0; \
	    i_ += n == 40 ? 2 : 1, again())

/*
 * m where 0 is right: BoringSSL's 13c9d5c69 and 801a80102. x is a multiple of
 * m, from 0 to the last one below m R.
 */
static void
power_of_a_multiple_is_zero(void)
{
	for (unsigned i = 0; i < 5; i++, again()) {
		struct oracle_pass pass = { .n = classes[i],
			.bits = usual(classes[i]) };
		BIGNUM *m = oracle_odd(pass.bits, 0);
		BIGNUM *last = oracle_power_of_two(WIDTH * pass.n);

		assert_int_equal(BN_sub_word(last, 1), 1);
		assert_int_equal(BN_mul(last, last, m, oracle.ctx), 1);
		oracle_add(&pass, m, oracle_word(3), oracle_bn());
		oracle_add(&pass, m, oracle_below(m, 0), oracle_bn());
		oracle_add(&pass, m, oracle_below(m, 0), m);
		oracle_add(&pass, m, oracle_below(m, 0),
		    oracle_scaled(m, 2, 0));
		oracle_add(&pass, m, oracle_below(m, 0),
		    oracle_scaled(m, DIGIT, 0));
		oracle_add(&pass, m, oracle_below(m, 0), last);
		oracle_add(&pass, m, oracle_word(1), last);
		for (unsigned j = 0; j < pass.count; j++)
			assert_true(BN_is_zero(pass.want[j]));
		oracle_run("multiple of m", &pass);
	}
}

static void
power_of_1_and_minus_1(void)
{
	for (unsigned i = 0; i < 5; i++, again()) {
		struct oracle_pass pass = { .n = classes[i],
			.bits = usual(classes[i]) };
		BIGNUM *m = oracle_odd(pass.bits, 1);
		BIGNUM *d = oracle_below(m, 0);

		oracle_add(&pass, m, d, oracle_word(1));
		oracle_add(&pass, m, d, oracle_scaled(m, 1, 1));
		oracle_add(&pass, m, d, oracle_scaled(m, 1, -1));
		oracle_add(&pass, m, oracle_scaled(m, 1, -1),
		    oracle_below(m, 0));
		oracle_add(&pass, m, oracle_word(2), oracle_scaled(m, 1, -1));
		oracle_add(&pass, m, d, oracle_power_of_two(WIDTH * pass.n));
		oracle_run("1 and -1", &pass);
	}
}

/* Exponents whose windows are all zeros, all ones, or none at all. */
static void
power_with_short_exponents(void)
{
	for (unsigned i = 0; i < 5; i++, again()) {
		struct oracle_pass pass = { .n = classes[i],
			.bits = usual(classes[i]) };
		BIGNUM *m = oracle_odd(pass.bits, 0);
		BIGNUM *x = oracle_below(m, 0);
		BIGNUM *ones = oracle_power_of_two(pass.bits);

		assert_int_equal(BN_sub_word(ones, 1), 1);
		oracle_add(&pass, m, oracle_bn(), x);
		oracle_add(&pass, m, oracle_word(1), x);
		oracle_add(&pass, m, oracle_word(2), x);
		oracle_add(&pass, m, oracle_word(65537), x);
		oracle_add(&pass, m, oracle_power_of_two(pass.bits - 1), x);
		oracle_add(&pass, m, oracle_power_of_two(WIDTH), x);
		oracle_add(&pass, m, ones, x);
		oracle_add(&pass, m, oracle_digits(pass.bits, 4), x);
		oracle_run("exponent", &pass);
	}
}

/* m is 2^bits - 1, or - 3; the top digits are all ones. */
static void
power_of_moduli_of_ones(void)
{
	EACH_CLASS(n, bits) {
		struct oracle_pass pass = { .n = n, .bits = bits };
		BIGNUM *m = oracle_power_of_two(bits);
		BIGNUM *d, *m3;

		assert_int_equal(BN_sub_word(m, 1), 1);
		m3 = oracle_scaled(m, 1, -2);
		d = oracle_below(m3, 0);
		oracle_add(&pass, m, d, oracle_below(m, 0));
		oracle_add(&pass, m, d, oracle_scaled(m, 1, -2));
		oracle_add(&pass, m3, d, oracle_below(m3, 0));
		oracle_add(&pass, m3, d, oracle_scaled(m, DIGIT, -1));
		oracle_run("ones", &pass);
	}
}

/* k0 is -1 or 1: the lowest digit is 1, or 2^52 - 1. And other digits. */
static void
power_of_moduli_with_odd_k0(void)
{
	EACH_CLASS(n, bits) {
		struct oracle_pass pass = { .n = n, .bits = bits };
		static const uint64_t lowest[] = { 1, DIGIT, 3, DIGIT - 2,
		    (DIGIT >> 1) + 2, DIGIT >> 1 };

		for (unsigned i = 0; i < 6; i++) {
			BIGNUM *m = oracle_odd(bits, i);

			assert_int_equal(BN_rshift(m, m, WIDTH), 1);
			assert_int_equal(BN_lshift(m, m, WIDTH), 1);
			assert_int_equal(BN_add_word(m, lowest[i]), 1);
			oracle_add(&pass, m, oracle_below(m, 0),
			    oracle_below(m, i));
		}
		oracle_run("lowest digit", &pass);
	}
}

/*
 * Quotients of zeros (x is a multiple of R) and of ones (x is m + k R: q is
 * -x / m = -1 mod R), in the first reduction and after it.
 */
static void
power_with_odd_quotients(void)
{
	EACH_CLASS(n, bits) {
		struct oracle_pass pass = { .n = n, .bits = bits };
		BIGNUM *m = oracle_odd(bits, 0), *d = oracle_below(m, 0);
		BIGNUM *r = oracle_power_of_two(WIDTH * n);
		BIGNUM *x = oracle_bn(), *y = oracle_bn();

		assert_int_equal(BN_mul(x, r, oracle_below(m, 0), oracle.ctx),
		    1);
		assert_int_equal(BN_add(y, r, m), 1);
		oracle_add(&pass, m, d, x);
		oracle_add(&pass, m, d, r);
		oracle_add(&pass, m, d, y);
		oracle_add(&pass, m, d, m);
		assert_int_equal(BN_sub(y, x, oracle_word(1)), 1);
		oracle_add(&pass, m, d, y);
		oracle_run("quotient", &pass);
	}
}

/* The longest x: m R - 1. */
static void
power_of_the_largest_input(void)
{
	EACH_CLASS(n, bits) {
		struct oracle_pass pass = { .n = n, .bits = bits };

		for (unsigned i = 0; i < 3; i++) {
			BIGNUM *m = oracle_odd(bits, i), *x = oracle_bn();

			assert_int_equal(BN_lshift(x, m, (int)(WIDTH * n)), 1);
			assert_int_equal(BN_sub_word(x, 1), 1);
			oracle_add(&pass, m, oracle_below(m, 0), x);
		}
		oracle_run("m R - 1", &pass);
	}
}

/* Moduli much shorter than their digits: the upper ones are zero. */
static void
power_of_short_moduli(void)
{
	static const unsigned bits[] = { 2, 3, 51, 52, 53, 104, 105, 200 };

	for (unsigned i = 0; i < 5; i++, again()) {
		struct oracle_pass pass = { .n = classes[i], .bits = 256 };

		for (unsigned j = 0; j < 8; j++) {
			BIGNUM *m = oracle_odd(bits[j], 0);

			oracle_add(&pass, m, oracle_below(m, 0),
			    oracle_below(m, 0));
		}
		oracle_run("short modulus", &pass);
	}
}

/* One product in each lane; a or b also where the result goes. */
static void
product_of_edges(void)
{
	for (unsigned i = 0; i < 5; i++, again()) {
		const unsigned n = classes[i] * 2;
		const struct path *path = oracle.path;
		struct path_product product[PATH_LANES];
		struct oracle_modulus f;
		BIGNUM *m = oracle_odd(WIDTH * n - 2, 3);
		const BIGNUM *edge[] = { oracle_bn(), oracle_word(1),
		    oracle_scaled(m, 1, -1), oracle_word(DIGIT),
		    oracle_mod(oracle_power_of_two(WIDTH * n), m),
		    oracle_below(m, 4), oracle_below(m, 9),
		    oracle_power_of_two(WIDTH * n - 4) };

		oracle_modulus(&f, m, NULL, n);
		for (unsigned j = 0; j < 8; j++) {
			void *a = oracle_put(edge[j], n);

			for (unsigned k = 0; k < PATH_LANES; k++)
				product[k] = (struct path_product){ &f.modulus,
				    a, oracle_put(edge[k], n),
				    oracle_number(n) };
			/* The last one of the pass may do as it likes. */
			product[7].z = (void *)(uintptr_t)product[7].b;
			path->product(n, product, PATH_LANES,
			    oracle_place(path->scratch_public(n)));
			for (unsigned k = 0; k < PATH_LANES; k++)
				oracle_want("product", j * 8 + k, product[k].z,
				    oracle_product(edge[j], edge[k], &f), n);
		}
	}
}

static void
crt(const char *row, const BIGNUM *p, const BIGNUM *q, unsigned n)
{
	const struct path *path = oracle.path;
	const BIGNUM *s[PATH_LANES];
	struct path_crt request[PATH_LANES];
	struct oracle_modulus f;
	BIGNUM *pq = oracle_bn(), *qinv = oracle_bn();

	assert_int_equal(BN_mul(pq, p, q, oracle.ctx), 1);
	if (BN_mod_inverse(qinv, q, p, oracle.ctx) == NULL)
		fail_msg("%s: p and q have a factor in common", row);
	qinv = oracle_mod(qinv, p);
	assert_int_equal(BN_lshift(qinv, qinv, (int)(WIDTH * n)), 1);
	qinv = oracle_mod(qinv, p);
	oracle_modulus(&f, p, NULL, n);
	s[0] = oracle_bn();
	s[1] = oracle_word(1);
	s[2] = oracle_scaled(pq, 1, -1);
	s[3] = p;
	s[4] = q;
	s[5] = oracle_mod(oracle_scaled(p, DIGIT, 0), pq);
	s[6] = oracle_scaled(q, 1, -1);
	s[7] = oracle_below(pq, 0);
	for (unsigned i = 0; i < PATH_LANES; i++) {
		request[i] = (struct path_crt){ &f.prime, oracle_put(q, n),
		    oracle_put(qinv, n), oracle_put(oracle_mod(s[i], p), n),
		    oracle_put(oracle_mod(s[i], q), n),
		    oracle_number(2 * n) };
	}
	for (unsigned count = 1; count <= PATH_LANES; count += 7)
		path->crt(n, request, count,
		    oracle_place(path->scratch_private(n)));
	for (unsigned i = 0; i < PATH_LANES; i++)
		oracle_want(row, i, request[i].z, s[i], 2 * n);
	again();
}

/*
 * p above q and below it, of one length, of neighbouring ones and of very
 * unequal ones: xq is then above p, or xp - xq is negative. Factors need not
 * be prime, but 2^b - 1 has none in common with the others here.
 */
static void
crt_of_unequal_primes(void)
{
	for (unsigned i = 0; i < 5; i++) {
		const unsigned n = classes[i], b = usual(n);
		static const struct {
			const char	*row;
			unsigned	 less;	/* bits than p */
			int		 plus;
		} rows[] = {
			{ "q is p - 2", 0, -3 },
			{ "q is p + 2", 0, 1 },
			{ "q is a bit shorter", 1, -1 },
		};

		for (size_t row = 0; row < TEST_COUNT(rows); row++)
			for (int swap = 0; swap < 2; swap++) {
				const BIGNUM *p = oracle_scaled(
				    oracle_power_of_two(b), 1, -1);
				const BIGNUM *q = oracle_scaled(
				    oracle_power_of_two(b - rows[row].less),
				    1, rows[row].plus);

				crt(rows[row].row, swap ? q : p, swap ? p : q,
				    n);
			}
		crt("q has eight bits", oracle_scaled(
		    oracle_power_of_two(b), 1, -1), oracle_word(251), n);
		crt("p has eight bits", oracle_word(251), oracle_scaled(
		    oracle_power_of_two(b), 1, -1), n);
		crt("longest q", oracle_word(3), oracle_scaled(
		    oracle_power_of_two(WIDTH * n - 2), 1, -3), n);
	}
}

/* ---- registers ---- */

#if defined(__x86_64__)
#define EACH_ZMM(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) \
	F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) \
	F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31)
#define FILL(i) "vpternlogd $255, %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n\t"
#define SAVE(i) "vmovdqu64 %%zmm" #i ", 64*" #i "(%0)\n\t"

static void
fill_registers(void)
{
	__asm__ volatile(EACH_ZMM(FILL)
	    "kxnorw %%k1, %%k1, %%k1\n\tkxnorw %%k2, %%k2, %%k2\n\t"
	    "kxnorw %%k3, %%k3, %%k3\n\tkxnorw %%k4, %%k4, %%k4\n\t"
	    "vzeroupper" ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
	    "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
	    "xmm13", "xmm14", "xmm15");
}

static void
save_registers(uint64_t *z)
{
	__asm__ volatile(EACH_ZMM(SAVE) :: "r"(z) : "memory");
}
#else
static void
fill_registers(void)
{
}

static void
save_registers(uint64_t *z)
{
	memset(z, 0, 32 * 64);
}
#endif

/*
 * Results do not depend on what was in registers (openssl/openssl 30061), and
 * none is left there afterwards, zmm16 to 31 included, which vzeroupper keeps.
 */
static void
registers_dirty_before_and_clean_after(void)
{
	const struct path *path = oracle.path;
	static uint64_t zmm[32 * 8];

	for (unsigned i = 0; i < 5; i++, again()) {
		struct oracle_pass pass = { .n = classes[i],
			.bits = usual(classes[i]) };
		void *scratch = oracle_place(path->scratch_private(pass.n));

		while (pass.count < PATH_HALVES) {
			BIGNUM *m = oracle_odd(pass.bits, 0);

			oracle_add(&pass, m, oracle_below(m, 0),
			    oracle_below(m, 0));
		}
		memset(scratch, 0xff, path->scratch_private(pass.n));
		if (path != &lanes_emulated)
			fill_registers();
		path->power_private(pass.n, pass.bits, pass.half, pass.count,
		    scratch);
		if (path != &lanes_emulated)
			save_registers(zmm);
		for (unsigned j = 0; j < 32 * 8; j++)
			test_int("zmm after a call", zmm[j], 0);
		for (unsigned j = 0; j < pass.count; j++)
			oracle_want("dirty", j, pass.half[j].z, pass.want[j],
			    pass.n);
	}
}

ORACLE_BOTH(power_of_a_multiple_is_zero)
ORACLE_BOTH(power_of_1_and_minus_1)
ORACLE_BOTH(power_with_short_exponents)
ORACLE_BOTH(power_of_moduli_of_ones)
ORACLE_BOTH(power_of_moduli_with_odd_k0)
ORACLE_BOTH(power_with_odd_quotients)
ORACLE_BOTH(power_of_the_largest_input)
ORACLE_BOTH(power_of_short_moduli)
ORACLE_BOTH(product_of_edges)
ORACLE_BOTH(crt_of_unequal_primes)
ORACLE_BOTH(registers_dirty_before_and_clean_after)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ORACLE_UNIT(power_of_a_multiple_is_zero),
		ORACLE_UNIT(power_of_1_and_minus_1),
		ORACLE_UNIT(power_with_short_exponents),
		ORACLE_UNIT(power_of_moduli_of_ones),
		ORACLE_UNIT(power_of_moduli_with_odd_k0),
		ORACLE_UNIT(power_with_odd_quotients),
		ORACLE_UNIT(power_of_the_largest_input),
		ORACLE_UNIT(power_of_short_moduli),
		ORACLE_UNIT(product_of_edges),
		ORACLE_UNIT(crt_of_unequal_primes),
		ORACLE_UNIT(registers_dirty_before_and_clean_after),
	};

	return TEST_RUN(tests);
}
