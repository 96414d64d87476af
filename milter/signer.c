/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Worker threads for signatures, and threads for blocking work.
 */

/* system */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "milter/clock.h"
#include "milter/inbox.h"
#include "milter/log.h"
#include "milter/processors.h"
#include "milter/queue.h"
#include "milter/signer.h"
#include "milter/stats.h"
#include "milter/tokens.h"

struct worker {
	pthread_t		 thread;
	struct queue		*queue;
	struct rsab_worker	*rsab;
	unsigned long		 faults;	/* told to the log so far */
	unsigned long		 passes[RSAB_PASS_MAX];	/* counted so far */
};

struct task {
	signer_task_fn	 run;
	struct want	*want;
};

struct signer {
	struct queue	*jobs, *tasks;
	unsigned	 threads;	/* wanted */
	unsigned	 workers, task_threads;	/* running */
	struct worker	*worker;
	pthread_t	 task_thread[SIGNER_TASK_THREADS];
};

static void
answer(struct want *want, int error, const char *detail)
{
	want->error = error;
	if (detail != NULL)
		snprintf(want->detail, sizeof(want->detail), "%s", detail);
	want->answered = clock_us();
	inbox_put(want->inbox, want);
}

/*
 * Is there still somebody who waits for it? Else it is answered or dropped.
 */
static bool
is_live(struct want *want)
{
	if (atomic_load(&want->cancelled)) {
		want_unref(want);
		return false;
	}
	if (want->expires != 0 && clock_us() >= want->expires) {
		stats_add(STAT_SIGN_TIMEOUT, 1);
		answer(want, WANT_ERR_TIMEOUT, "waited in the queue too long");
		return false;
	}
	return true;
}

static void
tell_faults(struct worker *worker)
{
	unsigned long faults = rsab_worker_faults(worker->rsab);

	if (faults == worker->faults)
		return;
	stats_add(STAT_SIGN_FAULTS, faults - worker->faults);
	log_line(LOG_CRIT, "signer: %lu signatures were wrong when checked "
	    "and were not used: memory, CPU or token is faulty",
	    faults - worker->faults);
	worker->faults = faults;
}

/* How full the passes were, since the last time. */
static void
count_passes(struct worker *worker)
{
	unsigned long passes[RSAB_PASS_MAX];
	int i;

	rsab_worker_passes(worker->rsab, passes);
	for (i = 0; i < RSAB_PASS_MAX; i++)
		if (passes[i] != worker->passes[i])
			stats_add((enum stats_counter)(STAT_SIGN_PASS_1 + i),
			    passes[i] - worker->passes[i]);
	memcpy(worker->passes, passes, sizeof(passes));
}

/*
 * What became of a signature by a token. One that does not have the key any
 * more, or has another one by its name, is to be asked for it again.
 */
static void
answer_token(struct want *want, struct rsab_token *token)
{
	int result = want->signature.result, error = WANT_ERR_SIGN;
	struct rsab_token_detail detail = { "" };
	char text[sizeof(want->detail)];

	if (result == RSAB_OK) {
		tokens_tell(token, RSAB_OK, "");
		answer(want, WANT_OK, NULL);
		return;
	}
	rsab_token_detail(token, &detail);
	tokens_tell(token, result, detail.text);
	if (result == RSAB_ERR_TOKEN_KEY || result == RSAB_ERR_BACKEND) {
		stats_add(STAT_TOKEN_KEYS_GONE, 1);
		error = WANT_ERR_KEY_GONE;
	}
	if ((size_t)snprintf(text, sizeof(text), "%s: %s",
	    rsab_strerror(result), detail.text) >= sizeof(text))
		memcpy(text + sizeof(text) - 4, "...", 4);
	answer(want, error, text);
}

static void
answer_job(struct want *want)
{
	struct rsab_token *token = rsab_key_token(want->signature.key);
	int result = want->signature.result;

	if (token != NULL)
		answer_token(want, token);
	else if (result == RSAB_OK)
		answer(want, WANT_OK, NULL);
	else
		answer(want, WANT_ERR_SIGN, rsab_strerror(result));
}

static void
run_batch(struct worker *worker, void *const *items, size_t n)
{
	struct rsab_job *jobs[QUEUE_BATCH_MAX];
	struct want *wants[QUEUE_BATCH_MAX];
	size_t i, live = 0;

	for (i = 0; i < n; i++)
		if (is_live(items[i])) {
			wants[live] = items[i];
			jobs[live] = &wants[live]->signature;
			live++;
		}
	if (live == 0)
		return;
	rsab_run(worker->rsab, jobs, live);
	count_passes(worker);
	for (i = 0; i < live; i++)
		answer_job(wants[i]);
	tell_faults(worker);
}

