/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend workspace for each thread of the front end.
 */

/* this room */
#include "worker.h"

static void
free_worker(void *worker)
{
	rsab_worker_free(worker);
}

int
worker_open(struct workers *workers)
{
	return pthread_key_create(&workers->key, free_worker) == 0 ? 0 : -1;
}

struct rsab_worker *
worker_get(struct workers *workers)
{
	struct rsab_worker *worker = pthread_getspecific(workers->key);

	if (worker != NULL)
		return worker;
	if (rsab_worker_new(&worker) != 0)
		return NULL;
	if (pthread_setspecific(workers->key, worker) != 0) {
		rsab_worker_free(worker);
		return NULL;
	}
	return worker;
}
