/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that the engine makes; see digest_trace.h.
 */

/* system */
#include <err.h>
#include <inttypes.h>
#include <sysexits.h>

/* this room */
#include "digest_trace.h"

#define TEXT_MAX	65536	/* octets of a field that is printed */

struct trace {
	FILE	*out;
	bool	 tsv;
};

/*
 * The watch of dkim_lib.
 */
static void
print_call(void *context, enum dkim_digest_call call, size_t octets)
{
	static const char *const names[] = {
		[DKIM_DIGEST_INIT] = "SHA256_Init",
		[DKIM_DIGEST_UPDATE] = "SHA256_Update",
		[DKIM_DIGEST_FINAL] = "SHA256_Final",
	};
	const struct trace *t = context;

	if (t->tsv && call != DKIM_DIGEST_UPDATE)
		fprintf(t->out, "%s\t-\t-\n", names[call]);
	else if (call != DKIM_DIGEST_UPDATE)
		fprintf(t->out, "%s\n", names[call]);
	else
		fprintf(t->out, t->tsv ? "%s\t%zu\t-\n" : "%s %zu\n",
		    names[call], octets);
}

/*
 * Run the job; the call is told with what it was given and gave.
 */
static void
run_job(const struct trace *t, struct rsab_worker *worker,
    struct rsab_job *job)
{
	rsab_run(worker, &job, 1);
	fprintf(t->out, t->tsv ? "%s\t%zu\t%d\n" : "%s siglen=%zu diglen=%d\n",
	    job->op == RSAB_OP_SIGN ? "RSA_sign" : "RSA_verify",
	    job->signature_len, RSAB_DIGEST_MAX);
}

static int
trace_sign(const struct trace *t, const struct message_task *task,
    struct rsab_key *key, struct rsab_worker *worker, struct buf *text)
{
	struct message_signing s = { 0 };
	int e = message_sign_begin(task, MESSAGE_NOW, key, &s);

	if (e != 0) {
		message_sign_drop(&s);
		return e;
	}
	run_job(t, worker, &s.job);
	return message_sign_end(&s, text);
}

static int
trace_verify(const struct trace *t, const struct message_task *task,
    struct slice field, struct dkim_keyset *keyset,
    struct rsab_worker *worker, struct buf *text)
{
	struct message_verifying v = { 0 };
	bool pass;
	int e = message_verify_begin(task, MESSAGE_NOW, field, keyset, &v);

	if (e != 0) {
		message_verify_drop(&v);
		return e;
	}
	run_job(t, worker, v.job);
	e = message_verify_end(&v, &pass, text);
	return e == 0 && !pass ? DKIM_ERR_CRYPTO : e;
}

/*
 * With what the reference has, but for the lib, which is watched.
 */
static int
trace(const struct trace *t, const struct message_reference *r,
    enum rsab_op op, const struct dkim_lib *lib,
    const struct rsab_backend *backend, struct rsab_worker *worker)
{
	struct message_task task = r->task;
	struct dkim_keyset *keyset;
	struct rsab_key *key;
	struct buf text;
	int e, status;

	task.lib = lib;
	buf_init(&text, TEXT_MAX);
	if (op == RSAB_OP_VERIFY) {
		status = message_reference_keyset(r, backend, &keyset);
		if (status != 0)
			return status;
		e = trace_verify(t, &task, buf_slice(&r->field[0]), keyset,
		    worker, &text);
	} else if (rsab_key_load_private(backend, (const uint8_t *)r->key->pem,
	    r->key->pem_len, &key) != 0)
		e = DKIM_ERR_CRYPTO;
	else {
		e = trace_sign(t, &task, key, worker, &text);
		rsab_key_unref(key);
	}
	buf_clear(&text);
	if (e == 0)
		return 0;
	warnx("trace: %s", dkim_strerror(e));
	return EX_SOFTWARE;
}

int
digest_trace_print(const struct message_reference *reference,
    enum rsab_op op, bool tsv, FILE *out)
{
	struct trace t = { out, tsv };
	const struct rsab_backend *backend;
	struct rsab_worker *worker = NULL;
	struct dkim_lib *lib = NULL;
	int status;

	if (rsab_backend_find("libcrypto", &backend) != 0 ||
	    rsab_worker_new(&worker) != 0 || dkim_lib_new(&lib) != 0) {
		rsab_worker_free(worker);
		warnx("trace: no memory");
		return EX_OSERR;
	}
	if (tsv)
		fprintf(out, "#call\toctets\tdigest\n");
	dkim_lib_watch(lib, print_call, &t);
	status = trace(&t, reference, op, lib, backend, worker);
	dkim_lib_free(lib);
	rsab_worker_free(worker);
	return status;
}
