/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each operation of each path against libcrypto's BIGNUM: random and
 * structured operands and moduli of random sizes, passes of random fills.
 * Prints TAP; a failure prints what repeats it.
 *
 *	bn_differential [--seed S] [--count N] [--case C] [PATH...]
 *
 *	--seed    [6376]
 *	--count   results to compare [BN_DIFFERENTIAL in the environment, 6000],
 *		  over all paths and operations
 *	--case    runs this case alone
 *	PATH      portable, adx, emulated, ifma [those of this machine]
 */

/* system */
#include <openssl/bn.h>

/* this room */
#include "tests/bn_random.h"

#define COUNT	6000

/* One case: a pass, and what it should give. */
struct trial {
	const struct path	*path;
	struct bn_random	 random;
	uint64_t		 number;
	size_t			 count;		/* results */
	unsigned		 n;		/* digits */
	unsigned		 bits;		/* of the longest modulus */
	struct bn_raw_octets	 m[PATH_HALVES], x[PATH_HALVES];
	struct bn_raw_octets	 y[PATH_HALVES], q[PATH_HALVES];
	struct bn_raw_octets	 u[PATH_HALVES];
	uint64_t		 e[PATH_HALVES];
	struct bn_raw_prime	 prime[PATH_HALVES];
	struct bn_raw_number	 a[PATH_HALVES], b[PATH_HALVES];
	struct bn_raw_number	 c[PATH_HALVES], d[PATH_HALVES];
	struct bn_raw_number	 z[PATH_HALVES];
	size_t			 wrong;
};

static BN_CTX *ctx;

static void
want_bn(bool good)
{
	if (!good) {
		printf("Bail out! libcrypto has no memory\n");
		exit(2);
	}
}

static BIGNUM *
bn_of(const struct bn_raw_octets *x)
{
	BIGNUM *bn = BN_bin2bn(x->octets, (int)x->n, NULL);

	want_bn(bn != NULL);
	return bn;
}

static void
bn_to(const BIGNUM *bn, struct bn_raw_octets *out)
{
	want_bn(BN_bn2binpad(bn, out->octets, (int)out->n) >= 0);
}

/*
 * x = x mod m.
 */
static void
reduce(struct bn_raw_octets *x, const struct bn_raw_octets *m)
{
	BIGNUM *x_bn = bn_of(x), *m_bn = bn_of(m);

	want_bn(BN_nnmod(x_bn, x_bn, m_bn, ctx));
	x->n = m->n;
	bn_to(x_bn, x);
	BN_free(x_bn);
	BN_free(m_bn);
}

/*
 * A number below m: often one of its ends.
 */
static void
below(struct bn_random *r, struct bn_raw_octets *x,
    const struct bn_raw_octets *m)
{
	unsigned pick = bn_random_range(r, 0, 19);

	bn_random_number(r, x, (unsigned)m->n * 8);
	reduce(x, m);
	if (pick > 3)
		return;
	memset(x->octets, 0, x->n);
	if (pick < 3) {
		x->octets[x->n - 1] = (uint8_t)pick;
		reduce(x, m);
	} else {
		memcpy(x->octets, m->octets, m->n);
		x->octets[x->n - 1] &= 0xfe;
	}
}

/*
 * Compare lane i's z, n digits, with what libcrypto has, and see that no
 * octet behind it was touched.
 */
static void
compare(struct trial *t, size_t i, unsigned n, const char *operation,
    const BIGNUM *want)
{
	struct bn_raw_octets got, wanted;
	size_t used = n * t->path->digit_size;
	bool beyond = false;

	got.n = wanted.n = ((size_t)n * t->path->width + 7) / 8;
	t->path->to_octets(got.octets, got.n, t->z[i].digits, n);
	bn_to(want, &wanted);
	for (size_t k = used; k < sizeof t->z[i].digits; k++)
		beyond |= t->z[i].digits[k] != 0xa5;
	if (memcmp(got.octets, wanted.octets, got.n) == 0 && !beyond)
		return;
	t->wrong++;
	printf("# %s %s: case %llu, %u digits, %u bits, lane %zu of %zu%s\n",
	    t->path->name, operation, (unsigned long long)t->number, t->n,
	    t->bits, i, t->count, beyond ? ", written beyond its end" : "");
	for (size_t k = 0; k < got.n; k++)
		printf("%s%02x", k == 0 ? "# got  " : "", got.octets[k]);
	for (size_t k = 0; k < got.n; k++)
		printf("%s%02x", k == 0 ? "\n# want " : "", wanted.octets[k]);
	printf("\n");
}

