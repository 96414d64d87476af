/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public operations (RFC 8017 s5.2.2), compared octet by octet.
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

void
rsaverify_run(struct rsaverify_request *request, size_t count, void *scratch)
{
	const struct path *path = request->key->path;
	unsigned n = request->key->n;
	size_t size = rsakey_number_size(path, n), k = 0;
	uint8_t *x = scratch, *octets = x + PATH_LANES * size;
	struct path_power power[PATH_LANES];
	size_t at[PATH_LANES];

	for (size_t i = 0; i < count; i++) {
		const struct rsakey_public *key = request[i].key;

		request[i].is_good = false;
		/* RFC 8017 s5.2.2 step 1; all of it is public */
		if (memcmp(request[i].s, key->octets.p, key->octets.n) >= 0)
			continue;
		path->from_octets(x + k * size, n, request[i].s,
		    key->octets.n);
		power[k] = (struct path_power){
			.modulus = &key->modulus, .e = key->e,
			.x = x + k * size, .z = x + k * size,
		};
		at[k++] = i;
	}
	if (k == 0)
		return;
	path->power_public(n, power, k, x + numbers_end(path, n));
	for (size_t i = 0; i < k; i++) {
		struct rsaverify_request *one = &request[at[i]];
		size_t len = one->key->octets.n;

		path->to_octets(octets, len, x + i * size, n);
		one->is_good = ct_equal(octets, one->want, len) != 0;
	}
}
