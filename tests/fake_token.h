/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dkimd-token for tests, without Cryptoki: the test program is started once
 * more under that name, and answers as the object of each URI says.
 *
 *	object=rsa1024, rsa2048, ed25519   keys of tests/vectors/rsa/keys
 *	object=other	rsa1024 in the first process, then rsa2048
 *	object=hang	opens, then never answers
 *	object=mute	never answers
 *	object=crash	opens, then ends the process
 *	object=wrong	its signatures do not verify
 *	object=none	RSAB_ERR_TOKEN_KEY
 *	object=pin	RSAB_ERR_PIN of the identity "aa..."
 *	token=gone	RSAB_ERR_TOKEN while there is the file PKCS11_FAKE_GONE
 *	token=readonly	takes no imported keys
 *	token=hung, killed, false, small	verifying: never answers, ends
 *			the process, calls all wrong, RSAB_ERR_KEY_SIZE
 * Imported keys are gone with the process.
 *
 * PKCS11_FAKE tells how the process begins: "refuse", "hang", "die"; and
 * PKCS11_FAKE_REPORT a file that it appends to: a line a start with its
 * descriptors, arguments, environment and what it was set up with.
 */
#ifndef TESTS_FAKE_TOKEN_H
#define TESTS_FAKE_TOKEN_H

/* system */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <signal.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "rsa-backend/der.h"
#include "rsa-backend/token_socket.h"
#include "rsa-backend/token_wire.h"

#define FAKE_KEYS	TESTS_SRCDIR "/vectors/rsa/keys/"
#define FAKE_CONTROL	3
#define FAKE_IMPORTED	64

extern char **environ;

static struct {
	int		 starts;	/* this one is the how manieth */
	pthread_mutex_t	 lock;
	struct rsab_key	*imported[FAKE_IMPORTED];
	size_t		 n;
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Was this program started as dkimd-token? */
static inline bool
fake_token_is(char **argv)
{
	return strcmp(argv[0], "dkimd-token") == 0;
}

static inline void
fake_report(const struct token_wire *setup)
{
	const char *path = getenv("PKCS11_FAKE_REPORT");
	struct dirent *entry;
	FILE *f;
	DIR *d;

	if (path == NULL || (f = fopen(path, "a+e")) == NULL)
		return;
	rewind(f);
	for (int c; (c = getc(f)) != EOF; )
		fake.starts += c == '\n';
	fake.starts++;
	fprintf(f, "fds");
	d = opendir("/proc/self/fd");
	while (d != NULL && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.' && atoi(entry->d_name) !=
		    dirfd(d) && atoi(entry->d_name) != fileno(f))
			fprintf(f, " %s", entry->d_name);
	if (d != NULL)
		closedir(d);
	fprintf(f, "; env");
	for (char **e = environ; *e != NULL; e++)
		fprintf(f, " %s", *e);
	fprintf(f, "; module %.*s; args %.*s; pin %zu; folders %.*s; "
	    "refused %zu%s\n", (int)setup->field[TOKEN_WIRE_MODULE].n,
	    (const char *)setup->field[TOKEN_WIRE_MODULE].p,
	    (int)setup->field[TOKEN_WIRE_ARGS].n,
	    (const char *)setup->field[TOKEN_WIRE_ARGS].p,
	    setup->field[TOKEN_WIRE_PIN].n,
	    (int)setup->field[TOKEN_WIRE_FOLDERS].n,
	    (const char *)setup->field[TOKEN_WIRE_FOLDERS].p,
	    setup->field[TOKEN_WIRE_REFUSED].n / 64,
	    (setup->flags & TOKEN_WIRE_CAREFUL) != 0 ? "; careful" : "");
	fclose(f);
}

static inline struct rsab_key *
fake_load(const char *name)
{
	const struct rsab_backend *backend;
	struct rsab_key *key;
	uint8_t octets[8192];
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), FAKE_KEYS "%s.pem", name);
	f = fopen(path, "re");
	if (f == NULL)
		return NULL;
	n = fread(octets, 1, sizeof(octets), f);
	fclose(f);
	if (rsab_backend_find("libcrypto", &backend) != 0 ||
	    rsab_key_load_private(backend, octets, n, &key) != 0)
		return NULL;
	return key;
}

static inline bool
fake_has(struct der uri, const char *what)
{
	return memmem(uri.p, uri.n, what, strlen(what)) != NULL;
}

