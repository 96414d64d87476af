/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public operations (RFC 8017 s5.2.2), compared octet by octet.
 *
 * The check after signing comes here too, and a signature that came out wrong
 * gives a prime away: nothing branches on s or on its power but the verdict.
 */

/* system */
#include <string.h>

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

/*
 * Eight octets as a number.
 */
static uint64_t
word(const uint8_t *p)
{
	return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
	    (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
	    (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
	    (uint64_t)p[6] << 8 | p[7];
}

/*
 * borrow = 1 where a - b - borrow is negative, else 0
 */
static uint64_t
borrow_of(uint64_t a, uint64_t b, uint64_t borrow)
{
	uint64_t difference = a - b - borrow;

	return ((~a & b) | (~(a ^ b) & difference)) >> 63;
}

/*
 * All ones where a < b, numbers of n octets: the borrow of a - b.
 */
static uint64_t
is_below(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint64_t borrow = 0;

	for (; n >= 8; n -= 8)
		borrow = borrow_of(word(&a[n - 8]), word(&b[n - 8]), borrow);
	while (n-- > 0)
		borrow = borrow_of(a[n], b[n], borrow);
	return 0 - borrow;
}

/*
 * x = s, or 0 where s is not below the modulus (RFC 8017 s5.2.2 step 1).
 *   returns  all ones where it is
 */
static uint64_t
take(void *x, const struct rsaverify_request *request, uint8_t *octets)
{
	const struct rsakey_public *key = request->key;
	size_t len = key->octets.n;
	uint64_t below = is_below(request->s, key->octets.p, len);
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		uint64_t eight;

		memcpy(&eight, &request->s[i], sizeof eight);
		eight &= below;
		memcpy(&octets[i], &eight, sizeof eight);
	}
	for (; i < len; i++)
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
	uint64_t below[PATH_LANES];

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
