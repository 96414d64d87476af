/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonicalization of the body (RFC 6376 s3.4.3, s3.4.4); see canon.h.
 *
 * Both forms end the same way: line ends are held back until another octet
 * comes, so those at the end of the body vanish. What is held back mostly still
 * lies in front of that octet, and then leaves together with it, as one run.
 */

/* this room */
#include "canon.h"
#include "canon_run.h"
#include "gather.h"

#define PIECE	16384	/* octets scanned, then hashed: stay in the L1 cache */
#define SHORT	256	/* octets; behind shorter runs a piece is packed: */
#define PACKED	4096	/* octets of such a piece at most, */
#define LEAST	64	/* and at least */

static const uint8_t line_ends[64] =
    "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n"
    "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n";

static void
give(struct canon *c, struct slice octets, struct gather *out)
{
	c->any = true;
	gather_add(out, octets);
}

static bool
is_line_end(struct slice in, size_t at)
{
	return in.p[at] == '\r' && in.p[at + 1] == '\n';
}

/*
 * Where the octets held back begin in front of at, when they lie there as they
 * will be given out; else at.
 */
static size_t
held_in_place(const struct canon *c, struct slice in, size_t at)
{
	size_t from = at;
	uint64_t i;

	if (c->cr || c->blank_lines > at / 2)
		return at;
	if (c->white) {
		if (from == 0 || in.p[from - 1] != ' ')
			return at;
		from--;
	}
	for (i = 0; i < c->blank_lines; i++) {
		if (from < 2 || !is_line_end(in, from - 2))
			return at;
		from -= 2;
	}
	return from;
}

/*
 * Give out what was held back.
 */
static void
give_held(struct canon *c, struct gather *out)
{
	size_t n;

	while (c->blank_lines > 0) {
		n = c->blank_lines < sizeof(line_ends) / 2 ?
		    (size_t)c->blank_lines : sizeof(line_ends) / 2;
		give(c, slice_of(line_ends, 2 * n), out);
		c->blank_lines -= n;
	}
	if (c->white)
		give(c, slice_of(" ", 1), out);
	if (c->cr)
		give(c, slice_of("\r", 1), out);
	c->white = false;
	c->cr = false;
}

/*
 * Give out in from at to end, where no white space is to be held back, but hold
 * back the line ends there. The octet at is no part of a line end, or nothing
 * is left.
 */
static void
give_run(struct canon *c, struct slice in, size_t at, size_t end,
    struct gather *out)
{
	size_t last = end, from;

	if (in.p[last - 1] == '\r')
		last--;
	while (last - at >= 2 && is_line_end(in, last - 2))
		last -= 2;
	if (last > at) {
		from = held_in_place(c, in, at);
		if (from == at)
			give_held(c, out);
		c->white = false;
		c->blank_lines = 0;
		give(c, slice_sub(in, from, last - from), out);
	}
	c->blank_lines += (end - last) / 2;
	c->cr = (end - last) % 2 != 0;
}

/*
 * RFC 6376 s3.4.3 #3: all goes on as it is, but line ends at the end of the
 * body.
 */
static void
simple(struct canon *c, struct slice in, struct gather *out)
{
	size_t at = 0;

	if (in.n == 0)
		return;
	if (c->cr && in.p[0] == '\n') {
		c->cr = false;
		c->blank_lines++;
		at = 1;
	} else if (c->cr) {
		give_held(c, out);
	}
	if (at < in.n)
		give_run(c, in, at, in.n, out);
}

/*
 * Give out octets of in from at on, of which the first is neither white space
 * nor a CR, and no CR is held back. Where relaxed has little to do they go as
 * they lie; where there is much, a piece is packed.
 *   returns  so many of them
 */
static size_t
give_text(struct canon *c, struct slice in, size_t at, struct gather *out)
{
	struct slice rest = slice_from(in, at);
	uint8_t octets[PACKED + CANON_RUN_SLACK];
	size_t n, packed;

	n = canon_run(slice_sub(rest, 0, rest.n < PIECE ? rest.n : PIECE));
	assert(n > 0);
	if (n >= SHORT || rest.n < LEAST + CANON_RUN_AHEAD) {
		give_run(c, in, at, at + n, out);
		return n;
	}
	n = rest.n - CANON_RUN_AHEAD;
	if (n > PACKED)
		n = PACKED;
	packed = canon_run_pack(rest, n, octets);
	give_run(c, slice_of(octets, packed), 0, packed, out);
	return n;
}

