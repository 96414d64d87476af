/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonicalization of header fields (RFC 6376 s3.4.1, s3.4.2); see canon.h.
 */

/* this room */
#include "canon.h"

/*
 * Gathers octets so that a usual field is one call of the sink.
 */
struct gather {
	struct sink	*out;
	size_t		 n;
	uint8_t		 octets[512];
};

static void
flush(struct gather *g)
{
	if (g->n > 0)
		g->out->add(g->out->context, slice_of(g->octets, g->n));
	g->n = 0;
}

static void
put(struct gather *g, uint8_t octet)
{
	if (g->n == sizeof(g->octets))
		flush(g);
	g->octets[g->n++] = octet;
}

static void
put_slice(struct gather *g, struct slice s)
{
	if (s.n > sizeof(g->octets) - g->n)
		flush(g);
	if (s.n > sizeof(g->octets)) {
		g->out->add(g->out->context, s);
		return;
	}
	if (s.n > 0)
		memcpy(&g->octets[g->n], s.p, s.n);
	g->n += s.n;
}

static bool
is_wsp(uint8_t octet)
{
	return octet == ' ' || octet == '\t';
}

/*
 * Lower case, without the white space in front of the colon.
 */
static void
put_relaxed_name(struct gather *g, struct slice name)
{
	size_t i, n = name.n;

	while (n > 0 && is_wsp(name.p[n - 1]))
		n--;
	for (i = 0; i < n; i++)
		put(g, slice_lower(name.p[i]));
}

/*
 * Unfolded, runs of white space one SP, none at the ends.
 */
static void
put_relaxed_value(struct gather *g, struct slice value)
{
	bool begun = false, white = false;
	size_t i;

	for (i = 0; i < value.n; i++) {
		if (is_wsp(value.p[i])) {
			white = begun;
			continue;
		}
		if (value.p[i] == '\r' && i + 1 < value.n &&
		    value.p[i + 1] == '\n') {
			i++;
			continue;
		}
		if (white)
			put(g, ' ');
		put(g, value.p[i]);
		white = false;
		begun = true;
	}
}

static void
put_field(struct gather *g, enum dkim_canon alg, struct slice name,
    struct slice value)
{
	if (alg == DKIM_SIMPLE) {
		put_slice(g, name);
		put(g, ':');
		put_slice(g, value);
	} else {
		put_relaxed_name(g, name);
		put(g, ':');
		put_relaxed_value(g, value);
	}
}

void
canon_field(enum dkim_canon alg, struct slice name, struct slice value,
    struct sink *out)
{
	struct gather g;

	g.out = out;
	g.n = 0;
	put_field(&g, alg, name, value);
	put_slice(&g, slice_text("\r\n"));
	flush(&g);
}

void
canon_field_last(enum dkim_canon alg, struct slice name, struct slice value,
    struct sink *out)
{
	struct gather g;

	g.out = out;
	g.n = 0;
	put_field(&g, alg, name, value);
	flush(&g);
}
