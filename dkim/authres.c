/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes Authentication-Results (RFC 8601 s2.2, s2.7.1; RFC 6008). What came
 * from the message is a stranger's: it is quoted, and never a control octet
 * nor an octet above 127 gets through.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "taglist.h"
#include "verify.h"

#define WIDTH		78	/* columns of a line, where a fold is allowed */
#define TAB_WIDTH	8
#define PIECE_MAX	900	/* octets of a piece without a fold */
#define B_LEAST		8	/* RFC 6008 s4 */
#define B_MOST		256	/* octets of header.b */

struct writer {
	struct buf	*out;
	const char	*line_end;
	size_t		 column;
	struct buf	 piece;		/* being put together */
};

static void
fold(struct writer *w)
{
	buf_add_text(w->out, w->line_end);
	buf_add_octet(w->out, '\t');
	w->column = TAB_WIDTH;
}

/*
 * Write the piece, after a space or a fold, and begin the next one.
 */
static void
end_piece(struct writer *w)
{
	if (w->piece.error != 0 && w->out->error == 0)
		w->out->error = w->piece.error;
	if (w->column + 1 + w->piece.n > WIDTH && w->column > TAB_WIDTH)
		fold(w);
	else if (w->column > TAB_WIDTH) {
		buf_add_octet(w->out, ' ');
		w->column++;
	}
	buf_add(w->out, buf_slice(&w->piece));
	w->column += w->piece.n;
	buf_reset(&w->piece);
}

/*
 * The same, unless the piece is longer than a line may carry: RFC 8601 s2.2
 * lets a property be left out.
 */
static void
end_property(struct writer *w)
{
	if (w->piece.n > PIECE_MAX || w->piece.error == DKIM_ERR_LIMIT)
		buf_reset(&w->piece);
	else
		end_piece(w);
}

/*
 * token of RFC 2045 s5.1, which needs no quotes.
 */
static bool
is_token(struct slice s)
{
	static const char specials[] = "()<>@,;:\\\"/[]?=";
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~' ||
		    strchr(specials, s.p[i]) != NULL)
			return false;
	return s.n > 0;
}

/*
 * Octets inside a quoted-string; those that have no place there as =XX.
 */
static void
add_quoted(struct buf *out, struct slice s)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t i;

	for (i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (c < ' ' || c > '~') {
			buf_add_octet(out, '=');
			buf_add_octet(out, (uint8_t)hex[c >> 4]);
			buf_add_octet(out, (uint8_t)hex[c & 15]);
			continue;
		}
		if (c == '"' || c == '\\')
			buf_add_octet(out, '\\');
		buf_add_octet(out, c);
	}
}

/*
 * value of RFC 8601 s2.2: token or quoted-string.
 * RFC 8601 s2.2 #2, #7, #9: what is no token is quoted.
 */
static void
add_value(struct buf *out, struct slice s)
{
	if (is_token(s)) {
		buf_add(out, s);
		return;
	}
	buf_add_octet(out, '"');
	add_quoted(out, s);
	buf_add_octet(out, '"');
}

static void
put_property(struct writer *w, const char *name, struct slice value)
{
	if (value.n == 0)
		return;
	buf_add_text(&w->piece, name);
	buf_add_octet(&w->piece, '=');
	add_value(&w->piece, value);
	end_property(w);
}

/*
 * dot-atom of RFC 5322 s3.2.3, but for "=", which begins a code of ours.
 */
static bool
is_dot_atom(struct slice s)
{
	static const char more[] = "!#$%&'*+-/?^_`{|}~.";
	size_t i;

	for (i = 0; i < s.n; i++) {
		uint8_t c = slice_lower(s.p[i]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    (c == '\0' || strchr(more, c) == NULL))
			return false;
		if (c == '.' && (i == 0 || i + 1 == s.n ||
		    s.p[i + 1] == '.'))
			return false;
	}
	return true;
}

/*
 * header.i: [local-part] "@" domain (RFC 8601 s2.2 #12), the default where the
 * field has no i= (RFC 6376 s6.1.1 #6). A local-part that is no dot-atom is
 * written as the field has it, in dkim-quoted-printable.
 */
static void
put_identity(struct writer *w, const struct sigfield *f)
{
	char domain[DKIM_NAME_MAX + 1];
	struct slice local = { NULL, 0 }, end = f->ascii_domain;
	struct buf *out = &w->piece;
	struct buf code;
	size_t at = f->identity.n;

	while (at > 0 && f->identity.p[at - 1] != '@')
		at--;
	if (at > 0) {
		if (dkim_domain_to_ascii(slice_from(f->identity, at),
		    domain) != 0)
			return;
		local = slice_sub(f->identity, 0, at - 1);
		end = slice_text(domain);
	}
	if (end.n == 0 || local.n > PIECE_MAX)
		return;
	buf_add_text(out, "header.i=");
	if (is_dot_atom(local)) {
		buf_add(out, local);
		buf_add_octet(out, '@');
		buf_add(out, end);
	} else {
		buf_init(&code, (size_t)3 * PIECE_MAX);
		taglist_encode_qp(local, "", &code);
		if (code.error != 0 && w->out->error == 0)
			w->out->error = code.error;
		buf_add_octet(out, '"');
		add_quoted(out, buf_slice(&code));
		buf_add_octet(out, '@');
		add_quoted(out, end);
		buf_add_octet(out, '"');
		buf_clear(&code);
	}
	end_property(w);
}

