/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key in libcrypto's form: parsed once, with a few contexts that are ready
 * to be used again.
 *
 * Making a context takes libcrypto some 3 us, a fifth of an RSA-2048
 * verification. So a key keeps up to EVPKEY_CONTEXTS of them for each
 * operation: a thread takes one, works alone with it, and gives it back. They
 * belong to the key, not to the thread, so that nothing outlives its key.
 */
#ifndef EVPKEY_H
#define EVPKEY_H

/* libcrypto */
#include <openssl/evp.h>

/* this room */
#include "pkcs8.h"
#include "rsab.h"
#include "spki.h"

#define EVPKEY_CONTEXTS	4	/* kept for an operation; others are freed */

struct evpkey;

/*
 * Make a key.
 *   key      consistent; RSA is checked by rsacheck
 *   errors   RSAB_ERR_KEY, RSAB_ERR_NOMEM
 */
int evpkey_new_private(const struct pkcs8 *key, struct evpkey **out) MUSTUSE;
int evpkey_new_rsa(const struct spki_rsa *rsa, struct evpkey **out) MUSTUSE;
int evpkey_new_ed25519(const uint8_t point[SPKI_ED25519_POINT],
    struct evpkey **out) MUSTUSE;

/*
 * Wipe and free; no context may be out. NULL is allowed.
 */
void evpkey_free(struct evpkey *key);

/*
 * libcrypto's object, borrowed.
 */
EVP_PKEY *evpkey_pkey(const struct evpkey *key);

bool evpkey_has_private(const struct evpkey *key);

/*
 * The point of an Ed25519 key.
 */
int evpkey_point(const struct evpkey *key,
    uint8_t out[SPKI_ED25519_POINT]) MUSTUSE;

/*
 * Take a context for one thread. RSA: an EVP_PKEY_CTX for EVP_PKEY_sign with
 * PKCS#1 v1.5 and SHA-256, or for EVP_PKEY_verify_recover without padding.
 * Ed25519: an EVP_MD_CTX for EVP_DigestSign or EVP_DigestVerify.
 *   out      evpkey_give takes it back; evpkey_drop, after a failure
 *   errors   RSAB_ERR_NOMEM, RSAB_ERR_BACKEND
 */
int evpkey_take(struct evpkey *key, enum rsab_op op, void **out) MUSTUSE;
void evpkey_give(struct evpkey *key, enum rsab_op op, void *context);
void evpkey_drop(struct evpkey *key, void *context);

/*
 * Make a new key's PKCS#8 or PKCS#1 DER.
 *   out      OPENSSL_clear_free frees it
 */
int evpkey_generate(enum rsab_key_type type, unsigned bits, uint8_t **out,
    size_t *out_len) MUSTUSE;

/*
 * PKCS#8 PEM of a private key.
 *   out      malloc'd, NUL-ended; rsab_wipe_free frees it
 */
int evpkey_print(const struct evpkey *key, char **out,
    size_t *out_len) MUSTUSE;

#endif