/*
 * A size that most often is small, and sometimes right at the edge of a class.
 */
static unsigned
size_of(struct bn_random *r, unsigned least, unsigned most)
{
	static const unsigned edges[] = { 256, 257, 258, 511, 512, 513, 514,
	    516, 517, 518, 767, 768, 1023, 1024, 1025, 1148, 1536, 1537, 2047,
	    2048, 2049, 3071, 3072, 4095, 4096 };
	unsigned pick = bn_random_range(r, 0, 99), high = most, bits;

	high = pick < 60 ? least + 256 : pick < 85 ? least * 2 :
	    pick < 97 ? least * 4 : most;
	if (high > most)
		high = most;
	bits = bn_random_range(r, least, high);
	if (bn_random_range(r, 0, 2) == 0)
		for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
			if (edges[i] >= bits && edges[i] <= high)
				return edges[i];
	return bits;
}

/*
 * Moduli of one number of digits.
 *   digits   digits_prime or digits_modulus of the path
 */
static bool
moduli(struct trial *t, unsigned (*digits)(unsigned bits), unsigned least,
    unsigned most)
{
	struct bn_random *r = &t->random;
	unsigned bits = size_of(r, least, most);

	t->n = digits(bits);
	t->bits = bits;
	if (t->n == 0)
		return false;
	for (size_t i = 0; i < t->count; i++) {
		unsigned own = bits - bn_random_range(r, 0, 3) *
		    bn_random_range(r, 0, 4);

		if (own < least || digits(own) != t->n)
			own = bits;
		bn_random_odd(r, &t->m[i], own);
		memset(&t->z[i], 0xa5, sizeof t->z[i]);
	}
	return true;
}

static void
trial_private(struct trial *t)
{
	const struct path *path = t->path;
	struct path_half half[PATH_HALVES];
	void *scratch;

	t->count *= bn_random_range(&t->random, 1, 2);
	if (!moduli(t, path->digits_prime, 256, 2048))
		return;
	for (size_t i = 0; i < t->count; i++) {
		/* Any number below m R, and not just what a key gives */
		unsigned bits = bn_raw_bits(&t->m[i]) - 1 + path->width * t->n;

		below(&t->random, &t->y[i], &t->m[i]);
		bn_raw_prime_set(path, &t->prime[i], t->n, &t->m[i], &t->y[i]);
		bn_random_number(&t->random, &t->x[i],
		    bn_random_range(&t->random, 1, bits));
		if (bn_random_range(&t->random, 0, 9) == 0)
			t->x[i] = t->m[i];
		bn_raw_digits(path, &t->a[i], 2 * t->n, &t->x[i]);
		half[i] = (struct path_half){ &t->prime[i].prime,
		    t->a[i].digits, t->z[i].digits };
	}
	scratch = bn_raw_scratch(path, t->n, 0);
	path->power_private(t->n, t->bits, half, t->count, scratch);
	free(scratch);
	for (size_t i = 0; i < t->count; i++) {
		BIGNUM *m = bn_of(&t->m[i]), *x = bn_of(&t->x[i]);
		BIGNUM *y = bn_of(&t->y[i]);

		want_bn(BN_nnmod(x, x, m, ctx) &&
		    BN_mod_exp_mont(x, x, y, m, ctx, NULL));
		compare(t, i, t->n, "power_private", x);
		BN_free(m);
		BN_free(x);
		BN_free(y);
	}
}

/*
 * xq + q ((xp - xq) qinv mod p), qinv any number below p.
 */
static void
compare_crt(struct trial *t, size_t i)
{
	BIGNUM *p = bn_of(&t->m[i]), *q = bn_of(&t->q[i]);
	BIGNUM *qinv = bn_of(&t->u[i]);
	BIGNUM *xp = bn_of(&t->x[i]), *xq = bn_of(&t->y[i]);

	want_bn(BN_sub(xp, xp, xq) && BN_nnmod(xp, xp, p, ctx) &&
	    BN_mod_mul(xp, xp, qinv, p, ctx) && BN_mul(xp, xp, q, ctx) &&
	    BN_add(xp, xp, xq));
	compare(t, i, 2 * t->n, "crt", xp);
	BN_free(p);
	BN_free(q);
	BN_free(qinv);
	BN_free(xp);
	BN_free(xq);
}

