/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the processes give up at start (DESIGN "Threats").
 *
 * Memory is not locked as a whole: mlockall(2) would count each thread's
 * stack, and a key is swapped out only with the process that uses it all the
 * time. OpenSSL's secure heap is not used either: its size is fixed at start,
 * and a KeyTable that outgrows it would stop keys from loading.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>

#include "report.h"

/*
 * No core file, and no debugger or /proc reader but root's. Inherited over a
 * fork, lost with a change of user.
 *   errors   -1, errno
 */
int sandbox_hide(void) MUSTUSE;

/*
 * The same for the milter process, and no new privileges by exec.
 *   coredumps  EnableCoredumps: leaves core files possible, with a warning,
 *              as they hold private keys
 */
void sandbox_apply(bool coredumps, struct report *report);

/*
 * As many descriptors as the process may have: each connection takes one, each
 * question in flight too.
 */
void sandbox_raise_files(void);

#endif
