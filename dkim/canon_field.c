/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonicalization of header fields (RFC 6376 s3.4.1, s3.4.2); see canon.h.
 */

/* this room */
#include "canon.h"
#include "gather.h"

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
		gather_octet(g, slice_lower(name.p[i]));
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
			gather_octet(g, ' ');
		gather_octet(g, value.p[i]);
		white = false;
		begun = true;
	}
}

static void
put_field(struct gather *g, enum dkim_canon alg, struct slice name,
    struct slice value)
{
	if (alg == DKIM_SIMPLE) {
		gather_add(g, name);
		gather_octet(g, ':');
		gather_add(g, value);
	} else {
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
	gather_end(&g);
}
