/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight requests a pass with AVX-512 IFMA.
 */

/* rsa-backend */
#include "rsa-backend/cpu.h"

/* this room */
#include "rsa-backend/bn/v52_avx512.h"

#define LANES_STACK	6144	/* -O0 takes 5 k, -O2 one */
#include "rsa-backend/bn/lanes.h"

const struct path lanes_ifma = {
	.name = "ifma",
	/* What the compiler may use: the flags that this file is built with. */
	.features = (unsigned)CPU_AVX512F | (unsigned)CPU_AVX512DQ |
	    (unsigned)CPU_AVX512IFMA | (unsigned)CPU_AVX512VL |
	    (unsigned)CPU_BMI2,
	LANES_OPERATIONS,
};
