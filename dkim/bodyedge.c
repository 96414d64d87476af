/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a body may have had less of; see bodyedge.h. Blank lines at the end
 * never come out of canonicalization, so the lines so far, at each line end,
 * are in canonical form themselves.
 */

/* this room */
#include "bodyedge.h"

static const char crlf[] = "\r\n";

static void
fail(struct bodyedge *edge, int error)
{
	if (edge->error == 0)
		edge->error = error;
}

static void
found(struct bodyedge *edge, const uint8_t hash[DIGEST_SIZE],
    enum bodyedge_kind kind, uint64_t top)
{
	struct bodyedge_want *want;
	size_t i;

	for (i = 0; i < edge->wants_n; i++) {
		want = &edge->wants[i];
		if (want->kind != BODYEDGE_NOTHING ||
		    memcmp(want->hash, hash, DIGEST_SIZE) != 0)
			continue;
		want->kind = kind;
		want->top = top;
		want->lines = edge->lines - top;
	}
}

static void
look(struct bodyedge *edge, const struct digest *digest,
    enum bodyedge_kind kind, uint64_t top)
{
	uint8_t hash[DIGEST_SIZE];
	int r = digest_snapshot(digest, hash);

	if (r != 0)
		fail(edge, r);
	else
		found(edge, hash, kind, top);
}

/*
 * The lines so far, from each top that is not below them.
 */
static void
look_at_lines(struct bodyedge *edge, bool last)
{
	size_t top, n = edge->tops_n;

	if (!last && edge->lines > BODYEDGE_BOTH)
		n = edge->lines > BODYEDGE_CHECKS ? 0 : 1;
	for (top = 0; top < n; top++)
		if (top < edge->lines)
			look(edge, &edge->tops[top], BODYEDGE_LINES, top);
}

static void
end_line(struct bodyedge *edge)
{
	int r;

	edge->lines++;
	look_at_lines(edge, false);
	if (edge->lines > BODYEDGE_TOP)
		return;
	r = digest_init(&edge->tops[edge->tops_n], edge->lib);
	if (r != 0)
		fail(edge, r);
	else
		edge->tops_n++;
}

static void
add_to_tops(struct bodyedge *edge, struct slice octets)
{
	size_t i;

	for (i = 0; i < edge->tops_n; i++)
		digest_add(&edge->tops[i], octets);
}

static void
add_lines(struct bodyedge *edge, struct slice rest)
{
	size_t n;

	while (rest.n > 0 && edge->error == 0) {
		n = slice_find(rest, '\n');
		if (n == rest.n) {
			add_to_tops(edge, rest);
			edge->cr = rest.p[n - 1] == '\r';
			return;
		}
		add_to_tops(edge, slice_sub(rest, 0, n + 1));
		if (n > 0 ? rest.p[n - 1] == '\r' : edge->cr)
			end_line(edge);
		edge->cr = false;
		rest = slice_from(rest, n + 1);
	}
}

/*
 * All but a CRLF at the end, which is held back.
 */
static void
add_open(struct bodyedge *edge, struct slice octets)
{
	size_t n = 0;

	if (edge->held == 1 && slice_is(octets, "\n")) {
		edge->held = 2;
		return;
	}
	digest_add(&edge->open, slice_of(crlf, edge->held));
	if (octets.n >= 2 && octets.p[octets.n - 2] == '\r' &&
	    octets.p[octets.n - 1] == '\n')
		n = 2;
	else if (octets.p[octets.n - 1] == '\r')
		n = 1;
	digest_add(&edge->open, slice_sub(octets, 0, octets.n - n));
	edge->held = n;
}

/*
 * LF for each CRLF.
 */
