/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend for tests of dkimbench that does as libcrypto does, or is wrong,
 * lazy or credulous.
 */
#ifndef TESTS_FAKE_BACKEND_H
#define TESTS_FAKE_BACKEND_H

/* rooms */
#include "rsa-backend/backend.h"
#include "rsa-backend/key.h"

/* this room */
#include "tests/test.h"

/* What it does. */
enum habit {
	HONEST,		/* as libcrypto */
	LAZY,		/* says that all is well and does nothing */
	WRONG,		/* signs, and one bit is another */
	SHORT,		/* signs, and says that it is an octet less */
	FAILING,
	ABSENT,		/* leaves results as they are */
};

static enum habit habit;
static struct rsab_backend fake;

/*
 * A job by libcrypto.
 */
static void
fake_run_one(struct rsab_job *job)
{
	struct rsab_key *key = job->key;
	/* not its reference count, which others change */
	struct rsab_key own = {
		.backend = &backend_libcrypto, .type = key->type,
		.is_private = key->is_private, .bits = key->bits,
		.signature_size = key->signature_size, .rsa = key->rsa,
		.evp = key->evp, .own = key->own, .der = key->der,
	};
	struct rsab_worker *worker;

	test_int("a worker", rsab_worker_new(&worker), 0);
	job->key = &own;
	rsab_run(worker, &job, 1);
	job->key = key;
	rsab_worker_free(worker);
}

static void
fake_run(void *worker_state, struct rsab_job *const *jobs, backend_em em,
    size_t n)
{
	(void)worker_state;
	(void)em;
	for (size_t i = 0; i < n && habit != ABSENT; i++) {
		jobs[i]->result = RSAB_OK;
		if (habit == LAZY)
			continue;
		fake_run_one(jobs[i]);
		if (habit == WRONG)
			jobs[i]->signature[0] ^= 1;
		if (habit == SHORT)
			jobs[i]->signature_len--;
		if (habit == FAILING)
			jobs[i]->result = RSAB_ERR_BACKEND;
	}
}

static void
fake_init(void)
{
	fake = backend_libcrypto;
	fake.name = "fake";
	fake.index = 1000;	/* no place in a worker */
	fake.run = fake_run;
	fake.checks_itself = true;
}

#endif
