/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation; see explain_text.h.
 */

/* this room */
#include "explain_advice.h"
#include "explain_text.h"

void
explain_text_quoted(struct buf *out, struct slice octets, bool cut_before,
    bool cut_behind)
{
	size_t at;

	buf_add_text(out, cut_before ? "\"..." : "\"");
	/* a stranger's quote would end ours */
	while ((at = slice_find(octets, '"')) < octets.n) {
		buf_add_escaped(out, slice_sub(octets, 0, at));
		buf_add_text(out, "\\x22");
		octets = slice_from(octets, at + 1);
	}
	buf_add_escaped(out, octets);
	buf_add_text(out, cut_behind ? "...\"" : "\"");
}

void
explain_text_shown(struct buf *out, struct slice s)
{
	struct slice text = slice_trim(s);
	size_t n = text.n < DKIM_EXPLAIN_SHOWN ? text.n : DKIM_EXPLAIN_SHOWN;

	explain_text_quoted(out, slice_sub(text, 0, n), false, n < text.n);
}

void
explain_text_name(struct buf *out, struct slice name)
{
	if (copies_is_plain(name))
		buf_add(out, name);
	else
		explain_text_shown(out, name);
}

static void
add_count(struct buf *out, uint64_t n, const char *what)
{
	buf_add_number(out, n);
	buf_add_text(out, what);
	if (n != 1)
		buf_add_octet(out, 's');
}

static bool
begins(const char *reason, const char *text)
{
	return strncmp(reason, text, strlen(text)) == 0;
}

void
explain_text_verdict(const struct verify_signature *sig, uint64_t now,
    struct buf *out)
{
	const struct sigfield *f = &sig->field;
	const struct dkim_verdict *d = &sig->verdict;
	const char *advice = explain_advice(d->reason);

	buf_add_text(out, "verdict: ");
	buf_add_text(out, dkim_result_text(d->result));
	if (d->reason[0] != '\0') {
		buf_add_text(out, ": ");
		buf_add_text(out, d->reason);
	}
	if (begins(d->reason, "signature expired") && now > f->expiry) {
		buf_add_text(out, ", ");
		add_count(out, now - f->expiry, " second");
		buf_add_text(out, " ago");
	} else if (begins(d->reason, "signature time") && f->time > now) {
		buf_add_text(out, ", by ");
		add_count(out, f->time - now, " second");
	} else if (begins(d->reason, "l= is larger")) {
		buf_add_text(out, ": l=");
		buf_add_number(out, f->length);
		buf_add_text(out, ", body ");
		add_count(out, d->body, " octet");
	} else if (begins(d->reason, "key is too small")) {
		buf_add_text(out, ": ");
		add_count(out, d->key_bits, " bit");
	}
	if (advice != NULL) {
		buf_add_text(out, "; ");
		buf_add_text(out, advice);
	}
	buf_add_octet(out, '\n');
}

static void
add_edge(struct buf *out, const struct bodysearch_finding *f)
{
	uint64_t behind = f->lines_all - f->top - f->lines;

	switch (f->edge) {
	case BODYEDGE_LINES:
		if (f->lines == 0) {
			buf_add_text(out, "it was empty when it was signed: "
			    "what is there was added after signing");
			return;
		}
		buf_add_text(out, f->lines == 1 ? "line " : "lines ");
		buf_add_number(out, f->top + 1);
		if (f->lines > 1) {
			buf_add_text(out, " to ");
			buf_add_number(out, f->top + f->lines);
		}
		buf_add_text(out, f->lines == 1 ? " is" : " are");
		buf_add_text(out, " as signed; added since: ");
		if (f->top > 0) {
			add_count(out, f->top, " line");
			buf_add_text(out, " in front (a banner?)");
		}
		if (f->top > 0 && behind > 0)
			buf_add_text(out, " and ");
		if (behind > 0) {
			add_count(out, behind, " line");
			buf_add_text(out, " behind (a footer?)");
		}
		return;
	case BODYEDGE_NO_END:
		buf_add_text(out, "it was hashed without its last line end, "
		    "against RFC 6376 s3.4.3; a fault of the signer");
		return;
	case BODYEDGE_MORE_END:
		buf_add_text(out, "it was hashed with an empty line at its "
		    "end, against RFC 6376 s3.4.3, s3.4.4; a fault of the "
		    "signer");
		return;
	case BODYEDGE_LF:
		buf_add_text(out, "it was hashed with LF for CRLF as line "
		    "ends; the signer must hash what travels (RFC 6376 s5.3)");
		return;
	case BODYEDGE_NOTHING:
		return;
	}
}

