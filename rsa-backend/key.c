/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys: octets to key, checks, reference counts.
 */

/* system */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto */
#include <openssl/crypto.h>
#include <openssl/evp.h>

/* this room */
#include "ct.h"
#include "error.h"
#include "key.h"
#include "pem.h"
#include "rsacheck.h"

#define ED25519_BITS		256
#define ED25519_SIGNATURE	64	/* octets, RFC 8032 s5.1.6 */

/* What the signature made at load signs. */
static const uint8_t trial_digest[RSAB_DIGEST_MAX] = {
	0x64, 0x6b, 0x69, 0x6d, 0x64, 0x20, 0x74, 0x72, 0x69, 0x61, 0x6c,
};

/*
 * A key without its backend's parts.
 */
static int
key_new(const struct rsab_backend *backend, enum rsab_key_type type,
    size_t spki_size, struct rsab_key **out)
{
	struct rsab_key *key = calloc(1, sizeof *key + spki_size);

	if (key == NULL)
		return RSAB_ERR_NOMEM;
	atomic_init(&key->references, 1);
	key->backend = backend;
	key->type = type;
	key->spki_size = spki_size;
	*out = key;
	return RSAB_OK;
}

static int
fingerprint_set(struct rsab_key *key)
{
	size_t n = sizeof key->fingerprint;

	if (EVP_Q_digest(NULL, "SHA256", NULL, key->spki, key->spki_size,
	    key->fingerprint, &n) != 1)
		return error_take(RSAB_ERR_BACKEND);
	return RSAB_OK;
}

static int
key_new_rsa(const struct rsab_backend *backend, const struct spki_rsa *rsa,
    struct rsab_key **out)
{
	struct rsab_key *key;
	int r;

	if ((r = key_new(backend, RSAB_RSA, spki_rsa_size(rsa), &key)) != 0)
		return r;
	spki_print_rsa(rsa, key->spki, &key->rsa);
	key->bits = (unsigned)der_bits(rsa->n);
	key->signature_size = rsa->n.n;
	if ((r = fingerprint_set(key)) != 0)
		rsab_key_unref(key);
	else
		*out = key;
	return r;
}

static int
key_new_ed25519(const struct rsab_backend *backend,
    const uint8_t point[SPKI_ED25519_POINT], struct rsab_key **out)
{
	struct rsab_key *key;
	int r;

	if ((r = key_new(backend, RSAB_ED25519, SPKI_ED25519_SIZE, &key)) != 0)
		return r;
	spki_print_ed25519(point, key->spki);
	key->bits = ED25519_BITS;
	key->signature_size = ED25519_SIGNATURE;
	if ((r = fingerprint_set(key)) != 0)
		rsab_key_unref(key);
	else
		*out = key;
	return r;
}

/*
 * Let the backend take the key, or libcrypto where its shape is too odd for
 * the backend. Where libcrypto checks what the backend signs, the key gets
 * libcrypto's public half for that.
 *   parts    NULL for a public key
 */
static int
key_attach(struct rsab_key *key, const struct pkcs8 *parts)
{
	int r;

	r = parts == NULL ? key->backend->load_public(key) :
	    key->backend->load_private(key, parts);
	if (r == RSAB_ERR_UNSUPPORTED) {
		key->backend = &backend_libcrypto;
		r = parts == NULL ? key->backend->load_public(key) :
		    key->backend->load_private(key, parts);
	}
	if (r == 0 && key->evp == NULL && key->backend->verify == NULL)
		r = backend_libcrypto.load_public(key);
	return r;
}

