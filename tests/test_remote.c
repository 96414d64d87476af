/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys in a token, seen from the program that uses them. The other end is a
 * thread that answers as a helper would, or as one would that is broken.
 */

/* system */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

/* rsa-backend */
#include "rsa-backend/key.h"
#include "rsa-backend/rsab.h"
#include "rsa-backend/token.h"
#include "rsa-backend/token_socket.h"

/* this room */
#include "tests/test.h"

#define TIMEOUT		300	/* ms, where it is waited for */
#define PATIENCE	20000	/* ms, where it is not */
#define THREADS		64

/* What the other end does with a request. */
enum act {
	WELL,			/* what a helper does */
	SILENT,			/* no answer */
	END,			/* closes instead */
	GARBAGE,
	EMPTY,
	CUT,			/* an octet less */
	LONG,			/* more than a record may have */
	WITH_DESCRIPTOR,
	WRONG_ID,
	WRONG_OP,
	A_REQUEST,
	WRONG_SIGNATURE,
	WRONG_LENGTH,
	OTHER_KEY,		/* OPEN: a public half that is not the key's */
	BAD_KEY,		/* OPEN: no public half */
	SAYS_TOKEN,		/* errors */
	SAYS_PIN,
	SAYS_GONE,
	SAYS_WRONG,
	SAYS_SIZE,
};

#define MANY	16
#define ASKED	atomic_load(&peer.asked)

static struct {
	int		 fd[THREADS];
	pthread_t	 thread[THREADS];
	size_t		 threads;
	bool		 refuse;	/* connect() gives -1 */
	atomic_size_t	 asked;		/* requests so far */
	_Atomic enum act acts[MANY];	/* of each; later ones: WELL */
	struct rsab_key	*key, *other;
	atomic_uint	 hung, refused;
	_Atomic uint64_t incarnation;
	uint64_t	 hung_incarnation;
	atomic_size_t	 next_process;	/* at which request it is a new one */
	struct rsab_job	 kept;		/* the last signature */
	char		 identity[RSAB_TOKEN_IDENTITY];
	unsigned	 released;
	struct token_wire last;		/* request; fields are not there */
	char		 uri[RSAB_TOKEN_URI_MAX + 1];
} peer;

/* Of the descriptors, the threads, the last request and signature. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct rsab_backend *libcrypto;
static struct rsab_token *token;
static struct rsab_token_detail detail;

static const char uri[] = "pkcs11:token=mail;object=sel";

/* ---- the other end ---- */

static void
sign(struct rsab_key *key, const uint8_t *digest, struct rsab_job *job)
{
	struct rsab_job *const jobs[] = { job };
	struct rsab_worker *worker;

	memset(job, 0, sizeof *job);
	job->key = key;
	job->hash = RSAB_SHA256;
	memcpy(job->digest, digest, sizeof job->digest);
	if (rsab_worker_new(&worker) != 0)
		abort();
	rsab_run(worker, jobs, 1);
	rsab_worker_free(worker);
}

/*
 * The answer of a helper, but for act.
 */
static size_t
answer(const struct token_wire *request, enum act act, uint8_t *out)
{
	static const char name[] = "pkcs11:token=mail;id=%01", words[] =
	    "module, token: C_Sign failed";
	struct token_wire a = { .answer = true, .op = request->op,
	    .type = peer.key->type, .id = request->id };
	struct rsab_key *key = act == OTHER_KEY ? peer.other : peer.key;
	struct rsab_job job;
	size_t n;

	switch (request->op) {
	case TOKEN_WIRE_OPEN: case TOKEN_WIRE_GENERATE:
		a.field[0] = (struct der){ key->spki, key->spki_size };
		break;
	case TOKEN_WIRE_SIGN:
		/* Made once, so that no allocation is counted here */
		pthread_mutex_lock(&lock);
		if (peer.kept.key != key || memcmp(peer.kept.digest,
		    request->field[TOKEN_WIRE_DIGEST].p, 32) != 0)
			sign(key, request->field[TOKEN_WIRE_DIGEST].p,
			    &peer.kept);
		job = peer.kept;
		pthread_mutex_unlock(&lock);
		job.signature[5] ^= act == WRONG_SIGNATURE;
		a.field[0] = (struct der){ job.signature,
		    job.signature_len - (act == WRONG_LENGTH) };
		break;
	case TOKEN_WIRE_IMPORT:
		a.field[0] = (struct der){ (const uint8_t *)name,
		    sizeof name - 1 };
		break;
	default:
		break;
	}
	if (act == BAD_KEY)
		a.field[0] = (struct der){ peer.key->spki + 1, 40 };
	if (act >= SAYS_TOKEN) {
		static const int errors[] = { RSAB_ERR_TOKEN, RSAB_ERR_PIN,
		    RSAB_ERR_TOKEN_KEY, RSAB_ERR_SIGNATURE,
		    RSAB_ERR_KEY_SIZE };

		a.value = (uint32_t)-errors[act - SAYS_TOKEN];
		a.field[0] = (struct der){ NULL, 0 };
		a.field[1] = (struct der){ (const uint8_t *)words,
		    sizeof words - 1 };
	}
	if (act == SAYS_PIN)
		a.field[2] = (struct der){ (const uint8_t *)"0123456789abcdef"
		    "0123456789abcdef0123456789abcdef0123456789abcdef", 64 };
	a.id += act == WRONG_ID;
	if (act == WRONG_OP)
		a.op = a.op == TOKEN_WIRE_SIGN ? TOKEN_WIRE_OPEN :
		    TOKEN_WIRE_SIGN;
	if (token_wire_print(&a, out, &n) != 0)
		abort();
	if (act == A_REQUEST)
		out[4] = 0;
	return n - (act == CUT);
}

