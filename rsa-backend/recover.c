/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an RSA signature was made over, to explain why it does not verify. The
 * end of the recovered encoding is taken for a digest, and the encoding of
 * that digest made anew must be all of it: no padding is parsed here either
 * (RFC 8017 s8.2.2), and nothing of this ever decides a verdict.
 */

/* system */
#include <string.h>

/* libcrypto */
#include <openssl/evp.h>

/* this room */
#include "error.h"
#include "key.h"
#include "pkcs1.h"

/* RFC 8017 s9.2 step 5: how every encoding begins, whatever the hash. */
static const uint8_t head[] = {
	0x00, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

/*
 * The raw public operation: RFC 8017 s5.2.2.
 */
static int
recover_em(const struct rsab_key *key, const uint8_t *signature, uint8_t *em)
{
	struct evpkey *evp, *made;
	size_t n = key->signature_size;
	void *context;
	int r;

	if ((r = key_evp(key, false, &evp, &made)) != 0)
		return r;
	if ((r = evpkey_take(evp, RSAB_OP_VERIFY, &context)) != 0)
		goto out;
	if (EVP_PKEY_verify_recover(context, em, &n, signature, n) != 1 ||
	    n != key->signature_size) {
		evpkey_drop(evp, context);
		r = error_take(RSAB_ERR_BACKEND);
		goto out;
	}
	evpkey_give(evp, RSAB_OP_VERIFY, context);
out:
	evpkey_free(made);
	return r;
}

int
rsab_recover(const struct rsab_key *key, const uint8_t *signature, size_t n,
    enum rsab_hash *hash, uint8_t digest[RSAB_DIGEST_MAX])
{
	static const enum rsab_hash hashes[] = { RSAB_SHA256, RSAB_SHA1 };
	uint8_t em[RSAB_SIGNATURE_MAX], want[RSAB_SIGNATURE_MAX];
	size_t i, size;
	int r;

	if (key->type != RSAB_RSA || n != key->signature_size)
		return RSAB_ERR_ARGUMENT;
	/* RFC 8017 s5.2.2 step 1 */
	if (memcmp(signature, key->rsa.n.p, n) >= 0)
		return RSAB_ERR_SIGNATURE;
	if ((r = recover_em(key, signature, em)) != 0)
		return r;
	for (i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
		size = pkcs1_digest_size(hashes[i]);
		if (pkcs1_encode(hashes[i], &em[n - size], want, n) != 0 ||
		    memcmp(em, want, n) != 0)
			continue;
		*hash = hashes[i];
		memcpy(digest, &em[n - size], size);
		return RSAB_OK;
	}
	return memcmp(em, head, sizeof head) == 0 ? RSAB_ERR_UNSUPPORTED :
	    RSAB_ERR_SIGNATURE;
}
