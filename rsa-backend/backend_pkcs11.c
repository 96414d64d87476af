/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers requests with Cryptoki: finds the token and the key that a URI
 * names, does the work, and does what helps when it fails (pkcs11_fail.h).
 */

/* system */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto */
#include <openssl/evp.h>

/* this room */
#include "backend_pkcs11.h"
#include "error.h"
#include "mem.h"
#include "pkcs11_find.h"
#include "pkcs11_info.h"
#include "pkcs11_make.h"
#include "pkcs11_public.h"
#include "pkcs11_sign.h"
#include "pkcs11_verify.h"
#include "token_uri.h"

struct backend_pkcs11 {
	const struct rsab_token_host	*host;
	struct pkcs11_pins		 pins;
	struct pkcs11_find		*find;

	/* Held while keys are brought in: two threads look, then make */
	pthread_mutex_t			 making;
};

/* One request on its way. */
struct work {
	struct backend_pkcs11	*backend;
	const struct token_wire	*request;
	struct pkcs11_uri	 uri;
	uint8_t			 digest[32];	/* of the URI */
	uint64_t		 now;
	struct pkcs11_fail	 fail;
	struct pkcs11_token	*token;		/* last seen; NULL */

	/* The answer */
	enum rsab_key_type	 type;
	uint8_t			 result[RSAB_TOKEN_URI_MAX];
	size_t			 result_n;
};

_Static_assert(TOKEN_WIRE_PUBLIC_MAX <= RSAB_TOKEN_URI_MAX &&
    RSAB_SIGNATURE_MAX <= RSAB_TOKEN_URI_MAX &&
    TOKEN_WIRE_INFO <= RSAB_TOKEN_URI_MAX, "results fit");

static void
refused_copy(struct der in, struct pkcs11_find *find)
{
	const size_t n = RSAB_TOKEN_IDENTITY - 1;

	for (size_t i = 0; i < in.n / n; i++) {
		memcpy(find->refused[i], &in.p[i * n], n);
		find->refused[i][n] = '\0';
	}
	find->refused_n = in.n / n;
}

/*
 * A field as a text; NULL: it is empty.
 *   out      malloc'd
 */
static int
text_of(struct der field, char **out)
{
	*out = NULL;
	if (field.n == 0)
		return RSAB_OK;
	*out = strndup((const char *)field.p, field.n);
	return *out == NULL ? RSAB_ERR_NOMEM : RSAB_OK;
}

static int
pins_set(struct pkcs11_pins *pins, const struct token_wire *setup,
    const struct rsab_token_host *host)
{
	struct der folders = setup->field[TOKEN_WIRE_FOLDERS];
	struct der pin = setup->field[TOKEN_WIRE_PIN];

	pins->host = host;
	pins->careful = (setup->flags & TOKEN_WIRE_CAREFUL) != 0;
	if (folders.n != 0)
		memcpy(pins->folders, folders.p, folders.n);
	pins->folders[folders.n] = '\0';
	if (pin.n == 0)
		return RSAB_OK;
	if ((pins->own = mem_private_new(pin.n)) == NULL)
		return RSAB_ERR_NOMEM;
	memcpy(pins->own, pin.p, pin.n);
	pins->own_n = pin.n;
	return RSAB_OK;
}

/*
 * Initialize all modules; one that works will do.
 */
static int
start(struct backend_pkcs11 *backend, struct pkcs11_fail *fail)
{
	uint64_t now = backend->host->now(backend->host->context), epoch;
	size_t up = 0;

	for (size_t i = 0; i < backend->find->modules_n; i++) {
		struct pkcs11_module *module = backend->find->modules[i];

		if (pkcs11_module_enter(module, now, &epoch, fail) != 0)
			continue;
		pkcs11_module_leave(module);
		up++;
	}
	return up == 0 ? fail->error : RSAB_OK;
}

int
backend_pkcs11_new(const struct token_wire *setup,
    const struct rsab_token_host *host, struct backend_pkcs11 **out,
    struct rsab_token_detail *detail)
{
	struct backend_pkcs11 *backend = calloc(1, sizeof *backend);
	struct pkcs11_fail fail = { .detail.text = "out of memory" };
	char *path = NULL, *args = NULL;
	int r = RSAB_ERR_NOMEM;

