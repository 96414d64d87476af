/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What software on the way does to a body, undone; see rewrite.h.
 */

/* this room */
#include "rewrite.h"

/*
 * Where one text becomes another: at the start of a line, or within a long
 * one.
 */
static const struct rule {
	const char	*from;
	const char	*to;
	bool		 within;
} rules[REWRITE_KINDS] = {
	[REWRITE_FROM] = { ">From ", "From ", false },
	[REWRITE_UNSTUFF] = { "..", ".", false },
	[REWRITE_STUFF] = { ".", "..", false },
	[REWRITE_JOIN] = { "\r\n ", "", true },
	[REWRITE_JOIN_BANG] = { "!\r\n ", "", true },
	[REWRITE_DASHES] = { "--\r\n", "-- \r\n", false },
};

void
rewrite_init(struct rewrite *r, enum rewrite_kind kind, struct sink *out)
{
	r->kind = kind;
	gather_init(&r->gather, out);
	r->column = 0;
	r->held = 0;
	r->high = 0;
	r->bits = 0;
	r->digits = 0;
}

static void
put(struct rewrite *r, uint8_t c)
{
	gather_octet(&r->gather, c);
	r->column = c == '\n' ? 0 : r->column + 1;
}

static void
put_text(struct rewrite *r, const char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put(r, (uint8_t)text[i]);
}

static void
add_by_rule(struct rewrite *r, uint8_t c)
{
	const struct rule *rule = &rules[r->kind];
	size_t held = r->held;

	if (held > 0 && c != (uint8_t)rule->from[held]) {
		r->held = 0;
		put_text(r, rule->from, held);
		held = 0;
	}
	if (held == 0 && (c != (uint8_t)rule->from[0] ||
	    (rule->within ? r->column < REWRITE_LONG : r->column > 0))) {
		put(r, c);
		return;
	}
	r->held = held + 1;
	if (rule->from[r->held] != '\0')
		return;
	r->held = 0;
	/* what an MTA broke goes on as a line of its own */
	if (rule->within)
		r->column = 0;
	put_text(r, rule->to, strlen(rule->to));
}

static int
hex_value(uint8_t c)
{
	c = slice_lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void
begin_qp(struct rewrite *r, uint8_t c)
{
	if (c == '=')
		r->held = 1;
	else
		put(r, c);
}

/*
 * RFC 2045 s6.7: "=XX" and soft line breaks; what is neither stays.
 */
static void
add_qp(struct rewrite *r, uint8_t c)
{
	size_t held = r->held;

	if (held == 0) {
		begin_qp(r, c);
		return;
	}
	if (held == 1 && (c == '\r' || hex_value(c) >= 0)) {
		r->high = c;
		r->held = 2;
		return;
	}
	r->held = 0;
	if (held == 2 && r->high == '\r' && c == '\n')
		return;
	if (held == 2 && r->high != '\r' && hex_value(c) >= 0) {
		put(r, (uint8_t)(hex_value(r->high) * 16 + hex_value(c)));
		return;
	}
	put(r, '=');
	if (held == 2)
		put(r, r->high);
	begin_qp(r, c);
}

static int
base64_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/*
 * RFC 2045 s6.8: whatever is no digit is passed over.
 */
static void
add_base64(struct rewrite *r, uint8_t c)
{
	int value = base64_value(c);

	if (value < 0)
		return;
	r->bits = (r->bits << 6 | (uint32_t)value) & 0xffffff;
	r->digits++;
	/* each digit but the first of four completes an octet */
	if (r->digits % 4 != 1)
		put(r, (uint8_t)(r->bits >> (6 - 2 * ((r->digits + 3) % 4))));
}

static void
put_white(struct rewrite *r)
{
	size_t held = r->held;

	r->held = 0;
	put_text(r, (const char *)r->white, held);
}

/*
 * White space is held until it is known what follows: the end of a line takes
 * it out.
 */
static void
add_blanks(struct rewrite *r, uint8_t c)
{
	if ((c == ' ' || c == '\t') && r->held < REWRITE_WHITE) {
		r->white[r->held++] = c;
		return;
	}
	if (c == '\r' || c == '\n')
		r->held = 0;
	put_white(r);
	put(r, c);
}

void
rewrite_add(struct rewrite *r, struct slice in)
{
	size_t i;

	if (r->kind == REWRITE_NONE) {
		gather_add(&r->gather, in);
		return;
	}
	for (i = 0; i < in.n; i++) {
		if (r->kind == REWRITE_QP)
			add_qp(r, in.p[i]);
		else if (r->kind == REWRITE_BASE64)
			add_base64(r, in.p[i]);
		else if (r->kind == REWRITE_BLANKS)
			add_blanks(r, in.p[i]);
		else
			add_by_rule(r, in.p[i]);
	}
}

void
rewrite_end(struct rewrite *r)
{
	size_t held = r->held;

	r->held = 0;
	if (r->kind == REWRITE_QP && held > 0) {
		put(r, '=');
		if (held == 2)
			put(r, r->high);
	} else if (held > 0 && r->kind != REWRITE_BLANKS)
		put_text(r, rules[r->kind].from, held);
	gather_end(&r->gather);
}
