/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend "pkcs11" where p11-kit was missing when this was built.
 */

/* this room */
#include "backend_remote.h"

int
backend_pkcs11_find(const struct rsab_backend **out)
{
	(void)out;
	return RSAB_ERR_UNSUPPORTED;
}