	if (backend == NULL)
		goto out;
	if (pthread_mutex_init(&backend->making, NULL) != 0) {
		free(backend);
		backend = NULL;
		goto out;
	}
	backend->host = host;
	if ((r = pins_set(&backend->pins, setup, host)) != 0 ||
	    (r = text_of(setup->field[TOKEN_WIRE_MODULE], &path)) != 0 ||
	    (r = text_of(setup->field[TOKEN_WIRE_ARGS], &args)) != 0 ||
	    (r = pkcs11_find_new(path, args, &backend->find, &fail)) != 0)
		goto out;
	refused_copy(setup->field[TOKEN_WIRE_REFUSED], backend->find);
	r = start(backend, &fail);
out:
	free(path);
	free(args);
	if (r != 0) {
		*detail = fail.detail;
		backend_pkcs11_free(backend);
	} else {
		*out = backend;
	}
	return r;
}

void
backend_pkcs11_free(struct backend_pkcs11 *backend)
{
	if (backend == NULL)
		return;
	pkcs11_find_free(backend->find);
	mem_private_free(backend->pins.own, backend->pins.own_n);
	pthread_mutex_destroy(&backend->making);
	free(backend);
}

void
backend_pkcs11_end(struct backend_pkcs11 *backend)
{
	pkcs11_find_close(backend->find);
	if (backend->pins.own != NULL)
		rsab_wipe(backend->pins.own, backend->pins.own_n);
}

/*
 * The key that the URI names, kept or found.
 */
static int
key_get(struct work *work, const struct pkcs11_at *at, struct pkcs11_key *out)
{
	CK_OBJECT_HANDLE handle;
	int r;

	if (pkcs11_find_kept(work->backend->find, work->digest, at, out))
		return RSAB_OK;
	if ((r = pkcs11_object_find_key(at, &handle, &work->fail)) != 0 ||
	    (r = pkcs11_object_key(at, handle, out, &work->fail)) != 0)
		return r;
	pkcs11_find_keep(work->backend->find, work->digest, out);
	return RSAB_OK;
}

static int
do_sign(struct work *work, const struct pkcs11_at *at)
{
	struct pkcs11_key key;
	int r;

	if ((r = key_get(work, at, &key)) != 0 || (r = pkcs11_sign(at, &key,
	    work->request->field[TOKEN_WIRE_DIGEST].p, work->result,
	    &work->fail)) != 0)
		return r;
	work->result_n = key.signature_size;
	return RSAB_OK;
}

static int
do_open(struct work *work, const struct pkcs11_at *at)
{
	struct pkcs11_key key;
	int r;

	if ((r = key_get(work, at, &key)) != 0)
		return r;
	work->type = key.type;
	return pkcs11_public_read(at, &key, work->result, &work->result_n,
	    &work->fail);
}

/*
 * Only RSA: libraries differ in which Ed25519 signatures they take (RFC 8032
 * s5.1.7 leaves a choice), and a verdict does not depend on a token.
 */
static int
do_verify(struct work *work, const struct pkcs11_at *at)
{
	const struct token_wire *request = work->request;
	const struct pkcs11_claim claim = {
		.spki = request->field[TOKEN_WIRE_KEY],
		.hash = (request->flags & TOKEN_WIRE_SHA1) != 0 ? RSAB_SHA1 :
		    RSAB_SHA256,
		.digest = request->field[TOKEN_WIRE_DIGEST],
		.signature = request->field[TOKEN_WIRE_SIGNATURE],
	};

	if (request->type != RSAB_RSA)
		return pkcs11_fail_set(&work->fail, RSAB_ERR_KEY_TYPE, "only "
		    "RSA signatures are verified in a token");
	pkcs11_find_keep_token(work->backend->find, work->digest, at->token);
	return pkcs11_verify(at, &claim, &work->fail);
}

