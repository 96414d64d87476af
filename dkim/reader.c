/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts a message, as a file holds it, into header fields and body octets
 * (RFC 5322 s2.1); see dkim.h. Input comes cut anywhere.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "dkim.h"

/* a field, the line behind it, and their line ends; plus what shows that one
 * of them is over the limit */
#define HELD_MAX	(2 * (DKIM_FIELD_MAX + 4))
#define PIECE		4096	/* octets of body converted at once */

enum lines {
	LINES_UNKNOWN,		/* the first line has not ended */
	LINES_CRLF,
	LINES_LF,
};

struct dkim_reader {
	struct dkim_header	*header;
	int			(*on_header)(void *context);
	dkim_body_fn		 on_body;
	void			*context;
	struct buf		 held;		/* a field, then a line */
	size_t			 line;		/* where the line begins */
	enum lines		 lines;
	bool			 begun;		/* a field was there */
	bool			 in_body;
	bool			 cr;		/* last body octet was CR */
	bool			 ended;
	int			 error;		/* sticky */
};

int
dkim_reader_new(struct dkim_header *header, int (*on_header)(void *context),
    dkim_body_fn on_body, void *context, struct dkim_reader **out)
{
	struct dkim_reader *r;

	if ((r = calloc(1, sizeof(*r))) == NULL)
		return DKIM_ERR_NOMEM;
	r->header = header;
	r->on_header = on_header;
	r->on_body = on_body;
	r->context = context;
	buf_init(&r->held, HELD_MAX);
	*out = r;
	return 0;
}

void
dkim_reader_free(struct dkim_reader *reader)
{
	if (reader == NULL)
		return;
	buf_clear(&reader->held);
	free(reader);
}

bool
dkim_reader_is_lf(const struct dkim_reader *reader)
{
	return reader->lines == LINES_LF;
}

/*
 * s without a line end.
 */
static struct slice
without_end(struct slice s)
{
	if (s.n >= 2 && s.p[s.n - 2] == '\r' && s.p[s.n - 1] == '\n')
		s = slice_sub(s, 0, s.n - 2);
	return s;
}

/*
 * Is this the envelope line in front of a message in mbox form (RFC 4155 A)?
 * "From :" is a field.
 */
static bool
is_envelope(struct slice field)
{
	static const char from[] = "From ";
	struct slice rest;

	if (field.n < strlen(from) ||
	    !slice_is(slice_sub(field, 0, strlen(from)), from))
		return false;
	rest = slice_trim(without_end(slice_from(field, strlen(from))));
	return rest.n > 0 && rest.p[0] != ':' &&
	    slice_find(rest, '\n') == rest.n;
}

static int
add_field(struct dkim_reader *r, struct slice field)
{
	size_t colon = slice_find(field, ':');
	bool first = !r->begun;

	r->begun = true;
	if (first && is_envelope(field))
		return 0;
	if (colon == field.n)
		return DKIM_ERR_SYNTAX;
	return dkim_header_add(r->header, slice_sub(field, 0, colon),
	    without_end(slice_from(field, colon + 1)));
}

static bool
is_folded(struct slice line)
{
	return line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t');
}

/*
 * The field in front of the line is complete.
 */
static int
end_field(struct dkim_reader *r)
{
	struct slice held = buf_slice(&r->held), line;
	struct slice field = slice_sub(held, 0, r->line);
	int error;

	if (field.n > 0 && (error = add_field(r, field)) != 0)
		return error;
	line = slice_from(held, r->line);
	if (line.n > 0)
		memmove(r->held.p, line.p, line.n);
	r->held.n = line.n;
	r->line = 0;
	return 0;
}

static int
end_header(struct dkim_reader *r)
{
	int error;

	if ((error = end_field(r)) != 0)
		return error;
	buf_clear(&r->held);
	r->in_body = true;
	/* RFC 5322 s3.6: there is no message without a field */
	if (dkim_header_count(r->header) == 0)
		return DKIM_ERR_SYNTAX;
	return r->on_header(r->context);
}