/* The key that a URI names, a reference; NULL: none. */
static inline struct rsab_key *
fake_find(struct der uri)
{
	static const char *const names[] = { "rsa1024", "rsa2048",
	    "ed25519" };
	struct rsab_key *key = NULL;
	const uint8_t *at = memmem(uri.p, uri.n, "id=%", 4);
	char digits[3] = "";
	size_t i;

	if (at != NULL) {
		memcpy(digits, at + 4, 2);
		i = strtoul(digits, NULL, 16);
		pthread_mutex_lock(&fake.lock);
		if (i < fake.n)
			key = rsab_key_ref(fake.imported[i]);
		pthread_mutex_unlock(&fake.lock);
		return key;
	}
	if (fake_has(uri, "object=other"))
		return fake_load(fake.starts > 1 ? "rsa2048" : "rsa1024");
	for (i = 0; i < 3; i++)
		if (fake_has(uri, names[i]))
			return fake_load(names[i]);
	return fake_has(uri, "object=none") ? NULL : fake_load("rsa1024");
}

static inline int
fake_sign(struct rsab_key *key, const struct token_wire *request,
    uint8_t *out, size_t *n)
{
	struct rsab_worker *worker;
	struct rsab_job job = { .key = key, .op = RSAB_OP_SIGN,
	    .hash = RSAB_SHA256 }, *jobs = &job;

	if (rsab_worker_new(&worker) != 0)
		return RSAB_ERR_NOMEM;
	memcpy(job.digest, request->field[TOKEN_WIRE_DIGEST].p, 32);
	rsab_run(worker, &jobs, 1);
	rsab_worker_free(worker);
	memcpy(out, job.signature, job.signature_len);
	*n = job.signature_len;
	return job.result;
}

/* SubjectPublicKeyInfo of either type. */
static inline size_t
fake_spki(const struct rsab_key *key, uint8_t *out)
{
	static const uint8_t head[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
	    0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };
	uint8_t *public;
	size_t n, at = 0;

	if (rsab_key_print_public(key, &public, &n) != 0)
		return 0;
	if (rsab_key_type(key) == RSAB_ED25519) {
		memcpy(out, head, sizeof(head));
		at = sizeof(head);
	}
	memcpy(out + at, public, n);
	free(public);
	return at + n;
}

