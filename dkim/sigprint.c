/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes our DKIM-Signature field (RFC 6376 s3.5): tags in a fixed order, lines
 * of at most 75 columns wherever a fold is allowed.
 */

/* this room */
#include "sigprint.h"
#include "base64.h"

#define WIDTH		75	/* columns of a line */
#define TAB_WIDTH	8	/* columns that begin a folded line */
#define B_ROOM		16	/* columns of b= that a line has room for */

static inline void
put(struct sigprint_writer *w, struct slice text)
{
	buf_add(w->out, text);
	w->column += text.n;
}

/*
 * RFC 6376 s2.8: a fold has octets on both sides, none follows another.
 */
static void
fold(struct sigprint_writer *w)
{
	buf_add_text(w->out, w->line_end);
	buf_add_octet(w->out, '\t');
	w->column = TAB_WIDTH;
}

/*
 * A piece that follows without white space where it fits; else a fold first.
 */
static void
put_piece(struct sigprint_writer *w, struct slice text)
{
	if (w->column + text.n > WIDTH && w->column > TAB_WIDTH)
		fold(w);
	put(w, text);
}

/*
 * White space before a tag of which n octets must stand on one line.
 */
static void
begin_tag(struct sigprint_writer *w, size_t n)
{
	if (w->column + 1 + n > WIDTH)
		fold(w);
	else
		put(w, slice_text(" "));
}

/*
 * name=value; without a fold.
 */
static void
put_tag(struct sigprint_writer *w, const char *name, struct slice value)
{
	begin_tag(w, strlen(name) + 1 + value.n + 1);
	put(w, slice_text(name));
	put(w, slice_text("="));
	put(w, value);
	put(w, slice_text(";"));
}

static void
put_number(struct sigprint_writer *w, const char *name, uint64_t value)
{
	uint8_t digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (uint8_t)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	put_tag(w, name, slice_of(digits + at, sizeof(digits) - at));
}

static void
put_canon(struct sigprint_writer *w, const struct sigprint *s)
{
	const char *header = dkim_canon_text(s->header_canon);
	const char *body = dkim_canon_text(s->body_canon);

	begin_tag(w, strlen(header) + strlen(body) + 4);
	put(w, slice_text("c="));
	put(w, slice_text(header));
	put(w, slice_text("/"));
	put(w, slice_text(body));
	put(w, slice_text(";"));
}

/*
 * RFC 6376 s3.5 h=: FWS may stand on either side of a colon.
 */
static void
put_names(struct sigprint_writer *w, const struct sigprint *s)
{
	size_t i;

	begin_tag(w, 2 + s->names[0].n + 1);
	put(w, slice_text("h="));
	for (i = 0; i < s->names_n; i++) {
		struct slice name = s->names[i];

		if (w->column + name.n + 1 > WIDTH && w->column > TAB_WIDTH &&
		    i > 0)
			fold(w);
		put(w, name);
		put(w, slice_text(i + 1 < s->names_n ? ":" : ";"));
	}
}

/*
 * RFC 6376 s3.5 z=: FWS anywhere after encoding; never inside "=XX".
 */
static void
put_copies(struct sigprint_writer *w, const struct sigprint *s)
{
	struct slice rest = s->copies;
	size_t n;

	begin_tag(w, B_ROOM);
	put(w, slice_text("z="));
	while (rest.n > 0) {
		n = rest.p[0] == '=' && rest.n >= 3 ? 3 : 1;
		put_piece(w, slice_sub(rest, 0, n));
		rest = slice_from(rest, n);
	}
	put(w, slice_text(";"));
}

static void
put_body_hash(struct sigprint_writer *w, const struct sigprint *s)
{
	uint8_t text[BASE64_SIZE(DIGEST_SIZE)];

	base64_write(slice_of(s->body_hash, DIGEST_SIZE), text);
	put_tag(w, "bh", slice_of(text, sizeof(text)));
}

/*
 * RFC 6376 s3.5 #12, #13, #14, #19, #22, #28, #33, #63, s3.2 #8: the required
 * tags are there, and each tag once.
 */
void
sigprint_head(const struct sigprint *s, struct sigprint_writer *w)
{
	w->column = sizeof("DKIM-Signature:") - 1;
	put_tag(w, "v", slice_text("1"));
	put_tag(w, "a", slice_text(s->algorithm));
	put_canon(w, s);
	put_tag(w, "d", s->domain);
	put_tag(w, "s", s->selector);
	put_number(w, "t", s->time);
	if (s->expiry != 0)
		put_number(w, "x", s->expiry);
	if (s->identity.n > 0)
		put_tag(w, "i", s->identity);
	put_body_hash(w, s);
	put_names(w, s);
	if (s->copies.n > 0)
		put_copies(w, s);
	begin_tag(w, B_ROOM);
	put(w, slice_text("b="));
}

void
sigprint_signature(struct slice base64, struct sigprint_writer *w)
{
	size_t n;

	while (base64.n > 0) {
		if (w->column >= WIDTH)
			fold(w);
		n = WIDTH - w->column;
		if (n > base64.n)
			n = base64.n;
		put(w, slice_sub(base64, 0, n));
		base64 = slice_from(base64, n);
	}
}
