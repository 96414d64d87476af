/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of backends, workers, and the one place where jobs pass: what
 * does not fit is refused before a backend sees it, and what a backend signed
 * is verified before anybody else does.
 *
 * PKCS#1 v1.5 is deterministic: one wrong signature by a key with CRT, next
 * to the message that it should have signed, gives away a prime (Boneh,
 * DeMillo, Lipton 1997). DKIM signatures are published. So no unverified
 * signature leaves this room.
 */

/* system */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "backend.h"
#include "backend_bn64.h"
#include "backend_remote.h"
#include "key.h"
#include "pkcs1.h"

/* What a worker has a state for, by rsab_backend.index. */
static const struct rsab_backend *const backends[] = {
	&backend_libcrypto,
	&backend_bn64_portable.backend,
};

#define BACKENDS	(sizeof backends / sizeof backends[0])

struct rsab_worker {
	void		*state[BACKENDS];
	unsigned long	 faults;
	unsigned long	 passes[RSAB_PASS_MAX];
	uint8_t		 em[RSAB_PASS_MAX][RSAB_SIGNATURE_MAX];
};

/* Jobs that run together. */
struct pass {
	struct rsab_job	*jobs[RSAB_PASS_MAX];
	size_t		 n;
};

int
rsab_backend_find(const char *name, const struct rsab_backend **out)
{
	static const char bn64[] = "bn64";
	size_t n = sizeof bn64 - 1;

	if (strcmp(name, "libcrypto") == 0) {
		*out = &backend_libcrypto;
		return RSAB_OK;
	}
	if (strcmp(name, "auto") == 0) {
		if (backend_bn64_find("ifma", out) != 0)
			*out = &backend_libcrypto;
		return RSAB_OK;
	}
	if (strcmp(name, bn64) == 0)
		return backend_bn64_find(NULL, out);
	if (strncmp(name, bn64, n) == 0 && name[n] == ':')
		return backend_bn64_find(&name[n + 1], out);
	if (strcmp(name, "pkcs11") == 0)
		return backend_pkcs11_find(out);
	return RSAB_ERR_UNKNOWN;
}

const char *
rsab_backend_name(const struct rsab_backend *backend)
{
	return backend->name;
}

int
rsab_backend_selftest(const struct rsab_backend *backend,
    const struct rsab_backend **next, unsigned *class)
{
	if (backend->selftest == NULL)
		return RSAB_OK;
	return backend->selftest(backend, next, class);
}

int
rsab_worker_new(struct rsab_worker **out)
{
	struct rsab_worker *worker = calloc(1, sizeof *worker);
	int r;

	if (worker == NULL)
		return RSAB_ERR_NOMEM;
	for (size_t i = 0; i < BACKENDS; i++) {
		assert(backends[i]->index == i);
		r = backends[i]->worker_new(&worker->state[i]);
		if (r != 0) {
			rsab_worker_free(worker);
			return r;
		}
	}
	*out = worker;
	return RSAB_OK;
}

void
rsab_worker_free(struct rsab_worker *worker)
{
	if (worker == NULL)
		return;
	for (size_t i = 0; i < BACKENDS; i++)
		if (worker->state[i] != NULL)
			backends[i]->worker_free(worker->state[i]);
	free(worker);
}

unsigned long
rsab_worker_faults(const struct rsab_worker *worker)
{
	return worker->faults;
}

void
rsab_worker_passes(const struct rsab_worker *worker,
    unsigned long counts[RSAB_PASS_MAX])
{
	memcpy(counts, worker->passes, sizeof worker->passes);
}

/*
 * The workspace of a backend; none for one that is not in the table.
 */
static void *
worker_state(struct rsab_worker *worker, const struct rsab_backend *backend)
{
	return backend->index < BACKENDS ? worker->state[backend->index] :
	    NULL;
}

/*
 * Does a job fit its key?
 */
static int
job_check(const struct rsab_job *job)
{
	const struct rsab_key *key = job->key;

	if (pkcs1_digest_size(job->hash) == 0)
		return RSAB_ERR_ARGUMENT;
	/* RFC 8463 s3, sA: Ed25519 signs the SHA-256 hash */
	if (key->type == RSAB_ED25519 && job->hash != RSAB_SHA256)
		return RSAB_ERR_ARGUMENT;
	switch (job->op) {
	case RSAB_OP_SIGN:
		/* RFC 8301 s3.1 #3: rsa-sha1 MUST NOT be used for signing */
		return key->is_private && job->hash == RSAB_SHA256 ?
		    RSAB_OK : RSAB_ERR_ARGUMENT;
	case RSAB_OP_VERIFY:
		/* RFC 8017 s8.2.2 step 1, RFC 8032 s5.1.7: exact length */
		return job->signature_len == key->signature_size ?
		    RSAB_OK : RSAB_ERR_SIGNATURE;
	default:
		return RSAB_ERR_ARGUMENT;
	}
}