static int
do_import(struct work *work, const struct pkcs11_at *at)
{
	struct der uri = work->request->field[TOKEN_WIRE_URI];
	uint8_t id[PKCS11_MAKE_ID];
	int r;

	if (work->uri.has_object)
		return pkcs11_fail_set(&work->fail, RSAB_ERR_URI, "the URI of "
		    "a token for imported keys names an object");
	pthread_mutex_lock(&work->backend->making);
	r = pkcs11_make_import(at, work->request->type,
	    work->request->field[TOKEN_WIRE_KEY], id, &work->fail);
	pthread_mutex_unlock(&work->backend->making);
	if (r != 0)
		return r;
	pkcs11_module_imported(at->token->module, at->module_epoch);
	work->result_n = token_uri_with_id((const char *)uri.p, uri.n, id,
	    sizeof id, (char *)work->result);
	if (work->result_n == 0)
		return pkcs11_fail_set(&work->fail, RSAB_ERR_URI, "the URI is "
		    "too long to name a key of its token");
	return RSAB_OK;
}

static int
do_generate(struct work *work, const struct pkcs11_at *at)
{
	struct pkcs11_pair pair;
	struct pkcs11_key key;
	int r;

	pthread_mutex_lock(&work->backend->making);
	r = pkcs11_make_pair(at, work->request->type, work->request->value,
	    &pair, &work->fail);
	pthread_mutex_unlock(&work->backend->making);
	if (r != 0)
		return r;
	work->type = work->request->type;
	if ((r = pkcs11_object_key(at, pair.private, &key,
	    &work->fail)) != 0 || (r = pkcs11_public_read(at, &key,
	    work->result, &work->result_n, &work->fail)) != 0) {
		pkcs11_make_undo(at, &pair);
		/* Never a second pair */
		work->fail.act = PKCS11_GIVE_UP;
	}
	return r;
}

/*
 * What the token tells of itself; without a session.
 */
static int
do_inform(struct work *work, struct pkcs11_token *token)
{
	struct rsab_token_info info;
	int r;

	if ((r = pkcs11_info_read(token, &info, &work->fail)) != 0)
		return r;
	token_wire_put_info(&info, work->result);
	work->result_n = TOKEN_WIRE_INFO;
	return RSAB_OK;
}

static int
do_in_session(struct work *work, const struct pkcs11_at *at)
{
	switch (work->request->op) {
	case TOKEN_WIRE_OPEN:
		return do_open(work, at);
	case TOKEN_WIRE_SIGN:
		return do_sign(work, at);
	case TOKEN_WIRE_VERIFY:
		return do_verify(work, at);
	case TOKEN_WIRE_IMPORT:
		return do_import(work, at);
	case TOKEN_WIRE_GENERATE:
		return do_generate(work, at);
	default:
		return pkcs11_fail_set(&work->fail, RSAB_ERR_ARGUMENT,
		    "not a request to a token");
	}
}

/*
 * Inside the module.
 *   epoch    of the module
 */
static int
inside(struct work *work, struct pkcs11_token *token, uint64_t epoch)
{
	struct pkcs11_at at = {
		.token = token,
		.module_epoch = epoch,
		.pins = &work->backend->pins,
		.uri = &work->uri,
	};
	int r;

	if (work->request->op == TOKEN_WIRE_INFORM)
		return do_inform(work, token);
	/* Strangers' signatures are verified without anybody's PIN */
	r = pkcs11_token_take(token, epoch, work->now,
	    work->request->op == TOKEN_WIRE_VERIFY ? NULL : at.pins, at.uri,
	    &at.session, &work->fail);
	if (r == 0) {
		r = do_in_session(work, &at);
		/* One in which a call failed may have an operation open; that a
		 * signature is wrong is no failure */
		if (r != 0 && r != RSAB_ERR_SIGNATURE &&
		    work->fail.rv != CKR_OK)
			pkcs11_token_drop(token, &at.session);
		else
			pkcs11_token_give(token, &at.session);
	}
	if (r != 0 && work->fail.act == PKCS11_REOPEN) {
		pkcs11_token_reopen(token, at.session.epoch);
		pkcs11_held_reopen(&at);
	}
	return r;
}

