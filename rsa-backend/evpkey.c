/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys as libcrypto's EVP_PKEY (OpenSSL 3).
 *
 * Algorithms are fetched when a context is made and stay with it, so the
 * steady state fetches nothing.
 */

/* system */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto */
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

/* this room */
#include "error.h"
#include "evpkey.h"

#define OPS	2	/* values of enum rsab_op */

struct evpkey {
	enum rsab_key_type	 type;
	EVP_PKEY		*pkey;
	bool			 has_private;
	_Atomic(void *)		 idle[OPS][EVPKEY_CONTEXTS];
};

/*
 * Wrap libcrypto's key; takes it over, also when it fails.
 */
static int
wrap(EVP_PKEY *pkey /* moved */, enum rsab_key_type type, bool has_private,
    struct evpkey **out)
{
	struct evpkey *key = malloc(sizeof *key);

	if (key == NULL) {
		EVP_PKEY_free(pkey);
		return RSAB_ERR_NOMEM;
	}
	key->type = type;
	key->pkey = pkey;
	key->has_private = has_private;
	for (size_t op = 0; op < OPS; op++)
		for (size_t i = 0; i < EVPKEY_CONTEXTS; i++)
			atomic_init(&key->idle[op][i], NULL);
	*out = key;
	return RSAB_OK;
}

/*
 * d2i puts the secret numbers into the secure heap where there is one;
 * EVP_PKEY_fromdata would not.
 */
int
evpkey_new_private(const struct pkcs8 *key, struct evpkey **out)
{
	const unsigned char *p = key->der.p;
	EVP_PKEY *pkey;

	if (key->type == RSAB_RSA)
		pkey = d2i_PrivateKey(EVP_PKEY_RSA, NULL, &p,
		    (long)key->der.n);
	else
		pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL,
		    key->seed.p, key->seed.n);
	if (pkey == NULL)
		return error_take(RSAB_ERR_KEY);
	/* Decoders that were tried in vain leave their complaints. */
	error_drop();
	return wrap(pkey, key->type, true, out);
}

/*
 * n and e as parameters of EVP_PKEY_fromdata; NULL: no memory.
 */
static OSSL_PARAM *
rsa_params(const struct spki_rsa *rsa)
{
	BIGNUM *n = BN_bin2bn(rsa->n.p, (int)rsa->n.n, NULL);
	BIGNUM *e = BN_bin2bn(rsa->e.p, (int)rsa->e.n, NULL);
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	OSSL_PARAM *params = NULL;

	if (n != NULL && e != NULL && build != NULL &&
	    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
	    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e) == 1)
		params = OSSL_PARAM_BLD_to_param(build);
	OSSL_PARAM_BLD_free(build);
	BN_free(e);
	BN_free(n);
	return params;
}

/*
 * Not d2i: its search for a decoder takes 110 us, this 5 us.
 */
int
evpkey_new_rsa(const struct spki_rsa *rsa, struct evpkey **out)
{
	OSSL_PARAM *params = rsa_params(rsa);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	EVP_PKEY *pkey = NULL;
	int r = RSAB_OK;

	if (params == NULL || context == NULL)
		r = error_take(RSAB_ERR_NOMEM);
	else if (EVP_PKEY_fromdata_init(context) != 1 ||
	    EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY,
	    params) != 1)
		r = error_take(RSAB_ERR_KEY);
	EVP_PKEY_CTX_free(context);
	OSSL_PARAM_free(params);
	return r != 0 ? r : wrap(pkey, RSAB_RSA, false, out);
}

int
evpkey_new_ed25519(const uint8_t point[SPKI_ED25519_POINT],
    struct evpkey **out)
{
	EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL,
	    point, SPKI_ED25519_POINT);

	if (pkey == NULL)
		return error_take(RSAB_ERR_KEY);
	return wrap(pkey, RSAB_ED25519, false, out);
}

void
evpkey_free(struct evpkey *key)
{
	if (key == NULL)
		return;
	for (size_t op = 0; op < OPS; op++)
		for (size_t i = 0; i < EVPKEY_CONTEXTS; i++)
			evpkey_drop(key, atomic_load(&key->idle[op][i]));
	EVP_PKEY_free(key->pkey);
	free(key);
}

EVP_PKEY *
evpkey_pkey(const struct evpkey *key)
{
	return key->pkey;
}

int
evpkey_point(const struct evpkey *key, uint8_t out[SPKI_ED25519_POINT])
{
	size_t n = SPKI_ED25519_POINT;

	if (EVP_PKEY_get_raw_public_key(key->pkey, out, &n) != 1 ||
	    n != SPKI_ED25519_POINT)
		return error_take(RSAB_ERR_KEY);
	return RSAB_OK;
}