static inline int
fake_import(const struct token_wire *request, uint8_t *out, size_t *n)
{
	struct der der = request->field[TOKEN_WIRE_KEY];
	const struct rsab_backend *backend;
	struct rsab_key *key;
	int r;

	if (fake_has(request->field[TOKEN_WIRE_URI], "token=readonly"))
		return RSAB_ERR_IMPORT;
	if (rsab_backend_find("libcrypto", &backend) != 0)
		return RSAB_ERR_NOMEM;
	r = rsab_key_load_private(backend, der.p, der.n, &key);
	if (r != 0)
		return r;
	pthread_mutex_lock(&fake.lock);
	*n = (size_t)snprintf((char *)out, 64, "pkcs11:id=%%%02zx", fake.n);
	fake.imported[fake.n++] = key;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

/* What stands in the way of any answer. */
static inline int
fake_fault(const struct token_wire *request)
{
	struct der uri = request->field[TOKEN_WIRE_URI];
	const char *gone = getenv("PKCS11_FAKE_GONE");
	bool sign = request->op == TOKEN_WIRE_SIGN;
	static atomic_int signs;

	/* The first signature is the trial of the open */
	if (fake_has(uri, "object=mute") || (sign &&
	    fake_has(uri, "object=hang") && atomic_fetch_add(&signs, 1) > 0))
		for (;;)
			pause();
	if (sign && fake_has(uri, "object=crash") &&
	    atomic_fetch_add(&signs, 1) > 0)
		raise(SIGKILL);
	if (fake_has(uri, "object=pin"))
		return RSAB_ERR_PIN;
	if (fake_has(uri, "token=gone") && gone != NULL &&
	    access(gone, F_OK) == 0)
		return RSAB_ERR_TOKEN;
	return 0;
}

/* Verify, or do as the token's name says. */
static inline int
fake_verify(const struct token_wire *request)
{
	struct der uri = request->field[TOKEN_WIRE_URI];
	struct der spki = request->field[TOKEN_WIRE_KEY];
	const struct rsab_backend *backend;
	struct rsab_worker *worker;
	struct rsab_job job = { .op = RSAB_OP_VERIFY, .hash = RSAB_SHA256 };
	struct rsab_job *jobs = &job;

	if (fake_has(uri, "token=hung"))
		for (;;)
			pause();
	if (fake_has(uri, "token=killed"))
		raise(SIGKILL);
	if (fake_has(uri, "token=false"))
		return RSAB_ERR_SIGNATURE;
	if (fake_has(uri, "token=small"))
		return RSAB_ERR_KEY_SIZE;
	if (rsab_backend_find("libcrypto", &backend) != 0 ||
	    rsab_key_load_public(backend, request->type, spki.p, spki.n,
	    &job.key) != 0 || rsab_worker_new(&worker) != 0)
		return RSAB_ERR_NOMEM;
	memcpy(job.digest, request->field[TOKEN_WIRE_DIGEST].p, 32);
	job.signature_len = request->field[TOKEN_WIRE_SIGNATURE].n;
	memcpy(job.signature, request->field[TOKEN_WIRE_SIGNATURE].p,
	    job.signature_len);
	rsab_run(worker, &jobs, 1);
	rsab_worker_free(worker);
	rsab_key_unref(job.key);
	return job.result;
}

static inline int
fake_work(const struct token_wire *request, struct token_wire *answer,
    uint8_t *out, size_t *n)
{
	struct rsab_key *key;
	int r = fake_fault(request);

	if (r == 0 && request->op == TOKEN_WIRE_IMPORT)
		return fake_import(request, out, n);
	if (r == 0 && request->op == TOKEN_WIRE_VERIFY)
		return fake_verify(request);
	if (r != 0)
		return r;
	key = fake_find(request->field[TOKEN_WIRE_URI]);
	if (key == NULL)
		return RSAB_ERR_TOKEN_KEY;
	answer->type = rsab_key_type(key);
	if (request->op == TOKEN_WIRE_OPEN)
		*n = fake_spki(key, out);
	else
		r = fake_sign(key, request, out, n);
	if (r == 0 && request->op == TOKEN_WIRE_SIGN &&
	    fake_has(request->field[TOKEN_WIRE_URI], "object=wrong"))
		out[*n - 1] ^= 1;
	rsab_key_unref(key);
	return r;
}

static inline void
fake_answer(int fd, const struct token_wire *request, int error,
    struct token_wire *answer)
{
	static const char identity[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	static const char detail[] = "the fake says so";
	uint8_t record[TOKEN_WIRE_MAX];
	size_t n;

	answer->answer = true;
	answer->op = request->op;
	answer->id = request->id;
	answer->value = (uint32_t)-error;
	if (error != 0) {
		answer->field[TOKEN_WIRE_RESULT].n = 0;
		answer->field[TOKEN_WIRE_DETAIL] = (struct der){
		    (const uint8_t *)detail, sizeof(detail) - 1 };
	}
	if (error == RSAB_ERR_PIN)
		answer->field[TOKEN_WIRE_IDENTITY] = (struct der){
		    (const uint8_t *)identity, 64 };
	if (token_wire_print(answer, record, &n) != 0)
		_exit(3);
	(void)!token_socket_send(fd, record, n, -1, 1000);
}

static inline void *
fake_serve(void *arg)
{
	int fd = (int)(intptr_t)arg, r;
	uint8_t record[TOKEN_WIRE_MAX], out[TOKEN_WIRE_MAX];
	struct token_wire request, answer;
	size_t n;

	while (token_socket_receive(fd, record, &n, NULL, -1) == 0) {
		if (token_wire_parse((struct der){ record, n }, &request) != 0)
			_exit(4);
		memset(&answer, 0, sizeof(answer));
		for (size_t i = 0; i < TOKEN_WIRE_FIELDS; i++)
			answer.field[i].p = out;
		n = 0;
		r = fake_work(&request, &answer, out, &n);
		answer.field[TOKEN_WIRE_RESULT] = (struct der){ out, n };
		fake_answer(fd, &request, r, &answer);
	}
	close(fd);
	return NULL;
}

static inline void
fake_begin(void)
{
	const char *how = getenv("PKCS11_FAKE");
	uint8_t record[TOKEN_WIRE_MAX], none = 0;
	struct token_wire request, answer;
	size_t n;

	if (how != NULL && strcmp(how, "die") == 0)
		_exit(7);
	if (token_socket_receive(FAKE_CONTROL, record, &n, NULL, 5000) != 0 ||
	    token_wire_parse((struct der){ record, n }, &request) != 0)
		_exit(1);
	fake_report(&request);
	if (how != NULL && strcmp(how, "hang") == 0)
		for (;;)
			pause();
	memset(&answer, 0, sizeof(answer));
	for (size_t i = 0; i < TOKEN_WIRE_FIELDS; i++)
		answer.field[i].p = &none;
	fake_answer(FAKE_CONTROL, &request, how != NULL &&
	    strcmp(how, "refuse") == 0 ? RSAB_ERR_TOKEN : 0, &answer);
}

/* The whole life of the process. */
static inline int
fake_token_main(void)
{
	uint8_t record[TOKEN_WIRE_MAX];
	pthread_t thread;
	size_t n;
	int fd;

	fake_begin();
	while (token_socket_receive(FAKE_CONTROL, record, &n, &fd, -1) == 0)
		if (fd >= 0 && pthread_create(&thread, NULL, fake_serve,
		    (void *)(intptr_t)fd) == 0)
			pthread_detach(thread);
	_exit(0);
}

/* This program, to be started as dkimd-token. */
static inline const char *
fake_token_program(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	return path;
}

#endif
