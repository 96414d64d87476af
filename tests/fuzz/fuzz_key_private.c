/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks rsab_key_load_private with a key file: a key that loads is within
 * the limits, and printed and loaded again it is the same one.
 */

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/fuzz/fuzz.h"

static void
check_again(const struct rsab_backend *backend, const struct rsab_key *key)
{
	uint8_t one[RSAB_FINGERPRINT_SIZE], two[RSAB_FINGERPRINT_SIZE];
	struct rsab_key *again;
	size_t n;
	char *pem;

	FUZZ_WANT(rsab_key_is_private(key));
	FUZZ_WANT(rsab_key_bits(key) <= RSAB_RSA_BITS_MAX);
	FUZZ_WANT(rsab_key_print_private(key, &pem, &n) == 0);
	FUZZ_WANT(rsab_key_load_private(backend, (const uint8_t *)pem, n,
	    &again) == 0);
	rsab_key_fingerprint(key, one);
	rsab_key_fingerprint(again, two);
	FUZZ_WANT(memcmp(one, two, sizeof(one)) == 0);
	rsab_key_unref(again);
	rsab_wipe_free(pem, n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	const struct rsab_backend *backend;
	struct rsab_key *key = NULL;
	int r;

	FUZZ_WANT(rsab_backend_find("libcrypto", &backend) == 0);
	r = rsab_key_load_private(backend, p, n, &key);
	FUZZ_WANT((r == 0) == (key != NULL));
	if (key != NULL)
		check_again(backend, key);
	rsab_key_unref(key);
	return 0;
}
