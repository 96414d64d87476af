/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known answers for the paths of bn/, before one of them touches a key.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

/* this room */
#include "bn/path.h"
#include "rsab.h"

/*
 * Sign, verify and multiply with a known key of each size class, in all
 * lanes, and compare.
 *   class    out, on RSAB_ERR_BACKEND: bits of the modulus that came out
 *            wrong
 *   errors   RSAB_ERR_BACKEND, RSAB_ERR_NOMEM
 */
int selftest_path(const struct path *path, unsigned *class) MUSTUSE;

#endif
