/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of the error codes.
 */

/* this room */
#include "dkim.h"

const char *
dkim_strerror(int error)
{
	switch (error) {
	case DKIM_OK:
		return "no error";
	case DKIM_ERR_NOMEM:
		return "out of memory";
	case DKIM_ERR_LIMIT:
		return "over a limit";
	case DKIM_ERR_SYNTAX:
		return "syntax error";
	case DKIM_ERR_ARGUMENT:
		return "bad argument";
	case DKIM_ERR_CRYPTO:
		return "libcrypto failed";
	case DKIM_ERR_NO_FROM:
		return "no From field";
	case DKIM_ERR_MANY_FROM:
		return "more than one From field";
	case DKIM_ERR_STATE:
		return "call out of order";
	default:
		return "unknown error";
	}
}