static void
trial_crt(struct trial *t)
{
	const struct path *path = t->path;
	struct path_crt crt[PATH_LANES];
	void *scratch;

	if (!moduli(t, path->digits_prime, 256, 2048))
		return;
	for (size_t i = 0; i < t->count; i++) {
		unsigned bits = t->bits - bn_random_range(&t->random, 0, 12);

		if (path->digits_prime(bits) != t->n)
			bits = t->bits;
		bn_random_odd(&t->random, &t->q[i], bits);
		below(&t->random, &t->x[i], &t->m[i]);
		below(&t->random, &t->y[i], &t->q[i]);
		below(&t->random, &t->u[i], &t->m[i]);
		bn_raw_prime_set(path, &t->prime[i], t->n, &t->m[i], &t->u[i]);
		bn_raw_digits(path, &t->a[i], t->n, &t->x[i]);
		bn_raw_digits(path, &t->b[i], t->n, &t->y[i]);
		bn_raw_digits(path, &t->c[i], t->n, &t->q[i]);
		bn_raw_to_mont(path, &t->d[i], t->n, &t->u[i], &t->m[i]);
		crt[i] = (struct path_crt){ &t->prime[i].prime, t->c[i].digits,
		    t->d[i].digits, t->a[i].digits, t->b[i].digits,
		    t->z[i].digits };
	}
	scratch = bn_raw_scratch(path, t->n, 0);
	path->crt(t->n, crt, t->count, scratch);
	free(scratch);
	for (size_t i = 0; i < t->count; i++)
		compare_crt(t, i);
}

static void
trial_product(struct trial *t)
{
	const struct path *path = t->path;
	struct path_product product[PATH_LANES];
	unsigned alias = bn_random_range(&t->random, 0, 3);
	void *scratch;

	if (!moduli(t, path->digits_modulus, 512, 4096))
		return;
	for (size_t i = 0; i < t->count; i++) {
		below(&t->random, &t->x[i], &t->m[i]);
		below(&t->random, &t->y[i], &t->m[i]);
		if (alias == 3)
			t->y[i] = t->x[i];
		bn_raw_modulus_set(path, &t->prime[i].modulus, t->n, &t->m[i]);
		bn_raw_digits(path, &t->a[i], t->n, &t->x[i]);
		bn_raw_digits(path, &t->b[i], t->n, &t->y[i]);
		if (alias != 0)
			t->z[i] = alias == 1 ? t->a[i] : t->b[i];
		product[i] = (struct path_product){
		    &t->prime[i].modulus.modulus,
		    alias == 1 || alias == 3 ? &t->z[i] : &t->a[i],
		    alias >= 2 ? &t->z[i] : &t->b[i], &t->z[i] };
	}
	scratch = bn_raw_scratch(path, 0, t->n);
	path->product(t->n, product, t->count, scratch);
	free(scratch);
	for (size_t i = 0; i < t->count; i++) {
		BIGNUM *m = bn_of(&t->m[i]), *x = bn_of(&t->x[i]);
		BIGNUM *y = bn_of(&t->y[i]), *r = BN_new();

		want_bn(r != NULL && BN_lshift(r, BN_value_one(),
		    (int)(path->width * t->n)) &&
		    BN_mod_inverse(r, r, m, ctx) != NULL &&
		    BN_mod_mul(x, x, y, m, ctx) && BN_mod_mul(x, x, r, m, ctx));
		compare(t, i, t->n, "product", x);
		BN_free(m);
		BN_free(x);
		BN_free(y);
		BN_free(r);
	}
}

static uint64_t
exponent(struct bn_random *r)
{
	static const uint64_t known[] = { 3, 5, 17, 257, 65537, 65539,
	    0x100000001, 0x800000000000001d, UINT64_MAX };
	uint64_t e = bn_random_next(r) >> bn_random_range(r, 0, 61) | 1;

	if (e < 3 || bn_random_range(r, 0, 1) == 0)
		e = known[bn_random_next(r) % (sizeof known / sizeof known[0])];
	return e;
}