static const char *
rewrite_text(enum rewrite_kind kind)
{
	static const char *const texts[REWRITE_KINDS] = {
		[REWRITE_NONE] = "",
		[REWRITE_FROM] = "it is as signed but for \">\" in front of "
		    "lines that begin with \"From \": the message lay in a "
		    "mbox file",
		[REWRITE_UNSTUFF] = "it is as signed but for a dot that was "
		    "put in front of lines that begin with one (RFC 5321 "
		    "s4.5.2): a program on the way did not take it off",
		[REWRITE_STUFF] = "it was hashed with a dot put in front of "
		    "lines that begin with one (RFC 5321 s4.5.2), or has lost "
		    "it: the signer or a program on the way is at fault",
		[REWRITE_JOIN] = "it is as signed but for long lines, which "
		    "an MTA broke (RFC 5321 s4.5.3.1.6: 998 octets); the "
		    "sender should send quoted-printable or base64",
		[REWRITE_JOIN_BANG] = "it is as signed but for long lines, "
		    "which Sendmail broke with \"!\"; the sender should send "
		    "quoted-printable or base64",
		[REWRITE_QP] = "it is as signed but for quoted-printable: an "
		    "MTA on the way converted 8bit; the sender should encode "
		    "before signing (RFC 6376 s5.3)",
		[REWRITE_BASE64] = "it is as signed but for base64: an MTA on "
		    "the way converted 8bit; the sender should encode before "
		    "signing (RFC 6376 s5.3)",
		[REWRITE_BLANKS] = "it is as signed but for white space at "
		    "the ends of lines, which was added: relaxed "
		    "canonicalization would have passed; sign with "
		    "c=.../relaxed",
		[REWRITE_DASHES] = "it is as signed but for the space behind "
		    "\"--\" (RFC 3676 s4.3), which was taken off: relaxed "
		    "canonicalization would have passed; sign with "
		    "c=.../relaxed",
	};

	return texts[kind];
}

static void
add_canon(struct buf *out, enum dkim_canon alg)
{
	if (alg == DKIM_RELAXED)
		buf_add_text(out, "it is as signed but for white space: "
		    "relaxed canonicalization would have passed; sign with "
		    "c=.../relaxed");
	else
		buf_add_text(out, "it was hashed in simple canonicalization "
		    "though c= says relaxed; a fault of the signer");
}

/*
 * None of what is known here: what a reader may look for.
 */
static void
add_nothing(struct buf *out, const struct bodysearch_finding *f)
{
	if (f->lines_all == 0) {
		buf_add_text(out, "it is empty, and was not when it was "
		    "signed: it was taken out on the way");
		return;
	}
	buf_add_text(out, "its hash differs, and no well-known change "
	    "accounts for it: something in its ");
	add_count(out, f->lines_all, " line");
	buf_add_text(out, " was changed or cut on the way");
}

void
explain_text_body(const struct verify_signature *sig,
    const struct bodysearch_finding *finding, struct buf *out)
{
	const struct sigfield *f = &sig->field;

	buf_add_text(out, "body: ");
	switch (finding->kind) {
	case BODYSEARCH_NOTHING:
		add_nothing(out, finding);
		break;
	case BODYSEARCH_RIGHT:
		buf_add_text(out, "it is as signed");
		break;
	case BODYSEARCH_CANON:
		add_canon(out, finding->alg);
		break;
	case BODYSEARCH_WHOLE:
		buf_add_text(out, "bh= is the hash of all of it, not of the "
		    "first l=");
		buf_add_number(out, f->length);
		buf_add_text(out, " octets; a fault of the signer");
		break;
	case BODYSEARCH_LINE_ENDS:
		buf_add_text(out, "it is as signed but for bare CR or LF, "
		    "which were or became CRLF; see FixCRLF in dkimd.conf(5)");
		break;
	case BODYSEARCH_REWRITE:
		buf_add_text(out, rewrite_text(finding->rewrite));
		break;
	case BODYSEARCH_EDGE:
		add_edge(out, finding);
		break;
	case BODYSEARCH_RAW:
		buf_add_text(out, "it was hashed without any "
		    "canonicalization; a fault of the signer");
		break;
	}
	if (finding->kind == BODYSEARCH_REWRITE && finding->alg !=
	    f->body_canon)
		buf_add_text(out, ", and for white space");
	if (f->has_length && finding->whole &&
	    finding->kind != BODYSEARCH_WHOLE)
		buf_add_text(out, ", and bh= does not stop at l=");
	buf_add_octet(out, '\n');
	if (finding->kind == BODYSEARCH_NOTHING && finding->lines_all > 0 &&
	    f->body_canon == DKIM_SIMPLE)
		buf_add_text(out, "body: c= says simple, which does not "
		    "outlive any change of white space; sign with "
		    "c=.../relaxed\n");
}

/*
 * A field left out; which one, where there are several.
 */