/*
 * Answer a request.
 *   returns  false: the connection is to end
 */
static bool
serve(int fd, const struct token_wire *request, enum act act)
{
	uint8_t out[TOKEN_WIRE_MAX + 64];
	size_t n = 0;

	if (act == SILENT) {
		struct pollfd p = { .fd = fd };

		poll(&p, 1, -1);	/* until it is closed */
		return false;
	}
	if (act == END)
		return false;
	if (act == LONG || act == GARBAGE) {
		memset(out, 'D', sizeof out);
		n = act == LONG ? sizeof out : 300;
	} else if (act != EMPTY) {
		n = answer(request, act, out);
	}
	if (act == WITH_DESCRIPTOR)
		return token_socket_send(fd, out, n, fd, 1000) == 0;
	return send(fd, out, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static void *
run(void *argument)
{
	int fd = *(int *)argument;
	uint8_t in[TOKEN_WIRE_MAX];
	struct token_wire request;
	size_t n, i;

	while (token_socket_receive(fd, in, &n, NULL, -1) == 0) {
		if (token_wire_parse((struct der){ in, n }, &request) != 0)
			abort();
		i = atomic_fetch_add(&peer.asked, 1);
		peer.incarnation += i == peer.next_process;
		pthread_mutex_lock(&lock);
		peer.last = request;
		snprintf(peer.uri, sizeof peer.uri, "%.*s",
		    (int)request.field[0].n,
		    (const char *)request.field[0].p);
		pthread_mutex_unlock(&lock);
		if (!serve(fd, &request, i < MANY ? peer.acts[i] : WELL))
			break;
	}
	shutdown(fd, SHUT_RDWR);
	return NULL;
}

static int
peer_connect(void *context, uint64_t *incarnation)
{
	int pair[2], fd = -1;

	assert_ptr_equal(context, &peer);
	pthread_mutex_lock(&lock);
	*incarnation = peer.incarnation;
	if (!peer.refuse && peer.threads < THREADS &&
	    token_socket_pair(pair) == 0) {
		peer.fd[peer.threads] = pair[1];
		if (pthread_create(&peer.thread[peer.threads], NULL, run,
		    &peer.fd[peer.threads]) != 0)
			abort();
		peer.threads++;
		fd = pair[0];
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

static void
peer_hung(void *context, uint64_t incarnation)
{
	assert_ptr_equal(context, &peer);
	pthread_mutex_lock(&lock);
	peer.hung_incarnation = incarnation;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&peer.hung, 1);
}

static void
peer_refused(void *context, const char *identity)
{
	assert_ptr_equal(context, &peer);
	snprintf(peer.identity, sizeof peer.identity, "%s", identity);
	atomic_fetch_add(&peer.refused, 1);
}

static void
peer_release(void *context)
{
	assert_ptr_equal(context, &peer);
	peer.released++;
}

/* ---- this end ---- */

static uint8_t *
key_file(const char *name, size_t *n)
{
	char path[256];

	snprintf(path, sizeof path, "vectors/rsa/keys/%s", name);
	return test_file(path, n);
}

static struct rsab_key *
key_load(const char *name)
{
	struct rsab_key *key;
	size_t n;
	uint8_t *octets = key_file(name, &n);

	test_int(name, rsab_key_load_private(libcrypto, octets, n, &key), 0);
	free(octets);
	return key;
}

static void
token_make(int timeout_ms)
{
	const struct rsab_token_peer functions = { &peer, peer_connect,
	    peer_hung, peer_refused, peer_release };
	const struct rsab_token_options options = {
		.timeout_ms = timeout_ms, .generate_ms = timeout_ms,
		.sessions = 2, .number = 0x1234,
	};

	test_int("token", rsab_token_new(&functions, &options, &token), 0);
}

static int
setup(void **state)
{
	(void)state;
	memset(&peer, 0, sizeof peer);
	detail.text[0] = '\0';
	test_int("libcrypto", rsab_backend_find("libcrypto", &libcrypto), 0);
	peer.incarnation = 5;
	peer.next_process = SIZE_MAX;
	peer.key = key_load("rsa1024.pem");
	peer.other = key_load("rsa1148.pem");
	token_make(PATIENCE);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rsab_token_unref(token);
	for (size_t i = 0; i < peer.threads; i++) {
		shutdown(peer.fd[i], SHUT_RDWR);
		pthread_join(peer.thread[i], NULL);
		close(peer.fd[i]);
	}
	rsab_key_unref(peer.key);
	rsab_key_unref(peer.other);
	return 0;
}

static int
load(struct rsab_key **key)
{
	return rsab_key_load_token(token, uri, sizeof uri - 1, false, &detail,
	    key);
}

/*
 * Sign a digest with a key.
 *   job      out
 *   returns  its result
 */
static int
sign_by(struct rsab_key *key, struct rsab_job *job, unsigned long *faults)
{
	struct rsab_job *const jobs[] = { job };
	struct rsab_worker *worker;

	memset(job, 0, sizeof *job);
	job->key = key;
	job->hash = RSAB_SHA256;
	memset(job->digest, 0x5a, sizeof job->digest);
	memset(job->signature, 0xee, sizeof job->signature);
	test_int("worker", rsab_worker_new(&worker), 0);
	rsab_run(worker, jobs, 1);
	*faults = rsab_worker_faults(worker);
	rsab_worker_free(worker);
	return job->result;
}

static void
says(const char *words)
{
	if (strstr(detail.text, words) == NULL)
		test_str("detail", detail.text, words);
}

static void
load_and_sign(void **state)
{
	static const char *const names[] = { "rsa1024.pem", "rsa2048.pem",
	    "ed25519.pem" };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct rsab_key *key;
		struct rsab_job job, want;
		unsigned long faults;

		rsab_key_unref(peer.key);
		peer.key = key_load(names[i]);
		peer.kept.key = NULL;
		test_int(names[i], load(&key), 0);
		test_int(names[i], rsab_key_type(key), peer.key->type);
		test_int(names[i], rsab_key_bits(key), peer.key->bits);
		test_octets(names[i], key->fingerprint, 32,
		    peer.key->fingerprint, 32);
		test_true(names[i], rsab_key_is_private(key));
		test_true(names[i], rsab_key_token(key) == token);
		test_true(names[i], rsab_key_token(peer.key) == NULL);
		test_str(names[i], rsab_backend_name(rsab_key_backend(key)),
		    "pkcs11");
		test_int(names[i], sign_by(key, &job, &faults), 0);
		sign(peer.key, job.digest, &want);
		test_octets(names[i], job.signature, job.signature_len,
		    want.signature, want.signature_len);
		test_int(names[i], faults, 0);
		test_str("the URI", peer.uri, uri);
		rsab_key_unref(key);
	}
	test_int("one connection", peer.threads, 1);
	test_int("two questions to load, one to sign", peer.asked, 9);
}

static void
release_with_the_last_key(void **state)
{
	struct rsab_key *key;

	(void)state;
	test_int("load", load(&key), 0);
	rsab_token_unref(token);
	test_int("a key holds it", peer.released, 0);
	rsab_key_unref(key);
	test_int("gone", peer.released, 1);
	token_make(PATIENCE);
}

static void
group_is_the_token(void **state)
{
	struct rsab_key *key;
	struct rsab_group group, local;

	(void)state;
	test_int("load", load(&key), 0);
	group = rsab_key_group(key, RSAB_OP_SIGN);
	local = rsab_key_group(peer.key, RSAB_OP_SIGN);
	test_int("batch", group.batch, 1);
	test_true("of the token's number", group.id ==
	    (0x80000000u | 0x1234u << 8));
	test_true("of no other backend", local.id < 0x80000000u);
	rsab_key_unref(key);
}

static void
print_private_is_not_possible(void **state)
{
	struct rsab_key *key;
	char *text;
	size_t n;

	(void)state;
	test_int("load", load(&key), 0);
	test_int("print", rsab_key_print_private(key, &text, &n),
	    RSAB_ERR_ARGUMENT);
	rsab_key_unref(key);
}

/*
 * The first signature comes out wrong: once more; the second, too: an error.
 */
static void
sign_wrong_is_made_again(void **state)
{
	struct rsab_key *key;
	struct rsab_job job;
	unsigned long faults;
	static const uint8_t zero[RSAB_SIGNATURE_MAX];

	(void)state;
	test_int("load", load(&key), 0);
	peer.acts[ASKED] = WRONG_SIGNATURE;
	test_int("once", sign_by(key, &job, &faults), 0);
	test_int("counted", faults, 1);
	peer.acts[ASKED] = WRONG_SIGNATURE;
	peer.acts[ASKED + 1] = WRONG_SIGNATURE;
	peer.acts[ASKED + 2] = WRONG_SIGNATURE;
	test_int("twice", sign_by(key, &job, &faults), RSAB_ERR_BACKEND);
	test_int("counted", faults, 2);
	test_octets("wiped", job.signature, sizeof job.signature, zero,
	    sizeof zero);
	test_int("no length", job.signature_len, 0);
	peer.acts[ASKED] = WELL;
	peer.acts[ASKED + 1] = WRONG_LENGTH;
	test_int("right", sign_by(key, &job, &faults), 0);
	test_int("wrong length", sign_by(key, &job, &faults),
	    RSAB_ERR_BACKEND);
	rsab_token_detail(token, &detail);
	says("127 octets, not 128");
	rsab_key_unref(key);
}

/* Answers that are none: an error at once, and the process is to go. */
static void
answer_is_none(void **state)
{
	static const struct { const char *row; enum act act; bool hung; }
	    rows[] = {
		{ "garbage", GARBAGE, true },
		{ "cut", CUT, true },
		{ "too long", LONG, true },
		{ "with a descriptor", WITH_DESCRIPTOR, true },
		{ "wrong id", WRONG_ID, true },
		{ "wrong operation", WRONG_OP, true },
		{ "a request", A_REQUEST, true },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct rsab_key *key;
		struct rsab_job job;
		unsigned long faults;
		size_t asked;

		if (i != 0)
			setup(state);
		test_int(rows[i].row, load(&key), 0);
		asked = peer.asked;
		peer.acts[asked] = rows[i].act;
		test_int(rows[i].row, sign_by(key, &job, &faults),
		    RSAB_ERR_TOKEN);
		test_int("asked once", peer.asked - asked, 1);
		test_int("told", peer.hung, rows[i].hung);
		test_int("of which", (int)peer.hung_incarnation, 5);
		rsab_token_detail(token, &detail);
		says("nonsense");
		test_int("a new connection works", sign_by(key, &job,
		    &faults), 0);
		test_int("connections", peer.threads, 2);
		rsab_key_unref(key);
		if (i + 1 != TEST_COUNT(rows))
			teardown(state);
	}
}

/*
 * No answer: the deadline, and the process is to go.
 */
static void
answer_is_late(void **state)
{
	struct rsab_key *key;
	struct rsab_job job;
	unsigned long faults;

	(void)state;
	rsab_token_unref(token);
	token_make(TIMEOUT);
	test_int("load", load(&key), 0);
	peer.acts[ASKED] = SILENT;
	test_int("late", sign_by(key, &job, &faults), RSAB_ERR_TOKEN);
	test_int("told", peer.hung, 1);
	test_int("of which", (int)peer.hung_incarnation, 5);
	rsab_token_detail(token, &detail);
	says("no answer from the token within 300 ms");
	test_int("recovers", sign_by(key, &job, &faults), 0);
	rsab_key_unref(key);
}

/*
 * An end: of a connection that was good before, most likely with its process,
 * so a new one is tried; of a new one it is an error.
 */
static void
connection_ends(void **state)
{
	struct rsab_key *key;
	struct rsab_job job;
	unsigned long faults;

	(void)state;
	test_int("load", load(&key), 0);
	peer.acts[ASKED] = END;
	peer.next_process = ASKED;
	test_int("a new process", sign_by(key, &job, &faults), 0);
	test_int("connections", peer.threads, 2);
	peer.acts[ASKED] = END;
	peer.acts[ASKED + 1] = END;
	peer.next_process = ASKED;
	test_int("it ends at once", sign_by(key, &job, &faults),
	    RSAB_ERR_TOKEN);
	rsab_token_detail(token, &detail);
	says("ended while it worked for us");
	test_int("connections", peer.threads, 3);
	peer.incarnation++;
	peer.acts[ASKED] = EMPTY;
	test_int("an empty record is an end", sign_by(key, &job, &faults),
	    RSAB_ERR_TOKEN);
	peer.refuse = true;
	test_int("no process", sign_by(key, &job, &faults), RSAB_ERR_TOKEN);
	rsab_token_detail(token, &detail);
	says("not running now");
	peer.refuse = false;
	test_int("there again", sign_by(key, &job, &faults), 0);
	test_int("nobody hung", peer.hung, 0);
	rsab_key_unref(key);
}

/*
 * A process that dies may still take new connections for a moment.
 */
static void
connection_to_a_dying_process(void **state)
{
	struct rsab_key *key;
	struct rsab_job job;
	unsigned long faults;

	(void)state;
	test_int("load", load(&key), 0);
	for (size_t i = 0; i < 4; i++)
		peer.acts[ASKED + i] = END;
	peer.next_process = ASKED + 3;
	test_int("waited for the next", sign_by(key, &job, &faults), 0);
	test_int("connections", peer.threads, 5);
	rsab_key_unref(key);
}

/*
 * So it may for the next job, where the one before met its end.
 */
static void
connection_after_a_crash(void **state)
{
	struct rsab_key *key;
	struct rsab_job job;
	unsigned long faults;

	(void)state;
	test_int("load", load(&key), 0);
	peer.acts[ASKED] = END;
	peer.acts[ASKED + 1] = END;
	peer.next_process = ASKED;
	test_int("crashes each time", sign_by(key, &job, &faults),
	    RSAB_ERR_TOKEN);
	peer.acts[ASKED] = END;
	peer.acts[ASKED + 1] = END;
	peer.next_process = ASKED + 1;
	test_int("waited for the next", sign_by(key, &job, &faults), 0);
	test_int("connections", peer.threads, 5);
	rsab_key_unref(key);
}

static void
load_fails(void **state)
{
	static const struct { const char *row; enum act act[2]; int want;
	    const char *says; } rows[] = {
		{ "not now", { SAYS_TOKEN }, RSAB_ERR_TOKEN,
		    "module, token: C_Sign failed" },
		{ "no such key", { SAYS_GONE }, RSAB_ERR_TOKEN_KEY,
		    "module, token: C_Sign failed" },
		{ "not its public half", { OTHER_KEY }, RSAB_ERR_KEY,
		    "do not fit" },
		{ "no public half", { BAD_KEY }, RSAB_ERR_KEY,
		    "public half" },
		{ "signs wrong", { WELL, WRONG_LENGTH }, RSAB_ERR_KEY,
		    "do not fit" },
		{ "gone before it signs", { WELL, SAYS_GONE },
		    RSAB_ERR_TOKEN_KEY, "module, token: C_Sign failed" },
	};

	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct rsab_key *key = NULL;

		if (i != 0)
			setup(state);
		peer.acts[0] = rows[i].act[0];
		peer.acts[1] = rows[i].act[1];
		test_int(rows[i].row, load(&key), rows[i].want);
		test_true(rows[i].row, key == NULL);
		says(rows[i].says);
		if (i + 1 != TEST_COUNT(rows))
			teardown(state);
	}
}

static void
load_asks_nobody_about_a_bad_uri(void **state)
{
	static const char bad[] = "pkcs11:object=k?pin-value=1";
	struct rsab_key *key;

	(void)state;
	test_int("table", rsab_key_load_token(token, bad, sizeof bad - 1,
	    false, &detail, &key), RSAB_ERR_URI);
	test_int("asked", peer.asked, 0);
	test_int("configuration", rsab_key_load_token(token, bad,
	    sizeof bad - 1, true, &detail, &key), 0);
	test_int("allowed", peer.last.flags, TOKEN_WIRE_PIN_VALUE);
	rsab_key_unref(key);
}

static void
pin_refused_is_told(void **state)
{
	struct rsab_key *key;

	(void)state;
	peer.acts[0] = SAYS_PIN;
	test_int("load", load(&key), RSAB_ERR_PIN);
	test_int("told", peer.refused, 1);
	test_str("whose", peer.identity, "0123456789abcdef0123456789abcdef"
	    "0123456789abcdef0123456789abcdef");
}

static void
import_keys(void **state)
{
	struct rsab_key *key = NULL;
	struct rsab_job job;
	unsigned long faults;
	size_t n;
	uint8_t *pem = key_file("rsa1024.pem", &n);

	(void)state;
	test_int("import", rsab_key_import_token(token, "pkcs11:token=mail",
	    17, false, pem, n, &detail, &key), 0);
	test_int("sign", sign_by(key, &job, &faults), 0);
	test_str("by the name that came back", peer.uri,
	    "pkcs11:token=mail;id=%01");
	rsab_key_unref(key);
	free(pem);
	key = NULL;

	pem = key_file("bad-d.pem", &n);
	peer.asked = 0;
	test_int("a bad key is not shown to a token", rsab_key_import_token(
	    token, "pkcs11:token=mail", 17, false, pem, n, &detail, &key),
	    RSAB_ERR_KEY);
	test_int("asked", peer.asked, 0);
	free(pem);

	pem = key_file("rsa2048.pem", &n);
	test_int("the token signs with another", rsab_key_import_token(token,
	    "pkcs11:token=mail", 17, false, pem, n, &detail, &key),
	    RSAB_ERR_KEY);
	test_true("no key", key == NULL);
	free(pem);
}

static void
generate_keys(void **state)
{
	struct rsab_key *key;

	(void)state;
	test_int("too short", rsab_key_generate_token(token, uri,
	    sizeof uri - 1, false, RSAB_RSA, 511, &detail, &key),
	    RSAB_ERR_KEY_SIZE);
	test_int("too long", rsab_key_generate_token(token, uri,
	    sizeof uri - 1, false, RSAB_RSA, 8193, &detail, &key),
	    RSAB_ERR_KEY_SIZE);
	test_int("asked", peer.asked, 0);
	test_int("made", rsab_key_generate_token(token, uri, sizeof uri - 1,
	    false, RSAB_RSA, 1024, &detail, &key), 0);
	rsab_key_unref(key);
}

/*
 * A verdict never depends on a token: what it calls wrong, or says nothing
 * of, libcrypto looks at.
 */
static void
verify_in_token(void **state)
{
	static const struct { const char *row; enum act act; bool right;
	    int want; } rows[] = {
		{ "right", WELL, true, 0 },
		{ "it is busy, right", SAYS_TOKEN, true, 0 },
		{ "it is busy, wrong", SAYS_TOKEN, false,
		    RSAB_ERR_SIGNATURE },
		{ "it is gone", END, true, 0 },
		{ "nonsense", GARBAGE, true, 0 },
		{ "nonsense, wrong", GARBAGE, false, RSAB_ERR_SIGNATURE },
	};
	struct rsab_worker *worker;
	struct rsab_key *key;
	struct rsab_job job, *const jobs[] = { &job };
	unsigned long faults;

	(void)state;
	test_int("worker", rsab_worker_new(&worker), 0);
	test_int("load", rsab_key_load_public_token(token,
	    "pkcs11:token=mail", 17, false, RSAB_RSA, peer.key->spki,
	    peer.key->spki_size, &key), 0);
	test_int("nobody was asked", peer.asked, 0);
	test_true("public", !rsab_key_is_private(key));
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		size_t asked = peer.asked;

		test_int("sign", sign_by(peer.key, &job, &faults), 0);
		job.signature[7] ^= !rows[i].right;
		job.key = key;
		job.op = RSAB_OP_VERIFY;
		peer.acts[asked] = rows[i].act;
		if (rows[i].act == END) {
			peer.acts[asked + 1] = END;
			peer.next_process = asked;
		}
		rsab_run(worker, jobs, 1);
		test_int(rows[i].row, job.result, rows[i].want);
		test_true("the token was asked", peer.asked > asked);
	}
	rsab_worker_free(worker);
	rsab_key_unref(key);
}