static void
trial_public(struct trial *t)
{
	const struct path *path = t->path;
	struct path_power power[PATH_LANES];
	bool alias = bn_random_range(&t->random, 0, 1) == 1;
	void *scratch;

	if (!moduli(t, path->digits_modulus, 512, 4096))
		return;
	for (size_t i = 0; i < t->count; i++) {
		t->e[i] = exponent(&t->random);
		below(&t->random, &t->x[i], &t->m[i]);
		bn_raw_modulus_set(path, &t->prime[i].modulus, t->n, &t->m[i]);
		bn_raw_digits(path, &t->a[i], t->n, &t->x[i]);
		if (alias)
			t->z[i] = t->a[i];
		power[i] = (struct path_power){ &t->prime[i].modulus.modulus,
		    t->e[i], alias ? &t->z[i] : &t->a[i], &t->z[i] };
	}
	scratch = bn_raw_scratch(path, 0, t->n);
	path->power_public(t->n, power, t->count, scratch);
	free(scratch);
	for (size_t i = 0; i < t->count; i++) {
		struct bn_raw_octets octets = { .n = 8 };
		BIGNUM *m = bn_of(&t->m[i]), *x = bn_of(&t->x[i]), *e;

		bn_random_put(&octets, 0, 64, t->e[i]);
		e = bn_of(&octets);
		want_bn(BN_mod_exp_mont(x, x, e, m, ctx, NULL));
		compare(t, i, t->n, "power_public", x);
		BN_free(m);
		BN_free(x);
		BN_free(e);
	}
}

static const struct {
	const char	*name;
	void		(*run)(struct trial *t);
} operations[] = {
	{ "power_private", trial_private },
	{ "crt", trial_crt },
	{ "product", trial_product },
	{ "power_public", trial_public },
};

#define OPERATIONS	(sizeof operations / sizeof operations[0])

struct options {
	uint64_t	seed, first;
	size_t		count;		/* results an operation and path */
	bool		one;
};

/*
 * Cases of one operation on one path until there are results enough.
 *   result   false: one was wrong
 */
static bool
run(const struct options *options, const struct path *path, size_t operation,
    unsigned number)
{
	static struct trial t;
	size_t done = 0, wrong = 0;
	uint64_t at = options->first;

	while (options->one ? at == options->first :
	    done < options->count && wrong < 5) {
		memset(&t, 0, sizeof t);
		bn_random_start(&t.random, options->seed,
		    at * OPERATIONS + operation);
		t.path = path;
		t.number = at++;
		t.count = bn_random_range(&t.random, 1, PATH_LANES);
		operations[operation].run(&t);
		if (t.n != 0)
			done += t.count;
		wrong += t.wrong;
	}
	if (wrong > 0)
		printf("# again: bn_differential --seed %llu --case (number) "
		    "%s\n", (unsigned long long)options->seed, path->name);
	printf("# %zu results of %llu passes\n", done,
	    (unsigned long long)(at - options->first));
	printf("%s %u - %s_%s\n", wrong == 0 ? "ok" : "not ok", number,
	    operations[operation].name, path->name);
	fflush(stdout);
	return wrong == 0;
}

static bool
is_asked(const struct path *path, char *const *names)
{
	if (*names == NULL)
		return bn_raw_runs(path);
	for (; *names != NULL; names++)
		if (strcmp(*names, path->name) == 0 && bn_raw_runs(path))
			return true;
	return false;
}

int
main(int argc, char **argv)
{
	const char *count = getenv("BN_DIFFERENTIAL");
	struct options options = { 6376, 0, 0, false };
	size_t total = count == NULL ? COUNT : strtoul(count, NULL, 10);
	unsigned number = 0, paths = 0;
	bool good = true;
	char **at = argv + 1;

	for (; *at != NULL && at[1] != NULL && strncmp(*at, "--", 2) == 0;
	    at += 2) {
		uint64_t value = strtoull(at[1], NULL, 10);

		if (strcmp(*at, "--seed") == 0)
			options.seed = value;
		else if (strcmp(*at, "--count") == 0)
			total = value;
		else if (strcmp(*at, "--case") == 0) {
			options.first = value;
			options.one = true;
		} else {
			printf("Bail out! unknown option %s\n", *at);
			return 2;
		}
	}
	ctx = BN_CTX_new();
	want_bn(ctx != NULL);
	for (size_t i = 0; i < BN_RAW_PATHS; i++)
		paths += is_asked(bn_raw_paths[i], at);
	if (paths == 0 || (argc > 0 && argv + argc - at > paths)) {
		printf("Bail out! a path that this machine has not: %s\n",
		    *at == NULL ? "all" : *at);
		return 2;
	}
	options.count = total / (paths * OPERATIONS) + 1;
	for (size_t i = 0; i < BN_RAW_PATHS; i++)
		for (size_t k = 0; k < OPERATIONS; k++) {
			if (is_asked(bn_raw_paths[i], at))
				good &= run(&options, bn_raw_paths[i], k,
				    ++number);
			else if (*at == NULL)
				printf("ok %u - %s_%s # SKIP this machine "
				    "cannot run it\n", ++number,
				    operations[k].name, bn_raw_paths[i]->name);
		}
	printf("1..%u\n", number);
	BN_CTX_free(ctx);
	return !good;
}
