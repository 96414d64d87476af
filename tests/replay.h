/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs messages against key records out of files, for the tests of the engine:
 * the formats are those of tests/vectors/README.
 */
#ifndef TEST_REPLAY_H
#define TEST_REPLAY_H

#include "tests/test.h"

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "dkim/dkim.h"

#define REPLAY_COLUMNS	8

struct replay {
	struct dkim_lib			*lib;
	const struct rsab_backend	*backend;
	struct rsab_worker		*worker;
};

/*
 * One message, all of it kept until replay_done.
 */
struct replay_message {
	struct dkim_header	*header;
	struct dkim_verifier	*verifier;
};

static inline void
replay_begin(struct replay *r)
{
	assert_int_equal(dkim_lib_new(&r->lib), 0);
	assert_int_equal(rsab_backend_find("libcrypto", &r->backend), 0);
	assert_int_equal(rsab_worker_new(&r->worker), 0);
}

static inline void
replay_end(struct replay *r)
{
	rsab_worker_free(r->worker);
	dkim_lib_free(r->lib);
}

/*
 * A whole file, or NULL; the caller frees.
 */
static inline char *
replay_file(const char *folder, const char *name, size_t *n)
{
	size_t path_n = strlen(folder) + strlen(name) + 2;
	char *path = malloc(path_n), *p = NULL;
	FILE *f;
	long size;

	*n = 0;
	snprintf(path, path_n, "%s/%s", folder, name);
	f = fopen(path, "rb");
	free(path);
	if (f == NULL)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 &&
	    fseek(f, 0, SEEK_SET) == 0) {
		p = malloc((size_t)size + 1);
		*n = fread(p, 1, (size_t)size, f);
		p[*n] = '\0';
	}
	fclose(f);
	return p;
}

/*
 * Take the next line off *rest and cut it at its TABs in place. Comment lines
 * are passed over. False at the end.
 */
static inline bool
replay_row(char **rest, char *columns[REPLAY_COLUMNS])
{
	char *line, *end;
	size_t i;

	do {
		line = *rest;
		if (*line == '\0')
			return false;
		end = strchr(line, '\n');
		*rest = end == NULL ? line + strlen(line) : end + 1;
		if (end != NULL)
			*end = '\0';
	} while (*line == '#' || *line == '\0');
	for (i = 0; i < REPLAY_COLUMNS; i++) {
		columns[i] = line;
		if (line != NULL && (line = strchr(line, '\t')) != NULL)
			*line++ = '\0';
	}
	return true;
}

/*
 * Undo \\ \t \r \n \xHH in place.
 *   result   octets
 */
static inline size_t
replay_unescape(char *s)
{
	unsigned value;
	char *in = s, *out = s;

	while (*in != '\0') {
		if (*in != '\\') {
			*out++ = *in++;
			continue;
		}
		in++;
		if (*in == 'x' && sscanf(in + 1, "%2x", &value) == 1) {
			*out++ = (char)value;
			in += 3;
			continue;
		}
		*out++ = *in == 't' ? '\t' : *in == 'r' ? '\r' :
		    *in == 'n' ? '\n' : '\\';
		in++;
	}
	*out = '\0';
	return (size_t)(out - s);
}

/*
 * Does the name of a row stand for the name asked? Those of the files may have
 * U-labels or capitals.
 */
static inline bool
replay_is_name(const char *row, const char *name)
{
	char ascii[DKIM_NAME_MAX + 1];

	if (dkim_selector_to_ascii(slice_text(row), ascii) != 0)
		return false;
	return strcmp(ascii, name) == 0;
}

/*
 * The answer that the rows of name, TAB, TXT value give.
 *   dns      NUL-ended; not changed
 */
