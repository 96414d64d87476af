/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight requests a pass in plain C, for checks.
 */

/* this room */
#include "rsa-backend/bn/path.h"

const struct path lanes_emulated = {
	.name = "emulated",
	.features = PATH_ABSENT,
};
