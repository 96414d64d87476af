/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scalar paths that a test runs: plain C with the limbs of this machine
 * and with those of 32 bits, and MULX where it is.
 */
#ifndef SCALAR_PATHS_H
#define SCALAR_PATHS_H

#define BN_LIMB_BITS	32

/* rsa-backend: scalar.h with limbs of 32 bits */
#include "rsa-backend/cpu.h"
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/row_portable.h"
#include "rsa-backend/bn/scalar.h"

/* this room */
#include "tests/bn_oracle.h"

static const struct path scalar_32 = {
	.name = "portable, 32-bit limbs",
	SCALAR_PATH,
};

static const struct path *const paths[] = {
	&scalar_portable, &scalar_adx, &scalar_32
};

#define PATHS	TEST_COUNT(paths)

static BN_CTX *ctx;

static inline bool
is_here(const struct path *path)
{
	return (path->features & ~cpu_features()) == 0;
}

static inline int
set_up(void **state)
{
	(void)state;
	ctx = BN_CTX_new();
	for (size_t i = 0; i < PATHS; i++)
		fprintf(stderr, "# path %s: %s\n", paths[i]->name,
		    is_here(paths[i]) ? "runs" : "not on this machine");
	return ctx == NULL ? -1 : 0;
}

static inline int
tear_down(void **state)
{
	(void)state;
	BN_CTX_free(ctx);
	return 0;
}

#endif