/* ---- verifying by a backend in front of libcrypto ---- */

static struct {
	bool		 may;
	unsigned	 begun, ended;
	int		 error;		/* of the last end */
	char		 text[RSAB_TOKEN_DETAIL];
} watch;

static bool
watch_begin(void *context)
{
	assert_ptr_equal(context, &peer);
	watch.begun += watch.may;
	return watch.may;
}

static void
watch_end(void *context, int error, const struct rsab_token_detail *why)
{
	assert_ptr_equal(context, &peer);
	watch.ended++;
	watch.error = error;
	snprintf(watch.text, sizeof watch.text, "%s", why->text);
}

static const struct rsab_token_watch watch_functions = { watch_begin,
    watch_end };

/*
 * peer.key's public half by a verifier, which is gone already.
 */
static struct rsab_key *
verifier_key(void)
{
	struct rsab_backend *verifier;
	struct rsab_key *key;

	memset(&watch, 0, sizeof watch);
	watch.may = true;
	test_int("verifier", rsab_backend_new_token(token,
	    "pkcs11:token=mail", 17, &watch_functions, &verifier), 0);
	test_int("load", rsab_key_load_public(verifier, RSAB_RSA,
	    peer.key->spki, peer.key->spki_size, &key), 0);
	rsab_backend_free(verifier);
	return key;
}

