/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole RSA operations put together from the operations of a path alone, for
 * programs that test the arithmetic without the backend and without
 * libcrypto. What a key needs is computed here by shifts and subtractions of
 * octets, and shares no code with rsa-backend/bn/ but residue.h.
 */
#ifndef TESTS_BN_RAW_H
#define TESTS_BN_RAW_H

/* system */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* rsa-backend */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/residue.h"
#include "rsa-backend/cpu.h"

#define BN_RAW_OCTETS	1024	/* of a modulus: 8192 bits */
#define BN_RAW_SIZE	1152	/* octets of the digits of any number */

/* Digits of a path; as big-endian octets where a name says so. */
struct bn_raw_number {
	_Alignas(8) uint8_t digits[BN_RAW_SIZE];
};

struct bn_raw_octets {
	uint8_t	octets[BN_RAW_OCTETS];
	size_t	n;
};

/* A private key as a file has it, and a public one: n and e only. */
struct bn_raw_parts {
	struct bn_raw_octets	n, p, q, dp, dq, qinv;
	uint64_t		e;
};

struct bn_raw_modulus {
	struct path_modulus	modulus;
	struct bn_raw_number	m, rr;
	unsigned		n;	/* digits */
};

struct bn_raw_prime {
	struct path_prime	prime;
	struct bn_raw_modulus	modulus;
	struct bn_raw_number	r3, d;
};

/* A key of one path. Points into itself: not to be copied. */
struct bn_raw_key {
	const struct path	*path;
	struct bn_raw_modulus	 modulus;
	struct bn_raw_prime	 p, q;
	struct bn_raw_number	 qinv;
	size_t			 size;	/* octets of the modulus */
	uint64_t		 e;
	unsigned		 bits;	/* of the longer prime */
	unsigned		 n;	/* digits of a prime; 0: public key */
};

/* The paths of path.h. */
static const struct path *const bn_raw_paths[] = {
	&scalar_portable, &scalar_adx, &lanes_emulated, &lanes_ifma,
};

#define BN_RAW_PATHS	(sizeof bn_raw_paths / sizeof bn_raw_paths[0])

/*
 * Can this machine run the path?
 */
static inline bool
bn_raw_runs(const struct path *path)
{
	return (path->features & ~cpu_features()) == 0;
}

static inline unsigned
bn_raw_bits(const struct bn_raw_octets *x)
{
	size_t i = 0;
	unsigned bits;

	while (i < x->n && x->octets[i] == 0)
		i++;
	if (i == x->n)
		return 0;
	bits = (unsigned)(x->n - i) * 8;
	for (unsigned top = x->octets[i]; top < 0x80; top <<= 1)
		bits--;
	return bits;
}

/*
 * Take leading zero octets off.
 */
static inline void
bn_raw_strip(struct bn_raw_octets *x)
{
	size_t zeros = 0;

	while (zeros + 1 < x->n && x->octets[zeros] == 0)
		zeros++;
	memmove(x->octets, x->octets + zeros, x->n - zeros);
	x->n -= zeros;
}

/*
 * x = x 2^count mod m, a doubling at a time.
 *   x        below m, n octets like m
 */
static inline void
bn_raw_double(uint8_t *x, const struct bn_raw_octets *m, unsigned count)
{
	uint8_t less[BN_RAW_OCTETS];
	size_t n = m->n;

	while (count-- > 0) {
		unsigned carry = 0;
		int borrow = 0;

		for (size_t i = n; i-- > 0;) {
			carry |= (unsigned)x[i] << 1;
			x[i] = (uint8_t)carry;
			carry >>= 8;
		}
		for (size_t i = n; i-- > 0;) {
			borrow += x[i] - m->octets[i];
			less[i] = (uint8_t)borrow;
			borrow >>= 8;
		}
		if (carry != 0 || borrow == 0)
			memcpy(x, less, n);
	}
}