static inline struct dkim_answer
replay_answer(const struct replay *r, const char *dns, const char *name)
{
	struct dkim_answer answer = { DKIM_ANSWER_NO_KEY, NULL,
	    DKIM_DNSSEC_INSECURE, NULL };
	struct slice records[DKIM_TXT_RECORDS_MAX + 1];
	char *copy = strdup(dns), *rest = copy;
	char *column[REPLAY_COLUMNS];
	size_t n = 0;

	while (n <= DKIM_TXT_RECORDS_MAX && replay_row(&rest, column)) {
		char *value = column[1] == NULL ? column[0] + strlen(column[0])
		    : column[1];

		if (!replay_is_name(column[0], name) ||
		    strcmp(value, "!NXDOMAIN") == 0 ||
		    strcmp(value, "!NODATA") == 0)
			continue;
		if (value[0] == '!') {
			answer.state = DKIM_ANSWER_TEMPERROR;
			answer.detail = strcmp(value, "!SERVFAIL") == 0 ?
			    "SERVFAIL" : "timeout";
			continue;
		}
		records[n].n = replay_unescape(value);
		records[n++].p = (const uint8_t *)value;
	}
	if (n > 0) {
		answer.state = DKIM_ANSWER_FOUND;
		assert_int_equal(dkim_keyset_parse(r->backend, records, n,
		    &answer.keyset), 0);
	}
	free(copy);
	return answer;
}

/*
 * What the reader's functions need.
 */
struct replay_reading {
	const struct replay			*r;
	const char				*dns;
	const struct dkim_verify_options	*options;
	struct replay_message			*message;
};

static inline int
replay_on_header(void *context)
{
	struct replay_reading *reading = context;
	struct replay_message *m = reading->message;
	size_t i;
	int r;

	r = dkim_verifier_new(reading->r->lib, m->header, reading->options,
	    &m->verifier);
	if (r != 0)
		return r;
	for (i = 0; i < dkim_verifier_queries(m->verifier); i++)
		dkim_verifier_answer(m->verifier, i, replay_answer(reading->r,
		    reading->dns, dkim_verifier_query(m->verifier, i)));
	return 0;
}

static inline int
replay_on_body(void *context, struct slice octets)
{
	struct replay_reading *reading = context;

	return dkim_verifier_body(reading->message->verifier, octets);
}

/*
 * Verify a message to its end.
 *   cut      the octets are fed in two pieces; 0: in one
 *   result   a code of ours
 */
static inline int
replay_verify(const struct replay *r, struct slice octets, size_t cut,
    const char *dns, const struct dkim_verify_options *options,
    struct replay_message *m)
{
	struct replay_reading reading = { r, dns, options, m };
	struct dkim_reader *reader = NULL;
	int e;

	memset(m, 0, sizeof(*m));
	e = dkim_header_new(0, &m->header);
	if (e == 0)
		e = dkim_reader_new(m->header, replay_on_header,
		    replay_on_body, &reading, &reader);
	if (e == 0 && cut > 0)
		e = dkim_reader_feed(reader, slice_sub(octets, 0, cut));
	if (e == 0)
		e = dkim_reader_feed(reader, slice_from(octets, cut));
	if (e == 0)
		e = dkim_reader_end(reader);
	if (e == 0)
		e = dkim_verifier_body_end(m->verifier);
	if (e == 0)
		e = dkim_verifier_finish(m->verifier, r->worker);
	dkim_reader_free(reader);
	return e;
}

static inline void
replay_done(struct replay_message *m)
{
	dkim_verifier_free(m->verifier);
	dkim_header_free(m->header);
}

/*
 * The verdicts as one line: "pass permerror", or "none".
 */
static inline void
replay_results(const struct replay_message *m, char *out, size_t space)
{
	size_t i, n = dkim_verifier_count(m->verifier), used = 0;

	snprintf(out, space, "%s", n == 0 ? "none" : "");
	for (i = 0; i < n && used < space; i++)
		used += (size_t)snprintf(out + used, space - used, "%s%s",
		    i == 0 ? "" : " ", dkim_result_text(
		    dkim_verifier_verdict(m->verifier, i)->result));
}

/*
 * The first choices of a column "pass|policy fail".
 */
static inline void
replay_first_choices(const char *in, char *out, size_t space)
{
	bool skip = false;
	size_t n = 0;

	for (; *in != '\0' && n + 1 < space; in++) {
		if (*in == ' ')
			skip = false;
		if (*in == '|')
			skip = true;
		if (!skip)
			out[n++] = *in;
	}
	out[n] = '\0';
}

#endif
