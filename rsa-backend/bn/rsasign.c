/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private operations: blind, both halves, CRT, unblind (RFC 8017 s5.1.2).
 */

/* system */
#include <stdbool.h>

/* this room */
#include "rsa-backend/bn/rsasign.h"

/* Where one request's numbers lie in the scratch. */
struct numbers {
	uint8_t	*x;		/* 2n: the number itself, then the result */
	uint8_t	*xp, *xq;	/* n: the halves */
};

static size_t
numbers_size(const struct path *path, unsigned n)
{
	return rsakey_number_size(path, 2 * n) +
	    2 * rsakey_number_size(path, n);
}

static struct numbers
numbers_at(const struct path *path, unsigned n, size_t i, uint8_t *scratch)
{
	uint8_t *p = scratch + i * numbers_size(path, n);
	size_t half = rsakey_number_size(path, n);

	return (struct numbers){
		.x = p + 2 * half, .xp = p, .xq = p + half,
	};
}

static size_t
numbers_end(const struct path *path, unsigned n)
{
	return rsakey_align(PATH_LANES * numbers_size(path, n));
}

size_t
rsasign_scratch(const struct path *path, unsigned n)
{
	size_t private = path->scratch_private(n);
	size_t public = path->scratch_public(2 * n);

	return numbers_end(path, n) + (private > public ? private : public);
}

/*
 * x = x factor / R mod n, where a request has a factor.
 *   first    the factor before the operation; else the one after it
 */
static void
blind(const struct rsasign_request *request, size_t count, bool first,
    uint8_t *scratch)
{
	const struct path *path = request->key->public->path;
	unsigned n = request->key->n;
	struct path_product product[PATH_LANES];
	size_t k = 0;

	for (size_t i = 0; i < count; i++) {
		const void *factor = first ? request[i].blind :
		    request[i].unblind;
		void *x = numbers_at(path, n, i, scratch).x;

		if (factor != NULL)
			product[k++] = (struct path_product){
				.modulus = &request[i].key->public->modulus,
				.a = x, .b = factor, .z = x,
			};
	}
	if (k != 0)
		path->product(2 * n, product, k,
		    scratch + numbers_end(path, n));
}

/*
 * xp = x^dp mod p, xq = x^dq mod q
 */
static void
halves(const struct rsasign_request *request, size_t count, uint8_t *scratch)
{
	const struct path *path = request->key->public->path;
	unsigned n = request->key->n, bits = 0;
	struct path_half half[PATH_HALVES];

	for (size_t i = 0; i < count; i++) {
		const struct rsakey_private *key = request[i].key;
		struct numbers at = numbers_at(path, n, i, scratch);

		half[2 * i] = (struct path_half){
			.prime = &key->p, .x = at.x, .z = at.xp,
		};
		half[2 * i + 1] = (struct path_half){
			.prime = &key->q, .x = at.x, .z = at.xq,
		};
		bits = key->bits > bits ? key->bits : bits;
	}
	path->power_private(n, bits, half, 2 * count,
	    scratch + numbers_end(path, n));
}

static void
together(const struct rsasign_request *request, size_t count,
    uint8_t *scratch)
{
	const struct path *path = request->key->public->path;
	unsigned n = request->key->n;
	struct path_crt crt[PATH_LANES];

	for (size_t i = 0; i < count; i++) {
		const struct rsakey_private *key = request[i].key;
		struct numbers at = numbers_at(path, n, i, scratch);

		crt[i] = (struct path_crt){
			.p = &key->p, .q = key->q.modulus.m,
			.qinv = key->qinv,
			.xp = at.xp, .xq = at.xq, .z = at.x,
		};
	}
	path->crt(n, crt, count, scratch + numbers_end(path, n));
}

void
rsasign_run(const struct rsasign_request *request, size_t count,
    void *scratch)
{
	const struct path *path = request->key->public->path;
	unsigned n = request->key->n;

	for (size_t i = 0; i < count; i++)
		path->from_octets(numbers_at(path, n, i, scratch).x, 2 * n,
		    request[i].in, request[i].key->public->octets.n);
	blind(request, count, true, scratch);
	halves(request, count, scratch);
	together(request, count, scratch);
	blind(request, count, false, scratch);
	for (size_t i = 0; i < count; i++)
		path->to_octets(request[i].out,
		    request[i].key->public->octets.n,
		    numbers_at(path, n, i, scratch).x, 2 * n);
}
