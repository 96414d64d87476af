/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks a token through dkimd-token, for tests/token/real: one command a call,
 * from the command line; and measures.
 *
 *	token_tool MODULE ARGS PIN FOLDERS COMMAND ARGUMENT...
 *	  load URI		type and bits; signs and verifies with libcrypto
 *	  load-pin URI		the same, pin-value allowed
 *	  loads URI COUNT	load again and again, in a new process each time
 *	  public URI FILE	its public half as the key record has it
 *	  sign URI FILE		the signature of the octets "dkimd"
 *	  import URI FILE OUT	load FILE (PEM) into the token and sign there
 *	  verify URI FILE	signatures of FILE (PEM) verified in the token
 *	  generate URI rsa|ed25519 BITS
 *	  info URI
 *	  loop URI COUNT FILE	sign COUNT times, each a line in FILE
 *	  threads URI N COUNT	N threads sign COUNT times each
 *	  speed URI N SECONDS	signatures a second, N sessions
 * "-" for MODULE: p11-kit's. "-" for ARGS, PIN, FOLDERS: none. Exit code 0, or
 * an rsab_error negated; the detail is printed.
 */

/* system */
#include <stdatomic.h>

/* rsa-backend */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/token/process.h"

static struct process process;
static struct rsab_token *token;
static struct rsab_token_detail detail;
static char **arg;

static int
fail(const char *what, int r)
{
	if (r != 0)
		printf("%s: error %d: %s: %s%s%s\n", what, -r,
		    rsab_strerror(r), detail.text,
		    process.detail.text[0] != '\0' ? "; process: " : "",
		    process.detail.text);
	return -r;
}

static void
job_for(struct rsab_key *key, struct rsab_job *job)
{
	static const uint8_t dkimd[32] = {	/* SHA-256 of "dkimd" */
		0xec, 0x4a, 0x67, 0x63, 0xfd, 0xf9, 0x6d, 0x9d, 0x55, 0x48,
		0xeb, 0xb4, 0xbe, 0x73, 0x66, 0x20, 0x62, 0xc7, 0xa1, 0x69,
		0xf3, 0xe0, 0x40, 0x0a, 0xcd, 0xf8, 0x27, 0x96, 0x7b, 0x48,
		0xdf, 0x07,
	};

	memset(job, 0, sizeof *job);
	job->key = key;
	job->op = RSAB_OP_SIGN;
	job->hash = RSAB_SHA256;
	memcpy(job->digest, dkimd, sizeof job->digest);
}

/*
 * Sign; rsab_run has verified it with libcrypto.
 */
static int
sign(struct rsab_worker *worker, struct rsab_key *key, struct rsab_job *job)
{
	struct rsab_job *const jobs[] = { job };

	job_for(key, job);
	rsab_run(worker, jobs, 1);
	if (job->result != 0)
		rsab_token_detail(token, &detail);
	return job->result;
}

static int
load(const char *uri, bool pin_value, struct rsab_key **out)
{
	return rsab_key_load_token(token, uri, strlen(uri), pin_value, &detail,
	    out);
}

static int
show(int r, struct rsab_key *key)
{
	if (r != 0)
		return fail("load", r);
	printf("%s %u %s\n", rsab_key_type(key) == RSAB_RSA ? "rsa" :
	    "ed25519", rsab_key_bits(key),
	    rsab_key_path(key, RSAB_OP_SIGN, 1));
	rsab_key_unref(key);
	return 0;
}

static int
do_load(void)
{
	struct rsab_key *key = NULL;
	int r = load(arg[1], strcmp(arg[0], "load-pin") == 0, &key);

	return show(r, key);
}

/*
 * The last of them counts.
 */
static int
do_loads(void)
{
	struct rsab_key *key = NULL;
	int r = 0;

	for (unsigned long i = strtoul(arg[2], NULL, 10); i > 0; i--) {
		if ((r = load(arg[1], false, &key)) == 0)
			rsab_key_unref(key);
		fail("load", r);
		pthread_mutex_lock(&process.lock);
		process_reap(&process, true);
		pthread_mutex_unlock(&process.lock);
	}
	printf("starts %u\n", process.starts);
	return -r;
}

static int
put(const char *path, const uint8_t *octets, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (f == NULL || fwrite(octets, 1, n, f) != n || fclose(f) != 0)
		return 1;
	return 0;
}

