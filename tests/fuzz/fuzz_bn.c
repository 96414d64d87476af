/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the arithmetic of bn64 on every path of this machine: a pass of one
 * to eight moduli, exponents and bases out of the input, one of them malformed
 * if the input says so, which must not change the others; and whole signatures
 * and verifications by fixed keys. What is right says libcrypto's BIGNUM.
 *
 * Input: the kind of pass, its size, its fill, the malformed lane (8 and
 * above: none), and what is cut into numbers, round and round.
 */

/* system */
#include <openssl/bn.h>

/* this room */
#include "tests/bn_table.h"
#include "tests/bn_whole.h"
#include "tests/fuzz/fuzz.h"

#define KEYS	8

struct input {
	const uint8_t	*p;
	size_t		 n, at;
};

/* Moduli, exponents and bases, the same for all paths. */
struct numbers {
	struct bn_raw_octets	m[PATH_HALVES], e[PATH_HALVES];
	struct bn_raw_octets	x[PATH_HALVES], want[PATH_HALVES];
	unsigned		bits;
	size_t			count, bad;
};

static uint8_t
next(struct input *in)
{
	uint8_t c = in->p[in->at % in->n];

	/* The second time round it is not the same again */
	c = (uint8_t)(c + in->at / in->n * 0x55);
	in->at++;
	return c;
}

static void
next_number(struct input *in, struct bn_raw_octets *x, unsigned bits)
{
	x->n = (bits + 7) / 8;
	for (size_t i = 0; i < x->n; i++)
		x->octets[i] = next(in);
	if (bits % 8 != 0)
		x->octets[0] &= (uint8_t)((1 << bits % 8) - 1);
}

static BIGNUM *
bn_of(const struct bn_raw_octets *x)
{
	BIGNUM *bn = BN_bin2bn(x->octets, (int)x->n, NULL);

	FUZZ_WANT(bn != NULL);
	return bn;
}

/*
 * out = x^e mod m, as long as m.
 */
static void
power(struct bn_raw_octets *out, const struct bn_raw_octets *x,
    const struct bn_raw_octets *e, const struct bn_raw_octets *m)
{
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *x_bn = bn_of(x), *e_bn = bn_of(e), *m_bn = bn_of(m);

	FUZZ_WANT(ctx != NULL);
	FUZZ_WANT(BN_nnmod(x_bn, x_bn, m_bn, ctx));
	FUZZ_WANT(BN_mod_exp_mont(x_bn, x_bn, e_bn, m_bn, ctx, NULL));
	out->n = m->n;
	FUZZ_WANT(BN_bn2binpad(x_bn, out->octets, (int)out->n) >= 0);
	BN_free(x_bn);
	BN_free(e_bn);
	BN_free(m_bn);
	BN_CTX_free(ctx);
}

/*
 * x = x mod m
 */
static void
reduce(struct bn_raw_octets *x, const struct bn_raw_octets *m)
{
	struct bn_raw_octets one = { .octets = { 1 }, .n = 1 };

	power(x, x, &one, m);
}

/*
 * Moduli of exactly so many bits, exponents below them, bases of that many.
 */
static void
cut_numbers(struct numbers *t, struct input *in, unsigned x_bits)
{
	for (size_t i = 0; i < t->count; i++) {
		next_number(in, &t->m[i], t->bits);
		t->m[i].octets[0] |= (uint8_t)(1 << (t->bits - 1) % 8);
		t->m[i].octets[t->m[i].n - 1] |= 1;
		next_number(in, &t->e[i], t->bits);
		reduce(&t->e[i], &t->m[i]);
		next_number(in, &t->x[i], x_bits);
		power(&t->want[i], &t->x[i], &t->e[i], &t->m[i]);
	}
}

static void
check(const struct path *path, const struct numbers *t,
    const struct bn_raw_number *z, unsigned n)
{
	struct bn_raw_octets got = { .n = 0 };

	for (size_t i = 0; i < t->count; i++) {
		got.n = t->want[i].n;
		path->to_octets(got.octets, got.n, z[i].digits, n);
		FUZZ_WANT(i == t->bad || memcmp(got.octets,
		    t->want[i].octets, got.n) == 0);
	}
}

