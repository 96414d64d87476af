/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of 64-bit or 32-bit limbs in plain C.
 */

/* this room */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/row_portable.h"
#include "rsa-backend/bn/scalar.h"

const struct path scalar_portable = {
	.name = "portable",
	SCALAR_PATH,
};
