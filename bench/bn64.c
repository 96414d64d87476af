/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench-bn64: a window of RSA with 64-bit limbs, run by dkimbench bn.
 */

#ifdef __SIZEOF_INT128__

#define BN_LIMB_BITS	64

/* this room */
#include "bn_window.h"

int
main(int argc, char **argv)
{
	return bn_window_main(argc, argv);
}

#else

/* system */
#include <err.h>
#include <sysexits.h>

int
main(void)
{
	errx(EX_UNAVAILABLE, "this compiler has no products of 64-bit limbs");
}

#endif