/*
 * A line has ended, or is longer than a field may be: it goes on with the field
 * in front of it, begins another or ends the header.
 */
static int
end_line(struct dkim_reader *r)
{
	struct slice line = slice_from(buf_slice(&r->held), r->line);
	int error;

	if (slice_is(line, "\r\n"))
		return end_header(r);
	if (is_folded(line)) {
		if (r->line == 0)
			return DKIM_ERR_SYNTAX;
	} else if ((error = end_field(r)) != 0) {
		return error;
	}
	r->line = r->held.n;
	/* over the limit: adding it says which one */
	return r->held.n > DKIM_FIELD_MAX + 2 ? end_field(r) : 0;
}

/*
 * Does the LF behind the octets held end a line? Makes it CRLF then.
 */
static bool
add_lf(struct dkim_reader *r)
{
	struct slice held = buf_slice(&r->held);
	bool cr = held.n > r->line && held.p[held.n - 1] == '\r';

	if (r->lines == LINES_UNKNOWN)
		r->lines = cr ? LINES_CRLF : LINES_LF;
	if (r->lines == LINES_LF && !cr)
		buf_add_octet(&r->held, '\r');
	buf_add_octet(&r->held, '\n');
	return cr || r->lines == LINES_LF;
}

/*
 * Header octets up to the first LF of in.
 *   used     octets of in that were taken
 */
static int
feed_header(struct dkim_reader *r, struct slice in, size_t *used)
{
	size_t n = slice_find(in, '\n'), line;
	size_t room = DKIM_FIELD_MAX + 3;
	bool ended = false;
	int error;

	*used = n < in.n ? n + 1 : n;
	line = r->held.n - r->line;
	/* what is beyond shows nothing new */
	buf_add(&r->held, slice_sub(in, 0, n < room - line ? n : room - line));
	if (line + n >= room)
		ended = true;
	else if (n < in.n)
		ended = add_lf(r);
	if ((error = buf_end(&r->held)) != 0)
		return error;
	return ended ? end_line(r) : 0;
}

/*
 * Body octets with LF for CRLF, a local encoding that no MTA sends (RFC 6376
 * s5.3).
 */
static int
convert_body(struct dkim_reader *r, struct slice in)
{
	uint8_t piece[PIECE];
	size_t i, n = 0;
	int error;

	for (i = 0; i < in.n; i++) {
		if (n + 2 > sizeof(piece)) {
			error = r->on_body(r->context, slice_of(piece, n));
			if (error != 0)
				return error;
			n = 0;
		}
		if (in.p[i] == '\n' && !r->cr)
			piece[n++] = '\r';
		piece[n++] = in.p[i];
		r->cr = in.p[i] == '\r';
	}
	return n == 0 ? 0 : r->on_body(r->context, slice_of(piece, n));
}

static int
feed(struct dkim_reader *r, struct slice in)
{
	size_t used;
	int error;

	while (!r->in_body && in.n > 0) {
		if ((error = feed_header(r, in, &used)) != 0)
			return error;
		in = slice_from(in, used);
	}
	if (in.n == 0)
		return 0;
	return r->lines == LINES_LF ? convert_body(r, in) :
	    r->on_body(r->context, in);
}

int
dkim_reader_feed(struct dkim_reader *reader, struct slice in)
{
	if (reader->ended)
		return DKIM_ERR_STATE;
	if (reader->error == 0)
		reader->error = feed(reader, in);
	return reader->error;
}

int
dkim_reader_end(struct dkim_reader *reader)
{
	if (reader->ended)
		return DKIM_ERR_STATE;
	reader->ended = true;
	if (reader->error != 0 || reader->in_body)
		return reader->error;
	/* a last line without its end is a line */
	if (reader->held.n > reader->line)
		reader->error = end_line(reader);
	if (reader->error == 0 && !reader->in_body)
		reader->error = end_header(reader);
	return reader->error;
}
