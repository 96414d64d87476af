/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RSA keys made ready for a path (RFC 8017 s3; Montgomery 1985).
 */

/* this room */
#include "rsa-backend/bn/residue.h"
#include "rsa-backend/bn/rsakey.h"
#include "rsa-backend/bn/wipe.h"

/* Memory given out number by number. */
struct store {
	const struct path	*path;
	uint8_t			*at;
};

static void *
store_take(struct store *store, unsigned n)
{
	void *p = store->at;

	store->at += rsakey_number_size(store->path, n);
	return p;
}

unsigned
rsakey_bits(struct rsakey_octets number)
{
	unsigned bits = 0;

	while (number.n != 0 && *number.p == 0) {
		number.p++;
		number.n--;
	}
	if (number.n == 0)
		return 0;
	for (unsigned top = *number.p; top != 0; top >>= 1)
		bits++;
	return (unsigned)(8 * (number.n - 1)) + bits;
}

/*
 * -m^-1 mod 2^width
 */
static uint64_t
k0(const struct path *path, struct rsakey_octets m)
{
	uint64_t low = 0;

	for (size_t i = 0; i < 8 && i < m.n; i++)
		low |= (uint64_t)m.p[m.n - 1 - i] << (8 * i);
	return residue_k0(low) & (UINT64_MAX >> (64 - path->width));
}

/*
 * z[n] = 2^exponent mod m
 *   octets   m.n octets of scratch
 */
static void
two_power(void *z, const struct path *path, unsigned n,
    struct rsakey_octets m, unsigned exponent, uint8_t *octets)
{
	residue_of_two_power(octets, m.p, m.n, exponent);
	path->from_octets(z, n, octets, m.n);
}

size_t
rsakey_public_size(const struct path *path, unsigned n)
{
	return 2 * rsakey_number_size(path, n);
}

unsigned
rsakey_exponent(const struct path *path, unsigned n)
{
	return 2 * path->width * n;
}

void
rsakey_public_go(struct rsakey_public *key, const struct path *path,
    unsigned n, struct rsakey_octets modulus, uint64_t e, void *memory,
    struct twopower *t)
{
	struct store store = { .path = path, .at = memory };
	void *digits = store_take(&store, n), *rr = store_take(&store, n);
	uint8_t octets[RSAKEY_OCTETS_MAX];

	path->from_octets(digits, n, modulus.p, modulus.n);
	twopower_raise(t, rsakey_exponent(path, n));
	twopower_octets(t, octets, modulus.n);
	path->from_octets(rr, n, octets, modulus.n);
	*key = (struct rsakey_public){
		.path = path, .n = n, .e = e, .octets = modulus,
		.modulus = { .m = digits, .rr = rr, .k0 = k0(path, modulus) },
	};
}

void
rsakey_public_init(struct rsakey_public *key, const struct path *path,
    unsigned n, struct rsakey_octets modulus, uint64_t e, void *memory)
{
	struct twopower t;

	twopower_init(&t, modulus.p, modulus.n);
	rsakey_public_go(key, path, n, modulus, e, memory, &t);
}

static void
prime_init(struct path_prime *prime, unsigned n, struct rsakey_octets m,
    struct rsakey_octets d, struct store *store, uint8_t *octets)
{
	const struct path *path = store->path;
	void *digits = store_take(store, n), *rr = store_take(store, n);
	void *r3 = store_take(store, n), *exponent = store_take(store, n);

	path->from_octets(digits, n, m.p, m.n);
	two_power(rr, path, n, m, 2 * path->width * n, octets);
	two_power(r3, path, n, m, 3 * path->width * n, octets);
	path->from_octets(exponent, n, d.p, d.n);
	*prime = (struct path_prime){
		.modulus = { .m = digits, .rr = rr, .k0 = k0(path, m) },
		.r3 = r3, .d = exponent,
	};
}

/* Numbers of plain limbs in the scratch, behind octets: p, two factors. */
#define PLAIN_NUMBERS	3

/*
 * Limbs for any number that fits n digits of the path.
 */
static unsigned
plain_limbs(const struct path *path, unsigned n)
{
	return (n * path->width + scalar_portable.width - 1) /
	    scalar_portable.width;
}

/*
 * qinv R mod p, by plain limbs, of which there are k: a Montgomery product by
 * R 2^(width k). Lanes have no product for every size of a prime.
 */
static void
qinv_init(void *z, const struct path *path, unsigned n,
    struct rsakey_octets p, struct rsakey_octets qinv, uint8_t *scratch)
{
	const struct path *plain = &scalar_portable;
	unsigned k = plain_limbs(path, n);
	uint8_t *octets = scratch;
	struct store store = {
		.path = plain, .at = scratch + RSAKEY_OCTETS_MAX,
	};
	void *m = store_take(&store, k), *a = store_take(&store, k);
	void *b = store_take(&store, k);
	struct path_modulus modulus = { .m = m, .rr = b, .k0 = k0(plain, p) };
	struct path_product product = {
		.modulus = &modulus, .a = a, .b = b, .z = a,
	};

	plain->from_octets(m, k, p.p, p.n);
	plain->from_octets(a, k, qinv.p, qinv.n);
	two_power(b, plain, k, p, path->width * n + plain->width * k, octets);
	plain->product(k, &product, 1, scratch + rsakey_align(
	    RSAKEY_OCTETS_MAX + PLAIN_NUMBERS * rsakey_number_size(plain, k)));
	plain->to_octets(octets, p.n, a, k);
	path->from_octets(z, n, octets, p.n);
}

size_t
rsakey_private_size(const struct path *path, unsigned n)
{
	/* p and q: m, rr, r3, d; and qinv */
	return 9 * rsakey_number_size(path, n);
}

size_t
rsakey_private_scratch(const struct path *path, unsigned n)
{
	unsigned k = plain_limbs(path, n);

	return rsakey_align(RSAKEY_OCTETS_MAX + PLAIN_NUMBERS *
	    rsakey_number_size(&scalar_portable, k)) +
	    scalar_portable.scratch_public(k);
}

WIPE_NOINLINE static void
private_init(struct rsakey_private *key, const struct rsakey_public *public,
    unsigned n, const struct rsakey_numbers *numbers, void *memory,
    void *scratch)
{
	const struct path *path = public->path;
	struct store store = { .path = path, .at = memory };
	unsigned p_bits = rsakey_bits(numbers->p);
	unsigned q_bits = rsakey_bits(numbers->q);
	void *qinv;

	key->public = public;
	key->n = n;
	key->bits = p_bits > q_bits ? p_bits : q_bits;
	prime_init(&key->p, n, numbers->p, numbers->dp, &store, scratch);
	prime_init(&key->q, n, numbers->q, numbers->dq, &store, scratch);
	qinv = store_take(&store, n);
	qinv_init(qinv, path, n, numbers->p, numbers->qinv, scratch);
	key->qinv = qinv;
}

void
rsakey_private_init(struct rsakey_private *key,
    const struct rsakey_public *public, unsigned n,
    const struct rsakey_numbers *numbers, void *memory, void *scratch)
{
	private_init(key, public, n, numbers, memory, scratch);
	/* k0 of a prime is as good as its lowest 64 bits. */
	wipe_stack();
	wipe_registers();
}
