/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes of the backends bn64.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "blinding.h"
#include "bn/rsasign.h"
#include "bn/rsaverify.h"
#include "bn64key.h"
#include "bn64run.h"
#include "mem.h"

/* Scratch that grows to the largest size that was needed. */
struct scratch {
	uint8_t	*p;
	size_t	 size;
};

struct bn64_worker {
	struct scratch	 secret;	/* private pages */
	struct scratch	 public;
	struct blinding	 blinding;
};

/* Jobs of a pass with one path and size, by their places. */
struct batch {
	size_t	at[RSAB_PASS_MAX];
	size_t	count;
};

int
bn64run_worker_new(void **state)
{
	struct bn64_worker *worker = calloc(1, sizeof *worker);

	if (worker == NULL)
		return RSAB_ERR_NOMEM;
	*state = worker;
	return RSAB_OK;
}

void
bn64run_worker_free(void *state)
{
	struct bn64_worker *worker = state;

	blinding_clear(&worker->blinding);
	mem_private_free(worker->secret.p, worker->secret.size);
	free(worker->public.p);
	free(worker);
}

static bool
scratch_secret(struct bn64_worker *worker, size_t size)
{
	struct scratch *scratch = &worker->secret;

	if (size <= scratch->size)
		return true;
	mem_private_free(scratch->p, scratch->size);
	scratch->p = mem_private_new(size);
	scratch->size = scratch->p == NULL ? 0 : size;
	return scratch->p != NULL;
}

static bool
scratch_public(struct bn64_worker *worker, size_t size)
{
	struct scratch *scratch = &worker->public;

	size = rsakey_align(size);
	if (size <= scratch->size)
		return true;
	free(scratch->p);
	scratch->p = aligned_alloc(RSAKEY_ALIGN, size);
	scratch->size = scratch->p == NULL ? 0 : size;
	return scratch->p != NULL;
}

/*
 * Scratch for signing by a key: whatever comes first in it.
 */
static size_t
sign_scratch(const struct rsakey_private *key)
{
	const struct path *path = key->public->path;
	size_t sign = rsasign_scratch(path, key->n);
	size_t pair = blinding_scratch(path, key->public->n);

	return sign > pair ? sign : pair;
}

/*
 * Take the pair of each job in a batch; who gets none leaves the batch.
 *   pairs    out: of each job left
 *   uses     out: each pair once
 */
static size_t
pairs_take(struct bn64_worker *worker, struct rsab_job *const *jobs,
    struct batch *batch, struct blinding_pair **pairs,
    struct blinding_use *uses)
{
	size_t kept = 0, count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		struct rsab_job *job = jobs[batch->at[i]];
		const struct rsakey_public *key =
		    bn64key_private(job->key)->public;
		size_t k = 0;

		job->result = blinding_take(&worker->blinding,
		    job->key->fingerprint, key, worker->secret.p,
		    &pairs[kept]);
		if (job->result != 0)
			continue;
		batch->at[kept] = batch->at[i];
		while (k < count && uses[k].pair != pairs[kept])
			k++;
		if (k == count)
			uses[count++] = (struct blinding_use){
				.pair = pairs[kept], .key = key,
			};
		kept++;
	}
	batch->count = kept;
	return count;
}

/*
 * Sign a batch.
 */
static void
batch_sign(struct bn64_worker *worker, struct rsab_job *const *jobs,
    backend_em em, struct batch *batch)
{
	const struct rsakey_private *first =
	    bn64key_private(jobs[batch->at[0]]->key);
	size_t size = sign_scratch(first), uses_count;
	struct rsasign_request request[RSAB_PASS_MAX];
	struct blinding_pair *pairs[RSAB_PASS_MAX];
	struct blinding_use uses[RSAB_PASS_MAX];

	if (!scratch_secret(worker, size)) {
		for (size_t i = 0; i < batch->count; i++)
			jobs[batch->at[i]]->result = RSAB_ERR_NOMEM;
		return;
	}
	uses_count = pairs_take(worker, jobs, batch, pairs, uses);
	for (size_t i = 0; i < batch->count; i++) {
		struct rsab_job *job = jobs[batch->at[i]];

		request[i] = (struct rsasign_request){
			.key = bn64key_private(job->key),
			.in = em[batch->at[i]], .out = job->signature,
			.blind = pairs[i]->blind,
			.unblind = pairs[i]->unblind,
		};
		job->signature_len = job->key->signature_size;
	}
	if (batch->count != 0) {
		rsasign_run(request, batch->count, worker->secret.p);
		blinding_step(uses, uses_count, worker->secret.p);
	}
	rsab_wipe(worker->secret.p, size);
}

/*
 * Jobs from the i-th on that go with it. A key whose secrets are gone fails
 * alone.
 */
