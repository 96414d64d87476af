/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs for base blinding (Kocher 1996, section 10).
 *
 * 1 / r comes from libcrypto's BN_mod_inverse of r t, with t as random as r
 * and used for nothing else: r t is uniform and tells nothing of r, so the
 * inverse may take what time it likes.
 */

/* system */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto */
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/rand.h>

/* this room */
#include "blinding.h"
#include "error.h"
#include "mem.h"

/* Tells a pair that is whole from one that fork emptied. */
#define MAGIC	UINT64_C(0x7061697220722065)

struct blinding_secret {
	uint64_t	magic;
	uint64_t	blind[RSAKEY_OCTETS_MAX / 8];
	uint64_t	unblind[RSAKEY_OCTETS_MAX / 8];
};

struct blinding_slab {
	struct blinding_secret	*secret;	/* private pages */
	struct blinding_pair	 pair[BLINDING_SLAB];
};

#define SLAB_SECRETS	(BLINDING_SLAB * sizeof(struct blinding_secret))

/* Numbers and octets of one pair's making, in the scratch. */
struct make {
	const struct rsakey_public	*key;
	uint8_t	*r, *t, *one;	/* n digits each */
	uint8_t	*octets;	/* as many as the modulus has */
	void	*scratch;	/* the path's */
};

#define MAKE_NUMBERS	3

static size_t
make_end(const struct path *path, unsigned n)
{
	return rsakey_align(MAKE_NUMBERS * rsakey_number_size(path, n) +
	    RSAKEY_OCTETS_MAX);
}

size_t
blinding_scratch(const struct path *path, unsigned n)
{
	return make_end(path, n) + path->scratch_public(n);
}

static struct blinding_slab *
slab_new(void)
{
	struct blinding_slab *slab = calloc(1, sizeof *slab);

	if (slab == NULL)
		return NULL;
	slab->secret = (void *)mem_private_new(SLAB_SECRETS);
	if (slab->secret == NULL) {
		free(slab);
		return NULL;
	}
	for (size_t i = 0; i < BLINDING_SLAB; i++) {
		struct blinding_pair *pair = &slab->pair[i];

		pair->secret = &slab->secret[i];
		pair->blind = pair->secret->blind;
		pair->unblind = pair->secret->unblind;
	}
	return slab;
}

void
blinding_clear(struct blinding *blinding)
{
	for (size_t i = 0; i < blinding->slabs; i++) {
		mem_private_free((uint8_t *)blinding->slab[i]->secret,
		    SLAB_SECRETS);
		free(blinding->slab[i]);
	}
	memset(blinding, 0, sizeof *blinding);
}

static struct blinding_pair *
pair_at(const struct blinding *blinding, size_t i)
{
	return &blinding->slab[i / BLINDING_SLAB]->pair[i % BLINDING_SLAB];
}

static bool
pair_is_of(const struct blinding_pair *pair, const uint8_t *fingerprint)
{
	return memcmp(pair->fingerprint, fingerprint,
	    sizeof pair->fingerprint) == 0;
}

/*
 * Is it a pair of this key, in the form that its path has now?
 */
static bool
pair_fits(const struct blinding_pair *pair, const uint8_t *fingerprint,
    const struct rsakey_public *key)
{
	return pair->path == key->path && pair->n == key->n &&
	    pair_is_of(pair, fingerprint);
}

static void
pair_clear(struct blinding_pair *pair)
{
	pair->path = NULL;
	pair->used = 0;
	rsab_wipe(pair->secret, sizeof *pair->secret);
}

/*
 * A pair for this key: its own, else a free one, else, with all slabs there,
 * the one unused longest. NULL: no memory.
 */
static struct blinding_pair *
pair_find(struct blinding *blinding, const uint8_t *fingerprint,
    const struct rsakey_public *key)
{
	struct blinding_pair *best = NULL;
	struct blinding_slab *slab;

	for (size_t i = 0; i < blinding->slabs * BLINDING_SLAB; i++) {
		struct blinding_pair *pair = pair_at(blinding, i);

		if (pair_fits(pair, fingerprint, key))
			return pair;
		/* A free one was used at time 0. */
		if (best == NULL || pair->used < best->used)
			best = pair;
	}
	if ((best != NULL && best->used == 0) ||
	    blinding->slabs == BLINDING_SLABS)
		return best;
	if ((slab = slab_new()) == NULL)
		return NULL;
	blinding->slab[blinding->slabs++] = slab;
	return &slab->pair[0];
}

/*
 * z = a b / R mod n
 */
static void
product(const struct make *make, void *z, const void *a, const void *b)
{
	const struct path_product one = {
		.modulus = &make->key->modulus, .a = a, .b = b, .z = z,
	};

	make->key->path->product(make->key->n, &one, 1, make->scratch);
}

/*
 * A random number below n, times R: one bit shorter than n.
 */
static int
make_random(const struct make *make, void *z)
{
	const struct rsakey_public *key = make->key;
	size_t len = key->octets.n;
	unsigned top = (rsakey_bits(key->octets) - 1) % 8;

	if (RAND_priv_bytes(make->octets, (int)len) != 1)
		return error_take(RSAB_ERR_BACKEND);
	make->octets[0] &= (uint8_t)((1U << top) - 1);
	key->path->from_octets(z, key->n, make->octets, len);
	product(make, z, z, key->modulus.rr);
	return RSAB_OK;
}

