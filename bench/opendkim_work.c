/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops of libopendkim; see opendkim_work.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include <dkim.h>

/* this room */
#include "opendkim_work.h"

#define SIGNATURE_MAX	4096	/* octets of the field */

static const char name[] = "DKIM-Signature:";
static const unsigned char id[] = "dkimbench";

struct opendkim_work {
	const struct opendkim_mail *mail;
	bool		 sign;
	DKIM_LIB	*lib;
	char		 keys[32];		/* file of public keys */
	char		 field[SIGNATURE_MAX];	/* with its name */
};

static int
wrong(const char *what, DKIM_STAT status)
{
	warnx("libopendkim: %s: %s", what, dkim_getresultstr(status));
	return EX_SOFTWARE;
}

/*
 * Header and body, under a signature where there is one, to the result.
 */
static DKIM_STAT
feed(DKIM *dkim, const struct opendkim_mail *mail, const char *field)
{
	DKIM_STAT status = DKIM_STAT_OK;

	if (field != NULL)
		status = dkim_header(dkim, (u_char *)(uintptr_t)field,
		    strlen(field));
	for (size_t i = 0; i < mail->n && status == DKIM_STAT_OK; i++)
		status = dkim_header(dkim,
		    (u_char *)(uintptr_t)mail->fields[i],
		    strlen(mail->fields[i]));
	if (status == DKIM_STAT_OK)
		status = dkim_eoh(dkim);
	if (status == DKIM_STAT_OK)
		status = dkim_body(dkim, (u_char *)(uintptr_t)mail->body,
		    mail->octets);
	if (status == DKIM_STAT_OK)
		status = dkim_eom(dkim, NULL);
	return status;
}

/*
 * One message signed.
 *   field    room for the field, name included
 */
static int
sign(const struct opendkim_work *w, char field[SIGNATURE_MAX])
{
	const struct opendkim_mail *m = w->mail;
	DKIM_STAT status = DKIM_STAT_OK;
	DKIM *dkim;

	dkim = dkim_sign(w->lib, id, NULL, (dkim_sigkey_t)(uintptr_t)m->pem,
	    (const unsigned char *)m->selector,
	    (const unsigned char *)m->domain, m->header_relaxed ?
	    DKIM_CANON_RELAXED : DKIM_CANON_SIMPLE, m->body_relaxed ?
	    DKIM_CANON_RELAXED : DKIM_CANON_SIMPLE, DKIM_SIGN_RSASHA256, -1,
	    &status);
	if (dkim == NULL)
		return wrong("dkim_sign", status);
	status = feed(dkim, m, NULL);
	memcpy(field, name, sizeof name);
	field[sizeof name - 1] = ' ';
	if (status == DKIM_STAT_OK)
		status = dkim_getsighdr(dkim, (u_char *)field + sizeof name,
		    SIGNATURE_MAX - sizeof name, sizeof name);
	if (dkim_free(dkim) != DKIM_STAT_OK && status == DKIM_STAT_OK)
		status = DKIM_STAT_INTERNAL;
	return status == DKIM_STAT_OK ? 0 : wrong("signing", status);
}

/*
 * The result of verifying.
 */
static DKIM_STAT
verify(const struct opendkim_work *w)
{
	DKIM_STAT status = DKIM_STAT_OK;
	DKIM *dkim = dkim_verify(w->lib, id, NULL, &status);

	if (dkim == NULL)
		return status;
	status = feed(dkim, w->mail, w->field);
	if (dkim_free(dkim) != DKIM_STAT_OK && status == DKIM_STAT_OK)
		status = DKIM_STAT_INTERNAL;
	return status;
}

