/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a backend is, for this room.
 */
#ifndef BACKEND_H
#define BACKEND_H

/* this room */
#include "pkcs8.h"
#include "rsab.h"

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
	const char	*(*path)(const struct rsab_key *key, enum rsab_op op,
	    size_t n);

	/*
	 * Known answers; as rsab_backend_selftest. NULL: has none.
	 */
	int	(*selftest)(const struct rsab_backend *backend,
	    const struct rsab_backend **next, unsigned *class) MUSTUSE;

	/*
	 * Set up what the backend needs in a key: key->evp, key->own,
	 * key->der.
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
	 *   n        1 to RSAB_PASS_MAX
	 *   em       of each job; the backend cannot change it
	 */
	void	(*run)(void *state, struct rsab_job *const *jobs,
	    backend_em em, size_t n);

	/*
	 * Verify the signatures in jobs, whatever their op is: the check
	 * after signing. NULL: libcrypto does it.
	 *   jobs     n; NULL in a place: none there
	 *   results  out, of each job
	 */
	void	(*verify)(void *state, struct rsab_job *const *jobs,
	    backend_em em, size_t n, int *results);
};

/*
 * OpenSSL's EVP, one operation at a time. It serves keys of other backends
 * too, which have no key->evp, with an object made for the one operation.
 */
extern const struct rsab_backend backend_libcrypto;

/*
 * Our own arithmetic: the backend of each path ("ifma", "adx", "portable",
 * "emulated"), or, for NULL, the fastest of this machine.
 *   errors   RSAB_ERR_UNKNOWN, RSAB_ERR_UNSUPPORTED
 */
int backend_bn64_find(const char *path, const struct rsab_backend **out)
    MUSTUSE;

#endif
