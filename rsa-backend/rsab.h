/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RSA and Ed25519 behind one interface: backend, key, worker, job.
 *
 * A backend is a table of functions in this library. A key is immutable and
 * counted, and decides at load which backend serves it: a queue may hold any
 * mix of keys. A worker is one thread's workspace. A job is one operation, by
 * value, so that it can travel to another thread or process as it is.
 *
 * Octet strings are big-endian and have the length of the modulus (RFC 8017
 * s4); Ed25519 follows RFC 8032, over the SHA-256 hash (RFC 8463 s3).
 * Everything here but a worker may be used by many threads at once.
 */
#ifndef RSAB_H
#define RSAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

/* Limits: what a key may be. */
#define RSAB_RSA_BITS_MIN	512	/* bits of the modulus */
#define RSAB_RSA_BITS_MAX	8192	/* bits of the modulus */
#define RSAB_EXPONENT_BITS_MAX	64	/* bits of the public exponent */
#define RSAB_SIGNATURE_MAX	1024	/* octets: 8192 bits */
#define RSAB_DIGEST_MAX		32	/* octets: SHA-256 */
#define RSAB_KEY_FILE_MAX	65536	/* octets of a PEM or DER private key */
#define RSAB_PASS_MAX		8	/* jobs in one pass */
#define RSAB_FINGERPRINT_SIZE	32	/* octets: SHA-256 of the SPKI */

/* Negative codes; each one that a caller acts on differently. */
enum rsab_error {
	RSAB_OK = 0,
	RSAB_ERR_NOMEM = -1,		/* no memory */
	RSAB_ERR_KEY = -2,		/* not a key, or its parts disagree */
	RSAB_ERR_KEY_SIZE = -3,		/* outside the limits above */
	RSAB_ERR_KEY_TYPE = -4,		/* neither RSA nor Ed25519 */
	RSAB_ERR_ENCRYPTED = -5,	/* PEM is encrypted: not supported */
	RSAB_ERR_UNKNOWN = -6,		/* no backend of that name */
	RSAB_ERR_UNSUPPORTED = -7,	/* known name, not built in */
	RSAB_ERR_SIGNATURE = -8,	/* verification: signature is wrong */
	RSAB_ERR_BACKEND = -9,		/* the operation itself failed */
	RSAB_ERR_ARGUMENT = -10,	/* job does not fit its key */
};

enum rsab_key_type {
	RSAB_RSA,
	RSAB_ED25519,
};

enum rsab_op {
	RSAB_OP_SIGN,
	RSAB_OP_VERIFY,
};

enum rsab_hash {
	RSAB_SHA1,	/* 20 octets; verifying only, for benches and vectors */
	RSAB_SHA256,	/* 32 octets */
};

struct rsab_backend;
struct rsab_key;
struct rsab_worker;

/*
 * One operation. The caller sets all but result (and, signing, signature and
 * signature_len); rsab_run sets result to RSAB_OK or a negative code.
 */
struct rsab_job {
	struct rsab_key	*key;		/* the job's own reference */
	enum rsab_op	 op;
	enum rsab_hash	 hash;
	uint8_t		 digest[RSAB_DIGEST_MAX];
	uint8_t		 signature[RSAB_SIGNATURE_MAX];
	size_t		 signature_len;	/* octets; out when signing */
	int		 result;
};

/* Where a job queues: jobs of one id may be run together, batch at a time. */
struct rsab_group {
	uint32_t	id;
	unsigned	batch;		/* jobs that fill one pass, >= 1 */
};

/*
 * Text of a code, for messages; never NULL, static.
 */
const char *rsab_strerror(int error);

/*
 * Find the backend that a configuration names.
 *   name     "libcrypto", "bn64" (its fastest path on this machine),
 *            "bn64:ifma", "bn64:adx", "bn64:portable", "bn64:emulated" (that
 *            path), "pkcs11", or "auto" (bn64 where it has lanes in hardware,
 *            else libcrypto); NUL-ended
 *   out      static, never freed
 *   errors   RSAB_ERR_UNKNOWN, RSAB_ERR_UNSUPPORTED (not on this machine, or
 *            not built in)
 */
int rsab_backend_find(const char *name, const struct rsab_backend **out)
    MUSTUSE;

/*
 * The backend's name, as in the configuration, with its path ("bn64:ifma");
 * static.
 */
const char *rsab_backend_name(const struct rsab_backend *backend);

/*
 * Known answers, one a size class and operation, through every path that the
 * backend uses. To be run once, before a backend gets its first key.
 *   next     out, on RSAB_ERR_BACKEND: the next best, not yet tested; static;
 *            NULL: there is none
 *   class    out, on RSAB_ERR_BACKEND: bits of the modulus that came out wrong
 *   errors   RSAB_ERR_BACKEND: a wrong answer, do not use it; RSAB_ERR_NOMEM
 */
int rsab_backend_selftest(const struct rsab_backend *backend,
    const struct rsab_backend **next, unsigned *class) MUSTUSE;