static void
add_drop(struct buf *out, const struct headsearch_edit *e)
{
	static const char *const ordinals[] = {
		"", "first", "second", "third", "fourth",
	};

	if (e->of < 2) {
		buf_add_text(out, "no ");
		explain_text_name(out, e->name);
		buf_add_text(out, " field (it was added after signing)");
		return;
	}
	buf_add_text(out, "the ");
	if (e->nth == e->of)
		buf_add_text(out, "last");
	else if (e->nth < sizeof(ordinals) / sizeof(ordinals[0]))
		buf_add_text(out, ordinals[e->nth]);
	else {
		buf_add_text(out, "number ");
		buf_add_number(out, e->nth);
	}
	buf_add_text(out, " of the ");
	buf_add_number(out, e->of);
	buf_add_octet(out, ' ');
	explain_text_name(out, e->name);
	buf_add_text(out, " fields left out (it was added after signing)");
}

static void
add_spaced(struct buf *out, const struct headsearch_edit *e)
{
	if (e->name.n == 0)
		buf_add_text(out, "all fields");
	else
		explain_text_name(out, e->name);
	buf_add_text(out, " having ");
	buf_add(out, e->text);
}

static void
add_edit(struct buf *out, const struct headsearch_edit *e)
{
	switch (e->kind) {
	case HEADSEARCH_CANON:
		buf_add(out, e->text);
		buf_add_text(out, " header canonicalization");
		break;
	case HEADSEARCH_BODY_HASH:
	case HEADSEARCH_COPIES:
		buf_add(out, e->text);
		break;
	case HEADSEARCH_DROP:
		add_drop(out, e);
		break;
	case HEADSEARCH_WORDS:
		explain_text_name(out, e->name);
		buf_add_text(out, " without ");
		explain_text_shown(out, e->text);
		buf_add_text(out, " (put in after signing)");
		break;
	case HEADSEARCH_TAKEN:
		buf_add_text(out, "the value of ");
		explain_text_name(out, e->text);
		buf_add_text(out, " in ");
		explain_text_name(out, e->name);
		buf_add_text(out, " (rewritten after signing)");
		break;
	case HEADSEARCH_OTHER:
		buf_add_text(out, "another of the ");
		explain_text_name(out, e->name);
		buf_add_text(out, " fields (one was added below it)");
		break;
	case HEADSEARCH_VALUE:
		explain_text_name(out, e->name);
		buf_add_text(out, ": ");
		explain_text_shown(out, e->text);
		buf_add_text(out, " (changed after signing)");
		break;
	case HEADSEARCH_NAME:
		buf_add_text(out, "the name ");
		explain_text_name(out, e->name);
		buf_add_text(out, " written ");
		explain_text_shown(out, e->text);
		buf_add_text(out, " (relaxed does not see the case)");
		break;
	case HEADSEARCH_WHITE:
		add_spaced(out, e);
		buf_add_text(out, " (relaxed does not see white space)");
		break;
	case HEADSEARCH_SPACED:
		add_spaced(out, e);
		buf_add_text(out, " (changed after signing)");
		break;
	case HEADSEARCH_OWN:
	case HEADSEARCH_SIGNER:
		buf_add_text(out, "this fault of the signer undone: ");
		buf_add(out, e->text);
		break;
	}
}

void
explain_text_edits(const struct headsearch *s, struct buf *out)
{
	size_t i;

	buf_add_text(out, "header: the signature would be right with ");
	for (i = 0; i < s->edits_n; i++) {
		if (i > 0)
			buf_add_text(out, ", ");
		add_edit(out, &s->edits[i]);
	}
	buf_add_octet(out, '\n');
}

/*
 * Does h= name a field that the message does not have at all?
 */
static bool
is_missing(const struct headsearch *s, struct slice name)
{
	size_t i;

	if (dkim_header_find(s->header, name, 0) < dkim_header_count(s->header))
		return false;
	for (i = 0; i < s->set.n; i++)
		if (slice_equal_nocase(s->set.fields[i].asked, name))
			return true;
	return false;
}

void
explain_text_hints(const struct headsearch *s, struct buf *out)
{
	/* which mail hardly goes without; h= may name others in advance (RFC
	 * 6376 s5.4) */
	static const char *const names[] = { "From", "To", "Subject", "Date" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!is_missing(s, slice_text(names[i])))
			continue;
		buf_add_text(out, "header: h= names ");
		buf_add_text(out, names[i]);
		buf_add_text(out, ", which the message does not have: removed "
		    "on the way?\n");
	}
	if (s->field->header_canon == DKIM_SIMPLE)
		buf_add_text(out, "header: c= says simple, which does not "
		    "outlive any change of white space or of the case of "
		    "names: likely the cause; sign with c=relaxed/...\n");
}
