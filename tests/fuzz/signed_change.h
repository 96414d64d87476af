/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What fuzz_signed reads: a recipe for a signed message and for one change to
 * it on the way; and a mutator that keeps it one.
 */
#ifndef SIGNED_CHANGE_H
#define SIGNED_CHANGE_H

/* this room */
#include "tests/fuzz/signed_made.h"

#define SIGNED_HEAD	5		/* octets before the tags */

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max,
    unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t max)
    __attribute__((weak));	/* of libFuzzer: not there in a replay */

enum change {
	CHANGE_BODY_OCTET,
	CHANGE_BODY_INSERT,
	CHANGE_BODY_CUT,
	CHANGE_FIELD_OCTET,
	CHANGE_FIELD_INSERT,
	CHANGE_FIELD_GONE,
	CHANGE_FIELD_TWICE,
	CHANGE_NONE,
	CHANGES,
};

/*
 * Octets of options, of the kind of change, of its place (two) and its octet;
 * the tags up to a NUL, then the message.
 */
struct signed_recipe {
	uint8_t		options, kind, octet;
	size_t		place;
	struct slice	tags, message;
};

/*
 * Take an input apart; false: it is too short or too long.
 */
static inline bool
signed_take(struct slice in, struct signed_recipe *out)
{
	if (in.n < SIGNED_HEAD || in.n > 65536)
		return false;
	*out = (struct signed_recipe){ in.p[0], in.p[1], in.p[4],
	    in.p[2] | (size_t)in.p[3] << 8, { NULL, 0 }, { NULL, 0 } };
	in = slice_from(in, SIGNED_HEAD);
	out->tags = fuzz_until(&in, '\0');
	out->message = in;
	return true;
}

/* ---- a change on the way ------------------------------------------------ */

/*
 * old, with one octet other, one more, or without the rest.
 */
static inline void
signed_alter(struct slice old, enum change kind, const struct signed_recipe *r,
    struct buf *out)
{
	size_t at = r->place % (old.n + 1);

	buf_add(out, slice_sub(old, 0, at));
	if (kind != CHANGE_BODY_CUT) {
		buf_add_octet(out, r->octet);
		buf_add(out, slice_from(old, at + (kind ==
		    CHANGE_BODY_OCTET && at < old.n)));
	}
	FUZZ_WANT(buf_end(out) == 0);
}

static inline bool
signed_alter_header(struct signed_message *m, enum change kind,
    const struct signed_recipe *r)
{
	size_t n = dkim_header_count(m->header), i, at;
	struct dkim_header *out;
	struct slice value;
	struct buf b;
	int e = 0;

	if (n < 2)
		return false;
	/* not the signature itself */
	at = 1 + r->octet % (n - 1);
	buf_init(&b, SIGNED_MAX);
	FUZZ_WANT(dkim_header_new(0, &out) == 0);
	for (i = 0; e == 0 && i < n; i++) {
		value = dkim_header_value(m->header, i);
		if (i == at && kind == CHANGE_FIELD_GONE)
			continue;
		if (i == at && kind <= CHANGE_FIELD_INSERT) {
			signed_alter(value, kind == CHANGE_FIELD_OCTET ?
			    CHANGE_BODY_OCTET : CHANGE_BODY_INSERT, r, &b);
			value = buf_slice(&b);
		}
		e = dkim_header_add(out, dkim_header_name(m->header, i),
		    value);
		if (e == 0 && i == at && kind == CHANGE_FIELD_TWICE)
			e = dkim_header_add(out, dkim_header_name(m->header,
			    i), value);
	}
	buf_clear(&b);
	dkim_header_free(e == 0 ? m->header : out);
	if (e == 0)
		m->header = out;
	return e == 0;
}

/*
 * False: that would be no message.
 */
static inline bool
signed_change(struct signed_message *m, const struct signed_recipe *r)
{
	enum change kind = r->kind % CHANGES;
	struct buf b;

	if (kind == CHANGE_NONE)
		return false;
	if (kind >= CHANGE_FIELD_OCTET)
		return signed_alter_header(m, kind, r);
	buf_init(&b, SIGNED_MAX);
	signed_alter(buf_slice(&m->body), kind, r, &b);
	buf_clear(&m->body);
	m->body = b;		/* moved */
	return true;
}

/* ---- mutations that keep an input a message ----------------------------- */

static const char *const signed_pieces[] = { "v=1;", "a=ed25519-sha256;",
	"a=rsa-sha256;", "c=relaxed/relaxed;", "c=simple/relaxed;",
	"d=example.com;", "s=sel;", "h=From;", "h=from:to:from:x:subject;",
	"l=0;", "l=5;", "l=1000000;", "t=1798761600;", "t=1798762000;",
	"x=1798761599;", "x=1798761601;", "i=@a.example.com;",
	"i=u=40@example.com;", "q=dns/txt;", "z=From:a|To:b;", "\r\n ", "\t",
	"From: a@example.com\r\n", "To: b\r\n", "From: \r\n c@d.example\r\n",
	"X:\r\n", "\r\n\r\n", " \r\n", "DKIM-Signature: v=1; d=a.b\r\n" };

/*
 * Put a piece in, or take a line out, at a random place.
 */
size_t
LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max, unsigned seed)
{
	const char *piece = signed_pieces[(seed >> 2) % (sizeof(signed_pieces) /
	    sizeof(signed_pieces[0]))];
	size_t at, size = strlen(piece), end;

	if (LLVMFuzzerMutate == NULL)
		return n;
	if ((seed & 3) < 2 || n < SIGNED_HEAD + 1)
		return LLVMFuzzerMutate(p, n, max);
	at = SIGNED_HEAD + (seed >> 8) % (n - SIGNED_HEAD);
	if ((seed & 3) == 2) {
		for (end = at; end < n && p[end] != '\n' && p[end] != ';';)
			end++;
		end += end < n;
		memmove(p + at, p + end, n - end);
		return n - (end - at);
	}
	/* behind the end of a tag or a line */
	while (at > SIGNED_HEAD && p[at - 1] != '\n' && p[at - 1] != ';' &&
	    p[at - 1] != '\0')
		at--;
	if (n + size > max)
		return n;
	memmove(p + at + size, p + at, n - at);
	memcpy(p + at, piece, size);
	return n + size;
}

#endif
