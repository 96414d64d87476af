/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend "libcrypto": OpenSSL's EVP, one operation at a time.
 *
 * RSA is verified without libcrypto's padding code: the raw public operation
 * is compared with the encoding that pkcs1.c makes (RFC 8017 s8.2.2), so the
 * same octets decide for every backend, and a failure of the operation is
 * never taken for a wrong signature. Signing lets libcrypto pad, so the trial
 * at load compares both encoders.
 *
 * Ed25519 is judged as libcrypto does: S below the group's order is required
 * (RFC 8032 s5.1.7), cofactorless equation, points of small order allowed
 * (RFC 8032 does not forbid them; who publishes such a key harms himself).
 */

/* system */
#include <string.h>

/* libcrypto */
#include <openssl/evp.h>

/* this room */
#include "ct.h"
#include "error.h"
#include "key.h"
#include "pkcs1.h"

/*
 * Bits of the modulus, rounded up to digits of 52 bits for which a backend
 * with lanes would have a class: 10, 20, 40, 60, 80 digits.
 */
static const unsigned class_bits[] = { 520, 1040, 2080, 3120, 4160 };

#define CLASSES		((uint32_t)(sizeof class_bits / sizeof class_bits[0]))
#define CLASS_ED25519	(CLASSES + 1)

static struct rsab_group
libcrypto_group(const struct rsab_key *key, enum rsab_op op)
{
	uint32_t class = 0;

	if (key->type == RSAB_ED25519)
		class = CLASS_ED25519;
	else
		while (class < CLASSES && key->bits > class_bits[class])
			class++;
	return (struct rsab_group){
		.id = backend_libcrypto.index << 16 | (uint32_t)op << 8 |
		    class,
		.batch = 1,
	};
}

static const char *
libcrypto_path(const struct rsab_key *key, enum rsab_op op, size_t n)
{
	(void)key;
	(void)op;
	(void)n;
	return "evp";
}

static int
libcrypto_load_private(struct rsab_key *key, const struct pkcs8 *parts)
{
	return evpkey_new_private(parts, &key->evp);
}

static int
libcrypto_load_public(struct rsab_key *key)
{
	if (key->type == RSAB_RSA)
		return evpkey_new_rsa(&key->rsa, &key->evp);
	return evpkey_new_ed25519(&key->spki[key->spki_size -
	    SPKI_ED25519_POINT], &key->evp);
}

static void
libcrypto_unload(struct rsab_key *key)
{
	(void)key;	/* all is in key->evp */
}

/*
 * All contexts belong to keys (evpkey.h).
 */
static int
libcrypto_worker_new(void **state)
{
	*state = NULL;
	return RSAB_OK;
}

static void
libcrypto_worker_free(void *state)
{
	(void)state;
}

static int
rsa_sign(struct rsab_job *job, struct evpkey *evp)
{
	struct rsab_key *key = job->key;
	void *context;
	size_t n = key->signature_size;
	int r;

	if ((r = evpkey_take(evp, RSAB_OP_SIGN, &context)) != 0)
		return r;
	if (EVP_PKEY_sign(context, job->signature, &n, job->digest,
	    pkcs1_digest_size(job->hash)) != 1 || n != key->signature_size) {
		evpkey_drop(evp, context);
		return error_take(RSAB_ERR_BACKEND);
	}
	evpkey_give(evp, RSAB_OP_SIGN, context);
	job->signature_len = n;
	return RSAB_OK;
}

static int
rsa_verify(const struct rsab_job *job, struct evpkey *evp,
    const uint8_t *em)
{
	struct rsab_key *key = job->key;
	uint8_t message[RSAB_SIGNATURE_MAX];
	void *context;
	size_t n = key->signature_size;
	int r;

	/* RFC 8017 s5.2.2 step 1: below n; all of it is public */
	if (memcmp(job->signature, key->rsa.n.p, n) >= 0)
		return RSAB_ERR_SIGNATURE;
	if ((r = evpkey_take(evp, RSAB_OP_VERIFY, &context)) != 0)
		return r;
	if (EVP_PKEY_verify_recover(context, message, &n, job->signature,
	    job->signature_len) != 1 || n != key->signature_size) {
		evpkey_drop(evp, context);
		return error_take(RSAB_ERR_BACKEND);
	}
	evpkey_give(evp, RSAB_OP_VERIFY, context);
	return ct_equal(message, em, n) != 0 ? RSAB_OK : RSAB_ERR_SIGNATURE;
}

