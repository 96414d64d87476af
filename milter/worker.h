/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend workspace for each thread of the front end: its threads come and
 * go and take turns with connections, so a thread keeps one, a connection
 * none.
 */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>

#include "../rsa-backend/rsab.h"

struct workers {
	pthread_key_t	key;
};

/*
 *   errors   -1: no more thread keys
 */
int worker_open(struct workers *workers) MUSTUSE;

/*
 * The calling thread's, made at its first message; freed when the thread ends.
 * NULL: no memory.
 */
struct rsab_worker *worker_get(struct workers *workers);

#endif
