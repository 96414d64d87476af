/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backend_pkcs11 in this process, with the fake module and a clock that stands
 * still: asks it and reads its answers.
 */
#ifndef TOKEN_MADE_H
#define TOKEN_MADE_H

/* system */
#include <dlfcn.h>

/* rsa-backend */
#include "rsa-backend/backend_pkcs11.h"

/* this room */
#include "tests/test.h"

/* A URI of the key that most tests have. */
#define MADE_KEY	"pkcs11:token=mail;object=sel"

static struct made {
	void			*library;
	bool			(*command)(const char *line);
	unsigned long		(*calls)(const char *function);
	unsigned long		(*sessions)(void);
	unsigned long		(*session_objects)(void);
	void			(*reset)(void);
	uint64_t		 clock;		/* ms */
	char			 pin[256];	/* of the file; "": none */
	struct backend_pkcs11	*backend;
	unsigned		 flags;		/* of the set-up */
	struct rsab_token_detail detail;

	/* the last answer */
	uint8_t			 record[TOKEN_WIRE_MAX];
	struct token_wire	 answer;
} made;

static inline const char *
made_build(const char *name)
{
	static char path[4096];
	const char *build = getenv("DKIMD_BUILD");

	snprintf(path, sizeof path, "%s/%s", build == NULL ? "." : build,
	    name);
	return path;
}

static inline const char *
made_module(void)
{
	return made_build("tests/token/fake_module.so");
}

static inline void
made_symbol(const char *name, void *out)
{
	void *symbol = dlsym(made.library, name);

	test_true(name, symbol != NULL);
	memcpy(out, &symbol, sizeof symbol);
}

static inline int
made_pin(void *context, const char *path, const char *folders,
    uint8_t out[RSAB_TOKEN_PIN_MAX], size_t *n,
    struct rsab_token_detail *detail)
{
	(void)context;
	if (made.pin[0] == '\0' || strcmp(folders, "/pins") != 0) {
		snprintf(detail->text, sizeof detail->text, "no file %s",
		    path);
		return RSAB_ERR_PIN;
	}
	*n = strlen(made.pin);
	memcpy(out, made.pin, *n);
	return 0;
}

static inline uint64_t
made_now(void *context)
{
	(void)context;
	return made.clock;
}

static const struct rsab_token_host made_host = {
	.pin = made_pin,
	.now = made_now,
};

static inline struct der
made_text(const char *text)
{
	return (struct der){ (const uint8_t *)text,
	    text == NULL ? 0 : strlen(text) };
}

/*
 * Start the backend.
 *   pin      of the configuration; NULL
 *   refused  an identity, or NULL
 */
static inline int
made_start(const char *module, const char *pin, const char *refused)
{
	const struct token_wire setup = {
		.op = TOKEN_WIRE_SETUP,
		.flags = made.flags,
		.value = 8,
		.field = { made_text(module), { NULL, 0 }, made_text(pin),
		    made_text("/pins"), made_text(refused) },
	};

	return backend_pkcs11_new(&setup, &made_host, &made.backend,
	    &made.detail);
}

static inline void
made_stop(void)
{
	backend_pkcs11_free(made.backend);
	made.backend = NULL;
}

/* Run a command of the fake module that must be one. */
static inline void
made_do(const char *line)
{
	test_true(line, made.command(line));
}

/*
 * An object from a key of tests/vectors/rsa/keys.
 *   what     "key sel 01", and so on
 */
static inline void
made_object(const char *what, const char *file)
{
	char line[4096];

	snprintf(line, sizeof line, "%s %s/vectors/rsa/keys/%s", what,
	    TESTS_SRCDIR, file);
	made_do(line);
}

/*
 * cmocka: a token "mail" with one RSA key, "sel", and a clock at 10 s.
 */