static int
verify_by(struct rsab_key *key, struct rsab_job *job)
{
	struct rsab_job *const jobs[] = { job };
	struct rsab_worker *worker;

	job->key = key;
	job->op = RSAB_OP_VERIFY;
	job->signature_len = key->signature_size;
	test_int("worker", rsab_worker_new(&worker), 0);
	rsab_run(worker, jobs, 1);
	rsab_worker_free(worker);
	return job->result;
}

static void
verifier_is_watched(void **state)
{
	static const struct { const char *row; enum act act; bool right;
	    int want, end; } rows[] = {
		{ "right", WELL, true, 0, 0 },
		{ "wrong", SAYS_WRONG, false, RSAB_ERR_SIGNATURE, 0 },
		{ "called wrong", SAYS_WRONG, true, 0, RSAB_ERR_BACKEND },
		{ "busy", SAYS_TOKEN, true, 0, RSAB_ERR_TOKEN },
		{ "busy, wrong", SAYS_TOKEN, false, RSAB_ERR_SIGNATURE,
		    RSAB_ERR_TOKEN },
		{ "wants a PIN", SAYS_PIN, true, 0, RSAB_ERR_PIN },
		{ "nonsense", GARBAGE, false, RSAB_ERR_SIGNATURE,
		    RSAB_ERR_TOKEN },
		{ "another question's", WRONG_ID, false, RSAB_ERR_SIGNATURE,
		    RSAB_ERR_TOKEN },
	};
	struct rsab_key *key = verifier_key();
	struct rsab_job job;
	unsigned long faults;

	(void)state;
	test_str("backend", rsab_backend_name(rsab_key_backend(key)),
	    "pkcs11");
	test_str("path", rsab_key_path(key, RSAB_OP_VERIFY, 1), "token");
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int("sign", sign_by(peer.key, &job, &faults), 0);
		job.signature[7] ^= !rows[i].right;
		peer.acts[ASKED] = rows[i].act;
		test_int(rows[i].row, verify_by(key, &job), rows[i].want);
		test_int(rows[i].row, watch.error, rows[i].end);
		test_int("asked", peer.asked, i + 1);
		test_int("each begin has its end", watch.ended, i + 1);
		test_true("words", (watch.error == 0 &&
		    rows[i].act == WELL) == (watch.text[0] == '\0'));
		if (watch.error == RSAB_ERR_BACKEND)
			test_true("words", strstr(watch.text, "called a right "
			    "signature") != NULL);
	}
	test_int("no other begins", watch.begun, TEST_COUNT(rows));
	rsab_key_unref(key);
}

