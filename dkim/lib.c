/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all messages share; see lib.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "lib.h"

int
dkim_lib_new(struct dkim_lib **out)
{
	struct dkim_lib *lib;

	if ((lib = calloc(1, sizeof(*lib))) == NULL)
		return DKIM_ERR_NOMEM;
	if ((lib->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL)) == NULL) {
		free(lib);
		return DKIM_ERR_CRYPTO;
	}
	*out = lib;
	return 0;
}

void
dkim_lib_watch(struct dkim_lib *lib, void (*watch)(void *context,
    enum dkim_digest_call call, size_t octets), void *context)
{
	lib->watch = watch;
	lib->watch_context = context;
}

void
dkim_lib_free(struct dkim_lib *lib)
{
	if (lib == NULL)
		return;
	EVP_MD_free(lib->sha256);
	free(lib);
}
