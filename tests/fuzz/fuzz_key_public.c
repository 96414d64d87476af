/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks rsab_key_load_public with the octets of p=: a key that loads is
 * within the limits, and printed and loaded again it is the same one.
 */

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/fuzz/fuzz.h"

static void
check(const struct rsab_backend *backend, enum rsab_key_type type,
    const uint8_t *p, size_t n)
{
	uint8_t one[RSAB_FINGERPRINT_SIZE], two[RSAB_FINGERPRINT_SIZE];
	struct rsab_key *key = NULL, *again;
	uint8_t *der;
	size_t der_n;
	int r;

	r = rsab_key_load_public(backend, type, p, n, &key);
	FUZZ_WANT((r == 0) == (key != NULL));
	if (key == NULL)
		return;
	FUZZ_WANT(rsab_key_type(key) == type && !rsab_key_is_private(key));
	FUZZ_WANT(rsab_key_bits(key) <= RSAB_RSA_BITS_MAX);
	FUZZ_WANT(rsab_key_print_public(key, &der, &der_n) == 0);
	FUZZ_WANT(rsab_key_load_public(backend, type, der, der_n,
	    &again) == 0);
	rsab_key_fingerprint(key, one);
	rsab_key_fingerprint(again, two);
	FUZZ_WANT(memcmp(one, two, sizeof(one)) == 0);
	rsab_key_unref(again);
	rsab_key_unref(key);
	free(der);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	const struct rsab_backend *backend;

	FUZZ_WANT(rsab_backend_find("libcrypto", &backend) == 0);
	check(backend, RSAB_RSA, p, n);
	check(backend, RSAB_ED25519, p, n);
	return 0;
}
