/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonicalization of header fields (RFC 6376 s3.4.1, s3.4.2); see canon.h.
 */

/* this room */
#include "canon.h"
#include "canon_run.h"
#include "gather.h"

static bool
is_wsp(uint8_t octet)
{
	return octet == ' ' || octet == '\t';
}

/*
 * RFC 6376 s3.4.2 #2, #7, RFC 8616 s5 #8: ASCII in lower case, without the
 * white space in front of the colon.
 */
static void
put_relaxed_name(struct gather *g, struct slice name)
{
	size_t i, part, at = 0, n = name.n;
	uint64_t eight;
	uint8_t *out;

	while (n > 0 && is_wsp(name.p[n - 1]))
		n--;
	for (; at < n; at += part) {
		part = n - at < GATHER_SIZE ? n - at : GATHER_SIZE;
		out = gather_room(g, part);
		for (i = 0; part - i >= sizeof(eight); i += sizeof(eight)) {
			memcpy(&eight, &name.p[at + i], sizeof(eight));
			eight = slice_lower_eight(eight);
			memcpy(&out[i], &eight, sizeof(eight));
		}
		for (; i < part; i++)
			out[i] = slice_lower(name.p[at + i]);
	}
}

/*
 * Octets of white space and folds that s begins with.
 *   space    whether there is any but folds, which count for nothing
 */
static size_t
count_white(struct slice s, bool *space)
{
	size_t i = 0;

	*space = false;
	while (i < s.n) {
		if (is_wsp(s.p[i])) {
			*space = true;
			i++;
		} else if (s.p[i] == '\r' && s.n - i > 1 && s.p[i + 1] == '\n')
			i += 2;
		else
			break;
	}
	return i;
}

/*
 * RFC 6376 s3.4.2 #1, #3, #5, #6, #7: unfolded, runs of white space one SP,
 * none at the ends.
 */
static void
put_relaxed_value(struct gather *g, struct slice value)
{
	size_t white, run, cr = 0, at = 0;
	bool space;

	for (;;) {
		white = count_white(slice_from(value, at), &space);
		if (at + white == value.n)
			break;
		if (at > 0 && space)
			gather_octet(g, ' ');
		at += white;
		if (at >= cr)	/* a CR here is bare: content */
			cr = at + 1 + slice_find(slice_from(value, at + 1),
			    '\r');
		/* what stays within a line of a body stays here too */
		run = canon_run(slice_sub(value, at, cr - at));
		gather_add(g, slice_sub(value, at, run));
		at += run;
	}
}

static void
put_field(struct gather *g, enum dkim_canon alg, struct slice name,
    struct slice value)
{
	if (alg == DKIM_SIMPLE) {
		/* RFC 6376 s3.4.1: octet for octet */
		gather_add(g, name);
		gather_octet(g, ':');
		gather_add(g, value);
	} else {
		/* RFC 6376 s3.4.2 #8: with the colon */
		put_relaxed_name(g, name);
		gather_octet(g, ':');
		put_relaxed_value(g, value);
	}
}

void
canon_field(enum dkim_canon alg, struct slice name, struct slice value,
    struct sink *out)
{
	struct gather g;

	gather_init(&g, out);
	put_field(&g, alg, name, value);
	/* RFC 6376 s3.4.2 #4, s3.7 #7: one CRLF behind each field */
	gather_add(&g, slice_text("\r\n"));
	gather_end(&g);
}

void
canon_field_last(enum dkim_canon alg, struct slice name, struct slice value,
    struct sink *out)
{
	struct gather g;

	gather_init(&g, out);
	put_field(&g, alg, name, value);
	/* RFC 6376 s3.7 #8: no CRLF */
	gather_end(&g);
}
