/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiler has no AVX-512 IFMA: no machine has this path.
 */

/* this room */
#include "rsa-backend/bn/path.h"

const struct path lanes_ifma = {
	.name = "ifma",
	.features = PATH_ABSENT,
};
