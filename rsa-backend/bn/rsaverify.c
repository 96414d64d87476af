/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public operations (RFC 8017 s5.2.2), compared octet by octet.
 *
 * The check after signing comes here too, and a signature that came out wrong
 * gives a prime away: nothing branches on s or on its power but the verdict.
 */

/* this room */
#include "rsa-backend/bn/rsaverify.h"
#include "rsa-backend/ct.h"

static size_t
numbers_end(const struct path *path, unsigned n)
{
	return rsakey_align(PATH_LANES * rsakey_number_size(path, n) +
	    RSAKEY_OCTETS_MAX);
}

size_t
rsaverify_scratch(const struct path *path, unsigned n)
{
	return numbers_end(path, n) + path->scratch_public(n);
}

static uint64_t
word(const uint8_t *p)
{
	return (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 |
	    (uint64_t)p[2] << 8 | p[3];
}

/*
 * All ones where a < b, numbers of n octets: the borrow of a - b, four octets
 * a step.
 */
static uint32_t
is_below(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint64_t borrow = 0;

	for (; n >= 4; n -= 4)
		borrow = (word(&a[n - 4]) - word(&b[n - 4]) - borrow) >> 63;
	while (n-- > 0)
		borrow = ((uint64_t)a[n] - b[n] - borrow) >> 63;
	return 0 - (uint32_t)borrow;
}

/*
 * x = s, or 0 where s is not below the modulus (RFC 8017 s5.2.2 step 1).
 *   returns  all ones where it is
 */
static uint32_t
take(void *x, const struct rsaverify_request *request, uint8_t *octets)
{
	const struct rsakey_public *key = request->key;
	size_t len = key->octets.n;
	uint32_t below = is_below(request->s, key->octets.p, len);

	for (size_t i = 0; i < len; i++)
		octets[i] = request->s[i] & (uint8_t)below;
	key->path->from_octets(x, key->n, octets, len);
	return below;
}

void
rsaverify_run(struct rsaverify_request *request, size_t count, void *scratch)
{
	const struct path *path = request->key->path;
	unsigned n = request->key->n;
	size_t size = rsakey_number_size(path, n);
	uint8_t *x = scratch, *octets = x + PATH_LANES * size;
	struct path_power power[PATH_LANES] = { { .x = NULL } };
	uint32_t below[PATH_LANES];

	for (size_t i = 0; i < count; i++) {
		below[i] = take(x + i * size, &request[i], octets);
		power[i] = (struct path_power){
			.modulus = &request[i].key->modulus,
			.e = request[i].key->e,
			.x = x + i * size, .z = x + i * size,
		};
	}
	path->power_public(n, power, count, x + numbers_end(path, n));
	for (size_t i = 0; i < count; i++) {
		size_t len = request[i].key->octets.n;

		path->to_octets(octets, len, x + i * size, n);
		request[i].is_good = (below[i] &
		    ct_equal(octets, request[i].want, len)) != 0;
	}
}