/*
 * Init without a key starts a used context again, in no time, and later
 * versions of OpenSSL ask for it.
 */
static int
ed25519_sign(struct rsab_job *job, struct evpkey *evp)
{
	struct rsab_key *key = job->key;
	size_t n = key->signature_size;
	void *context;
	int r;

	if ((r = evpkey_take(evp, RSAB_OP_SIGN, &context)) != 0)
		return r;
	if (EVP_DigestSignInit_ex(context, NULL, NULL, NULL, NULL, NULL,
	    NULL) != 1 || EVP_DigestSign(context, job->signature, &n,
	    job->digest, sizeof job->digest) != 1 ||
	    n != key->signature_size) {
		evpkey_drop(evp, context);
		return error_take(RSAB_ERR_BACKEND);
	}
	evpkey_give(evp, RSAB_OP_SIGN, context);
	job->signature_len = n;
	return RSAB_OK;
}

static int
ed25519_verify_once(const struct rsab_job *job, struct evpkey *evp)
{
	void *context;
	int r;

	if ((r = evpkey_take(evp, RSAB_OP_VERIFY, &context)) != 0)
		return r;
	if (EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, NULL, NULL,
	    NULL) != 1)
		r = error_take(RSAB_ERR_BACKEND);
	else if (EVP_DigestVerify(context, job->signature, job->signature_len,
	    job->digest, sizeof job->digest) != 1)
		r = error_take(RSAB_ERR_SIGNATURE);
	if (r == 0)
		evpkey_give(evp, RSAB_OP_VERIFY, context);
	else
		evpkey_drop(evp, context);
	return r;
}

/*
 * OpenSSL 3.0 says "wrong" without a word more when one of its allocations
 * fails inside the verification (EVP_MD_CTX_new in ossl_ed25519_verify), and
 * want of memory must not become a verdict. So "wrong" is asked for twice; it
 * is the rare answer.
 */
static int
ed25519_verify(const struct rsab_job *job, struct evpkey *evp)
{
	int r = ed25519_verify_once(job, evp);

	return r == RSAB_ERR_SIGNATURE ? ed25519_verify_once(job, evp) :
	    r;
}

/*
 * Sign, or verify whatever the job's op is.
 */
static int
run_one(struct rsab_job *job, enum rsab_op op, const uint8_t *em)
{
	struct evpkey *evp, *made;
	bool sign = op == RSAB_OP_SIGN, rsa = job->key->type == RSAB_RSA;
	int r;

	if ((r = key_evp(job->key, sign, &evp, &made)) != 0)
		return r;
	if (rsa)
		r = sign ? rsa_sign(job, evp) : rsa_verify(job, evp, em);
	else
		r = sign ? ed25519_sign(job, evp) : ed25519_verify(job, evp);
	evpkey_free(made);
	return r;
}

static void
libcrypto_run(void *state, struct rsab_job *const *jobs, backend_em em,
    size_t n)
{
	(void)state;
	for (size_t i = 0; i < n; i++)
		jobs[i]->result = run_one(jobs[i], jobs[i]->op, em[i]);
}

static void
libcrypto_verify(void *state, struct rsab_job *const *jobs, backend_em em,
    size_t n, int *results)
{
	(void)state;
	for (size_t i = 0; i < n; i++)
		if (jobs[i] != NULL)
			results[i] = run_one(jobs[i], RSAB_OP_VERIFY, em[i]);
}

const struct rsab_backend backend_libcrypto = {
	.name = "libcrypto",
	.index = 0,
	/* OpenSSL verifies each CRT result with e and falls back to d. */
	.checks_itself = true,
	.second = NULL,
	.group = libcrypto_group,
	.path = libcrypto_path,
	.load_private = libcrypto_load_private,
	.load_public = libcrypto_load_public,
	.unload = libcrypto_unload,
	.worker_new = libcrypto_worker_new,
	.worker_free = libcrypto_worker_free,
	.run = libcrypto_run,
	.verify = libcrypto_verify,
};