static int
do_public(void)
{
	struct rsab_key *key;
	uint8_t *octets;
	size_t n;
	int r = load(arg[1], false, &key);

	if (r != 0)
		return fail("load", r);
	if ((r = rsab_key_print_public(key, &octets, &n)) != 0)
		return fail("public", r);
	r = put(arg[2], octets, n);
	free(octets);
	rsab_key_unref(key);
	return r;
}

static int
do_sign(void)
{
	struct rsab_key *key;
	struct rsab_worker *worker;
	struct rsab_job job;
	int r = load(arg[1], false, &key);

	if (r != 0 || (r = rsab_worker_new(&worker)) != 0)
		return fail("load", r);
	if ((r = sign(worker, key, &job)) != 0)
		return fail("sign", r);
	rsab_worker_free(worker);
	rsab_key_unref(key);
	return put(arg[2], job.signature, job.signature_len);
}

static uint8_t *
get(const char *path, size_t *n)
{
	static uint8_t octets[RSAB_KEY_FILE_MAX];
	FILE *f = fopen(path, "rb");

	if (f == NULL)
		exit(1);
	*n = fread(octets, 1, sizeof octets, f);
	fclose(f);
	return octets;
}

static int
do_import(void)
{
	struct rsab_key *key = NULL;
	size_t n;
	const uint8_t *pem = get(arg[2], &n);
	struct rsab_worker *worker;
	struct rsab_job job;
	int r = rsab_key_import_token(token, arg[1], strlen(arg[1]), false,
	    pem, n, &detail, &key);

	if (r == 0 && (r = rsab_worker_new(&worker)) == 0) {
		r = sign(worker, key, &job);
		rsab_worker_free(worker);
	}
	if (r == 0)
		r = put(arg[3], job.signature, job.signature_len);
	return show(r, key);
}

/*
 * A signature by libcrypto, right and wrong, verified in the token.
 */
static int
do_verify(void)
{
	const struct rsab_backend *libcrypto;
	struct rsab_key *key, *public;
	struct rsab_worker *worker;
	struct rsab_job job, *const jobs[] = { &job };
	uint8_t *octets;
	size_t n;
	const uint8_t *pem = get(arg[2], &n);
	int r = 1;

	if (rsab_backend_find("libcrypto", &libcrypto) != 0 ||
	    (r = rsab_key_load_private(libcrypto, pem, n, &key)) != 0 ||
	    (r = rsab_key_print_public(key, &octets, &n)) != 0 ||
	    (r = rsab_worker_new(&worker)) != 0 ||
	    (r = sign(worker, key, &job)) != 0 ||
	    (r = rsab_key_load_public_token(token, arg[1], strlen(arg[1]),
	    false, rsab_key_type(key), octets, n, &public)) != 0)
		return fail("verify", r);
	job.key = public;
	job.op = RSAB_OP_VERIFY;
	rsab_run(worker, jobs, 1);
	rsab_token_detail(token, &detail);
	printf("right: %d %s\n", job.result, detail.text);
	job.signature[3] ^= 1;
	rsab_run(worker, jobs, 1);
	rsab_token_detail(token, &detail);
	printf("wrong: %d %s\n", job.result, detail.text);
	rsab_worker_free(worker);
	rsab_key_unref(key);
	rsab_key_unref(public);
	free(octets);
	return 0;
}

static int
do_generate(void)
{
	struct rsab_key *key = NULL;

	int r = rsab_key_generate_token(token, arg[1], strlen(arg[1]),
	    false, strcmp(arg[2], "rsa") == 0 ? RSAB_RSA : RSAB_ED25519,
	    (unsigned)strtoul(arg[3], NULL, 10), &detail, &key);

	return show(r, key);
}

static int
do_info(void)
{
	struct rsab_token_info info;
	int r = rsab_token_info(token, arg[1], strlen(arg[1]), false, &info,
	    &detail);

	if (r != 0)
		return fail("info", r);
	printf("label=%s manufacturer=%s model=%s sessions=%lu rsa=%d "
	    "ed25519=%d login=%d locked=%d bits=%u-%u\n", info.label,
	    info.manufacturer, info.model, info.sessions_max, info.signs_rsa,
	    info.signs_ed25519, info.needs_login, info.pin_locked,
	    info.rsa_bits_min, info.rsa_bits_max);
	return 0;
}

