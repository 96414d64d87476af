/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a private operation leaves behind: no digit of its exponents, moduli
 * and intermediate results in registers or on the stack below its caller.
 */

/* this room */
#include "tests/scalar_paths.h"

#define STACK_OCTETS	16384	/* deeper than any call below */
#define REGISTERS	64

struct traces {
	uint64_t	*secret;	/* sorted */
	size_t		 secrets;
	uint64_t	 registers[REGISTERS];
	uint64_t	 stack[STACK_OCTETS / 8];
};

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Take octets as secrets, eight at a time; small and patterned ones tell
 * nothing. */
static void
take(struct traces *t, const void *octets, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		uint64_t x;

		memcpy(&x, (const uint8_t *)octets + i, 8);
		if (x >> 32 != 0 && x != UINT64_C(0xa5a5a5a5a5a5a5a5))
			t->secret[t->secrets++] = x;
	}
	qsort(t->secret, t->secrets, sizeof(t->secret[0]), compare);
}

static size_t
count(const struct traces *t, const uint64_t *words, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (bsearch(&words[i], t->secret, t->secrets,
		    sizeof(t->secret[0]), compare) != NULL)
			found++;
	return found;
}

static __attribute__((noinline)) void
stack_clear(void)
{
	uint64_t below[STACK_OCTETS / 8];

	memset(below, 0, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
}

/* Before anything else is called. */
static __attribute__((noinline)) void
stack_read(uint64_t *out)
{
	uint64_t below[STACK_OCTETS / 8];

	/* As the calls before left it. */
	__asm__ volatile("" : "=m"(below));
	memcpy(out, below, sizeof(below));
}

/* The registers that a call need not preserve. */
static inline __attribute__((always_inline)) void
registers_read(uint64_t *out)
{
#if defined(__x86_64__)
	__asm__ volatile(
	    "movq %%rax, 0(%0)\n\tmovq %%rcx, 8(%0)\n\tmovq %%rdx, 16(%0)\n\t"
	    "movq %%rsi, 24(%0)\n\tmovq %%rdi, 32(%0)\n\t"
	    "movq %%r8, 40(%0)\n\tmovq %%r9, 48(%0)\n\t"
	    "movq %%r10, 56(%0)\n\tmovq %%r11, 64(%0)\n\t"
	    "movups %%xmm0, 80(%0)\n\tmovups %%xmm1, 96(%0)\n\t"
	    "movups %%xmm2, 112(%0)\n\tmovups %%xmm3, 128(%0)\n\t"
	    "movups %%xmm4, 144(%0)\n\tmovups %%xmm5, 160(%0)\n\t"
	    "movups %%xmm6, 176(%0)\n\tmovups %%xmm7, 192(%0)\n\t"
	    "movups %%xmm8, 208(%0)\n\tmovups %%xmm9, 224(%0)\n\t"
	    "movups %%xmm10, 240(%0)\n\tmovups %%xmm11, 256(%0)\n\t"
	    "movups %%xmm12, 272(%0)\n\tmovups %%xmm13, 288(%0)\n\t"
	    "movups %%xmm14, 304(%0)\n\tmovups %%xmm15, 320(%0)"
	    : : "b"(out) : "memory");
#else
	(void)out;
#endif
}

static void
check_clean(const char *what, const struct traces *t)
{
	test_int(what, count(t, t->stack, TEST_COUNT(t->stack)), 0);
	test_int(what, count(t, t->registers, REGISTERS), 0);
}

/* A key of two primes of that many bits, and a run of all that is secret. */
static void
check_traces(const struct path *path, unsigned bits)
{
	unsigned n = path->digits_prime(bits);
	size_t size = path->scratch_private(n), number = n * path->digit_size;
	BIGNUM *m = oracle_new(), *d = oracle_new();
	struct oracle_prime prime;
	struct path_half half = { .prime = &prime.prime };
	struct path_crt crt = { .p = &prime.prime };
	struct traces *t = calloc(1, sizeof(*t));
	void *scratch = oracle_scratch(size), *x, *z, *q, *s;
	uint64_t seed = bits;

	assert_non_null(t);
	t->secret = malloc(size + 8 * number);
	assert_non_null(t->secret);
	oracle_modulus(m, bits, ORACLE_RANDOM, &seed);
	oracle_below(d, m, &seed, ctx);
	oracle_prime_init(&prime, path, n, m, d, ctx);
	half.x = x = oracle_digits(path, d, 2 * n);
	half.z = z = oracle_digits(path, d, n);
	crt.q = crt.qinv = crt.xp = crt.xq = q = oracle_digits(path, d, n);
	crt.z = s = oracle_digits(path, d, 2 * n);

	stack_clear();
	path->power_private(n, bits, &half, 1, scratch);
	registers_read(t->registers);
	stack_read(t->stack);
	take(t, scratch, size);
	take(t, prime.m, number);
	take(t, prime.d, number);
	take(t, z, number);
	assert_true(t->secrets > 16 * number / 8);
	check_clean("private", t);

	memset(scratch, 0xa5, size);
	stack_clear();
	path->crt(n, &crt, 1, scratch);
	registers_read(t->registers);
	stack_read(t->stack);
	t->secrets = 0;
	take(t, scratch, size);
	take(t, prime.m, number);
	take(t, s, 2 * number);
	check_clean("crt", t);

	oracle_prime_clear(&prime);
	free(s);
	free(q);
	free(z);
	free(x);
	free(scratch);
	free(t->secret);
	free(t);
	BN_free(d);
	BN_free(m);
}

static void
private_leaves_no_trace(void **state)
{
	static const unsigned sizes[] = { 256, 384, 512, 574, 768, 1024, 2048 };

	(void)state;
	for (size_t i = 0; i < PATHS * TEST_COUNT(sizes); i++)
		if (is_here(paths[i % PATHS]))
			check_traces(paths[i % PATHS], sizes[i / PATHS]);
}

/* The test can fail: what a function leaves that wipes nothing is found. */
static __attribute__((noinline)) void
leave(uint64_t x)
{
	uint64_t local[16];

	for (size_t i = 0; i < 16; i++)
		local[i] = x;
	__asm__ volatile("" : : "r"(local) : "memory");
}

static void
traces_are_found(void **state)
{
	uint64_t secret = UINT64_C(0x123456789abcdef0);
	struct traces *t = calloc(1, sizeof(*t));
	size_t found;

	(void)state;
	assert_non_null(t);
	t->secret = &secret;
	t->secrets = 1;
	stack_clear();
	leave(secret);
	stack_read(t->stack);
	found = count(t, t->stack, TEST_COUNT(t->stack));
	free(t);
	if (found == 0)
		fprintf(stderr, "# frames lie elsewhere (sanitizer)\n");
	else
		assert_true(found >= 16);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(private_leaves_no_trace),
		cmocka_unit_test(traces_are_found),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