/*
 * Spoil all that one lane is given: digits of ones at the full width of their
 * memory, an even modulus.
 */
static void
spoil(struct bn_raw_modulus *modulus, struct bn_raw_number *x,
    struct bn_raw_number *d)
{
	memset(&modulus->m, 0xfe, sizeof modulus->m);
	memset(&modulus->rr, 0xff, sizeof modulus->rr);
	memset(x, 0xff, sizeof *x);
	memset(d, 0xff, sizeof *d);
	modulus->modulus.k0 = 2;
}

static void
private_pass(const struct path *path, const struct numbers *t)
{
	static struct bn_raw_prime prime[PATH_HALVES];
	static struct bn_raw_number x[PATH_HALVES], z[PATH_HALVES];
	struct path_half half[PATH_HALVES];
	unsigned n = path->digits_prime(t->bits);
	void *scratch;

	if (n == 0)
		return;
	for (size_t i = 0; i < t->count; i++) {
		bn_raw_prime_set(path, &prime[i], n, &t->m[i], &t->e[i]);
		bn_raw_digits(path, &x[i], 2 * n, &t->x[i]);
		if (i == t->bad) {
			spoil(&prime[i].modulus, &x[i], &prime[i].d);
			prime[i].prime.modulus = prime[i].modulus.modulus;
		}
		half[i] = (struct path_half){ &prime[i].prime, &x[i], &z[i] };
	}
	scratch = bn_raw_scratch(path, n, 0);
	path->power_private(n, t->bits, half, t->count, scratch);
	free(scratch);
	check(path, t, z, n);
}

static void
public_pass(const struct path *path, const struct numbers *t)
{
	static struct bn_raw_modulus modulus[PATH_LANES];
	static struct bn_raw_number x[PATH_LANES], z[PATH_LANES], unused;
	struct path_power lane[PATH_LANES];
	unsigned n = path->digits_modulus(t->bits);
	void *scratch;

	if (n == 0)
		return;
	for (size_t i = 0; i < t->count; i++) {
		uint64_t e = 0;

		for (size_t k = 0; k < t->e[i].n; k++)
			e = e << 8 | t->e[i].octets[k];
		bn_raw_modulus_set(path, &modulus[i], n, &t->m[i]);
		bn_raw_digits(path, &x[i], n, &t->x[i]);
		if (i == t->bad)
			spoil(&modulus[i], &x[i], &unused);
		lane[i] = (struct path_power){ &modulus[i].modulus, e, &x[i],
		    &z[i] };
	}
	scratch = bn_raw_scratch(path, 0, n);
	path->power_public(n, lane, t->count, scratch);
	free(scratch);
	check(path, t, z, n);
}

static void
each_path(void (*pass)(const struct path *, const struct numbers *),
    const struct numbers *t)
{
	for (size_t i = 0; i < BN_RAW_PATHS; i++)
		if (bn_raw_runs(bn_raw_paths[i]))
			pass(bn_raw_paths[i], t);
}

static void
run_private(struct input *in, struct numbers *t)
{
	t->bits = 256 + t->bits * 3;
	t->count *= 1 + (next(in) & 1);
	/* Below m R for every path */
	cut_numbers(t, in, t->bits + t->bits - 1);
	each_path(private_pass, t);
}

static void
run_public(struct input *in, struct numbers *t)
{
	t->bits = 512 + t->bits * 5;
	cut_numbers(t, in, t->bits);
	for (size_t i = 0; i < t->count; i++) {
		next_number(in, &t->e[i], 64);
		t->e[i].octets[7] |= 3;
		if ((t->e[i].octets[7] & 8) != 0)
			memset(t->e[i].octets, 0, 7);
		reduce(&t->x[i], &t->m[i]);
		power(&t->want[i], &t->x[i], &t->e[i], &t->m[i]);
	}
	each_path(public_pass, t);
}

/* --- whole operations --- */

/*
 * Keys of 512 bits out of the vectors, read once.
 */
