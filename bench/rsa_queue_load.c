/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signatures through the daemon's queue; see rsa_queue_load.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* rooms below */
#include "milter/clock.h"
#include "milter/inbox.h"
#include "milter/signer.h"

/* this room */
#include "rsa_queue_load.h"
#include "statistic.h"
#include "stopwatch.h"

#define PATIENCE	120000000	/* us for an answer, at the end */
#define PASSES_MAX	1000		/* timed in a window */
#define WAITING		32		/* for each worker that never idles */

static int
key_load(struct rsa_queue_load *load, const struct rsa_entrant *entrant)
{
	const struct reference *r = load->reference;
	int error, status;

	if (entrant->place != NULL) {
		status = rsa_token_open(&load->token, entrant->place,
		    load->pin, r, load->threads, true);
		if (status == 0)
			load->key = rsab_key_ref(load->token.key);
		return status;
	}
	error = rsab_key_load_private(entrant->backend,
	    (const uint8_t *)r->pem, r->pem_len, &load->key);
	if (error == 0)
		return 0;
	load->key = NULL;
	warnx("%s: key of %u bits: %s", entrant->name, r->bits,
	    rsab_strerror(error));
	return EX_SOFTWARE;
}

static int
inboxes_init(struct rsa_queue_load *load)
{
	for (size_t i = 0; i < RSA_QUEUE_INBOXES; i++)
		if (inbox_new(&load->inbox[i]) != 0) {
			load->inbox[i] = NULL;
			return -1;
		}
	return 0;
}

static int
start(struct rsa_queue_load *load)
{
	load->latency = calloc(RSA_QUEUE_SAMPLES_MAX, sizeof *load->latency);
	load->late = calloc(RSA_QUEUE_SAMPLES_MAX, sizeof *load->late);
	if (load->latency == NULL || load->late == NULL ||
	    inboxes_init(load) != 0 ||
	    rsab_worker_new(&load->worker) != 0 ||
	    (load->token.place == NULL &&
	    signer_new(load->threads, &load->signer) != 0)) {
		warnx("no memory or no thread for a queue");
		return EX_OSERR;
	}
	return 0;
}

int
rsa_queue_load_init(struct rsa_queue_load *load,
    const struct rsa_entrant *entrant, const struct reference *reference,
    const struct pin *pin, unsigned threads, uint64_t seed)
{
	int status;

	*load = (struct rsa_queue_load){ .reference = reference, .pin = pin,
	    .threads = threads, .random = { seed } };
	/* the workers stay where this thread may run now */
	pin_processors(pin, threads);
	status = key_load(load, entrant);
	if (status == 0)
		status = start(load);
	if (status != 0)
		rsa_queue_load_clear(load);
	return status;
}

void
rsa_queue_load_clear(struct rsa_queue_load *load)
{
	signer_free(load->signer);
	load->signer = NULL;
	rsab_worker_free(load->worker);
	load->worker = NULL;
	for (size_t i = 0; i < RSA_QUEUE_INBOXES; i++)
		if (load->inbox[i] != NULL) {
			inbox_close(load->inbox[i]);
			inbox_unref(load->inbox[i]);
			load->inbox[i] = NULL;
		}
	rsab_key_unref(load->key);
	load->key = NULL;
	rsa_token_close(&load->token);
	free(load->latency);
	free(load->late);
	load->latency = load->late = NULL;
}

unsigned
rsa_queue_load_batch(const struct rsa_queue_load *load)
{
	unsigned batch = rsab_key_group(load->key, RSAB_OP_SIGN).batch;

	/* DESIGN "Data flow" 4: a pass, two when so many wait */
	return batch == 1 ? 1 : 2 * batch;
}

/*
 * Is it what libcrypto alone makes of message i?
 */