static inline void
bn_raw_digits(const struct path *path, struct bn_raw_number *z, unsigned n,
    const struct bn_raw_octets *x)
{
	memset(z, 0xa5, sizeof *z);
	path->from_octets(z->digits, n, x->octets, x->n);
}

/*
 * z = 2^exponent mod m in n digits.
 */
static inline void
bn_raw_two_power(const struct path *path, struct bn_raw_number *z, unsigned n,
    const struct bn_raw_octets *m, unsigned exponent)
{
	struct bn_raw_octets power = { .n = m->n };

	residue_of_two_power(power.octets, m->octets, m->n, exponent);
	bn_raw_digits(path, z, n, &power);
}

/*
 * A modulus in n digits.
 *   m        odd
 */
static inline void
bn_raw_modulus_set(const struct path *path, struct bn_raw_modulus *out,
    unsigned n, const struct bn_raw_octets *m)
{
	uint64_t low = 0;

	for (size_t i = 0; i < 8 && i < m->n; i++)
		low |= (uint64_t)m->octets[m->n - 1 - i] << 8 * i;
	bn_raw_digits(path, &out->m, n, m);
	bn_raw_two_power(path, &out->rr, n, m, 2 * path->width * n);
	out->n = n;
	out->modulus.m = out->m.digits;
	out->modulus.rr = out->rr.digits;
	out->modulus.k0 = residue_k0(low) &
	    (path->width == 64 ? ~(uint64_t)0 :
	    ((uint64_t)1 << path->width) - 1);
}

/*
 * A prime, or any odd modulus, with its exponent, in n digits.
 */
static inline void
bn_raw_prime_set(const struct path *path, struct bn_raw_prime *out,
    unsigned n, const struct bn_raw_octets *m, const struct bn_raw_octets *d)
{
	bn_raw_modulus_set(path, &out->modulus, n, m);
	bn_raw_two_power(path, &out->r3, n, m, 3 * path->width * n);
	bn_raw_digits(path, &out->d, n, d);
	out->prime.modulus = out->modulus.modulus;
	out->prime.r3 = out->r3.digits;
	out->prime.d = out->d.digits;
}

/*
 * z = x R mod m in n digits.
 *   x        below m
 */
static inline void
bn_raw_to_mont(const struct path *path, struct bn_raw_number *z, unsigned n,
    const struct bn_raw_octets *x, const struct bn_raw_octets *m)
{
	struct bn_raw_octets y = { .n = m->n };

	memcpy(y.octets + m->n - x->n, x->octets, x->n);
	bn_raw_double(y.octets, m, path->width * n);
	bn_raw_digits(path, z, n, &y);
}

/*
 * Can the path serve a key of these parts?
 */
static inline bool
bn_raw_takes(const struct path *path, const struct bn_raw_parts *parts)
{
	unsigned p = bn_raw_bits(&parts->p), q = bn_raw_bits(&parts->q);

	return path->digits_modulus(bn_raw_bits(&parts->n)) != 0 &&
	    (p == 0 || path->digits_prime(p > q ? p : q) != 0);
}

/*
 * Set a key. Parts without p make a public one.
 */
static inline void
bn_raw_key_set(struct bn_raw_key *key, const struct path *path,
    struct bn_raw_parts *parts)
{
	unsigned p, q;

	bn_raw_strip(&parts->n);
	bn_raw_strip(&parts->p);
	bn_raw_strip(&parts->q);
	bn_raw_strip(&parts->qinv);
	p = bn_raw_bits(&parts->p);
	q = bn_raw_bits(&parts->q);
	memset(key, 0, sizeof *key);
	key->path = path;
	key->size = parts->n.n;
	key->e = parts->e;
	bn_raw_modulus_set(path, &key->modulus,
	    path->digits_modulus(bn_raw_bits(&parts->n)), &parts->n);
	if (p == 0)
		return;
	key->bits = p > q ? p : q;
	key->n = path->digits_prime(key->bits);
	bn_raw_prime_set(path, &key->p, key->n, &parts->p, &parts->dp);
	bn_raw_prime_set(path, &key->q, key->n, &parts->q, &parts->dq);
	bn_raw_to_mont(path, &key->qinv, key->n, &parts->qinv, &parts->p);
}

