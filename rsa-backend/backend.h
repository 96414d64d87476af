/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a backend is, for this room.
 */
#ifndef BACKEND_H
#define BACKEND_H

/* this room */
#include "pkcs8.h"
#include "rsab.h"

/* Jobs handed to a backend at once, at most; what a batch can be. */
#define BACKEND_PASS_MAX	8

/* The encoded messages of one pass, EMSA-PKCS1-v1_5; unused for Ed25519. */
typedef const uint8_t (*backend_em)[RSAB_SIGNATURE_MAX];

struct rsab_backend {
	const char	*name;

	/* Index into a worker's states; part of the group's id. */
	uint32_t	 index;

	/*
	 * Its signatures are right or reported as failed. Of all others
	 * rsab_run verifies every one, and lets second try once more
	 * (itself, or another that serves the same key).
	 */
	bool				 checks_itself;
	const struct rsab_backend	*second;

	struct rsab_group (*group)(const struct rsab_key *key,
	    enum rsab_op op);

	/*
	 * Set up what the backend needs in a key: key->evp, key->own.
	 *   errors   RSAB_ERR_UNSUPPORTED: this shape is libcrypto's
	 */
	int	(*load_private)(struct rsab_key *key,
	    const struct pkcs8 *parts) MUSTUSE;
	int	(*load_public)(struct rsab_key *key) MUSTUSE;
	void	(*unload)(struct rsab_key *key);	/* frees key->own */

	int	(*worker_new)(void **state) MUSTUSE;
	void	(*worker_free)(void *state);

	/*
	 * Run jobs that fit their keys; set result, and signature and
	 * signature_len when signing.
	 *   n        1 to BACKEND_PASS_MAX
	 *   em       of each job; the backend cannot change it
	 */
	void	(*run)(void *state, struct rsab_job *const *jobs,
	    backend_em em, size_t n);
};

/* OpenSSL's EVP, one operation at a time. */
extern const struct rsab_backend backend_libcrypto;

#endif