static void
put_reason(struct writer *w, const struct dkim_verdict *verdict)
{
	bool partly = verdict->has_length && verdict->covered < verdict->body;

	if (verdict->reason[0] == '\0')
		return;
	buf_add_text(&w->piece, "reason=\"");
	buf_add_text(&w->piece, verdict->reason);
	if (partly) {
		buf_add_text(&w->piece, ", ");
		buf_add_number(&w->piece, verdict->covered);
		buf_add_text(&w->piece, " of ");
		buf_add_number(&w->piece, verdict->body);
		buf_add_text(&w->piece, " octets covered");
	}
	buf_add_octet(&w->piece, '"');
	end_piece(w);
}

/*
 * RFC 8601 s2.7.6: a comment that explains.
 */
static void
put_comment(struct writer *w, const struct dkim_verdict *verdict)
{
	static const char *const states[] = {
		[DKIM_DNSSEC_INSECURE] = "unprotected",
		[DKIM_DNSSEC_SECURE] = "secure",
		[DKIM_DNSSEC_BOGUS] = "bogus",
	};

	if (!verdict->key_known && !verdict->testing)
		return;
	buf_add_octet(&w->piece, '(');
	if (verdict->key_known) {
		buf_add_number(&w->piece, verdict->key_bits);
		buf_add_text(&w->piece, "-bit key; ");
		buf_add_text(&w->piece, states[verdict->dnssec]);
	}
	if (verdict->testing)
		buf_add_text(&w->piece, verdict->key_known ? "; testing" :
		    "testing");
	buf_add_octet(&w->piece, ')');
	end_piece(w);
}

/*
 * Begin a clause on a line of its own.
 */
static void
put_result(struct writer *w, enum dkim_result result)
{
	buf_add_octet(w->out, ';');
	fold(w);
	/* RFC 8601 s2.7.1, s4 #1, s2.2 #11: the method is a registered one */
	buf_add_text(&w->piece, "dkim=");
	buf_add_text(&w->piece, dkim_result_text(result));
	end_piece(w);
}

/*
 *   b_n      octets of header.b
 */
static void
put_clause(struct writer *w, const struct verify_signature *sig, size_t b_n)
{
	const struct sigfield *f = &sig->field;
	const struct dkim_verdict *verdict = &sig->verdict;
	struct slice selector = f->query;

	if (selector.n > 0)
		selector.n -= f->ascii_domain.n + strlen("._domainkey.");
	/* RFC 8601 s2.2 #5: result, one reason at most, properties */
	put_result(w, verdict->result);
	put_reason(w, verdict);
	put_comment(w, verdict);
	/* RFC 8601 s2.2 #8, s2.3, s2.7.1 #9: ptype "header", the tag its
	 * property */
	put_property(w, "header.d", f->ascii_domain);
	put_identity(w, f);
	put_property(w, "header.a", f->algorithm);
	put_property(w, "header.s", selector);
	put_property(w, "header.b", slice_sub(f->base64, 0, b_n));
}

/*
 * One clause for all that are not shown.
 */
static void
put_rest(struct writer *w, enum dkim_result result, size_t n, const char *what)
{
	if (n == 0)
		return;
	put_result(w, result);
	buf_add_text(&w->piece, "reason=\"");
	buf_add_text(&w->piece, what);
	buf_add_text(&w->piece, ": ");
	buf_add_number(&w->piece, n);
	buf_add_text(&w->piece, n == 1 ? " more signature\"" :
	    " more signatures\"");
	end_piece(w);
}

static int
compare_b(const void *a, const void *b)
{
	struct slice x = (*(const struct verify_signature *const *)a)->
	    field.base64;
	struct slice y = (*(const struct verify_signature *const *)b)->
	    field.base64;
	size_t n = x.n < y.n ? x.n : y.n;
	int order = n == 0 ? 0 : memcmp(x.p, y.p, n);

	if (order != 0)
		return order;
	return x.n < y.n ? -1 : x.n > y.n;
}

static size_t
count_common(struct slice a, struct slice b)
{
	size_t i = 0;

	while (i < a.n && i < b.n && a.p[i] == b.p[i])
		i++;
	return i;
}

/*
 * Let two neighbours in the order of b= show enough to tell them apart; equal
 * ones show the same.
 */
static void
part_neighbours(const struct verify_signature *x,
    const struct verify_signature *y, size_t *x_n, size_t *y_n)
{
	struct slice a = x->field.base64, b = y->field.base64;
	size_t most = *x_n > *y_n ? *x_n : *y_n;
	size_t common;

	if (slice_equal(a, b)) {
		*x_n = *y_n = most;
		return;
	}
	common = count_common(a, b) + 1;
	if (common > B_MOST)
		common = B_MOST;
	if (*x_n < common)
		*x_n = common;
	if (*y_n < common)
		*y_n = common;
}

