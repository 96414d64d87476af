/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key in a token; see rsa_token.h.
 */

/* system */
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* rooms below */
#include "milter/tokens.h"

/* this room */
#include "helper.h"
#include "rsa_token.h"

#define ANY_TOKEN	"pkcs11:"
#define TIMEOUT		60	/* seconds: a slow token is still a token */

int
rsa_token_pin(struct rsa_token_place *place, const char *file)
{
	FILE *f = fopen(file, "r");
	bool failed;

	if (f == NULL) {
		warn("--pin-file %s", file);
		return EX_NOINPUT;
	}
	/* or else a copy stays in the stream's buffer */
	setvbuf(f, NULL, _IONBF, 0);
	failed = fgets(place->pin, sizeof place->pin, f) == NULL;
	fclose(f);
	place->pin[strcspn(place->pin, "\n")] = '\0';
	if (failed || place->pin[0] == '\0' ||
	    strlen(place->pin) > RSAB_TOKEN_PIN_MAX) {
		warnx("--pin-file %s: a line of 1 to %d octets is wanted",
		    file, RSAB_TOKEN_PIN_MAX);
		return EX_DATAERR;
	}
	return 0;
}

void
rsa_token_place(struct rsa_token_place *place, const char *module)
{
	const char *slash = strrchr(module, '/');
	const char *base = slash == NULL ? module : slash + 1;

	if (strncmp(base, "lib", 3) == 0)
		base += 3;
	*place = (struct rsa_token_place){ .module = module };
	snprintf(place->name, sizeof place->name, "%.*s",
	    (int)strcspn(base, "."), base);
}

/*
 * Let dkimd-token be found beside a program that is not installed.
 */
static int
find_program(void)
{
	char path[PATH_MAX];

	if (getenv("DKIMD_TOKEN") != NULL)
		return 0;
	if (helper_find("dkimd-token", path, sizeof path) != 0)
		return EX_OSFILE;
	if (setenv("DKIMD_TOKEN", path, 1) == 0)
		return 0;
	warn("DKIMD_TOKEN");
	return EX_OSERR;
}

/*
 * A text that options own for a while; they promise not to change it.
 */
static char *
text(const char *p)
{
	return (char *)(uintptr_t)p;
}

static int
tokens_make(struct rsa_token *token, unsigned threads, bool workers)
{
	const struct rsa_token_place *place = token->place;
	const struct options options = {
		.pkcs11_module = text(place->module),
		.pkcs11_init_args = text(place->init_args),
		.pkcs11_pin = place->pin[0] == '\0' ? NULL : text(place->pin),
		.pkcs11_token = text(place->uri),
		.pkcs11_sessions = threads,
		.pkcs11_timeout = TIMEOUT,
	};

	if (tokens_new(&options, workers ? threads : 0, NULL,
	    &token->tokens) == 0)
		return 0;
	token->tokens = NULL;
	warnx("%s: no memory", place->module);
	return EX_OSERR;
}

/*
 * What is wrong with a key that does not go in: the token, or that it is this
 * key.
 */
static int
refused(struct rsa_token *token, int error,
    const struct rsab_token_detail *detail)
{
	switch (error) {
	case RSAB_ERR_IMPORT: case RSAB_ERR_KEY_SIZE: case RSAB_ERR_KEY_TYPE:
		snprintf(token->reason, sizeof token->reason, "%.*s",
		    (int)sizeof token->reason - 1, detail->text[0] != '\0' ?
		    detail->text : rsab_strerror(error));
		return EX_UNAVAILABLE;
	case RSAB_ERR_NOMEM:
		warnx("%s: no memory", token->place->module);
		return EX_OSERR;
	default:
		warnx("%s: %s: %s", token->place->module,
		    rsab_strerror(error), detail->text);
		return EX_CONFIG;
	}
}

int
rsa_token_open(struct rsa_token *token, const struct rsa_token_place *place,
    const struct pin *pin, const struct reference *reference,
    unsigned threads, bool workers)
{
	const struct slice octets = { (const uint8_t *)reference->pem,
	    reference->pem_len };
	struct rsab_token_detail detail = { "" };
	int error, status;

	*token = (struct rsa_token){ .place = place, .size = reference->size };
	status = find_program();
	if (status == 0)
		status = tokens_make(token, threads, workers);
	if (status != 0)
		return status;
	/* the process and its threads stay where this thread may run now */
	pin_processors(pin, threads);
	error = tokens_import(token->tokens, octets, &detail, &token->key);
	if (error == 0)
		return 0;
	token->key = NULL;
	status = refused(token, error, &detail);
	rsa_token_close(token);
	return status;
}

void
rsa_token_close(struct rsa_token *token)
{
	rsab_key_unref(token->key);
	if (token->tokens != NULL) {
		tokens_end(token->tokens);
		(void)tokens_unref(token->tokens);
	}
	token->key = NULL;
	token->tokens = NULL;
}

static const char *
uri_of(const struct rsa_token *token)
{
	return token->place->uri == NULL ? ANY_TOKEN : token->place->uri;
}

int
rsa_token_public(const struct rsa_token *token,
    const struct reference *reference, struct rsab_key **out)
{
	const char *uri = uri_of(token);
	int error = rsab_key_load_public_token(rsab_key_token(token->key),
	    uri, strlen(uri), true, RSAB_RSA, reference->public,
	    reference->public_len, out);

	if (error == 0)
		return 0;
	warnx("%s: public key of %u bits: %s", token->place->module,
	    reference->bits, rsab_strerror(error));
	return EX_SOFTWARE;
}

int
rsa_token_echo(void *arg, unsigned thread, size_t rounds)
{
	const struct rsa_token *token = arg;
	struct rsab_token *rsab = rsab_key_token(token->key);
	const char *uri = uri_of(token);
	struct rsab_token_detail detail;
	size_t n = strlen(uri);
	int error = 0;

	(void)thread;
	while (rounds-- > 0 && error == 0)
		error = rsab_token_echo(rsab, uri, n, token->size, &detail);
	if (error == 0)
		return 0;
	warnx("%s: dkimd-token: %s: %s", token->place->module,
	    rsab_strerror(error), detail.text);
	return EX_SOFTWARE;
}