/*
 * Scratch for operations of a path with n digits a prime or modulus_n a
 * modulus; 0: it has none of that kind to do.
 *   result   not an octet more than the path asks for, filled with a5, so that
 *            nothing can count on zeros; the caller frees
 */
static inline void *
bn_raw_scratch(const struct path *path, unsigned n, unsigned modulus_n)
{
	size_t size = n == 0 ? 0 : path->scratch_private(n), more = 0;
	void *scratch;

	if (modulus_n != 0)
		more = path->scratch_public(modulus_n);
	if (size < more)
		size = more;
	if (posix_memalign(&scratch, 64, size) != 0) {
		fprintf(stderr, "no memory for %zu octets of scratch\n", size);
		exit(2);
	}
	memset(scratch, 0xa5, size);
	return scratch;
}

/*
 * What a pass of signatures works in: kept out of the stack, so that a test
 * can look at it.
 */
struct bn_raw_pass {
	struct bn_raw_number	x[PATH_LANES];
	struct bn_raw_number	half[PATH_HALVES];
	struct bn_raw_number	z[PATH_LANES];
};

/*
 * Signatures of encoded messages by the Chinese remainder theorem, without
 * blinding and check.
 *   keys     of one path and one n
 *   em, out  count arrays of the key's size
 */
static inline void
bn_raw_sign(struct bn_raw_pass *pass, const struct bn_raw_key *const *keys,
    const uint8_t *const *em, uint8_t *const *out, size_t count, void *scratch)
{
	const struct path *path = keys[0]->path;
	unsigned n = keys[0]->n, bits = 0;
	struct path_half half[PATH_HALVES];
	struct path_crt crt[PATH_LANES];

	for (size_t i = 0; i < count; i++) {
		if (bits < keys[i]->bits)
			bits = keys[i]->bits;
		path->from_octets(&pass->x[i], 2 * n, em[i], keys[i]->size);
		half[2 * i] = (struct path_half){ &keys[i]->p.prime,
		    &pass->x[i], &pass->half[2 * i] };
		half[2 * i + 1] = (struct path_half){ &keys[i]->q.prime,
		    &pass->x[i], &pass->half[2 * i + 1] };
		crt[i] = (struct path_crt){ &keys[i]->p.prime,
		    keys[i]->q.modulus.m.digits, keys[i]->qinv.digits,
		    &pass->half[2 * i], &pass->half[2 * i + 1], &pass->z[i] };
	}
	path->power_private(n, bits, half, 2 * count, scratch);
	path->crt(n, crt, count, scratch);
	for (size_t i = 0; i < count; i++)
		path->to_octets(out[i], keys[i]->size, &pass->z[i], 2 * n);
}

/*
 * Signatures raised to the public exponent.
 *   keys     of one path and one number of digits
 *   sig, out count arrays of the key's size; each signature below its modulus
 */
static inline void
bn_raw_open(struct bn_raw_pass *pass, const struct bn_raw_key *const *keys,
    const uint8_t *const *sig, uint8_t *const *out, size_t count,
    void *scratch)
{
	const struct path *path = keys[0]->path;
	unsigned n = keys[0]->modulus.n;
	struct path_power power[PATH_LANES];

	for (size_t i = 0; i < count; i++) {
		path->from_octets(&pass->x[i], n, sig[i], keys[i]->size);
		power[i] = (struct path_power){ &keys[i]->modulus.modulus,
		    keys[i]->e, &pass->x[i], &pass->z[i] };
	}
	path->power_public(n, power, count, scratch);
	for (size_t i = 0; i < count; i++)
		path->to_octets(out[i], keys[i]->size, &pass->z[i], n);
}

#endif
