/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 as a running digest; the algorithm is fetched once, in dkim_lib.
 */
#ifndef DKIM_DIGEST_H
#define DKIM_DIGEST_H

#include "dkim.h"

#define DIGEST_SIZE	32	/* octets */

struct digest {
	void	*context;	/* EVP_MD_CTX */
	const struct dkim_lib *lib;
	int	 error;		/* sticky */
};

int digest_init(struct digest *d, const struct dkim_lib *lib) MUSTUSE;
void digest_add(struct digest *d, struct slice in);

/*
 * digest_add as the write of a struct sink (canon.h).
 */
void digest_sink(void *digest, struct slice octets);

/*
 * The digest of the octets added so far; more may follow.
 *   errors   DKIM_ERR_CRYPTO, _NOMEM
 */
int digest_snapshot(const struct digest *d, uint8_t out[DIGEST_SIZE]) MUSTUSE;

/*
 * The digest of all octets added; errors are DKIM_ERR_CRYPTO.
 */
int digest_finish(struct digest *d, uint8_t out[DIGEST_SIZE]) MUSTUSE;

/*
 * Free; a zeroed struct is allowed.
 */
void digest_clear(struct digest *d);

#endif