static void
add_lf(struct bodyedge *edge, struct slice rest)
{
	size_t n;

	if (edge->lf_cr && rest.p[0] != '\n')
		digest_add(&edge->lf, slice_of(crlf, 1));
	edge->lf_cr = false;
	while (rest.n > 0) {
		n = slice_find(rest, '\r');
		digest_add(&edge->lf, slice_sub(rest, 0, n));
		if (n == rest.n)
			return;
		rest = slice_from(rest, n + 1);
		if (rest.n == 0)
			edge->lf_cr = true;
		else if (rest.p[0] != '\n')
			digest_add(&edge->lf, slice_of(crlf, 1));
	}
}

static void
add_octets(void *context, struct slice octets)
{
	struct bodyedge *edge = context;

	if (octets.n == 0)
		return;
	add_lines(edge, octets);
	add_open(edge, octets);
	add_lf(edge, octets);
}

int
bodyedge_init(struct bodyedge *edge, const struct dkim_lib *lib,
    enum dkim_canon alg, bool fix_crlf)
{
	int r;

	memset(edge, 0, sizeof(*edge));
	edge->lib = lib;
	edge->sink.add = add_octets;
	edge->sink.context = edge;
	canon_init(&edge->canon, alg, fix_crlf);
	r = digest_init(&edge->tops[0], lib);
	edge->tops_n = 1;
	if (r == 0)
		r = digest_init(&edge->open, lib);
	if (r == 0)
		r = digest_init(&edge->lf, lib);
	return r;
}

void
bodyedge_clear(struct bodyedge *edge)
{
	size_t i;

	for (i = 0; i <= BODYEDGE_TOP; i++)
		digest_clear(&edge->tops[i]);
	digest_clear(&edge->open);
	digest_clear(&edge->lf);
}

int
bodyedge_want(struct bodyedge *edge, const uint8_t hash[DIGEST_SIZE],
    size_t *index)
{
	struct bodyedge_want *want;

	if (edge->wants_n == BODYEDGE_WANTS)
		return DKIM_ERR_LIMIT;
	*index = edge->wants_n++;
	want = &edge->wants[*index];
	memcpy(want->hash, hash, DIGEST_SIZE);
	return 0;
}

/*
 * The body may have been empty: RFC 6376 s3.4.3, s3.4.4. In simple that is
 * also what one blank line is, which says less.
 */
static void
look_at_nothing(struct bodyedge *edge)
{
	struct digest digest;
	uint8_t hash[DIGEST_SIZE];
	size_t i;
	int r = digest_init(&digest, edge->lib);

	if (r == 0 && edge->canon.alg == DKIM_SIMPLE)
		digest_add(&digest, slice_text(crlf));
	if (r == 0)
		r = digest_finish(&digest, hash);
	digest_clear(&digest);
	if (r != 0) {
		fail(edge, r);
		return;
	}
	for (i = 0; i < edge->wants_n; i++)
		if (memcmp(edge->wants[i].hash, hash, DIGEST_SIZE) == 0)
			edge->wants[i].kind = BODYEDGE_NOTHING;
	found(edge, hash, BODYEDGE_LINES, edge->lines);
}

int
bodyedge_add(struct bodyedge *edge, struct slice in)
{
	if (edge->wants_n == 0)
		return 0;
	canon_body(&edge->canon, in, &edge->sink);
	return edge->error;
}

int
bodyedge_end(struct bodyedge *edge)
{
	size_t i;

	if (edge->wants_n == 0)
		return 0;
	canon_body_end(&edge->canon, &edge->sink);
	if (edge->error != 0)
		return edge->error;
	look_at_lines(edge, true);
	if (edge->held == 2)
		look(edge, &edge->open, BODYEDGE_NO_END, 0);
	look(edge, &edge->lf, BODYEDGE_LF, 0);
	digest_add(&edge->tops[0], slice_text(crlf));
	look(edge, &edge->tops[0], BODYEDGE_MORE_END, 0);
	look_at_nothing(edge);
	for (i = 0; i < edge->tops_n; i++)
		if (edge->tops[i].error != 0)
			fail(edge, edge->tops[i].error);
	return edge->error;
}