/*
 * RFC 6376 s3.4.4 #1: white space first, so that a line it leaves empty counts
 * as empty.
 */
static void
relaxed(struct canon *c, struct slice in, struct gather *out)
{
	size_t at = 0, n;
	uint8_t octet;

	while (at < in.n) {
		octet = in.p[at];
		n = 1;
		if (c->cr && octet == '\n') {
			/* RFC 6376 s3.4.4 #2, #3: white space in front of a
			 * line end goes, the line end stays */
			c->white = false;
			c->cr = false;
			c->blank_lines++;
			at++;
			continue;
		}
		if (c->cr)
			give_held(c, out);
		if (octet == ' ' || octet == '\t') {
			/* RFC 6376 s3.4.4 #4: a run of any length is one SP */
			c->white = true;
		} else if (octet == '\r') {
			c->cr = true;
		} else {
			n = give_text(c, in, at, out);
		}
		at += n;
	}
}

static void
plain(struct canon *c, struct slice in, struct gather *out)
{
	if (c->alg == DKIM_SIMPLE)
		simple(c, in, out);
	else
		relaxed(c, in, out);
}

/*
 * As plain, bare CR and bare LF made CRLF (RFC 6376 s5.3). A CR at the end of
 * in is taken for a line end at once, and the LF that may follow is skipped.
 */
static void
fixed(struct canon *c, struct slice in, struct gather *out)
{
	size_t start = 0, bad;

	if (in.n == 0)
		return;
	if (c->fixed_cr && in.p[0] == '\n')
		start = 1;
	c->fixed_cr = in.p[in.n - 1] == '\r';
	for (; start < in.n; start = bad + 1) {
		bad = start + canon_run_bare(slice_from(in, start));
		plain(c, slice_sub(in, start, bad - start), out);
		if (bad == in.n)
			break;
		plain(c, slice_of(line_ends, 2), out);
	}
}

void
canon_init(struct canon *c, enum dkim_canon alg, bool fix_crlf)
{
	*c = (struct canon){ .alg = alg, .fix_crlf = fix_crlf };
}

void
canon_body(struct canon *c, struct slice in, struct sink *out)
{
	struct gather g;

	gather_init(&g, out);
	if (c->fix_crlf)
		fixed(c, in, &g);
	else
		plain(c, in, &g);
	gather_end(&g);
}

void
canon_body_end(struct canon *c, struct sink *out)
{
	struct gather g;

	gather_init(&g, out);
	if (c->cr)
		give_held(c, &g);
	/* RFC 6376 s3.4.3 #1, s3.4.4 #5: what is still held back is the end */
	c->white = false;
	c->blank_lines = 0;
	/* RFC 6376 s3.4.3 #2, #4, s3.4.4 #6, #7: one CRLF at the end; a body
	 * without octets has it in simple, not in relaxed (erratum 1377) */
	if (c->alg == DKIM_SIMPLE || c->any)
		give(c, slice_of(line_ends, 2), &g);
	gather_end(&g);
}

int
dkim_canon_parse(struct slice text, enum dkim_canon *header,
    enum dkim_canon *body)
{
	struct slice side[2] = { text, slice_text("simple") };
	enum dkim_canon alg[2];
	size_t slash = slice_find(text, '/'), i;

	/* RFC 6376 s3.5 #27, s3.4 #3: one word is the header's; all pairs */
	if (slash < text.n) {
		side[0] = slice_sub(text, 0, slash);
		side[1] = slice_from(text, slash + 1);
	}
	for (i = 0; i < 2; i++) {
		if (slice_equal_nocase(side[i], slice_text("simple")))
			alg[i] = DKIM_SIMPLE;
		else if (slice_equal_nocase(side[i], slice_text("relaxed")))
			alg[i] = DKIM_RELAXED;
		else
			return DKIM_ERR_SYNTAX;
	}
	*header = alg[0];
	*body = alg[1];
	return 0;
}

const char *
dkim_canon_text(enum dkim_canon canon)
{
	return canon == DKIM_SIMPLE ? "simple" : "relaxed";
}