int
key_try(struct rsab_key *key)
{
	struct rsab_worker *worker;
	struct rsab_job job, *const jobs[] = { &job };
	int r;

	if ((r = rsab_worker_new(&worker)) != 0)
		return r;
	memset(&job, 0, sizeof job);
	job.key = key;
	job.op = RSAB_OP_SIGN;
	job.hash = RSAB_SHA256;
	memcpy(job.digest, trial_digest, sizeof trial_digest);
	rsab_run(worker, jobs, 1);
	if (job.result == 0) {
		job.op = RSAB_OP_VERIFY;
		rsab_run(worker, jobs, 1);
	}
	rsab_worker_free(worker);
	/* That the key's fault and the machine's look the same is no harm:
	 * either way this key is not used. A token's are its own. */
	return job.result == RSAB_ERR_BACKEND ||
	    job.result == RSAB_ERR_SIGNATURE ? RSAB_ERR_KEY : job.result;
}

static int
key_from_rsa(const struct rsab_backend *backend, const struct pkcs8 *parts,
    struct rsab_key **out)
{
	int r;

	if ((r = rsacheck_run(parts)) != 0)
		return r;
	return key_new_rsa(backend, &parts->rsa, out);
}

/*
 * The point comes from the seed. One that stands in the file must be the
 * same: signing with a foreign point gives the seed away.
 */
static int
key_from_seed(const struct rsab_backend *backend, const struct pkcs8 *parts,
    struct rsab_key **out)
{
	uint8_t point[SPKI_ED25519_POINT];
	struct evpkey *evp;
	int r;

	if ((r = evpkey_new_private(parts, &evp)) != 0)
		return r;
	r = evpkey_point(evp, point);
	evpkey_free(evp);
	if (r != 0)
		return r;
	if (parts->point.n != 0 &&
	    ct_equal(parts->point.p, point, sizeof point) == 0)
		return RSAB_ERR_KEY;
	return key_new_ed25519(backend, point, out);
}

static int
key_from_der(const struct rsab_backend *backend, struct der der,
    struct rsab_key **out)
{
	struct pkcs8 parts;
	struct rsab_key *key = NULL;
	int r;

	if ((r = pkcs8_parse(der, &parts)) != 0)
		return r;
	r = parts.type == RSAB_RSA ? key_from_rsa(backend, &parts, &key) :
	    key_from_seed(backend, &parts, &key);
	if (r != 0)
		return r;
	key->is_private = true;
	if ((r = key_attach(key, &parts)) != 0 || (r = key_try(key)) != 0)
		rsab_key_unref(key);
	else
		*out = key;
	return r;
}

int
rsab_key_load_private(const struct rsab_backend *backend, const uint8_t *in,
    size_t n, struct rsab_key **out)
{
	struct pem pem;
	int r;

	if (n > RSAB_KEY_FILE_MAX)
		return RSAB_ERR_KEY_SIZE;
	if ((r = pem_decode((struct der){ in, n }, &pem)) != 0)
		return r;
	r = key_from_der(backend, pem.der, out);
	pem_clear(&pem);
	return r;
}

int
rsab_key_load_public(const struct rsab_backend *backend,
    enum rsab_key_type type, const uint8_t *in, size_t n,
    struct rsab_key **out)
{
	struct rsab_key *key = NULL;
	struct spki_rsa rsa;
	int r;

	if (type == RSAB_RSA) {
		if ((r = spki_parse_rsa((struct der){ in, n }, &rsa)) != 0)
			return r;
		r = key_new_rsa(backend, &rsa, &key);
	} else if (type == RSAB_ED25519) {
		/* RFC 8463 s4.2: the 256 bits themselves, no DER */
		if (n != SPKI_ED25519_POINT)
			return RSAB_ERR_KEY;
		r = key_new_ed25519(backend, in, &key);
	} else {
		r = RSAB_ERR_KEY_TYPE;
	}
	if (r != 0)
		return r;
	if ((r = key_attach(key, NULL)) != 0)
		rsab_key_unref(key);
	else
		*out = key;
	return r;
}