/*
 * Do what helps before another try.
 *   used     in and out: bits of what was tried
 *   epoch    of the module, in which it failed
 *   returns  whether to try again
 */
static bool
helped(struct work *work, unsigned *used, uint64_t epoch)
{
	struct pkcs11_token *token = work->token;
	unsigned bit = 1u << work->fail.act;

	if ((*used & bit) != 0)
		return false;
	*used |= bit;
	switch (work->fail.act) {
	case PKCS11_ONCE_MORE: case PKCS11_REOPEN:
		return true;
	case PKCS11_INITIALIZE:
		return pkcs11_module_again(token->module, work->now, epoch);
	case PKCS11_BACK_OFF:
		pkcs11_token_back_off(token, work->now);
		return false;
	default:
		return false;
	}
}

/*
 * Do the work, and once more for each thing that may help.
 */
static int
do_work(struct work *work)
{
	struct pkcs11_token *token;
	uint64_t epoch;
	unsigned used = 0;
	int r;

	do {
		work->fail.act = PKCS11_GIVE_UP;
		work->fail.rv = CKR_OK;
		r = pkcs11_find_token(work->backend->find, &work->uri,
		    work->digest, work->now, &token, &work->fail);
		if (r != 0)
			return r;
		work->token = token;
		r = pkcs11_module_enter(token->module, work->now, &epoch,
		    &work->fail);
		if (r != 0)
			return r;
		r = inside(work, token, epoch);
		pkcs11_module_leave(token->module);
	} while (r != 0 && helped(work, &used, epoch));
	if (r == 0) {
		pkcs11_module_well(token->module);
		pkcs11_token_well(token);
	}
	return r;
}

static int
prepare(struct work *work)
{
	const struct token_wire *request = work->request;
	struct der uri = request->field[TOKEN_WIRE_URI];
	size_t n = sizeof work->digest;

	if (EVP_Q_digest(NULL, "SHA256", NULL, uri.p, uri.n, work->digest,
	    &n) != 1)
		return pkcs11_fail_set(&work->fail,
		    error_take(RSAB_ERR_BACKEND), "no SHA-256");
	return pkcs11_uri_parse(uri, (request->flags &
	    TOKEN_WIRE_PIN_VALUE) != 0, &work->uri, &work->fail);
}

/*
 * Write the answer.
 */
static size_t
answer(const struct work *work, int r, uint8_t *record)
{
	const char *text = work->fail.detail.text;
	struct token_wire out = {
		.answer = true,
		.op = work->request->op,
		.type = work->type,
		.id = work->request->id,
		.value = (uint32_t)-r,
	};
	size_t n;

	if (r == 0) {
		out.field[TOKEN_WIRE_RESULT] =
		    (struct der){ work->result, work->result_n };
	} else {
		out.field[TOKEN_WIRE_DETAIL] =
		    (struct der){ (const uint8_t *)text, strlen(text) };
		if (r == RSAB_ERR_PIN && work->fail.act == PKCS11_STOP &&
		    work->token != NULL)
			out.field[TOKEN_WIRE_IDENTITY] = (struct der){
			    (const uint8_t *)work->token->identity,
			    RSAB_TOKEN_IDENTITY - 1 };
	}
	if (token_wire_print(&out, record, &n) == 0)
		return n;
	/* A module's result that is none */
	out.value = (uint32_t)-RSAB_ERR_BACKEND;
	memset(out.field, 0, sizeof out.field);
	return token_wire_print(&out, record, &n) == 0 ? n : 0;
}

size_t
backend_pkcs11_answer(struct backend_pkcs11 *backend,
    const struct token_wire *request, uint8_t *record)
{
	struct work work = {
		.backend = backend,
		.request = request,
		.now = backend->host->now(backend->host->context),
		.type = request->type,
	};
	int r;

	if ((r = prepare(&work)) == 0) {
		r = do_work(&work);
		pkcs11_uri_clear(&work.uri);
	}
	return answer(&work, r, record);
}
