/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts dkimd-token: only its control socket open, an environment of what
 * PKCS#11 modules need, default signals, a session of its own.
 */
#ifndef HELPER_SPAWN_H
#define HELPER_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "report.h"

/*
 * Where the program is: DKIMD_TOKEN of the environment, else where it is
 * installed. Static.
 */
const char *helper_spawn_program(void);

/*
 * May a module see this variable ("NAME=value")?
 */
bool helper_spawn_passes(const char *variable);

/*
 *   pid      out: the caller waits for it
 *   control  out: our end of a SOCK_SEQPACKET socketpair whose other end is
 *            the child's descriptor 3
 *   errors   -1: errno
 */
int helper_spawn(const char *program, pid_t *pid, int *control) MUSTUSE;

#endif