int
rsab_key_generate(const struct rsab_backend *backend, enum rsab_key_type type,
    unsigned bits, struct rsab_key **out)
{
	uint8_t *der;
	size_t n;
	int r;

	if (type != RSAB_RSA && type != RSAB_ED25519)
		return RSAB_ERR_KEY_TYPE;
	if (type == RSAB_RSA &&
	    (bits < RSAB_RSA_BITS_MIN || bits > RSAB_RSA_BITS_MAX))
		return RSAB_ERR_KEY_SIZE;
	if ((r = evpkey_generate(type, bits, &der, &n)) != 0)
		return r;
	/* The way of every other key, with all its checks */
	r = key_from_der(backend, (struct der){ der, n }, out);
	OPENSSL_clear_free(der, n);
	return r;
}

int
key_evp(const struct rsab_key *key, bool private, struct evpkey **evp,
    struct evpkey **made)
{
	const struct pkcs8 parts = { .type = key->type, .der = key->der };
	int r;

	*made = NULL;
	*evp = key->evp;
	if (key->evp != NULL)
		return RSAB_OK;
	if (!private)
		r = evpkey_new_rsa(&key->rsa, made);
	else
		r = key->der.n == 0 ? RSAB_ERR_BACKEND :
		    evpkey_new_private(&parts, made);
	if (r != 0)
		return r == RSAB_ERR_NOMEM ? r : RSAB_ERR_BACKEND;
	*evp = *made;
	return RSAB_OK;
}

int
rsab_key_print_private(const struct rsab_key *key, char **out,
    size_t *out_len)
{
	struct evpkey *evp, *made;
	int r;

	if (!key->is_private || (key->der.n == 0 && (key->evp == NULL ||
	    !evpkey_has_private(key->evp))))
		return RSAB_ERR_ARGUMENT;
	if ((r = key_evp(key, true, &evp, &made)) != 0)
		return r;
	r = evpkey_print(evp, out, out_len);
	evpkey_free(made);
	return r;
}

int
rsab_key_print_public(const struct rsab_key *key, uint8_t **out,
    size_t *out_len)
{
	/* RFC 8463 s4.2: an Ed25519 record has the point alone */
	size_t n = key->type == RSAB_RSA ? key->spki_size : SPKI_ED25519_POINT;
	uint8_t *p = malloc(n);

	if (p == NULL)
		return RSAB_ERR_NOMEM;
	memcpy(p, &key->spki[key->spki_size - n], n);
	*out = p;
	*out_len = n;
	return RSAB_OK;
}

struct rsab_key *
rsab_key_ref(struct rsab_key *key)
{
	/* Whoever counts up holds one already: no order is needed. */
	unsigned before = atomic_fetch_add_explicit(&key->references, 1,
	    memory_order_relaxed);

	assert(before != 0 && before != UINT32_MAX);
	(void)before;
	return key;
}

void
rsab_key_unref(struct rsab_key *key)
{
	unsigned before;

	if (key == NULL)
		return;
	before = atomic_fetch_sub_explicit(&key->references, 1,
	    memory_order_acq_rel);
	assert(before != 0);
	if (before != 1)
		return;
	if (key->own != NULL)
		key->backend->unload(key);
	evpkey_free(key->evp);
	rsab_wipe_free(key, sizeof *key + key->spki_size);
}

enum rsab_key_type
rsab_key_type(const struct rsab_key *key)
{
	return key->type;
}

unsigned
rsab_key_bits(const struct rsab_key *key)
{
	return key->bits;
}

bool
rsab_key_is_private(const struct rsab_key *key)
{
	return key->is_private;
}

const struct rsab_backend *
rsab_key_backend(const struct rsab_key *key)
{
	return key->backend;
}

size_t
rsab_key_signature_size(const struct rsab_key *key)
{
	return key->signature_size;
}

void
rsab_key_fingerprint(const struct rsab_key *key,
    uint8_t out[RSAB_FINGERPRINT_SIZE])
{
	memcpy(out, key->fingerprint, RSAB_FINGERPRINT_SIZE);
}

const char *
rsab_key_path(const struct rsab_key *key, enum rsab_op op, size_t n)
{
	return key->backend->path(key, op, n);
}

struct rsab_group
rsab_key_group(const struct rsab_key *key, enum rsab_op op)
{
	return key->backend->group(key, op);
}
