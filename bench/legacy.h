/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run as the speed programs of libdkim print it, so that figures can stand
 * beside theirs: their message, options, key size and lines.
 *
 * Left out are their faults: the clock of whole seconds begun anywhere within
 * one, results that nobody looks at, a body that verifying cuts to 1024 octets,
 * -b relaxed that signs nothing, half of the body never filled, unknown
 * algorithms taken.
 */
#ifndef LEGACY_H
#define LEGACY_H

/* system */
#include <stdbool.h>

/* rooms below */
#include "rsa-backend/rsab.h"

/*
 * Is --legacy among the arguments?
 */
bool legacy_is_wanted(int argc, char *const *argv);

/*
 * Parse -b, -h, -m, -s, -t and our own few, and run.
 *   returns  an exit status: EX_USAGE; 1 for an algorithm that is not there,
 *            behind a line that begins with ###
 */
int legacy_run(int argc, char **argv, enum rsab_op op) MUSTUSE;

#endif