static void
verifier_asks_not(void **state)
{
	struct rsab_key *key = verifier_key();
	struct rsab_job job;
	unsigned long faults;

	(void)state;
	test_int("sign", sign_by(peer.key, &job, &faults), 0);
	watch.may = false;
	test_int("may not", verify_by(key, &job), 0);
	test_int("ends", watch.ended, 0);
	watch.may = true;
	memcpy(job.signature, key->rsa.n.p, key->rsa.n.n);
	test_int("the modulus", verify_by(key, &job), RSAB_ERR_SIGNATURE);
	memset(job.signature, 0xff, sizeof job.signature);
	test_int("above it", verify_by(key, &job), RSAB_ERR_SIGNATURE);
	test_int("asked", peer.asked, 0);
	test_int("begun", watch.begun, 0);

	test_int("sign", sign_by(peer.key, &job, &faults), 0);
	peer.acts[0] = SAYS_SIZE;
	test_int("a size that the token has not", verify_by(key, &job), 0);
	test_int("is told", watch.error, RSAB_ERR_KEY_SIZE);
	test_int("asked once", peer.asked, 1);
	for (int i = 0; i < 3; i++)
		test_int("and never again", verify_by(key, &job), 0);
	test_int("asked once", peer.asked, 1);
	rsab_key_unref(key);
}