static const struct bn_raw_parts *
fixed_keys(void)
{
	static struct bn_raw_parts keys[KEYS];
	static size_t count;
	struct bn_table table;

	if (count == KEYS)
		return keys;
	bn_table_open(&table, TESTS_SRCDIR "/vectors/rsa", "bn-sign.tsv");
	while (count < KEYS && bn_table_next(&table, 11)) {
		bn_table_key(table.column, &keys[count]);
		if (bn_raw_bits(&keys[count].n) == 512 &&
		    bn_raw_bits(&keys[count].p) == 256 &&
		    bn_raw_bits(&keys[count].q) == 256 && (count == 0 ||
		    memcmp(keys[count].n.octets, keys[count - 1].n.octets,
		    keys[count].n.n) != 0))
			count++;
	}
	free(table.text);
	FUZZ_WANT(count == KEYS);
	return keys;
}

static void
sign_pass(const struct path *path, const struct numbers *t)
{
	static struct bn_whole_key keys[KEYS];
	const struct bn_whole_key *list[PATH_LANES];
	struct rsaverify_request request[PATH_LANES];
	struct bn_raw_octets got[PATH_LANES];
	const uint8_t *in[PATH_LANES];
	uint8_t *out[PATH_LANES];
	void *scratch;

	for (size_t i = 0; i < t->count; i++) {
		bn_whole_key_set(&keys[i], path, &fixed_keys()[i]);
		bn_whole_blind(&keys[i], 1 + t->x[i].octets[63]);
		list[i] = &keys[i];
		in[i] = t->x[i].octets;
		out[i] = got[i].octets;
		/* What it is given to judge: a signature, spoilt if need be */
		request[i] = (struct rsaverify_request){
			.key = &keys[i].public, .s = t->e[i].octets,
			.want = t->x[i].octets,
		};
	}
	scratch = bn_whole_scratch(rsasign_scratch(path, keys[0].private.n));
	bn_whole_sign(list, in, out, t->count, true, scratch);
	free(scratch);
	scratch = bn_whole_scratch(rsaverify_scratch(path, keys[0].public.n));
	rsaverify_run(request, t->count, scratch);
	free(scratch);
	for (size_t i = 0; i < t->count; i++) {
		FUZZ_WANT(memcmp(got[i].octets, t->want[i].octets, 64) == 0);
		FUZZ_WANT(request[i].is_good == (memcmp(t->e[i].octets,
		    t->want[i].octets, 64) == 0));
	}
}

/*
 * x: what is signed, below n. want: its signature, by the plain exponent d of
 * two halves. e: what is given to the verifier.
 */
static void
run_sign(struct input *in, struct numbers *t)
{
	BN_CTX *ctx = BN_CTX_new();

	FUZZ_WANT(ctx != NULL);
	for (size_t i = 0; i < t->count; i++) {
		const struct bn_raw_parts *key = &fixed_keys()[i];
		struct bn_raw_octets e = { .n = 8 }, d = { .n = 64 };
		BIGNUM *p = bn_of(&key->p), *q = bn_of(&key->q);
		BIGNUM *phi = bn_of(&key->n), *e_bn;

		for (size_t k = 0; k < 8; k++)
			e.octets[k] = (uint8_t)(key->e >> 8 * (7 - k));
		e_bn = bn_of(&e);
		FUZZ_WANT(BN_sub(phi, phi, p) && BN_sub(phi, phi, q) &&
		    BN_add_word(phi, 1));
		FUZZ_WANT(BN_mod_inverse(e_bn, e_bn, phi, ctx) != NULL);
		FUZZ_WANT(BN_bn2binpad(e_bn, d.octets, 64) >= 0);
		next_number(in, &t->x[i], 512);
		reduce(&t->x[i], &key->n);
		power(&t->want[i], &t->x[i], &d, &key->n);
		t->e[i] = t->want[i];
		if (i == t->bad)
			next_number(in, &t->e[i], 512);
		BN_free(p);
		BN_free(q);
		BN_free(phi);
		BN_free(e_bn);
	}
	BN_CTX_free(ctx);
	each_path(sign_pass, t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct input in = { p, n, 4 };
	static struct numbers t;

	if (n < 5)
		return 0;
	t.bits = p[1];
	t.count = p[2] % PATH_LANES + 1;
	t.bad = p[3] % 16;
	switch (p[0] % 3) {
	case 0:
		run_private(&in, &t);
		break;
	case 1:
		run_public(&in, &t);
		break;
	default:
		run_sign(&in, &t);
		break;
	}
	return 0;
}
