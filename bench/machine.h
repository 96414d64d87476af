/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the figures were made on.
 */
#ifndef MACHINE_H
#define MACHINE_H

/* system */
#include <stdio.h>

/* this room */
#include "pin.h"

/*
 * Print, a line each and every one begun with prefix: version and compiler of
 * this program, processor and the flags that matter here, its clock as seen
 * now, kernel, libcrypto (and OPENSSL_ia32cap where it is set), and where the
 * first thread is pinned.
 */
void machine_print(FILE *out, const char *prefix, const struct pin *pin);

#endif
