/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of 64-bit limbs with rows of MULX, ADCX and ADOX.
 */

/* this room */
#include "rsa-backend/bn/path.h"

const struct path scalar_adx = {
	.name = "adx",
	.features = PATH_ABSENT,
};
