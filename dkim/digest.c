/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHA-256 as a running digest; see digest.h.
 */

/* this room */
#include "digest.h"
#include "lib.h"

static void
tell(const struct digest *d, enum dkim_digest_call call, size_t octets)
{
	if (d->lib->watch != NULL)
		d->lib->watch(d->lib->watch_context, call, octets);
}

int
digest_init(struct digest *d, const struct dkim_lib *lib)
{
	*d = (struct digest){ .context = EVP_MD_CTX_new(), .lib = lib };
	if (d->context == NULL)
		return DKIM_ERR_NOMEM;
	if (EVP_DigestInit_ex2(d->context, lib->sha256, NULL) != 1) {
		digest_clear(d);
		return DKIM_ERR_CRYPTO;
	}
	tell(d, DKIM_DIGEST_INIT, 0);
	return 0;
}

void
digest_add(struct digest *d, struct slice in)
{
	if (d->error != 0 || in.n == 0)
		return;
	tell(d, DKIM_DIGEST_UPDATE, in.n);
	if (EVP_DigestUpdate(d->context, in.p, in.n) != 1)
		d->error = DKIM_ERR_CRYPTO;
}

void
digest_sink(void *digest, struct slice octets)
{
	digest_add(digest, octets);
}

int
digest_snapshot(const struct digest *d, uint8_t out[DIGEST_SIZE])
{
	struct digest copy = { .context = EVP_MD_CTX_new(), .lib = d->lib,
	    .error = d->error };
	int r;

	if (copy.context == NULL)
		return DKIM_ERR_NOMEM;
	if (EVP_MD_CTX_copy_ex(copy.context, d->context) != 1)
		copy.error = DKIM_ERR_CRYPTO;
	r = digest_finish(&copy, out);
	digest_clear(&copy);
	return r;
}

int
digest_finish(struct digest *d, uint8_t out[DIGEST_SIZE])
{
	unsigned n = 0;

	tell(d, DKIM_DIGEST_FINAL, 0);
	if (d->error == 0 && (EVP_DigestFinal_ex(d->context, out, &n) != 1 ||
	    n != DIGEST_SIZE))
		d->error = DKIM_ERR_CRYPTO;
	return d->error;
}

void
digest_clear(struct digest *d)
{
	EVP_MD_CTX_free(d->context);
	*d = (struct digest){ 0 };
}