/*
 * Load a private key: PEM (PKCS#1 or PKCS#8), DER of either, or base64 of DER.
 * The key is checked: sizes, consistency of its parts, and one signature made
 * and verified.
 *   backend  serves the key, if its shape allows (else libcrypto does)
 *   in       n octets, the caller wipes them
 *   out      one reference; rsab_key_unref frees and wipes
 *   errors   RSAB_ERR_KEY, _KEY_SIZE, _KEY_TYPE, _ENCRYPTED, _NOMEM
 *   source   RFC 8017 A.1.2, RFC 5958, RFC 8410
 */
int rsab_key_load_private(const struct rsab_backend *backend,
    const uint8_t *in, size_t n, struct rsab_key **out) MUSTUSE;

/*
 * Load a public key as a key record carries it, after base64.
 *   type     RSAB_RSA: in is a DER SubjectPublicKeyInfo or a bare
 *            RSAPublicKey, nothing behind it; RSAB_ED25519: in is 32 octets
 *   errors   as above; a modulus above RSAB_RSA_BITS_MAX is told from its
 *            length before anything is computed
 *   source   RFC 6376 s3.6.1, RFC 8463 s4.2
 */
int rsab_key_load_public(const struct rsab_backend *backend,
    enum rsab_key_type type, const uint8_t *in, size_t n,
    struct rsab_key **out) MUSTUSE;

/*
 * Make a new private key.
 *   bits     of the modulus, RSAB_RSA; ignored for RSAB_ED25519
 */
int rsab_key_generate(const struct rsab_backend *backend,
    enum rsab_key_type type, unsigned bits, struct rsab_key **out) MUSTUSE;

/*
 * Write a private key as PKCS#8 PEM.
 *   out      malloc'd, out_len octets and a NUL; rsab_wipe_free frees it
 *   errors   RSAB_ERR_ARGUMENT for a public key or one in a token
 */
int rsab_key_print_private(const struct rsab_key *key, char **out,
    size_t *out_len) MUSTUSE;

/*
 * Write the public half as a key record carries it: DER SubjectPublicKeyInfo
 * for RSA, 32 raw octets for Ed25519.
 *   out      malloc'd, the caller frees
 */
int rsab_key_print_public(const struct rsab_key *key, uint8_t **out,
    size_t *out_len) MUSTUSE;

/*
 * Count a reference up; gives key back.
 */
struct rsab_key *rsab_key_ref(struct rsab_key *key);

/*
 * Give a reference back; the last one wipes and frees. NULL is allowed.
 */
void rsab_key_unref(struct rsab_key *key);

enum rsab_key_type rsab_key_type(const struct rsab_key *key);

/*
 * Bits of the modulus; 256 for Ed25519.
 */
unsigned rsab_key_bits(const struct rsab_key *key);

bool rsab_key_is_private(const struct rsab_key *key);

/*
 * The backend that serves the key.
 */
const struct rsab_backend *rsab_key_backend(const struct rsab_key *key);

/*
 * Octets of a signature by this key.
 */
size_t rsab_key_signature_size(const struct rsab_key *key);

/*
 * SHA-256 of the DER SubjectPublicKeyInfo: names a key in logs.
 */
void rsab_key_fingerprint(const struct rsab_key *key,
    uint8_t out[RSAB_FINGERPRINT_SIZE]);

/*
 * Group and batch of a key's jobs.
 */
struct rsab_group rsab_key_group(const struct rsab_key *key, enum rsab_op op);

/*
 * What runs n jobs of this key: "evp", or the path of bn64 ("ifma", "adx",
 * "portable", "emulated"). For benches and tests, which print it; static.
 */
const char *rsab_key_path(const struct rsab_key *key, enum rsab_op op,
    size_t n);

/*
 * One thread's workspace: scratch, contexts. Not to be shared.
 */
int rsab_worker_new(struct rsab_worker **out) MUSTUSE;
void rsab_worker_free(struct rsab_worker *worker);

/*
 * Run jobs of one group and set each job's result. Never fails as a whole;
 * one bad job never changes another.
 *   jobs     n pointers, n any
 */
void rsab_run(struct rsab_worker *worker, struct rsab_job *const *jobs,
    size_t n);

/*
 * Signatures of this worker that failed the check after signing (a fault of
 * the machine, of a backend or of a token), also those a second try mended.
 * For a counter and a critical log line.
 */
unsigned long rsab_worker_faults(const struct rsab_worker *worker);

/*
 * Passes of signing so far by how many jobs were in one: counts[0] is of one
 * job. For a histogram of lanes filled.
 */
void rsab_worker_passes(const struct rsab_worker *worker,
    unsigned long counts[RSAB_PASS_MAX]);

/*
 * Wipe n octets so that no compiler leaves it out; then, second form, free
 * what malloc gave (NULL is allowed).
 */
void rsab_wipe(void *p, size_t n);
void rsab_wipe_free(void *p, size_t n);

#endif
