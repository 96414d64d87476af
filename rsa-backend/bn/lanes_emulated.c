/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight requests a pass in plain C: the kernel of lanes_ifma.c for machines
 * and checkers that have no AVX-512. Slow; for checks.
 */

/* this room */
#include "rsa-backend/bn/v52_array.h"
#include "rsa-backend/bn/lanes.h"

const struct path lanes_emulated = {
	.name = "emulated",
	LANES_OPERATIONS,
};
