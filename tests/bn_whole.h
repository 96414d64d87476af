/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys and whole operations of rsa-backend/bn/ (rsakey.h, rsasign.h,
 * rsaverify.h) for programs without the backend and without libcrypto.
 */
#ifndef TESTS_BN_WHOLE_H
#define TESTS_BN_WHOLE_H

/* rsa-backend */
#include "rsa-backend/bn/rsakey.h"
#include "rsa-backend/bn/rsasign.h"
#include "rsa-backend/bn/rsaverify.h"

/* this room */
#include "tests/bn_raw.h"

/* A key of one path. Points into itself: not to be copied. */
struct bn_whole_key {
	struct bn_raw_parts	parts;
	struct rsakey_public	public;
	struct rsakey_private	private;
	_Alignas(8) uint8_t	public_memory[2 * BN_RAW_SIZE];
	_Alignas(8) uint8_t	private_memory[9 * BN_RAW_SIZE];
	struct bn_raw_number	blind, unblind;
};

static inline struct rsakey_octets
bn_whole_octets(const struct bn_raw_octets *x)
{
	return (struct rsakey_octets){ x->octets, x->n };
}

static inline void *
bn_whole_scratch(size_t size)
{
	void *scratch;

	if (posix_memalign(&scratch, RSAKEY_ALIGN, size) != 0) {
		fprintf(stderr, "no memory for %zu octets of scratch\n", size);
		exit(2);
	}
	memset(scratch, 0xa5, size);
	return scratch;
}

static inline void
bn_whole_fits(size_t size, size_t room)
{
	if (size <= room)
		return;
	fprintf(stderr, "a key takes %zu octets, and has %zu\n", size, room);
	exit(2);
}

/*
 * Set a key. Parts without p make a public one.
 */
static inline void
bn_whole_key_set(struct bn_whole_key *key, const struct path *path,
    const struct bn_raw_parts *parts)
{
	unsigned p = bn_raw_bits(&parts->p), q = bn_raw_bits(&parts->q), n;
	struct rsakey_numbers numbers;
	void *scratch;

	key->parts = *parts;
	bn_raw_strip(&key->parts.n);
	n = p == 0 ? 0 : path->digits_prime(p > q ? p : q);
	bn_whole_fits(rsakey_public_size(path, n != 0 ? 2 * n :
	    path->digits_modulus(bn_raw_bits(&parts->n))),
	    sizeof key->public_memory);
	memset(key->public_memory, 0xa5, sizeof key->public_memory);
	rsakey_public_init(&key->public, path, n != 0 ? 2 * n :
	    path->digits_modulus(bn_raw_bits(&parts->n)),
	    bn_whole_octets(&key->parts.n), key->parts.e, key->public_memory);
	if (n == 0)
		return;
	bn_whole_fits(rsakey_private_size(path, n), sizeof key->private_memory);
	memset(key->private_memory, 0xa5, sizeof key->private_memory);
	numbers = (struct rsakey_numbers){
		bn_whole_octets(&key->parts.p), bn_whole_octets(&key->parts.q),
		bn_whole_octets(&key->parts.dp),
		bn_whole_octets(&key->parts.dq),
		bn_whole_octets(&key->parts.qinv),
	};
	scratch = bn_whole_scratch(rsakey_private_scratch(path, n));
	rsakey_private_init(&key->private, &key->public, n, &numbers,
	    key->private_memory, scratch);
	free(scratch);
}

/*
 * x = x / 2^count mod m.
 *   x        below m, n octets like m
 */
static inline void
bn_whole_halve(uint8_t *x, const struct bn_raw_octets *m, unsigned count)
{
	while (count-- > 0) {
		bool odd = (x[m->n - 1] & 1) != 0;
		unsigned carry = 0;

		for (size_t i = m->n; odd && i-- > 0;) {
			carry += (unsigned)x[i] + m->octets[i];
			x[i] = (uint8_t)carry;
			carry >>= 8;
		}
		for (size_t i = 0; i < m->n; i++) {
			carry = carry << 8 | x[i];
			x[i] = (uint8_t)(carry >> 1);
			carry &= 1;
		}
	}
}

/*
 * Blinding factors of a private key for r = 2^power, the inverse of which
 * needs no more than halving.
 *   power    below the bits of the modulus
 */
static inline void
bn_whole_blind(struct bn_whole_key *key, unsigned power)
{
	const struct path *path = key->public.path;
	const struct bn_raw_octets *m = &key->parts.n;
	unsigned n = key->public.n;
	struct bn_raw_octets r = { .n = m->n };
	struct path_power raise = { &key->public.modulus, key->public.e,
	    key->blind.digits, key->blind.digits };
	struct path_product to_mont = { &key->public.modulus,
	    key->blind.digits, key->public.modulus.rr, key->blind.digits };
	void *scratch = bn_whole_scratch(path->scratch_public(n));

	r.octets[m->n - 1] = 1;
	bn_raw_double(r.octets, m, power);
	path->from_octets(key->blind.digits, n, r.octets, r.n);
	path->power_public(n, &raise, 1, scratch);
	path->product(n, &to_mont, 1, scratch);
	memset(r.octets, 0, r.n);
	r.octets[m->n - 1] = 1;
	bn_raw_double(r.octets, m, path->width * n);
	bn_whole_halve(r.octets, m, power);
	path->from_octets(key->unblind.digits, n, r.octets, r.n);
	free(scratch);
}

/*
 * Private operations by keys of one path and one number of digits.
 *   blinded  by what bn_whole_blind left in the keys
 */
static inline void
bn_whole_sign(const struct bn_whole_key *const *keys,
    const uint8_t *const *in, uint8_t *const *out, size_t count, bool blinded,
    void *scratch)
{
	struct rsasign_request request[PATH_LANES];

	for (size_t i = 0; i < count; i++)
		request[i] = (struct rsasign_request){
			.key = &keys[i]->private, .in = in[i], .out = out[i],
			.blind = blinded ? keys[i]->blind.digits : NULL,
			.unblind = blinded ? keys[i]->unblind.digits : NULL,
		};
	rsasign_run(request, count, scratch);
}

#endif