static void
verifier_loads(void **state)
{
	struct rsab_backend *verifier;
	struct rsab_key *ed25519 = key_load("ed25519.pem"), *key;
	uint8_t *octets;
	size_t n;

	(void)state;
	test_int("not a URI", rsab_backend_new_token(token, "token=mail", 10,
	    NULL, &verifier), RSAB_ERR_URI);
	test_int("a PIN", rsab_backend_new_token(token,
	    "pkcs11:token=mail?pin-value=1", 29, NULL, &verifier),
	    RSAB_ERR_URI);
	test_int("verifier", rsab_backend_new_token(token,
	    "pkcs11:token=mail", 17, NULL, &verifier), 0);
	octets = key_file("rsa1024.pem", &n);
	test_int("a private key", rsab_key_load_private(verifier, octets, n,
	    &key), RSAB_ERR_ARGUMENT);
	free(octets);
	test_int("print", rsab_key_print_public(ed25519, &octets, &n), 0);
	test_int("Ed25519", rsab_key_load_public(verifier, RSAB_ED25519,
	    octets, n, &key), 0);
	test_str("is libcrypto's", rsab_backend_name(rsab_key_backend(key)),
	    "libcrypto");
	rsab_key_unref(key);
	free(octets);
	test_int("not a key", rsab_key_load_public(verifier, RSAB_RSA,
	    peer.key->spki, peer.key->spki_size - 1, &key), RSAB_ERR_KEY);
	test_int("nobody was asked", peer.asked, 0);
	rsab_key_unref(ed25519);
	rsab_backend_free(NULL);

	test_int("RSA", rsab_key_load_public(verifier, RSAB_RSA,
	    peer.key->spki, peer.key->spki_size, &key), 0);
	rsab_backend_free(verifier);
	rsab_token_unref(token);
	test_int("the key holds the token", peer.released, 0);
	rsab_key_unref(key);
	test_int("gone", peer.released, 1);
	token_make(PATIENCE);
}

