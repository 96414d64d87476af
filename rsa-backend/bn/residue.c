/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants of a modulus: powers of two, and Montgomery's inverse.
 */

/* this room */
#include "rsa-backend/bn/residue.h"

uint64_t
residue_k0(uint64_t m)
{
	uint64_t x = (3 * m) ^ 2;	/* 5 bits are right */

	for (int bits = 5; bits < 64; bits *= 2)
		x *= 2 - m * x;
	return 0 - x;
}
