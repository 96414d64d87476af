/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiler has no MULX, ADCX and ADOX: no machine has this path.
 */

/* this room */
#include "rsa-backend/bn/path.h"

const struct path scalar_adx = {
	.name = "adx",
	.features = PATH_ABSENT,
};
