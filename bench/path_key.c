/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key on a path; see path_key.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* rooms below */
#include "rsa-backend/pem.h"
#include "rsa-backend/pkcs1.h"
#include "rsa-backend/pkcs8.h"

/* this room */
#include "path_key.h"

static struct rsakey_octets
octets(struct der der)
{
	return (struct rsakey_octets){ .p = der.p, .n = der.n };
}

static void *
scratch_new(const struct path *path, unsigned n)
{
	size_t load = rsakey_private_scratch(path, n);
	size_t sign = rsasign_scratch(path, n);
	size_t verify = rsaverify_scratch(path, 2 * n);
	size_t size = load > sign ? load : sign;

	return aligned_alloc(RSAKEY_ALIGN,
	    rsakey_align(size > verify ? size : verify));
}

/*
 * Both halves of the key, for primes of n digits.
 */
static int
halves_init(struct path_key *key, const struct path *path, unsigned n,
    const struct pkcs8 *parts)
{
	struct rsakey_numbers numbers = {
		.p = octets(parts->p), .q = octets(parts->q),
		.dp = octets(parts->dp), .dq = octets(parts->dq),
		.qinv = octets(parts->qinv),
	};
	uint64_t e = 0;

	key->public_memory = malloc(rsakey_public_size(path, 2 * n));
	key->private_memory = malloc(rsakey_private_size(path, n));
	key->scratch = scratch_new(path, n);
	if (key->public_memory == NULL || key->private_memory == NULL ||
	    key->scratch == NULL) {
		warnx("no memory for a key");
		return EX_OSERR;
	}
	for (size_t i = 0; i < parts->rsa.e.n; i++)
		e = e << 8 | parts->rsa.e.p[i];
	memcpy(key->modulus, parts->rsa.n.p, parts->rsa.n.n);
	rsakey_public_init(&key->public, path, 2 * n, (struct rsakey_octets){
	    .p = key->modulus, .n = parts->rsa.n.n }, e, key->public_memory);
	rsakey_private_init(&key->private, &key->public, n, &numbers,
	    key->private_memory, key->scratch);
	return 0;
}

static int
from_parts(struct path_key *key, const struct path *path,
    const struct pkcs8 *parts)
{
	unsigned p = rsakey_bits(octets(parts->p));
	unsigned q = rsakey_bits(octets(parts->q));
	unsigned n = path->digits_prime(p > q ? p : q);
	int status;

	if (n == 0 || path->digits_modulus(key->reference->bits) == 0) {
		warnx("%s: no numbers of %u bits", path->name,
		    key->reference->bits);
		return EX_UNAVAILABLE;
	}
	status = halves_init(key, path, n, parts);
	for (size_t i = 0; i < REFERENCE_MESSAGES && status == 0; i++)
		if (pkcs1_encode(RSAB_SHA256, key->reference->digest[i],
		    key->em[i], key->reference->size) != 0) {
			warnx("%u bits: too short for a digest",
			    key->reference->bits);
			status = EX_SOFTWARE;
		}
	return status;
}

int
path_key_init(struct path_key *key, const struct path *path,
    const struct reference *reference)
{
	struct der in = { (const uint8_t *)reference->pem,
	    reference->pem_len };
	struct pkcs8 parts;
	struct pem pem;
	int status;

	memset(key, 0, sizeof *key);
	key->reference = reference;
	if (pem_decode(in, &pem) != 0) {
		warnx("a key of ours is no PEM");
		return EX_SOFTWARE;
	}
	if (pkcs8_parse(pem.der, &parts) != 0) {
		warnx("a key of ours is no PKCS#8");
		status = EX_SOFTWARE;
	} else
		status = from_parts(key, path, &parts);
	pem_clear(&pem);
	if (status != 0)
		path_key_clear(key);
	return status;
}

void
path_key_clear(struct path_key *key)
{
	free(key->public_memory);
	free(key->private_memory);
	free(key->scratch);
	key->public_memory = key->private_memory = NULL;
	key->scratch = NULL;
}

static int
wrong(const struct path_key *key, const char *what)
{
	warnx("%s, %u-bit digits, %u bits: %s", key->public.path->name,
	    key->public.path->width, key->reference->bits, what);
	return EX_SOFTWARE;
}

int
path_key_sign(void *arg, unsigned thread, size_t rounds)
{
	struct path_key *key = arg;
	uint8_t out[RSAKEY_OCTETS_MAX];
	struct rsasign_request request = { .key = &key->private, .out = out };

	(void)thread;
	while (rounds-- > 0) {
		request.in = key->em[key->at];
		rsasign_run(&request, 1, key->scratch);
		if (memcmp(out, key->reference->signature[key->at],
		    key->reference->size) != 0)
			return wrong(key, "a signature is not the one that "
			    "libcrypto makes");
		memset(out, 0, key->reference->size);
		key->at = (key->at + 1) % REFERENCE_MESSAGES;
	}
	return 0;
}

int
path_key_verify(void *arg, unsigned thread, size_t rounds)
{
	struct path_key *key = arg;
	struct rsaverify_request request = { .key = &key->public };

	(void)thread;
	while (rounds-- > 0) {
		request.s = key->reference->signature[key->at];
		request.want = key->em[key->at];
		request.is_good = false;
		rsaverify_run(&request, 1, key->scratch);
		if (!request.is_good)
			return wrong(key, "a right signature does not "
			    "verify");
		key->at = (key->at + 1) % REFERENCE_MESSAGES;
	}
	return 0;
}

int
path_key_control(struct path_key *key)
{
	uint8_t s[RSAB_SIGNATURE_MAX];
	struct rsaverify_request request = { .key = &key->public, .s = s };

	for (size_t i = 0; i < REFERENCE_MESSAGES; i++) {
		memcpy(s, key->reference->signature[i], sizeof s);
		reference_corrupt(s, key->reference->size, i);
		request.want = key->em[i];
		request.is_good = true;
		rsaverify_run(&request, 1, key->scratch);
		if (request.is_good)
			return wrong(key, "a corrupted signature is not "
			    "refused");
	}
	return 0;
}