static bool
verifier_once(void *arg)
{
	struct rsab_backend *verifier;
	struct rsab_key *key = NULL;
	int r;

	(void)arg;
	if (rsab_backend_new_token(token, "pkcs11:token=mail", 17, NULL,
	    &verifier) != 0)
		return false;
	r = rsab_key_load_public(verifier, RSAB_RSA, peer.key->spki,
	    peer.key->spki_size, &key);
	rsab_key_unref(key);
	rsab_backend_free(verifier);
	return r == 0;
}

static void
verifier_every_allocation_fails(void **state)
{
	(void)state;
	test_true("sites", test_every_allocation(verifier_once, NULL) >= 3);
}

/* ---- many at once ---- */

static void *
sign_thread(void *argument)
{
	struct rsab_job job;
	unsigned long faults;
	int r = sign_by(argument, &job, &faults);

	return (void *)(intptr_t)r;
}

static void
connections_are_bounded(void **state)
{
	pthread_t threads[8];
	struct rsab_key *key;
	void *r;
	int good = 0, busy = 0;

	(void)state;
	rsab_token_unref(token);
	token_make(TIMEOUT);
	test_int("load", load(&key), 0);
	/* Two sessions and TOKEN_SPARE more; all that are taken hang */
	for (size_t i = peer.asked; i < MANY; i++)
		peer.acts[i] = SILENT;
	for (size_t i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, sign_thread, key);
	for (size_t i = 0; i < 8; i++) {
		pthread_join(threads[i], &r);
		good += (intptr_t)r == 0;
		busy += (intptr_t)r == RSAB_ERR_TOKEN;
	}
	test_int("none signed", good, 0);
	test_int("all told", busy, 8);
	test_true("no more connections", peer.threads <= 2 + TOKEN_SPARE + 1);
	rsab_key_unref(key);
}