static int
do_loop(void)
{
	unsigned long count = strtoul(arg[2], NULL, 10);
	struct rsab_key *key;
	struct rsab_worker *worker;
	struct rsab_job job;
	FILE *f = fopen(arg[3], "w");
	int r = load(arg[1], false, &key);

	if (r != 0 || f == NULL || (r = rsab_worker_new(&worker)) != 0)
		return fail("load", r);
	for (unsigned long i = 0; i < count; i++) {
		r = sign(worker, key, &job);
		fprintf(f, "%lu %d %s\n", i, r, r == 0 ? "" : detail.text);
		fflush(f);
		usleep(r == 0 ? 2000 : 50000);
	}
	rsab_worker_free(worker);
	rsab_key_unref(key);
	fclose(f);
	printf("starts %u hangs %u\n", process.starts, process.hangs);
	return fail("last", r);
}

/* ---- threads ---- */

static struct {
	struct rsab_key		*key;
	unsigned long		 count;
	uint64_t		 until;		/* ns; 0: by count */
	atomic_ulong		 good, bad;
	_Atomic int		 error;
} run;

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *
thread(void *unused)
{
	struct rsab_worker *worker;
	struct rsab_job job;

	(void)unused;
	if (rsab_worker_new(&worker) != 0)
		return NULL;
	for (unsigned long i = 0; run.until != 0 ? now() < run.until :
	    i < run.count; i++) {
		int r = sign(worker, run.key, &job);

		if (r != 0)
			run.error = r;
		atomic_fetch_add(r == 0 ? &run.good : &run.bad, 1);
	}
	rsab_worker_free(worker);
	return NULL;
}

static int
threads(unsigned long n)
{
	pthread_t id[RSAB_TOKEN_SESSIONS_MAX];

	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&id[i], NULL, thread, NULL) != 0)
			return 1;
	for (unsigned long i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	return run.error;
}

static int
do_threads(void)
{
	int r = load(arg[1], false, &run.key);

	if (r != 0)
		return fail("load", r);
	run.count = strtoul(arg[3], NULL, 10);
	r = threads(strtoul(arg[2], NULL, 10));
	printf("good %lu bad %lu\n", run.good, run.bad);
	rsab_key_unref(run.key);
	return fail("threads", r);
}

static int
do_speed(void)
{
	uint64_t start;
	int r = load(arg[1], false, &run.key);

	if (r != 0)
		return fail("load", r);
	start = now();
	run.until = start + strtoul(arg[3], NULL, 10) * 1000000000;
	r = threads(strtoul(arg[2], NULL, 10));
	printf("%s %u %s sessions %.0f sign/s\n", rsab_key_type(run.key) ==
	    RSAB_RSA ? "rsa" : "ed25519", rsab_key_bits(run.key), arg[2],
	    (double)run.good * 1e9 / (double)(now() - start));
	rsab_key_unref(run.key);
	return fail("speed", r);
}

static const struct {
	const char	*name;
	int		 arguments;
	int		(*run)(void);
} commands[] = {
	{ "load", 1, do_load },
	{ "load-pin", 1, do_load },
	{ "loads", 2, do_loads },
	{ "public", 2, do_public },
	{ "sign", 2, do_sign },
	{ "import", 3, do_import },
	{ "verify", 2, do_verify },
	{ "generate", 3, do_generate },
	{ "info", 1, do_info },
	{ "loop", 3, do_loop },
	{ "threads", 3, do_threads },
	{ "speed", 3, do_speed },
};

static const char *
or_none(const char *text)
{
	return strcmp(text, "-") == 0 ? NULL : text;
}

int
main(int argc, char **argv)
{
	const char *timeout = getenv("TOKEN_TIMEOUT");
	int r = 64;

	if (argc < 7)
		return 64;
	process.module = or_none(argv[1]);
	process.args = or_none(argv[2]);
	process.pin = or_none(argv[3]);
	process.folders = or_none(argv[4]);
	process.sessions = 8;
	arg = &argv[5];
	if (process_token(&process, timeout == NULL ? 10000 :
	    (int)strtol(timeout, NULL, 10), &token) != 0)
		return 1;
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(commands[i].name, arg[0]) == 0 &&
		    argc - 6 == commands[i].arguments)
			r = commands[i].run();
	rsab_token_unref(token);
	process_end(&process);
	return r;
}