bool
evpkey_has_private(const struct evpkey *key)
{
	return key->has_private;
}

static bool
rsa_context_init(EVP_PKEY_CTX *context, enum rsab_op op)
{
	if (op == RSAB_OP_SIGN)
		return EVP_PKEY_sign_init(context) == 1 &&
		    EVP_PKEY_CTX_set_rsa_padding(context,
		    RSA_PKCS1_PADDING) == 1 &&
		    EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1;
	return EVP_PKEY_verify_recover_init(context) == 1 &&
	    EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1;
}

static bool
ed25519_context_init(EVP_MD_CTX *context, EVP_PKEY *pkey, enum rsab_op op)
{
	if (op == RSAB_OP_SIGN)
		return EVP_DigestSignInit_ex(context, NULL, NULL, NULL, NULL,
		    pkey, NULL) == 1;
	return EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, NULL, pkey,
	    NULL) == 1;
}

/*
 * Make a context.
 */
static int
context_new(struct evpkey *key, enum rsab_op op, void **out)
{
	void *context;
	bool done;

	if (key->type == RSAB_RSA)
		context = EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, NULL);
	else
		context = EVP_MD_CTX_new();
	if (context == NULL)
		return error_take(RSAB_ERR_NOMEM);
	done = key->type == RSAB_RSA ? rsa_context_init(context, op) :
	    ed25519_context_init(context, key->pkey, op);
	if (!done) {
		evpkey_drop(key, context);
		return error_take(RSAB_ERR_BACKEND);
	}
	*out = context;
	return RSAB_OK;
}

int
evpkey_take(struct evpkey *key, enum rsab_op op, void **out)
{
	for (size_t i = 0; i < EVPKEY_CONTEXTS; i++) {
		void *context;

		/* A look first: an exchange would take the cache line. */
		if (atomic_load_explicit(&key->idle[op][i],
		    memory_order_relaxed) == NULL)
			continue;
		context = atomic_exchange_explicit(&key->idle[op][i], NULL,
		    memory_order_acquire);
		if (context != NULL) {
			*out = context;
			return RSAB_OK;
		}
	}
	return context_new(key, op, out);
}

void
evpkey_give(struct evpkey *key, enum rsab_op op, void *context)
{
	for (size_t i = 0; i < EVPKEY_CONTEXTS; i++) {
		void *empty = NULL;

		if (atomic_compare_exchange_strong_explicit(
		    &key->idle[op][i], &empty, context, memory_order_release,
		    memory_order_relaxed))
			return;
	}
	evpkey_drop(key, context);
}

void
evpkey_drop(struct evpkey *key, void *context)
{
	if (key->type == RSAB_RSA)
		EVP_PKEY_CTX_free(context);
	else
		EVP_MD_CTX_free(context);
}

int
evpkey_generate(enum rsab_key_type type, unsigned bits, uint8_t **out,
    size_t *out_len)
{
	const char *name = type == RSAB_RSA ? "RSA" : "ED25519";
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, name, NULL);
	EVP_PKEY *pkey = NULL;
	unsigned char *der = NULL;
	int n = -1;

	if (context != NULL && EVP_PKEY_keygen_init(context) == 1 &&
	    (type != RSAB_RSA ||
	    EVP_PKEY_CTX_set_rsa_keygen_bits(context, (int)bits) == 1) &&
	    EVP_PKEY_generate(context, &pkey) == 1)
		n = i2d_PrivateKey(pkey, &der);
	EVP_PKEY_free(pkey);
	EVP_PKEY_CTX_free(context);
	if (n <= 0)
		return error_take(RSAB_ERR_BACKEND);
	*out = der;
	*out_len = (size_t)n;
	return RSAB_OK;
}

int
evpkey_print(const struct evpkey *key, char **out, size_t *out_len)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	char *data, *text;
	long n;
	int r = RSAB_OK;

	if (bio == NULL || PEM_write_bio_PrivateKey(bio, key->pkey, NULL, NULL,
	    0, NULL, NULL) != 1 || (n = BIO_get_mem_data(bio, &data)) <= 0) {
		r = error_take(RSAB_ERR_BACKEND);
		goto out;
	}
	if ((text = malloc((size_t)n + 1)) == NULL) {
		r = RSAB_ERR_NOMEM;
		goto out;
	}
	memcpy(text, data, (size_t)n);
	text[n] = '\0';
	*out = text;
	*out_len = (size_t)n;
out:
	BIO_free(bio);
	return r;
}