static int
check(const struct rsa_queue_load *load, const struct rsab_job *job, size_t i)
{
	const struct reference *r = load->reference;

	if (job->result == RSAB_OK && job->signature_len == r->size &&
	    memcmp(job->signature, r->signature[i], r->size) == 0)
		return 0;
	warnx("%s, %u bits, through the queue: %s",
	    rsab_backend_name(rsab_key_backend(load->key)), r->bits,
	    job->result != RSAB_OK ? rsab_strerror(job->result) :
	    "a signature is not the one that libcrypto makes");
	return EX_SOFTWARE;
}

static void
job_fill(const struct rsa_queue_load *load, size_t i, struct rsab_job *job)
{
	job->key = load->key;
	job->op = RSAB_OP_SIGN;
	job->hash = RSAB_SHA256;
	job->result = RSAB_ERR_ARGUMENT;
	memcpy(job->digest, load->reference->digest[i], sizeof job->digest);
	memset(job->signature, 0, load->reference->size);
}

int
rsa_queue_load_pass(struct rsa_queue_load *load, double seconds, double *ns)
{
	struct rsab_job job[REFERENCE_MESSAGES], *ring[REFERENCE_MESSAGES];
	unsigned batch = rsa_queue_load_batch(load);
	uint64_t end = stopwatch_ns() + (uint64_t)(seconds * 1e9), begin;
	double times[PASSES_MAX];
	size_t n = 0;
	int status = 0;

	pin_thread(load->pin, 0);
	do {
		for (unsigned i = 0; i < batch; i++) {
			job_fill(load, i, &job[i]);
			ring[i] = &job[i];
		}
		begin = stopwatch_ns();
		rsab_run(load->worker, ring, batch);
		times[n++] = (double)(stopwatch_ns() - begin);
		for (unsigned i = 0; i < batch && status == 0; i++)
			status = check(load, &job[i], i);
	} while (status == 0 && n < PASSES_MAX && stopwatch_ns() < end);
	statistic_sort(times, n);
	*ns = statistic_median(times, n);
	return status;
}

/*
 * Queue the next message.
 */
static int
ask(struct rsa_queue_load *load)
{
	/* as want_new makes it, but of no configuration */
	struct want *want = calloc(1, sizeof *want);

	if (want == NULL) {
		warnx("no memory for a signature");
		return EX_OSERR;
	}
	atomic_init(&want->refs, 1);
	atomic_init(&want->cancelled, false);
	want->kind = WANT_SIGNATURE;
	want->inbox = inbox_ref(load->inbox[load->asked %
	    RSA_QUEUE_INBOXES]);
	want->id = load->at;
	job_fill(load, load->at, &want->signature);
	rsab_key_ref(load->key);
	load->at = (load->at + 1) % REFERENCE_MESSAGES;
	load->asked++;
	want->asked = clock_us();
	signer_ask(load->signer, want);		/* moved */
	return 0;
}

static size_t
waiting(const struct rsa_queue_load *load)
{
	return load->asked - load->taken;
}

/*
 * The answer to the n-th that was asked for, until then.
 *   until    as inbox_take has it
 */
static struct want *
answer_to(struct rsa_queue_load *load, size_t n, uint64_t until)
{
	return inbox_take(load->inbox[n % RSA_QUEUE_INBOXES], until);
}

/*
 * Take an answer's figures and look at it.
 *   want     moved
 */
static int
take(struct rsa_queue_load *load, struct want *want)
{
	int status = 0;

	load->taken++;
	if (want->error == WANT_ERR_QUEUE_FULL)
		load->failures++;
	else if (want->error != WANT_OK) {
		warnx("%u bits, through the queue: %s", load->reference->bits,
		    want->detail);
		status = EX_SOFTWARE;
	} else {
		status = check(load, &want->signature, want->id);
		if (load->skip > 0)
			load->skip--;
		else if (load->n < RSA_QUEUE_SAMPLES_MAX)
			load->latency[load->n++] =
			    (double)(want->answered - want->asked);
	}
	want_unref(want);
	return status;
}

