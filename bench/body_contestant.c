/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine's body hash as it is measured; see body_contestant.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <sysexits.h>
#include <openssl/evp.h>

/* this room */
#include "body_contestant.h"

struct body_form {
	const char	*name;
	bool		 has[2];	/* by enum dkim_canon */
	bool		 half;		/* l= */
	bool		 fix_crlf;
};

static const struct body_form forms[] = {
	{ BODY_CONTESTANT_ALONE, { false, false }, false, false },
	{ "simple", { true, false }, false, false },
	{ "relaxed", { false, true }, false, false },
	{ "simple-l", { true, false }, true, false },
	{ "relaxed-l", { false, true }, true, false },
	{ "simple-fixcrlf", { true, false }, false, true },
	{ "relaxed-fixcrlf", { false, true }, false, true },
	{ "both", { true, true }, false, false },
};

/*
 * A line without its CRLF in its canonical form; out: as much room.
 *   source   RFC 6376 s3.4.3, s3.4.4
 */
static size_t
line_form(enum dkim_canon alg, struct slice line, uint8_t *out)
{
	size_t used = 0;

	for (size_t i = 0; i < line.n; i++) {
		uint8_t octet = line.p[i];

		if (alg == DKIM_RELAXED && (octet == ' ' || octet == '\t')) {
			if (used > 0 && out[used - 1] == ' ')
				continue;
			octet = ' ';
		}
		out[used++] = octet;
	}
	if (alg == DKIM_RELAXED && used > 0 && out[used - 1] == ' ')
		used--;
	return used;
}

/*
 * Canonical octets of a whole body; out: two more than body.
 *   returns  how many; lines at the end that are empty do not count
 */
static size_t
canonical(enum dkim_canon alg, struct slice body, uint8_t *out)
{
	size_t used = 0, end = 0, lf, n;
	struct slice line;

	for (size_t at = 0; at < body.n; at = lf + 1) {
		lf = at + slice_find(slice_from(body, at), '\n');
		line = slice_sub(body, at, lf < body.n ? lf - 1 - at :
		    body.n - at);
		n = line_form(alg, line, &out[used]);
		used += n;
		out[used++] = '\r';
		out[used++] = '\n';
		if (n > 0)
			end = used;
	}
	if (end == 0 && alg == DKIM_SIMPLE) {
		out[0] = '\r';
		out[1] = '\n';
		end = 2;
	}
	return end;
}

static int
want_hash(struct body_contestant *c, enum dkim_canon alg, const uint8_t *p,
    size_t n, uint64_t length)
{
	size_t octets = length < n ? (size_t)length : n, size;

	c->want[c->n].alg = alg;
	c->want[c->n].length = length;
	if (EVP_Q_digest(NULL, "SHA256", NULL, p, octets,
	    c->want[c->n++].value, &size) == 1 && size == DIGEST_SIZE)
		return 0;
	warnx("libcrypto gives no SHA-256");
	return EX_SOFTWARE;
}

static int
want_form(struct body_contestant *c, enum dkim_canon alg)
{
	uint8_t *octets = malloc(c->body.n + 2);
	size_t n;
	int status;

	if (octets == NULL) {
		warnx("no memory for a body of %zu octets", c->body.n);
		return EX_OSERR;
	}
	n = canonical(alg, c->body, octets);
	status = want_hash(c, alg, octets, n, UINT64_MAX);
	if (status == 0 && c->form->half)
		status = want_hash(c, alg, octets, n, n / 2);
	free(octets);
	return status;
}

int
body_contestant_init(struct body_contestant *c, const struct dkim_lib *lib,
    const char *form, struct slice body, size_t chunk)
{
	size_t f = 0;
	int status = 0;

	while (strcmp(forms[f].name, form) != 0)
		if (++f == sizeof forms / sizeof forms[0]) {
			warnx("%s: %s are known", form,
			    BODY_CONTESTANT_FORMS);
			return EX_USAGE;
		}
	*c = (struct body_contestant){ .lib = lib, .form = &forms[f],
	    .body = body, .chunk = chunk };
	if (!forms[f].has[DKIM_SIMPLE] && !forms[f].has[DKIM_RELAXED])
		return want_hash(c, DKIM_SIMPLE, body.p, body.n, UINT64_MAX);
	for (unsigned alg = 0; alg < 2 && status == 0; alg++)
		if (forms[f].has[alg])
			status = want_form(c, (enum dkim_canon)alg);
	return status;
}

static size_t
chunk_at(const struct body_contestant *c, size_t at)
{
	return c->chunk < c->body.n - at ? c->chunk : c->body.n - at;
}

/*
 * SHA-256 alone, as the engine calls it.
 */
static int
hash_alone(const struct body_contestant *c, uint8_t value[][DIGEST_SIZE])
{
	struct digest d;
	size_t n;
	int r = digest_init(&d, c->lib);

	for (size_t at = 0; r == 0 && at < c->body.n; at += n) {
		n = chunk_at(c, at);
		digest_add(&d, slice_sub(c->body, at, n));
	}
	if (r == 0)
		r = digest_finish(&d, value[0]);
	digest_clear(&d);
	return r;
}

static int
hash_form(const struct body_contestant *c, uint8_t value[][DIGEST_SIZE])
{
	size_t index[BODY_CONTESTANT_HASHES], n;
	struct bodyhash *b;
	uint64_t total;
	int r = bodyhash_new(c->lib, c->form->fix_crlf, &b);

	if (r != 0)
		return r;
	for (size_t i = 0; i < c->n && r == 0; i++)
		r = bodyhash_want(b, c->want[i].alg, c->want[i].length,
		    &index[i]);
	for (size_t at = 0; r == 0 && at < c->body.n; at += n) {
		n = chunk_at(c, at);
		r = bodyhash_add(b, slice_sub(c->body, at, n));
	}
	if (r == 0)
		r = bodyhash_end(b);
	for (size_t i = 0; i < c->n && r == 0; i++)
		bodyhash_get(b, index[i], value[i], &total);
	bodyhash_free(b);
	return r;
}

int
body_contestant_run(void *arg, unsigned thread, size_t rounds)
{
	uint8_t value[BODY_CONTESTANT_HASHES][DIGEST_SIZE];
	const struct body_contestant *c = arg;
	bool alone = strcmp(c->form->name, BODY_CONTESTANT_ALONE) == 0;
	int r;

	(void)thread;
	while (rounds-- > 0) {
		r = alone ? hash_alone(c, value) : hash_form(c, value);
		if (r != 0) {
			warnx("%s: %s", c->form->name, dkim_strerror(r));
			return EX_SOFTWARE;
		}
		for (size_t i = 0; i < c->n; i++)
			if (memcmp(value[i], c->want[i].value,
			    DIGEST_SIZE) != 0) {
				warnx("%s: hash %zu of the body is wrong",
				    c->form->name, i + 1);
				return EX_SOFTWARE;
			}
	}
	return 0;
}