static void *
work(void *arg)
{
	struct worker *worker = arg;
	void *items[QUEUE_BATCH_MAX];
	size_t n;

	while ((n = queue_take(worker->queue, items)) > 0)
		run_batch(worker, items, n);
	return NULL;
}

static void *
work_tasks(void *arg)
{
	struct queue *queue = arg;
	void *items[QUEUE_BATCH_MAX];
	struct task *task;

	while (queue_take(queue, items) > 0) {
		task = items[0];
		if (is_live(task->want))
			task->run(task->want);
		free(task);
	}
	return NULL;
}

static int
start_worker(struct signer *signer)
{
	struct worker *worker = &signer->worker[signer->workers];

	worker->queue = signer->jobs;
	if (rsab_worker_new(&worker->rsab) != 0)
		return DKIM_ERR_NOMEM;
	if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
		rsab_worker_free(worker->rsab);
		return DKIM_ERR_NOMEM;
	}
	signer->workers++;
	return 0;
}

static int
start_threads(struct signer *signer)
{
	while (signer->workers < signer->threads)
		if (start_worker(signer) != 0)
			return DKIM_ERR_NOMEM;
	while (signer->task_threads < SIGNER_TASK_THREADS) {
		if (pthread_create(&signer->task_thread[signer->task_threads],
		    NULL, work_tasks, signer->tasks) != 0)
			return DKIM_ERR_NOMEM;
		signer->task_threads++;
	}
	return 0;
}

int
signer_new(unsigned threads, struct signer **out)
{
	struct signer *signer;

	signer = calloc(1, sizeof(*signer));
	if (signer == NULL)
		return DKIM_ERR_NOMEM;
	if (threads == 0)
		threads = processors() < 2 ? 1 : processors() / 2;
	if (threads > SIGNER_THREADS_MAX)
		threads = SIGNER_THREADS_MAX;
	signer->threads = threads;
	signer->worker = calloc(threads, sizeof(*signer->worker));
	if (signer->worker == NULL ||
	    queue_new(SIGNER_PASSES, &signer->jobs) != 0 ||
	    queue_new(SIGNER_TASKS_MAX, &signer->tasks) != 0 ||
	    start_threads(signer) != 0) {
		signer_free(signer);
		return DKIM_ERR_NOMEM;
	}
	*out = signer;
	return 0;
}

unsigned
signer_threads(const struct signer *signer)
{
	return signer->threads;
}

static void
refuse(struct want *want, int error)
{
	switch (error) {
	case QUEUE_ERR_FULL:
		stats_add(STAT_QUEUE_FULL, 1);
		answer(want, WANT_ERR_QUEUE_FULL, "the queue is full");
		break;
	case QUEUE_ERR_CLOSED:
		answer(want, WANT_ERR_STOPPED, "the daemon is leaving");
		break;
	default:
		answer(want, WANT_ERR_NOMEM, "no memory for the queue");
		break;
	}
}

void
signer_ask(struct signer *signer, struct want *want)
{
	struct rsab_token *token = rsab_key_token(want->signature.key);
	struct signer *own = token == NULL ? NULL : tokens_signer_of(token);
	struct rsab_group group;
	unsigned batch;
	int r;

	if (own != NULL)
		signer = own;
	group = rsab_key_group(want->signature.key, want->signature.op);
	batch = group.batch;
	if (batch > QUEUE_BATCH_MAX / 2)
		batch = QUEUE_BATCH_MAX / 2;
	r = queue_put(signer->jobs, group.id, batch, want);
	if (r != 0)
		refuse(want, r);
}

void
signer_task(struct signer *signer, signer_task_fn run, struct want *want)
{
	struct task *task;
	int r = QUEUE_ERR_NOMEM;

	task = malloc(sizeof(*task));
	if (task != NULL) {
		task->run = run;
		task->want = want;
		r = queue_put(signer->tasks, 0, 1, task);
	}
	if (r != 0) {
		free(task);
		refuse(want, r);
	}
}

void
signer_free(struct signer *signer)
{
	unsigned i;

	if (signer == NULL)
		return;
	if (signer->jobs != NULL)
		queue_close(signer->jobs);
	if (signer->tasks != NULL)
		queue_close(signer->tasks);
	for (i = 0; i < signer->workers; i++) {
		pthread_join(signer->worker[i].thread, NULL);
		rsab_worker_free(signer->worker[i].rsab);
	}
	for (i = 0; i < signer->task_threads; i++)
		pthread_join(signer->task_thread[i], NULL);
	queue_free(signer->jobs);
	queue_free(signer->tasks);
	free(signer->worker);
	free(signer);
}
