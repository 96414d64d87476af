/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all messages share: the digest, fetched once (a fetch costs more than
 * hashing a short message).
 */
#ifndef DKIM_LIB_H
#define DKIM_LIB_H

#include <openssl/evp.h>

#include "dkim.h"

struct dkim_lib {
	EVP_MD	*sha256;
	void	(*watch)(void *context, enum dkim_digest_call call,
	    size_t octets);		/* NULL: nobody */
	void	*watch_context;
};

#endif