static bool
load_once(void *arg)
{
	struct rsab_key *key;
	int r = load(&key);

	(void)arg;
	if (r == 0)
		rsab_key_unref(key);
	return r == 0;
}

static void
load_every_allocation_fails(void **state)
{
	(void)state;
	/* so that the thread is there, and its signature */
	test_true("load", load_once(NULL));
	test_true("sites", test_every_allocation(load_once, NULL) >= 3);
}

int
main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		ROW(load_and_sign),
		ROW(release_with_the_last_key),
		ROW(group_is_the_token),
		ROW(print_private_is_not_possible),
		ROW(sign_wrong_is_made_again),
		ROW(answer_is_none),
		ROW(answer_is_late),
		ROW(connection_ends),
		ROW(connection_to_a_dying_process),
		ROW(connection_after_a_crash),
		ROW(load_fails),
		ROW(load_asks_nobody_about_a_bad_uri),
		ROW(pin_refused_is_told),
		ROW(import_keys),
		ROW(generate_keys),
		ROW(verify_in_token),
		ROW(verifier_is_watched),
		ROW(verifier_asks_not),
		ROW(verifier_loads),
		ROW(verifier_every_allocation_fails),
		ROW(connections_are_bounded),
		ROW(load_every_allocation_fails),
	};

	return TEST_RUN(tests);
}