int
opendkim_work_run(void *arg, unsigned thread, size_t rounds)
{
	const struct opendkim_work *w = arg;
	char field[SIGNATURE_MAX];
	DKIM_STAT result;
	int status = 0;

	(void)thread;
	while (rounds-- > 0 && status == 0) {
		if (!w->sign) {
			result = verify(w);
			if (result != DKIM_STAT_OK)
				status = wrong("verifying", result);
			continue;
		}
		status = sign(w, field);
		if (status == 0 && strcmp(field, w->field) != 0) {
			warnx("libopendkim: a signature is another one than "
			    "before");
			status = EX_SOFTWARE;
		}
	}
	return status;
}

/*
 * The library takes public keys from a file: a name and a record a line.
 */
static int
keys_write(struct opendkim_work *w)
{
	int fd, n;
	bool good;

	strcpy(w->keys, "/tmp/dkimbench-keys-XXXXXX");
	fd = mkstemp(w->keys);
	if (fd < 0) {
		warn("%s", w->keys);
		w->keys[0] = '\0';
		return EX_CANTCREAT;
	}
	n = dprintf(fd, "%s._domainkey.%s %s\n", w->mail->selector,
	    w->mail->domain, w->mail->record);
	good = close(fd) == 0 && n > 0;
	if (!good)
		warn("%s", w->keys);
	return good ? 0 : EX_IOERR;
}

static int
options_set(struct opendkim_work *w)
{
	dkim_query_t query = DKIM_QUERY_FILE;
	uint64_t now = w->mail->now;
	DKIM_STAT status;

	status = dkim_options(w->lib, DKIM_OP_SETOPT, DKIM_OPTS_QUERYMETHOD,
	    &query, sizeof query);
	if (status == DKIM_STAT_OK)
		status = dkim_options(w->lib, DKIM_OP_SETOPT,
		    DKIM_OPTS_QUERYINFO, w->keys, strlen(w->keys));
	if (status == DKIM_STAT_OK)
		status = dkim_options(w->lib, DKIM_OP_SETOPT,
		    DKIM_OPTS_FIXEDTIME, &now, sizeof now);
	return status == DKIM_STAT_OK ? 0 : wrong("dkim_options", status);
}

/*
 * A right signature verifies, and one that has another character does not.
 */
static int
control(struct opendkim_work *w)
{
	DKIM_STAT result = verify(w);
	char *last;

	if (result != DKIM_STAT_OK)
		return wrong("verifying", result);
	/* in the last line, far from the digits of which bits are not used */
	last = w->field + strlen(w->field) - 9;
	*last = *last == 'A' ? 'B' : 'A';
	result = verify(w);
	if (result != DKIM_STAT_BADSIG) {
		warnx("libopendkim: a corrupted signature: %s",
		    dkim_getresultstr(result));
		return EX_SOFTWARE;
	}
	return sign(w, w->field);
}

int
opendkim_work_new(const struct opendkim_mail *mail, bool is_sign,
    struct opendkim_work **out)
{
	struct opendkim_work *w = calloc(1, sizeof *w);
	int status;

	if (w == NULL || (w->lib = dkim_init(NULL, NULL)) == NULL) {
		free(w);
		warnx("libopendkim: no memory");
		return EX_OSERR;
	}
	w->mail = mail;
	w->sign = is_sign;
	status = keys_write(w);
	if (status == 0)
		status = options_set(w);
	if (status == 0)
		status = sign(w, w->field);
	if (status == 0)
		status = control(w);
	if (status == 0)
		*out = w;
	else
		opendkim_work_free(w);
	return status;
}

void
opendkim_work_free(struct opendkim_work *work)
{
	if (work == NULL)
		return;
	if (work->keys[0] != '\0')
		(void)unlink(work->keys);
	dkim_close(work->lib);
	free(work);
}

const char *
opendkim_work_field(const struct opendkim_work *work)
{
	return work->field + sizeof name - 1;
}

const char *
opendkim_work_version(void)
{
	static char text[32];
	uint32_t v = dkim_libversion();

	snprintf(text, sizeof text, "%u.%u.%u", v >> 24, v >> 16 & 255,
	    v >> 8 & 255);
	return text;
}