/*
 * How much of each b= tells it from the others of this message (RFC 6008 s4):
 * sorted, only neighbours need to be compared; down once for what they differ
 * in, up once more for runs of equal ones.
 *   out      by signature
 *   errors   DKIM_ERR_NOMEM
 */
static int
measure_b(const struct dkim_verifier *v, size_t *out)
{
	const struct verify_signature **sorted;
	size_t i;

	sorted = malloc(v->n * sizeof(sorted[0]));
	if (sorted == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; i < v->n; i++) {
		sorted[i] = &v->signatures[i];
		out[i] = B_LEAST;
	}
	qsort(sorted, v->n, sizeof(sorted[0]), compare_b);
	for (i = 1; i < 2 * v->n - 1; i++) {
		size_t at = i < v->n ? i : 2 * v->n - 1 - i;

		part_neighbours(sorted[at - 1], sorted[at],
		    &out[sorted[at - 1] - v->signatures],
		    &out[sorted[at] - v->signatures]);
	}
	for (i = 0; i < v->n; i++)
		if (out[i] > v->signatures[i].field.base64.n)
			out[i] = v->signatures[i].field.base64.n;
	free(sorted);
	return 0;
}

/*
 * Was the verdict reached on the field alone? A flood of those gets a bounded
 * number of clauses, as does one of signatures that were not looked at.
 */
static bool
is_faulty(const struct dkim_verifier *v, const struct verify_signature *sig)
{
	return sig->verdict.evaluated && !sig->chosen &&
	    v->n > DKIM_AUTHRES_FAULTY;
}

static int
put_signatures(struct writer *w, const struct dkim_verifier *v,
    bool no_header_b)
{
	size_t i, skipped = 0, faulty = 0;
	size_t *b_n;
	int r = 0;

	b_n = calloc(v->n, sizeof(b_n[0]));
	if (b_n == NULL)
		return DKIM_ERR_NOMEM;
	if (!no_header_b)
		r = measure_b(v, b_n);
	for (i = 0; r == 0 && i < v->n; i++) {
		const struct verify_signature *sig = &v->signatures[i];

		if (!sig->verdict.evaluated &&
		    ++skipped > DKIM_AUTHRES_SKIPPED)
			continue;
		if (is_faulty(v, sig) && ++faulty > DKIM_AUTHRES_FAULTY)
			continue;
		put_clause(w, sig, b_n[i]);
	}
	if (r == 0 && faulty > DKIM_AUTHRES_FAULTY)
		put_rest(w, DKIM_PERMERROR, faulty - DKIM_AUTHRES_FAULTY,
		    "errors");
	if (r == 0 && skipped > DKIM_AUTHRES_SKIPPED)
		put_rest(w, DKIM_POLICY, skipped - DKIM_AUTHRES_SKIPPED,
		    "not evaluated");
	free(b_n);
	return r;
}

/*
 * RFC 8601 s2.2 #2, s2.5: authserv-id, "/job" behind it where wanted.
 */
static void
put_id(struct writer *w, const struct dkim_authres *ar)
{
	struct buf id;

	buf_init(&id, PIECE_MAX);
	buf_add(&id, ar->authserv_id);
	if (ar->job_id.n > 0) {
		buf_add_octet(&id, '/');
		buf_add(&id, ar->job_id);
	}
	add_value(&w->piece, buf_slice(&id));
	/* quotes and =XX make it longer than what was put in */
	if (w->piece.n > PIECE_MAX)
		w->piece.error = DKIM_ERR_LIMIT;
	if (id.error != 0)
		w->piece.error = id.error;
	buf_clear(&id);
	end_piece(w);
}

int
dkim_authres_print(const struct dkim_authres *ar,
    const struct dkim_verifier *verifier, const char *over, struct buf *out)
{
	struct writer w = { .out = out, .line_end = ar->line_end };
	int r = 0;

	if (ar->authserv_id.n == 0)
		return DKIM_ERR_ARGUMENT;
	w.column = strlen("Authentication-Results:");
	buf_init(&w.piece, (size_t)4 * PIECE_MAX);
	/* RFC 8601 s2.1, s2.2 #1: folded between id and results, each behind a
	 * ";" */
	put_id(&w, ar);
	if (over != NULL) {
		put_result(&w, DKIM_PERMERROR);
		buf_add_text(&w.piece, "reason=\"over a limit: ");
		add_quoted(&w.piece, slice_text(over));
		buf_add_octet(&w.piece, '"');
		end_piece(&w);
	} else if (verifier == NULL || verifier->n == 0)
		put_result(&w, DKIM_NONE);
	else
		r = put_signatures(&w, verifier, ar->no_header_b);
	buf_clear(&w.piece);
	return r != 0 ? r : buf_end(out);
}
