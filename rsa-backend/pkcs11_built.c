/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend "pkcs11" where dkimd-token is built; pkcs11_notbuilt.c is linked
 * instead where p11-kit is missing.
 */

/* this room */
#include "backend_remote.h"

int
backend_pkcs11_find(const struct rsab_backend **out)
{
	*out = &backend_remote;
	return RSAB_OK;
}