static void
batch_of_signing(struct rsab_job *const *jobs, size_t n, size_t i,
    bool *done, struct batch *batch)
{
	const struct rsakey_private *first = NULL;

	batch->count = 0;
	for (; i < n; i++) {
		const struct rsakey_private *key;

		if (done[i] || jobs[i]->op != RSAB_OP_SIGN)
			continue;
		key = bn64key_private(jobs[i]->key);
		if (key == NULL) {
			jobs[i]->result = RSAB_ERR_BACKEND;
			done[i] = true;
			continue;
		}
		if (first == NULL)
			first = key;
		if (key->public->path != first->public->path ||
		    key->n != first->n)
			continue;
		batch->at[batch->count++] = i;
		done[i] = true;
	}
}

/*
 * Verify a batch by the lanes, or a single job without.
 */
static void
batch_verify(struct bn64_worker *worker, struct rsab_job *const *jobs,
    backend_em em, const struct batch *batch, bool lanes, int *results)
{
	const struct bn64_key *first = jobs[batch->at[0]]->key->own;
	const struct rsakey_public *key = lanes ? &first->lanes :
	    &first->scalar;
	size_t size = rsaverify_scratch(key->path, key->n);
	struct rsaverify_request request[RSAB_PASS_MAX];

	for (size_t i = 0; i < batch->count; i++) {
		const struct rsab_job *job = jobs[batch->at[i]];
		const struct bn64_key *own = job->key->own;

		request[i] = (struct rsaverify_request){
			.key = lanes ? &own->lanes : &own->scalar,
			.s = job->signature, .want = em[batch->at[i]],
		};
	}
	if (!scratch_public(worker, size)) {
		for (size_t i = 0; i < batch->count; i++)
			results[batch->at[i]] = RSAB_ERR_NOMEM;
		return;
	}
	rsaverify_run(request, batch->count, worker->public.p);
	for (size_t i = 0; i < batch->count; i++)
		results[batch->at[i]] = request[i].is_good ? RSAB_OK :
		    RSAB_ERR_SIGNATURE;
}

/*
 * Jobs from the i-th on that go through the lanes with it.
 */
static void
batch_of_verifying(struct rsab_job *const *jobs, size_t n, size_t i,
    struct batch *batch)
{
	const struct bn64_key *first = jobs[i]->key->own;

	batch->count = 0;
	batch->at[batch->count++] = i;
	if (first->lanes.path == NULL)
		return;
	while (++i < n) {
		const struct bn64_key *own;

		if (jobs[i] == NULL)
			continue;
		own = jobs[i]->key->own;
		if (own->lanes.path == first->lanes.path &&
		    own->lanes.n == first->lanes.n)
			batch->at[batch->count++] = i;
	}
}

/*
 * Signatures of our own that failed their check: the next ones of those keys
 * begin with new pairs, and nothing of the wrong ones, each of which may give
 * a prime away, stays in the scratch.
 */
static void
wrong_forget(struct bn64_worker *worker, struct rsab_job *const *jobs,
    size_t n, const int *results)
{
	bool wrong = false;

	for (size_t i = 0; i < n; i++) {
		if (jobs[i] == NULL || jobs[i]->op != RSAB_OP_SIGN ||
		    results[i] == 0)
			continue;
		blinding_drop(&worker->blinding, jobs[i]->key->fingerprint);
		wrong = true;
	}
	if (wrong && worker->public.p != NULL)
		rsab_wipe(worker->public.p, worker->public.size);
}

void
bn64run_verify(void *state, struct rsab_job *const *jobs, backend_em em,
    size_t n, int *results)
{
	struct bn64_worker *worker = state;
	struct rsab_job *left[RSAB_PASS_MAX];

	memcpy(left, jobs, n * sizeof left[0]);
	for (size_t i = 0; i < n; i++) {
		struct batch batch;

		if (left[i] == NULL)
			continue;
		batch_of_verifying(left, n, i, &batch);
		batch_verify(worker, jobs, em, &batch,
		    batch.count >= BN64RUN_LANES_MIN, results);
		for (size_t k = 0; k < batch.count; k++)
			left[batch.at[k]] = NULL;
	}
	wrong_forget(worker, jobs, n, results);
}

void
bn64run_run(void *state, struct rsab_job *const *jobs, backend_em em,
    size_t n)
{
	struct rsab_job *verify[RSAB_PASS_MAX] = { NULL };
	bool done[RSAB_PASS_MAX] = { false };
	int results[RSAB_PASS_MAX];
	struct batch batch;

	for (size_t i = 0; i < n; i++) {
		batch_of_signing(jobs, n, i, done, &batch);
		if (batch.count != 0)
			batch_sign(state, jobs, em, &batch);
		verify[i] = jobs[i]->op == RSAB_OP_VERIFY ? jobs[i] : NULL;
	}
	bn64run_verify(state, verify, em, n, results);
	for (size_t i = 0; i < n; i++)
		if (verify[i] != NULL)
			verify[i]->result = results[i];
}
