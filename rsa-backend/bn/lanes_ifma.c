/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight requests a pass with AVX-512 IFMA.
 */

/* this room */
#include "rsa-backend/bn/path.h"

const struct path lanes_ifma = {
	.name = "ifma",
	.features = PATH_ABSENT,
};