static inline int
made_setup(void **state)
{
	(void)state;
	if (made.library == NULL) {
		made.library = dlopen(made_module(), RTLD_NOW);
		if (made.library == NULL)
			fprintf(stderr, "# %s\n", dlerror());
		test_true("the fake module", made.library != NULL);
		made_symbol("fake_command", &made.command);
		made_symbol("fake_calls", &made.calls);
		made_symbol("fake_sessions", &made.sessions);
		made_symbol("fake_session_objects", &made.session_objects);
		made_symbol("fake_reset", &made.reset);
	}
	made.reset();
	made.clock = 10000;
	made.pin[0] = '\0';
	made.flags = 0;
	made_do("token mail 0001");
	made_object("key sel 01", "rsa1024.pem");
	test_int("start", made_start(made_module(), "1234", NULL), 0);
	return 0;
}

static inline int
made_teardown(void **state)
{
	(void)state;
	made_stop();
	return 0;
}

/*
 * Ask; the answer is made.answer.
 *   returns  its error
 */
static inline int
made_ask(struct token_wire *request)
{
	static uint64_t id;
	size_t n;

	request->id = ++id;
	n = backend_pkcs11_answer(made.backend, request, made.record);
	test_int("the answer can be read", token_wire_parse((struct der){
	    made.record, n }, &made.answer), 0);
	test_true("to this question", made.answer.answer &&
	    made.answer.id == id && made.answer.op == request->op);
	snprintf(made.detail.text, sizeof made.detail.text, "%.*s",
	    (int)made.answer.field[TOKEN_WIRE_DETAIL].n,
	    (const char *)made.answer.field[TOKEN_WIRE_DETAIL].p);
	return token_wire_error(&made.answer);
}

static const uint8_t made_digest[RSAB_DIGEST_MAX] = "the digest of a message";

static inline int
made_sign(const char *uri)
{
	struct token_wire request = {
		.op = TOKEN_WIRE_SIGN,
		.field[TOKEN_WIRE_URI] = made_text(uri),
		.field[TOKEN_WIRE_DIGEST] = { made_digest,
		    sizeof made_digest },
	};

	return made_ask(&request);
}

static inline int
made_op(enum token_wire_op op, const char *uri)
{
	struct token_wire request = {
		.op = op,
		.field[TOKEN_WIRE_URI] = made_text(uri),
	};

	return made_ask(&request);
}

/* The detail of the last answer has these words. */
static inline void
made_says(const char *words)
{
	if (strstr(made.detail.text, words) == NULL)
		fprintf(stderr, "# got \"%s\"\n", made.detail.text);
	test_true(words, strstr(made.detail.text, words) != NULL);
}

/*
 * A public key, as libcrypto would have it.
 */
static inline struct rsab_key *
made_public(enum rsab_key_type type, struct der spki)
{
	const struct rsab_backend *backend;
	struct rsab_key *key;
	size_t skip = type == RSAB_ED25519 ? spki.n - 32 : 0;

	test_int("libcrypto", rsab_backend_find("libcrypto", &backend), 0);
	test_int("public half", rsab_key_load_public(backend, type,
	    spki.p + skip, spki.n - skip, &key), 0);
	return key;
}

/*
 * Verify a signature over made_digest with libcrypto.
 */
static inline int
made_verify(struct rsab_key *key, struct der signature)
{
	struct rsab_worker *worker;
	struct rsab_job job = {
		.key = key,
		.op = RSAB_OP_VERIFY,
		.hash = RSAB_SHA256,
		.signature_len = signature.n,
	}, *const jobs[] = { &job };

	test_int("worker", rsab_worker_new(&worker), 0);
	memcpy(job.digest, made_digest, sizeof job.digest);
	memcpy(job.signature, signature.p, signature.n);
	rsab_run(worker, jobs, 1);
	rsab_worker_free(worker);
	return job.result;
}

/*
 * Open, sign, and verify with the public half from the token.
 */
static inline void
made_works(const char *row, const char *uri)
{
	struct rsab_key *key;
	int r;

	r = made_op(TOKEN_WIRE_OPEN, uri);
	if (r != 0)
		fprintf(stderr, "# %s\n", made.detail.text);
	test_int(row, r, 0);
	key = made_public(made.answer.type,
	    made.answer.field[TOKEN_WIRE_RESULT]);
	test_int(row, made_sign(uri), 0);
	test_int(row, made_verify(key,
	    made.answer.field[TOKEN_WIRE_RESULT]), 0);
	rsab_key_unref(key);
}

#define MADE_TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, \
	made_teardown)

#endif