/*
 * Take what is there now.
 */
static int
drain(struct rsa_queue_load *load)
{
	struct want *want;
	int status = 0;

	while (status == 0 && waiting(load) > 0 &&
	    (want = answer_to(load, load->taken, 0)) != NULL)
		status = take(load, want);
	return status;
}

/*
 * Wait for the next n answers, for the last of them first: a wake-up for each
 * would be part of what is measured.
 *   n        at most waiting(load)
 */
static int
wait_for(struct rsa_queue_load *load, size_t n)
{
	size_t first = load->taken, last = first + n - 1;
	struct want *want;
	int status = 0;

	for (size_t i = 0; i < n && status == 0; i++) {
		want = answer_to(load, i == 0 ? last : first + i - 1,
		    clock_us() + PATIENCE);
		if (want == NULL) {
			warnx("%u bits: %zu signatures are not answered",
			    load->reference->bits, waiting(load));
			return EX_SOFTWARE;
		}
		status = take(load, want);
	}
	return status;
}

static void
window_begin(struct rsa_queue_load *load, size_t skip)
{
	load->n = load->late_n = load->failures = 0;
	load->skip = skip;
	/* beside the workers, where there is room */
	pin_thread(load->pin, load->threads);
}

int
rsa_queue_load_full(struct rsa_queue_load *load, double seconds)
{
	size_t room = SIGNER_PASSES * (size_t)rsab_key_group(load->key,
	    RSAB_OP_SIGN).batch;
	size_t most = (size_t)WAITING * load->threads, done = 0;
	uint64_t begin, now, length = (uint64_t)(seconds * 1e9);
	int status = 0;

	window_begin(load, SIZE_MAX);
	if (most > room)
		most = room;
	while (status == 0 && waiting(load) < most)
		status = ask(load);
	begin = now = stopwatch_ns();
	while (status == 0 && (now - begin < length || done == 0)) {
		status = wait_for(load, WAITING / 2);
		for (done += WAITING / 2; status == 0 && waiting(load) < most;)
			status = ask(load);
		now = stopwatch_ns();
	}
	load->per_s = (double)done / (double)(now - begin) * 1e9;
	if (status == 0)
		status = wait_for(load, waiting(load));
	if (status == 0 && load->failures > 0) {
		warnx("%zu signatures did not fit the queue", load->failures);
		status = EX_SOFTWARE;
	}
	return status;
}

/*
 * Arrivals until the window's end.
 *   n        arrivals so far, in and out
 */
static int
arrive(struct rsa_queue_load *load, double mean, uint64_t begin, double length,
    size_t *n)
{
	double next = random_gap(&load->random) * mean, now;
	int status = 0;

	/* a thread that sleeps would wake up late: this one never does */
	while (status == 0 && next < length &&
	    *n < RSA_QUEUE_SAMPLES_MAX + RSA_QUEUE_SKIP) {
		now = (double)(stopwatch_ns() - begin);
		if (now < next)
			continue;
		if (++*n > RSA_QUEUE_SKIP)
			load->late[load->late_n++] = (now - next) / 1e3;
		next += random_gap(&load->random) * mean;
		status = ask(load);
		if (status == 0)
			status = drain(load);
	}
	return status;
}

int
rsa_queue_load_at(struct rsa_queue_load *load, double rate, double seconds)
{
	double length = seconds, least = (RSA_QUEUE_SKIP +
	    RSA_QUEUE_SAMPLES) / rate;
	uint64_t begin;
	size_t n = 0;
	int status;

	if (length < least)
		length = least;
	window_begin(load, RSA_QUEUE_SKIP);
	begin = stopwatch_ns();
	status = arrive(load, 1e9 / rate, begin, length * 1e9, &n);
	load->per_s = (double)n / (double)(stopwatch_ns() - begin) * 1e9;
	if (status == 0)
		status = wait_for(load, waiting(load));
	return status;
}
