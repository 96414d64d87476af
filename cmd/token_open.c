/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys in tokens, for the command line; see token_open.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <termios.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "milter/conf_options.h"
#include "milter/tokens.h"
#include "milter/tokenuri.h"

/* this room */
#include "cmd/terminal_report.h"
#include "cmd/token_open.h"

/* What is wanted of the token. */
struct job {
	const char		*uri;
	bool			 generate;
	enum rsab_key_type	 type;
	unsigned		 bits;
};

bool
token_open_is_uri(const char *text)
{
	return tokenuri_is(slice_text(text));
}

/*
 * Options as the arguments make them. Who runs this may read what he can, so
 * PIN files may lie anywhere.
 */
static int
make_options(const struct token_open *how, struct options *out)
{
	struct conf_override overrides[3] = { { "PKCS11PINDirectory", "/" } };
	struct report report;
	size_t n = 1;

	if (how->module != NULL)
		overrides[n++] = (struct conf_override){ "PKCS11Module",
		    how->module };
	if (how->init_args != NULL)
		overrides[n++] = (struct conf_override){ "PKCS11InitArgs",
		    how->init_args };
	terminal_report_init(&report);
	return conf_options_load(NULL, overrides, n, &report, out) == 0 ? 0 :
	    EX_CONFIG;
}

/*
 * Ask for a PIN at the terminal, without showing it.
 *   out      size octets; NUL-ended
 *   returns  false: there is no terminal, or nothing was entered
 */
static bool
ask_pin(char *out, size_t size)
{
	struct termios was, silent;
	FILE *terminal = fopen("/dev/tty", "r+e");
	bool got = false;

	if (terminal == NULL)
		return false;
	/* The stream must not keep a copy */
	setvbuf(terminal, NULL, _IONBF, 0);
	if (tcgetattr(fileno(terminal), &was) == 0) {
		silent = was;
		silent.c_lflag &= ~(tcflag_t)ECHO;
		fputs("PIN of the token: ", terminal);
		if (tcsetattr(fileno(terminal), TCSAFLUSH, &silent) == 0) {
			got = fgets(out, (int)size, terminal) != NULL;
			tcsetattr(fileno(terminal), TCSAFLUSH, &was);
			fputs("\n", terminal);
		}
	}
	fclose(terminal);
	if (got)
		out[strcspn(out, "\r\n")] = '\0';
	return got && out[0] != '\0';
}

static bool
has_pin_source(const char *uri)
{
	struct buf path;
	bool has;

	buf_init(&path, RSAB_TOKEN_URI_MAX);
	tokenuri_pin_source(slice_text(uri), &path);
	has = path.n > 0;
	buf_clear(&path);
	return has;
}

/*
 *   returns  RSAB_ERR_*
 */
static int
try(const struct options *options, const struct job *job,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	struct slice uri = slice_text(job->uri);
	struct tokens *tokens;
	int r;

	if (tokens_new(options, 0, NULL, &tokens) != 0)
		return RSAB_ERR_NOMEM;
	if (job->generate)
		r = tokens_generate(tokens, uri, job->type, job->bits, detail,
		    out);
	else
		r = tokens_open(tokens, uri, false, detail, out);
	(void)tokens_unref(tokens);
	return r;
}

/*
 * Once more with the PIN of the person at the terminal.
 */
static int
try_with_pin(struct options *options, const struct job *job,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	char pin[RSAB_TOKEN_PIN_MAX + 2];
	int r = RSAB_ERR_PIN;

	if (ask_pin(pin, sizeof(pin))) {
		options->pkcs11_pin = strdup(pin);
		r = options->pkcs11_pin == NULL ? RSAB_ERR_NOMEM :
		    try(options, job, detail, out);
	}
	rsab_wipe(pin, sizeof(pin));
	return r;
}

static int
tell(const char *uri, int error, const struct rsab_token_detail *detail)
{
	char shown[512];

	rsab_token_uri_print(uri, strlen(uri), shown, sizeof(shown));
	warnx("%s: %s%s%s", shown, rsab_strerror(error),
	    detail->text[0] == '\0' ? "" : ": ", detail->text);
	switch (error) {
	case RSAB_ERR_NOMEM:
		return EX_OSERR;
	case RSAB_ERR_TOKEN:
		return EX_TEMPFAIL;
	case RSAB_ERR_TOKEN_NAME:
		return EX_CANTCREAT;
	default:
		return EX_CONFIG;
	}
}

static int
run(const struct token_open *how, const struct job *job, struct rsab_key **out)
{
	struct rsab_token_detail detail = { "" };
	struct options options;
	int r;

	r = make_options(how, &options);
	if (r != 0)
		return r;
	r = try(&options, job, &detail, out);
	if (r == RSAB_ERR_PIN && !has_pin_source(job->uri))
		r = try_with_pin(&options, job, &detail, out);
	conf_options_clear(&options);
	return r == 0 ? 0 : tell(job->uri, r, &detail);
}

int
token_open_key(const struct token_open *how, const char *uri,
    struct rsab_key **out)
{
	const struct job job = { .uri = uri };

	return run(how, &job, out);
}

int
token_open_generate(const struct token_open *how, const char *uri,
    enum rsab_key_type type, unsigned bits, struct rsab_key **out)
{
	const struct job job = { uri, true, type, bits };

	return run(how, &job, out);
}

void
token_open_detail(const struct rsab_key *key, struct rsab_token_detail *out)
{
	struct rsab_token *token = rsab_key_token(key);

	out->text[0] = '\0';
	if (token != NULL)
		rsab_token_detail(token, out);
}