/*
 * octets = 1 / octets mod n
 */
static int
make_inverse(const struct make *make)
{
	int len = (int)make->key->octets.n, r = RSAB_OK;
	BIGNUM *x = BN_bin2bn(make->octets, len, NULL);
	BIGNUM *n = BN_bin2bn(make->key->octets.p, len, NULL);
	BN_CTX *context = BN_CTX_new();

	if (x == NULL || n == NULL || context == NULL)
		r = error_take(RSAB_ERR_NOMEM);
	else if (BN_mod_inverse(x, x, n, context) == NULL)
		r = error_take(ERR_GET_REASON(ERR_peek_last_error()) ==
		    BN_R_NO_INVERSE ? RSAB_ERR_BACKEND : RSAB_ERR_NOMEM);
	else if (BN_bn2binpad(x, make->octets, len) != len)
		r = error_take(RSAB_ERR_BACKEND);
	BN_CTX_free(context);
	BN_free(n);
	BN_clear_free(x);
	return r;
}

/*
 * Make a pair: unblind = t R / (r t), blind = r^e R.
 */
static int
pair_make(struct blinding_pair *pair, const struct make *make)
{
	const struct rsakey_public *key = make->key;
	const struct path *path = key->path;
	const struct path_power power = {
		.modulus = &key->modulus, .e = key->e,
		.x = make->r, .z = make->r,
	};
	uint8_t uses;
	int r;

	if ((r = make_random(make, make->r)) != 0 ||
	    (r = make_random(make, make->t)) != 0)
		return r;
	if (RAND_bytes(&uses, 1) != 1)
		return error_take(RSAB_ERR_BACKEND);
	/* r t = (r R) (t R) / R / R */
	memset(make->octets, 0, key->octets.n);
	make->octets[key->octets.n - 1] = 1;
	path->from_octets(make->one, key->n, make->octets, key->octets.n);
	product(make, pair->unblind, make->r, make->t);
	product(make, pair->unblind, pair->unblind, make->one);
	path->to_octets(make->octets, key->octets.n, pair->unblind, key->n);
	if ((r = make_inverse(make)) != 0)
		return r;
	path->from_octets(pair->unblind, key->n, make->octets, key->octets.n);
	product(make, pair->unblind, pair->unblind, key->modulus.rr);
	product(make, pair->unblind, pair->unblind, make->t);
	product(make, make->r, make->r, make->one);
	path->power_public(key->n, &power, 1, make->scratch);
	product(make, pair->blind, make->r, key->modulus.rr);
	pair->left = BLINDING_USES_MIN + uses % (BLINDING_USES_MAX -
	    BLINDING_USES_MIN + 1);
	return RSAB_OK;
}

int
blinding_take(struct blinding *blinding,
    const uint8_t fingerprint[RSAB_FINGERPRINT_SIZE],
    const struct rsakey_public *key, void *scratch,
    struct blinding_pair **out)
{
	size_t size = rsakey_number_size(key->path, key->n);
	uint8_t *at = scratch;
	const struct make make = {
		.key = key, .r = at, .t = at + size, .one = at + 2 * size,
		.octets = at + MAKE_NUMBERS * size,
		.scratch = at + make_end(key->path, key->n),
	};
	struct blinding_pair *pair = pair_find(blinding, fingerprint, key);
	int r;

	if (pair == NULL)
		return RSAB_ERR_NOMEM;
	if (!pair_fits(pair, fingerprint, key) || pair->left == 0 ||
	    pair->secret->magic != MAGIC) {
		pair_clear(pair);
		if ((r = pair_make(pair, &make)) != 0)
			return r;
		memcpy(pair->fingerprint, fingerprint,
		    sizeof pair->fingerprint);
		pair->path = key->path;
		pair->n = key->n;
		pair->secret->magic = MAGIC;
	}
	pair->used = ++blinding->time;
	*out = pair;
	return RSAB_OK;
}

void
blinding_drop(struct blinding *blinding,
    const uint8_t fingerprint[RSAB_FINGERPRINT_SIZE])
{
	for (size_t i = 0; i < blinding->slabs * BLINDING_SLAB; i++) {
		struct blinding_pair *pair = pair_at(blinding, i);

		if (pair->path != NULL && pair_is_of(pair, fingerprint))
			pair_clear(pair);
	}
}

void
blinding_step(const struct blinding_use *use, size_t count, void *scratch)
{
	const struct path *path = use->key->path;
	unsigned n = use->key->n;
	struct path_product square[2 * RSAB_PASS_MAX];

	for (size_t i = 0; i < count; i++) {
		struct blinding_pair *pair = use[i].pair;
		const struct path_product one = {
			.modulus = &use[i].key->modulus,
			.a = pair->blind, .b = pair->blind, .z = pair->blind,
		};

		square[2 * i] = square[2 * i + 1] = one;
		square[2 * i + 1].a = square[2 * i + 1].b = pair->unblind;
		square[2 * i + 1].z = pair->unblind;
		pair->left--;
	}
	for (size_t i = 0; i < 2 * count; i += PATH_LANES)
		path->product(n, &square[i], 2 * count - i < PATH_LANES ?
		    2 * count - i : PATH_LANES, (uint8_t *)scratch +
		    make_end(path, n));
}
