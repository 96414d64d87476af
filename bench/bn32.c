/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench-bn32: a window of RSA with 32-bit limbs, run by dkimbench bn.
 */

#define BN_LIMB_BITS	32

/* this room */
#include "bn_window.h"

int
main(int argc, char **argv)
{
	return bn_window_main(argc, argv);
}
