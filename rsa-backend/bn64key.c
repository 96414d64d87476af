/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of the backend bn64: which path a shape gets, and where its numbers
 * lie.
 *
 * A private key works with numbers of n digits for both primes, n those of
 * the larger one, and 2n for its modulus. Lanes take it where n is also the
 * class of half its modulus, that is, always but for primes of rather unequal
 * length; those go the scalar way as long as the larger one has at most five
 * eighths of the bits; what is beyond that nobody makes, and libcrypto
 * serves it.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "bn64key.h"
#include "mem.h"

/* Paths and digits of a key. */
struct shape {
	const struct path	*lanes;		/* NULL: none */
	unsigned		 lanes_n;	/* of the modulus */
	const struct path	*scalar;
	unsigned		 scalar_n;	/* of the modulus */
	const struct path	*private;	/* NULL: a public key */
	unsigned		 private_n;	/* of a prime */
};

static struct rsakey_octets
octets(struct der der)
{
	return (struct rsakey_octets){ .p = der.p, .n = der.n };
}

static void
shape_public(struct shape *shape, unsigned bits)
{
	shape->scalar_n = shape->scalar->digits_modulus(bits);
	if (shape->lanes != NULL)
		shape->lanes_n = shape->lanes->digits_modulus(bits);
	if (shape->lanes_n == 0)
		shape->lanes = NULL;
}

/*
 *   p_bits   of the larger prime
 */
static void
shape_private(struct shape *shape, unsigned bits, unsigned p_bits)
{
	unsigned n = shape->lanes == NULL ? 0 :
	    shape->lanes->digits_prime(p_bits);

	if (n != 0 && n == shape->lanes->digits_prime((bits + 1) / 2)) {
		shape->private = shape->lanes;
		shape->lanes_n = 2 * n;
	} else if (p_bits <= bits / 8 * 5) {
		n = shape->scalar->digits_prime(p_bits);
		shape->private = shape->scalar;
		shape->lanes = NULL;
		shape->scalar_n = 2 * n;
	}
	shape->private_n = n;
}

/*
 * Choose paths by the lengths of a key's numbers.
 *   errors   RSAB_ERR_UNSUPPORTED
 */
static int
shape_find(struct shape *shape, const struct rsab_key *key,
    const struct pkcs8 *parts)
{
	unsigned p_bits, q_bits;

	if (key->type != RSAB_RSA)
		return RSAB_ERR_UNSUPPORTED;
	shape_public(shape, key->bits);
	if (shape->scalar_n == 0)
		return RSAB_ERR_UNSUPPORTED;
	if (parts == NULL)
		return RSAB_OK;
	p_bits = (unsigned)der_bits(parts->p);
	q_bits = (unsigned)der_bits(parts->q);
	shape_private(shape, key->bits, p_bits > q_bits ? p_bits : q_bits);
	/* 2n digits of the larger prime, but no more than any modulus has */
	if (shape->private == NULL || shape->private_n == 0 ||
	    2 * shape->private_n * shape->private->digit_size >
	    RSAKEY_OCTETS_MAX)
		return RSAB_ERR_UNSUPPORTED;
	return RSAB_OK;
}

/*
 * The exponent; the parser has seen that it fits.
 */
static uint64_t
exponent(struct der e)
{
	uint64_t value = 0;

	for (size_t i = 0; i < e.n; i++)
		value = value << 8 | e.p[i];
	return value;
}

static int
public_new(const struct rsab_key *key, const struct shape *shape,
    struct bn64_key **out)
{
	size_t scalar_size = rsakey_public_size(shape->scalar,
	    shape->scalar_n);
	size_t lanes_size = shape->lanes == NULL ? 0 :
	    rsakey_public_size(shape->lanes, shape->lanes_n);
	struct rsakey_octets n = octets(key->rsa.n);
	uint64_t e = exponent(key->rsa.e), *lanes;
	struct twopower t;
	struct bn64_key *own = calloc(1, sizeof *own + scalar_size +
	    lanes_size);

	if (own == NULL)
		return RSAB_ERR_NOMEM;
	lanes = &own->numbers[scalar_size / 8];
	twopower_init(&t, n.p, n.n);
	if (shape->lanes != NULL &&
	    rsakey_exponent(shape->lanes, shape->lanes_n) <=
	    rsakey_exponent(shape->scalar, shape->scalar_n))
		rsakey_public_go(&own->lanes, shape->lanes, shape->lanes_n, n,
		    e, lanes, &t);
	rsakey_public_go(&own->scalar, shape->scalar, shape->scalar_n, n, e,
	    own->numbers, &t);
	if (shape->lanes != NULL && own->lanes.path == NULL)
		rsakey_public_go(&own->lanes, shape->lanes, shape->lanes_n, n,
		    e, lanes, &t);
	*out = own;
	return RSAB_OK;
}

/*
 * The secret half, and behind it the RSAPrivateKey.
 */
static int
secret_new(struct rsab_key *key, struct bn64_key *own,
    const struct shape *shape, const struct pkcs8 *parts)
{
	size_t size = rsakey_private_size(shape->private, shape->private_n);
	size_t scratch_size = rsakey_private_scratch(shape->private,
	    shape->private_n);
	struct rsakey_numbers numbers = {
		.p = octets(parts->p), .q = octets(parts->q),
		.dp = octets(parts->dp), .dq = octets(parts->dq),
		.qinv = octets(parts->qinv),
	};
	uint8_t *scratch = mem_private_new(scratch_size), *der;

	if (scratch == NULL)
		return RSAB_ERR_NOMEM;
	own->secret_size = sizeof *own->secret + size + parts->der.n;
	own->secret = (void *)mem_private_new(own->secret_size);
	if (own->secret == NULL) {
		mem_private_free(scratch, scratch_size);
		return RSAB_ERR_NOMEM;
	}
	rsakey_private_init(&own->secret->key,
	    shape->private == shape->lanes ? &own->lanes : &own->scalar,
	    shape->private_n, &numbers, own->secret->numbers, scratch);
	mem_private_free(scratch, scratch_size);
	der = (uint8_t *)own->secret->numbers + size;
	memcpy(der, parts->der.p, parts->der.n);
	key->der = (struct der){ .p = der, .n = parts->der.n };
	own->secret->magic = BN64KEY_MAGIC;
	return RSAB_OK;
}

int
bn64key_load(struct rsab_key *key, const struct path *lanes,
    const struct path *scalar, const struct pkcs8 *parts)
{
	struct shape shape = { .lanes = lanes, .scalar = scalar };
	struct bn64_key *own;
	int r;

	if ((r = shape_find(&shape, key, parts)) != 0 ||
	    (r = public_new(key, &shape, &own)) != 0)
		return r;
	key->own = own;
	return parts == NULL ? RSAB_OK : secret_new(key, own, &shape, parts);
}

void
bn64key_unload(struct rsab_key *key)
{
	struct bn64_key *own = key->own;

	mem_private_free((uint8_t *)own->secret, own->secret_size);
	free(own);
	key->own = NULL;
	key->der = (struct der){ NULL, 0 };
}

const struct rsakey_private *
bn64key_private(const struct rsab_key *key)
{
	const struct bn64_key *own = key->own;

	if (own->secret == NULL || own->secret->magic != BN64KEY_MAGIC)
		return NULL;
	return &own->secret->key;
}