/*
 * Nothing of a signature that did not come out right may be read.
 */
static void
signature_drop(struct rsab_job *job, int result)
{
	rsab_wipe(job->signature, sizeof job->signature);
	job->signature_len = 0;
	job->result = result;
}

/*
 * Take a job into a pass, or set why not.
 *   em       out: the job's encoded message
 */
static void
pass_add(struct pass *pass, struct rsab_job *job, uint8_t *em)
{
	job->result = job_check(job);
	if (job->result == 0 && job->key->type == RSAB_RSA)
		job->result = pkcs1_encode(job->hash, job->digest, em,
		    job->key->signature_size);
	if (job->result == 0)
		pass->jobs[pass->n++] = job;
	else if (job->op == RSAB_OP_SIGN)
		signature_drop(job, job->result);
}

/*
 * Verify what a backend signed, against the encodings made beforehand: all of
 * a pass at once, by the backend itself where it can.
 *   signatures  n; NULL: nothing there to verify
 *   results  out; RSAB_ERR_SIGNATURE: a fault
 */
static void
signatures_check(struct rsab_worker *worker,
    const struct rsab_backend *backend, struct rsab_job *const *signatures,
    backend_em em, size_t n, int *results)
{
	struct rsab_job *whole[RSAB_PASS_MAX];
	const struct rsab_backend *checker =
	    backend->verify != NULL ? backend : &backend_libcrypto;

	for (size_t i = 0; i < n; i++) {
		struct rsab_job *job = signatures[i];

		results[i] = job == NULL ? RSAB_OK : RSAB_ERR_SIGNATURE;
		whole[i] = job != NULL && job->signature_len ==
		    job->key->signature_size ? job : NULL;
	}
	checker->verify(worker_state(worker, checker), whole, em, n, results);
}

/*
 * A signature failed its check: wipe it and make it once more, by the second
 * backend, whose work is checked too.
 *   r        what the check said
 */
static void
signature_again(struct rsab_worker *worker, struct rsab_job *job,
    backend_em em, int r)
{
	const struct rsab_backend *second = job->key->backend->second;

	if (r == RSAB_ERR_SIGNATURE)
		worker->faults++;
	signature_drop(job, r == RSAB_ERR_NOMEM ? r : RSAB_ERR_BACKEND);
	if (r != RSAB_ERR_SIGNATURE || second == NULL)
		return;
	second->run(worker_state(worker, second), &job, em, 1);
	if (job->result != 0)
		return;
	signatures_check(worker, second, &job, em, 1, &r);
	if (r == RSAB_ERR_SIGNATURE)
		worker->faults++;
	if (r != 0)
		signature_drop(job, r == RSAB_ERR_NOMEM ? r :
		    RSAB_ERR_BACKEND);
}

/*
 * Check the signatures of a pass.
 */
static void
pass_check(struct rsab_worker *worker, const struct pass *pass)
{
	const struct rsab_backend *backend = pass->jobs[0]->key->backend;
	struct rsab_job *signatures[RSAB_PASS_MAX];
	int results[RSAB_PASS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < pass->n; i++) {
		struct rsab_job *job = pass->jobs[i];
		bool is_new = job->op == RSAB_OP_SIGN && job->result == 0;

		signatures[i] = is_new ? job : NULL;
		count += is_new;
	}
	if (count == 0)
		return;
	signatures_check(worker, backend, signatures, worker->em, pass->n,
	    results);
	for (size_t i = 0; i < pass->n; i++)
		if (results[i] != 0)
			signature_again(worker, pass->jobs[i], &worker->em[i],
			    results[i]);
}

/*
 * Run a pass; all its keys are one backend's.
 */
static void
pass_run(struct rsab_worker *worker, const struct pass *pass)
{
	const struct rsab_backend *backend = pass->jobs[0]->key->backend;
	size_t count = 0;

	backend->run(worker_state(worker, backend), pass->jobs, worker->em,
	    pass->n);
	if (!backend->checks_itself)
		pass_check(worker, pass);
	for (size_t i = 0; i < pass->n; i++) {
		struct rsab_job *job = pass->jobs[i];

		if (job->op != RSAB_OP_SIGN)
			continue;
		count++;
		if (job->result != 0)
			signature_drop(job, job->result);
	}
	if (count != 0)
		worker->passes[count - 1]++;
}

void
rsab_run(struct rsab_worker *worker, struct rsab_job *const *jobs, size_t n)
{
	struct pass pass = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		/* A group has one backend; a mixture costs passes only. */
		if (pass.n != 0 && (pass.n == RSAB_PASS_MAX ||
		    jobs[i]->key->backend != pass.jobs[0]->key->backend)) {
			pass_run(worker, &pass);
			pass.n = 0;
		}
		pass_add(&pass, jobs[i], worker->em[pass.n]);
	}
	if (pass.n != 0)
		pass_run(worker, &pass);
}
