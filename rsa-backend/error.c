/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error codes: their texts, and libcrypto's queue.
 */

/* libcrypto */
#include <openssl/err.h>

/* this room */
#include "error.h"

int
error_take(int otherwise)
{
	unsigned long error;

	while ((error = ERR_get_error()) != 0)
		if (ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE)
			otherwise = RSAB_ERR_NOMEM;
	return otherwise;
}

void
error_drop(void)
{
	ERR_clear_error();
}

const char *
rsab_strerror(int error)
{
	switch (error) {
	case RSAB_OK:
		return "no error";
	case RSAB_ERR_NOMEM:
		return "out of memory";
	case RSAB_ERR_KEY:
		return "not a valid key";
	case RSAB_ERR_KEY_SIZE:
		return "key size outside the limits (RSA: 512 to 8192 bits, "
		    "exponent of at most 64 bits)";
	case RSAB_ERR_KEY_TYPE:
		return "key is of a kind that is not supported (wanted is RSA "
		    "of two primes or Ed25519)";
	case RSAB_ERR_ENCRYPTED:
		return "private key is encrypted, which is not supported";
	case RSAB_ERR_UNKNOWN:
		return "no backend of that name (libcrypto, bn64, pkcs11, "
		    "auto)";
	case RSAB_ERR_UNSUPPORTED:
		return "no such backend on this machine or in this build";
	case RSAB_ERR_SIGNATURE:
		return "signature does not verify";
	case RSAB_ERR_BACKEND:
		return "the RSA backend failed";
	case RSAB_ERR_ARGUMENT:
		return "operation does not fit the key";
	case RSAB_ERR_TOKEN:
		return "the token is not available now";
	case RSAB_ERR_PIN:
		return "the token's PIN is wrong, locked or missing";
	case RSAB_ERR_URI:
		return "not a pkcs11: URI that may stand here";
	case RSAB_ERR_TOKEN_KEY:
		return "the token has no such key";
	case RSAB_ERR_TOKEN_KEYS:
		return "more than one key of the token matches";
	case RSAB_ERR_IMPORT:
		return "this token takes no imported keys";
	case RSAB_ERR_TOKEN_NAME:
		return "the token has a private key of that name already; it "
		    "is never overwritten";
	default:
		return "unknown error";
	}
}
