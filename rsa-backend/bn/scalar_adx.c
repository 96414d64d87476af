/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of 64-bit limbs with rows of MULX, ADCX and ADOX.
 */

/* rsa-backend */
#include "rsa-backend/cpu.h"

/* this room: the rows first */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/row_adx.h"
#include "rsa-backend/bn/scalar.h"

const struct path scalar_adx = {
	.name = "adx",
	.features = CPU_BMI2 | CPU_ADX,
	SCALAR_PATH,
};
