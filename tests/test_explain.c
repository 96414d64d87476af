/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a signature did not pass (explain.h). Each row says which octets were
 * hashed when the signature was made, by the rules of RFC 6376 s3.4, s3.7 or
 * against them, so that no other part of the engine takes part in making it.
 */

/* this room */
#include "tests/made.h"

static struct replay world;
static struct rsab_key *rsa, *ed25519;
static char *rsa_dns, *ed25519_dns, *other_dns, *long_dns;

#define HEADER \
	"From: Joe <joe@example.com>\r\nTo: a@example.org\r\n" \
	"Subject: dinner\r\n"
#define RELAXED_FROM "from:Joe <joe@example.com>\r\n"
#define RELAXED_TO "to:a@example.org\r\n"
#define RELAXED RELAXED_FROM RELAXED_TO "subject:dinner\r\n"
#define BODY "Hi.\r\n\r\nJoe\r\n"

/*
 * One message and what was signed; NULL is the usual.
 */
struct row {
	const char	*name;
	const char	*want;		/* a line of the explanation */
	const char	*header;	/* of the message */
	const char	*hashed;	/* header octets */
	const char	*body;		/* of the message */
	const char	*body_hashed;	/* octets */
	const char	*c;		/* c= */
	const char	*h;		/* h= */
	const char	*more;		/* tags, "; l=3" */
	const char	*own;		/* start of the signature field */
	const char	*end;		/* octets hashed behind "b=" */
	const char	*dns;
	bool		 is_ed25519;
	uint8_t		 mask;		/* of the first digit of bh= */
};

static int
set_up(void **state)
{
	struct rsab_key *key;

	(void)state;
	replay_begin(&world);
	rsa = made_key(&world, "rfc6376.pem");
	ed25519 = made_key(&world, "rfc8463-ed25519.pem");
	rsa_dns = made_dns(rsa, "sel._domainkey.example.com");
	ed25519_dns = made_dns(ed25519, "sel._domainkey.example.com");
	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, 1024,
	    &key), 0);
	other_dns = made_dns(key, "sel._domainkey.example.com");
	rsab_key_unref(key);
	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, 1088,
	    &key), 0);
	long_dns = made_dns(key, "sel._domainkey.example.com");
	rsab_key_unref(key);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	free(rsa_dns);
	free(ed25519_dns);
	free(other_dns);
	free(long_dns);
	rsab_key_unref(rsa);
	rsab_key_unref(ed25519);
	replay_end(&world);
	return 0;
}

static void
hash(struct slice in, uint8_t out[DIGEST_SIZE])
{
	struct digest digest;

	assert_int_equal(digest_init(&digest, world.lib), 0);
	digest_add(&digest, in);
	assert_int_equal(digest_finish(&digest, out), 0);
	digest_clear(&digest);
}

static const char *
or_usual(const char *text, const char *usual)
{
	return text == NULL ? usual : text;
}

/*
 * The signature field of a row, as a line.
 *   out      appended to
 */
static void
sign_row(const struct row *row, struct buf *out)
{
	struct rsab_job job = { .key = row->is_ed25519 ? ed25519 : rsa,
	    .op = RSAB_OP_SIGN, .hash = RSAB_SHA256 }, *jobs[] = { &job };
	uint8_t body_hash[DIGEST_SIZE];
	struct buf value, hashed;
	size_t change;

	buf_init(&value, 1 << 20);
	buf_init(&hashed, 1 << 20);
	buf_add_format(&value, "v=1; a=%s; c=%s; d=example.com; s=sel; h=%s%s;"
	    " bh=", row->is_ed25519 ? "ed25519-sha256" : "rsa-sha256",
	    or_usual(row->c, "relaxed/relaxed"),
	    or_usual(row->h, "From:To:Subject"), or_usual(row->more, ""));
	hash(slice_text(or_usual(row->body_hashed, or_usual(row->body,
	    BODY))), body_hash);
	base64_encode(slice_of(body_hash, DIGEST_SIZE), &value);
	buf_add_text(&value, "; b=");
	buf_add_text(&hashed, or_usual(row->hashed, RELAXED));
	buf_add_text(&hashed, or_usual(row->own, "dkim-signature:"));
	buf_add(&hashed, buf_slice(&value));
	buf_add_text(&hashed, or_usual(row->end, ""));
	assert_int_equal(buf_end(&hashed), 0);
	hash(buf_slice(&hashed), job.digest);
	rsab_run(world.worker, jobs, 1);
	assert_int_equal(job.result, 0);
	buf_add_text(out, "DKIM-Signature: ");
	change = out->n + (size_t)(strstr((const char *)value.p, " bh=") -
	    (const char *)value.p) + 4;
	buf_add(out, buf_slice(&value));
	out->p[change] ^= row->mask;
	base64_encode(slice_of(job.signature, job.signature_len), out);
	buf_add_text(out, "\r\n");
	buf_clear(&value);
	buf_clear(&hashed);
}

/*
 * What is explained, kept while an allocation fails.
 */
struct trial {
	struct dkim_header	*header;
	struct dkim_keyset	*keyset;	/* NULL: no key */
	const char		*body;
	size_t			 chunk;		/* octets given at once */
	struct buf		 out;
};

static int
feed(struct dkim_verifier *v, struct dkim_explainer *e, const char *body,
    size_t chunk)
{
	struct slice rest = slice_text(body), part;
	int r = 0;

	while (r == 0 && rest.n > 0) {
		part = slice_sub(rest, 0, rest.n < chunk ? rest.n : chunk);
		r = dkim_verifier_body(v, part);
		if (r == 0)
			r = dkim_explainer_body(e, part);
		rest = slice_from(rest, part.n);
	}
	if (r == 0)
		r = dkim_verifier_body_end(v);
	return r == 0 ? dkim_explainer_body_end(e) : r;
}

static int
run_trial(struct trial *t)
{
	struct dkim_answer answer = { DKIM_ANSWER_FOUND, NULL,
	    DKIM_DNSSEC_INSECURE, NULL };
	struct dkim_verifier *v = NULL;
	struct dkim_explainer *e = NULL;
	size_t i;
	int r;

	r = dkim_verifier_new(world.lib, t->header, &made_plain, &v);
	if (r == 0)
		r = dkim_explainer_new(v, &e);
	if (r == 0 && dkim_verifier_queries(v) > 0) {
		answer.state = t->keyset == NULL ? DKIM_ANSWER_NO_KEY :
		    DKIM_ANSWER_FOUND;
		if (t->keyset != NULL)
			answer.keyset = dkim_keyset_ref(t->keyset);
		dkim_verifier_answer(v, 0, answer);
	}
	if (r == 0)
		r = feed(v, e, t->body, t->chunk);
	if (r == 0)
		r = dkim_verifier_finish(v, world.worker);
	for (i = 0; r == 0 && i < dkim_verifier_count(v); i++)
		r = dkim_explainer_print(e, world.worker, i, &t->out);
	dkim_explainer_free(e);
	dkim_verifier_free(v);
	return r;
}

/*
 * Set a trial up, by a row; finish_trial frees.
 */
static void
begin_trial(const struct row *row, struct trial *t)
{
	struct dkim_answer answer;
	struct buf lines;

	buf_init(&lines, 1 << 24);
	sign_row(row, &lines);
	buf_add_text(&lines, or_usual(row->header, HEADER));
	buf_add_nul(&lines);
	assert_int_equal(buf_end(&lines), 0);
	answer = replay_answer(&world, or_usual(row->dns, row->is_ed25519 ?
	    ed25519_dns : rsa_dns), "sel._domainkey.example.com");
	*t = (struct trial){
		.header = made_header((const char *)lines.p),
		.keyset = answer.keyset,
		.body = or_usual(row->body, BODY),
		.chunk = SIZE_MAX,
	};
	buf_init(&t->out, 65536);
	buf_clear(&lines);
}

static void
finish_trial(struct trial *t)
{
	dkim_header_free(t->header);
	dkim_keyset_unref(t->keyset);
	buf_clear(&t->out);
}

/*
 * Does the output have this line?
 */
static bool
has_line(struct buf *out, const char *want)
{
	struct slice rest = buf_slice(out), line;
	size_t n;

	while (rest.n > 0) {
		n = slice_find(rest, '\n');
		line = slice_sub(rest, 0, n);
		if (slice_is(line, want))
			return true;
		rest = slice_from(rest, n < rest.n ? n + 1 : n);
	}
	return false;
}

static void
run_rows(const struct row *rows, size_t n)
{
	struct trial t;
	size_t i;

	for (i = 0; i < n; i++) {
		begin_trial(&rows[i], &t);
		test_int(rows[i].name, run_trial(&t), 0);
		if (!has_line(&t.out, rows[i].want)) {
			fprintf(stderr, "# %s: want the line \"%s\" in\n%.*s",
			    rows[i].name, rows[i].want, (int)t.out.n,
			    (const char *)t.out.p);
			fail();
		}
		finish_trial(&t);
	}
}

#define BLANKS \
	"body: it is as signed but for white space at the ends of lines, " \
	"which was added: relaxed canonicalization would have passed; sign " \
	"with c=.../relaxed"

static void
dkim_explainer_print_body(void **state)
{
	static const struct row rows[] = {
		{ .name = "as signed", .header = HEADER "To: x\r\n",
		    .want = "body: it is as signed" },
		{ .name = "footer", .body = "a\r\nb\r\n", .body_hashed =
		    "a\r\n", .want = "body: line 1 is as signed; added "
		    "since: 1 line behind (a footer?)" },
		{ .name = "footer, simple", .c = "relaxed/simple", .body =
		    "a\r\n\r\nb \r\nc\r\nd\r\n", .body_hashed =
		    "a\r\n\r\nb \r\n", .want = "body: lines 1 to 3 are as "
		    "signed; added since: 2 lines behind (a footer?)" },
		{ .name = "footer behind blank lines", .body =
		    "a\r\n\r\n\r\nb\r\n", .body_hashed = "a\r\n", .want =
		    "body: line 1 is as signed; added since: 3 lines "
		    "behind (a footer?)" },
		{ .name = "banner", .body = "x\r\n\r\na\r\nb\r\n",
		    .body_hashed = "a\r\nb\r\n", .want = "body: lines 3 to 4 "
		    "are as signed; added since: 2 lines in front (a "
		    "banner?)" },
		{ .name = "the longest banner", .body =
		    "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\na\r\n",
		    .body_hashed = "a\r\n", .want = "body: line 9 is "
		    "as signed; added since: 8 lines in front (a banner?)" },
		{ .name = "a longer banner", .body =
		    "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\r\na\r\n",
		    .body_hashed = "a\r\n", .want = "body: its hash differs, "
		    "and no well-known change accounts for it: something in "
		    "its 10 lines was changed or cut on the way" },
		{ .name = "banner and footer", .body = "x\r\na\r\ny\r\n",
		    .body_hashed = "a\r\n", .want = "body: line 2 is "
		    "as signed; added since: 1 line in front (a banner?) and "
		    "1 line behind (a footer?)" },
		{ .name = "empty", .body_hashed = "", .want = "body: it was "
		    "empty when it was signed: what is there was added after "
		    "signing" },
		{ .name = "empty, simple", .c = "relaxed/simple",
		    .body_hashed = "\r\n", .want = "body: it was empty when "
		    "it was signed: what is there was added after signing" },
		{ .name = "white space in simple", .c = "relaxed/simple",
		    .body = "a  b \r\n", .body_hashed = "a b\r\n", .want =
		    "body: it is as signed but for white space: relaxed "
		    "canonicalization would have passed; sign with "
		    "c=.../relaxed" },
		{ .name = "simple called relaxed", .body =
		    "a  b \r\n\r\n", .body_hashed = "a  b \r\n", .want =
		    "body: it was hashed in simple canonicalization though c= "
		    "says relaxed; a fault of the signer" },
		{ .name = "all under l=", .more = "; l=3", .body =
		    "abc\r\ndef\r\n", .want = "body: bh= is the hash of all "
		    "of it, not of the first l=3 octets; a fault of the "
		    "signer" },
		{ .name = "white space before l=", .more = "; l=3",
		    .c = "relaxed/simple", .body = "a  c\r\n", .body_hashed =
		    "a c", .want = "body: it is as signed but for white "
		    "space: relaxed canonicalization would have passed; sign "
		    "with c=.../relaxed" },
		{ .name = "mbox", .body = ">From a\r\n>From\r\n",
		    .body_hashed = "From a\r\n>From\r\n", .want = "body: it "
		    "is as signed but for \">\" in front of lines that begin "
		    "with \"From \": the message lay in a mbox file" },
		{ .name = "dots too many", .body = "..\r\na..\r\n",
		    .body_hashed = ".\r\na..\r\n", .want = "body: it is as "
		    "signed but for a dot that was put in front of lines that "
		    "begin with one (RFC 5321 s4.5.2): a program on the way "
		    "did not take it off" },
		{ .name = "dots too few", .body = ".a\r\na.\r\n",
		    .body_hashed = "..a\r\na.\r\n", .want = "body: it was "
		    "hashed with a dot put in front of lines that begin with "
		    "one (RFC 5321 s4.5.2), or has lost it: the signer or a "
		    "program on the way is at fault" },
		{ .name = "quoted-printable", .body = "H=C3=A4=\r\n=3D\r\n",
		    .body_hashed = "H\xc3\xa4=\r\n", .want = "body: it is as "
		    "signed but for quoted-printable: an MTA on the way "
		    "converted 8bit; the sender should encode before signing "
		    "(RFC 6376 s5.3)" },
		{ .name = "base64", .body = "SMOk\r\nDQo=\r\n",
		    .body_hashed = "H\xc3\xa4\r\n", .want = "body: it is as "
		    "signed but for base64: an MTA on the way converted 8bit; "
		    "the sender should encode before signing (RFC 6376 "
		    "s5.3)" },
		{ .name = "bare LF", .body = "a\nb\r\n", .body_hashed =
		    "a\r\nb\r\n", .want = "body: it is as signed but for bare "
		    "CR or LF, which were or became CRLF; see FixCRLF in "
		    "dkimd.conf(5)" },
		{ .name = "LF for CRLF", .body_hashed = "Hi.\n\nJoe\n",
		    .want = "body: it was hashed with LF for CRLF as line "
		    "ends; the signer must hash what travels (RFC 6376 "
		    "s5.3)" },
		{ .name = "no last line end", .body_hashed = "Hi.\r\n\r\nJoe",
		    .want = "body: it was hashed without its last line end, "
		    "against RFC 6376 s3.4.3; a fault of the signer" },
		{ .name = "nothing as one line", .body = "", .body_hashed =
		    "\r\n", .want = "body: it was hashed in simple "
		    "canonicalization though c= says relaxed; a fault of the "
		    "signer" },
		{ .name = "one line more", .body = "a \r\n", .body_hashed =
		    "a\r\n\r\n", .want = "body: it was hashed with an empty "
		    "line at its end, against RFC 6376 s3.4.3, s3.4.4; a "
		    "fault of the signer" },
		{ .name = "raw", .body = "a \r\n\r\n", .want = "body: it was "
		    "hashed without any canonicalization; a fault of the "
		    "signer" },
		{ .name = "changed", .body_hashed = "Hello.\r\n", .want =
		    "body: its hash differs, and no well-known change "
		    "accounts for it: something in its 3 lines was changed or "
		    "cut on the way" },
		{ .name = "blanks at line ends", .c = "relaxed/simple",
		    .body = "a  b \t\r\nc\r\n \r\n", .body_hashed =
		    "a  b\r\nc\r\n", .want = BLANKS },
		{ .name = "those alone", .c = "relaxed/simple", .body =
		    "a \r\n", .body_hashed = "a\r\n", .want = BLANKS },
		{ .name = "dashes", .c = "relaxed/simple", .body =
		    "a\r\n--\r\nJoe\r\n", .body_hashed =
		    "a\r\n-- \r\nJoe\r\n", .want = "body: it is as signed "
		    "but for the space behind \"--\" (RFC 3676 s4.3), which "
		    "was taken off: relaxed canonicalization would have "
		    "passed; sign with c=.../relaxed" },
		{ .name = "changed, simple", .c = "relaxed/simple",
		    .body_hashed = "Hello.\r\n", .want = "body: c= says "
		    "simple, which does not outlive any change of white "
		    "space; sign with c=.../relaxed" },
		{ .name = "taken out", .body = "\r\n", .body_hashed =
		    "a\r\n", .want = "body: it is empty, and was not when it "
		    "was signed: it was taken out on the way" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

#define RIGHT "header: the signature would be right with "
#define FAULT RIGHT "this fault of the signer undone: "
#define ADDED " field (it was added after signing)"
#define LEFT_OUT " fields left out (it was added after signing)"

static void
dkim_explainer_print_header(void **state)
{
	static const struct row rows[] = {
		{ .name = "body changed", .body = "x\r\n", .body_hashed =
		    "y\r\n", .want = "header: it is as signed" },
		{ .name = "mark in Subject", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: [list] dinner\r\n", .want = RIGHT "Subject "
		    "without \"[list]\" (put in after signing)" },
		{ .name = "mark of two words behind Re:", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: Re: [my list] dinner\r\n", .hashed =
		    RELAXED_FROM RELAXED_TO "subject:Re: dinner\r\n",
		    .want = RIGHT "Subject without \"[my list]\" (put in "
		    "after signing)" },
		{ .name = "mark at the end", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: dinner (was: lunch)\r\n", .want = RIGHT
		    "Subject without \"(was: lunch)\" (put in after "
		    "signing)" },
		{ .name = "octets of a stranger", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: \x1b[31m\xc3 dinner\r\n", .want = RIGHT
		    "Subject without \"\\x1b[31m\\xc3\" (put in after "
		    "signing)" },
		{ .name = "added field", .h = "From:To:Subject:Reply-To",
		    .header = HEADER "Reply-To: l@example.net\r\n",
		    .want = RIGHT "no Reply-To" ADDED },
		{ .name = "two added fields", .h =
		    "From:To:Subject:Reply-To:Sender", .header = HEADER
		    "Reply-To: l@example.net\r\nSender: l@example.net\r\n",
		    .want = RIGHT "no Reply-To" ADDED ", no Sender" ADDED },
		{ .name = "From rewritten", .h = "From:To:Subject",
		    .header = "From: Joe via l <l@example.net>\r\n"
		    "To: a@example.org\r\nSubject: dinner\r\n"
		    "Reply-To: Joe <joe@example.com>\r\n", .want = RIGHT
		    "the value of Reply-To in From (rewritten after "
		    "signing)" },
		{ .name = "a list's whole work", .h =
		    "From:To:Subject:Reply-To",
		    .header = "From: Joe via l <l@example.net>\r\n"
		    "To: a@example.org\r\nSubject: [l] dinner\r\n"
		    "Reply-To: Joe <joe@example.com>\r\n", .want = RIGHT
		    "the value of Reply-To in From (rewritten after signing),"
		    " no Reply-To" ADDED ", Subject without \"[l]\" (put in "
		    "after signing)" },
		{ .name = "To rewritten", .header =
		    "From: Joe <joe@example.com>\r\nTo: b@example.net\r\n"
		    "X-Original-To: a@example.org\r\nSubject: dinner\r\n",
		    .want = RIGHT "the value of X-Original-To in To (rewritten"
		    " after signing)" },
		{ .name = "re-encoded", .h =
		    "From:To:Subject:Content-Transfer-Encoding", .header =
		    HEADER "Content-Transfer-Encoding: quoted-printable\r\n",
		    .hashed = RELAXED "content-transfer-encoding:8bit\r\n",
		    .want = RIGHT "Content-Transfer-Encoding: \"8bit\" "
		    "(changed after signing)" },
		{ .name = "taken away", .h = "From:To:Subject:MIME-Version",
		    .hashed = RELAXED "mime-version:1.0\r\n", .want = RIGHT
		    "MIME-Version: \"1.0\" (changed after signing)" },
		{ .name = "one more below", .header = HEADER
		    "To: b@example.net\r\n", .want = RIGHT "the last of the 2 "
		    "To" LEFT_OUT },
		{ .name = "two more below", .header = HEADER
		    "To: b\r\nTo: c\r\n", .want = RIGHT "another of the To "
		    "fields (one was added below it)" },
		{ .name = "oversigned, one more below", .h =
		    "From:To:Subject:From:To:Subject", .header = HEADER
		    "From: b@example.net\r\n", .want = RIGHT "the last of the "
		    "2 From" LEFT_OUT },
		{ .name = "oversigned, one more on top", .h =
		    "From:To:Subject:From:To:Subject", .header =
		    "Subject: lunch\r\n" HEADER, .want = RIGHT "the first of "
		    "the 2 Subject" LEFT_OUT },
		{ .name = "oversigned, one more between", .h =
		    "From:To:To:Subject:To", .header = "To: c\r\nTo: b\r\n"
		    HEADER, .hashed = RELAXED_FROM RELAXED_TO "to:c\r\n"
		    "subject:dinner\r\n", .want = RIGHT "the second of the 3 "
		    "To" LEFT_OUT },
		{ .name = "oversigned, two more below", .h =
		    "From:To:Subject:From:To:Subject", .header = HEADER
		    "From: b\r\nSubject: b\r\n", .want = RIGHT "the last of "
		    "the 2 From" LEFT_OUT ", the last of the 2 Subject"
		    LEFT_OUT },
		{ .name = "relaxed called simple", .c = "simple/relaxed",
		    .want = RIGHT "relaxed header canonicalization" },
		{ .name = "wrong, not known", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: lunch\r\n", .want = "header: it differs, and no "
		    "well-known change accounts for it (23 tries): signed "
		    "fields were changed, added or taken out on the way" },
		{ .name = "taken out", .header = "From: Joe <joe@example.com>"
		    "\r\nTo: a@example.org\r\n", .want = "header: h= names "
		    "Subject, which the message does not have: removed on the "
		    "way?" },
		{ .name = "From taken out", .header = "To: a@example.org\r\n"
		    "Subject: dinner\r\n", .want = "verdict: permerror: no "
		    "From field in the message; h= names From: removed on the "
		    "way? A message without it is not valid mail (RFC 5322 "
		    "s3.6)" },
		{ .name = "bh= changed", .mask = 1, .want = RIGHT "the hash "
		    "of this body in bh= (bh= was changed after signing)" },
		{ .name = "bh= changed, body", .mask = 1, .want = "body: it "
		    "is as signed: bh= in the signature field was changed, not "
		    "the body" },
		{ .name = "a tag twice", .more = "; s=x", .want = "header: "
		    "the DKIM-Signature field has s= twice" },
		{ .name = "Ed25519", .is_ed25519 = true, .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: [list] dinner\r\n", .want = RIGHT "Subject "
		    "without \"[list]\" (put in after signing)" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

static void
dkim_explainer_print_simple(void **state)
{
#define OWN .c = "simple/relaxed", .own = "DKIM-Signature: "
	static const struct row rows[] = {
		{ OWN, .name = "no space behind the colon", .hashed =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject:dinner\r\n", .want = RIGHT "Subject having no "
		    "white space behind the colon (relaxed does not see white "
		    "space)" },
		{ OWN, .name = "a space taken away", .hashed = HEADER, .header
		    = "From: Joe <joe@example.com>\r\nTo:a@example.org\r\n"
		    "Subject:dinner\r\n", .want = RIGHT "all fields having "
		    "one space behind the colon (relaxed does not see white "
		    "space)" },
		{ OWN, .name = "white space at the end", .hashed = HEADER,
		    .header = "From: Joe <joe@example.com>\r\nTo: "
		    "a@example.org \r\nSubject: dinner\t\r\n", .want = RIGHT
		    "all fields having no white space at the end (relaxed "
		    "does not see white space)" },
		{ OWN, .name = "folded", .hashed = HEADER, .header =
		    "From: Joe\r\n <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: dinner\r\n", .want = RIGHT "all fields having "
		    "one line in place of several (relaxed does not see white "
		    "space)" },
		{ OWN, .name = "folded by a tab", .hashed =
		    "From: Joe\r\n\t<joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: dinner\r\n", .header =
		    "From: Joe\r\n <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: dinner\r\n", .want = RIGHT "all fields having "
		    "a tab at the start of folded lines (relaxed does not "
		    "see white space)" },
		{ OWN, .name = "two spaces", .hashed = HEADER, .header =
		    "From: Joe  <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: dinner\r\n", .want = RIGHT "all fields having "
		    "single spaces (relaxed does not see white space)" },
		{ OWN, .name = "name in another case", .hashed = HEADER,
		    .header = "From: Joe <joe@example.com>\r\n"
		    "TO: a@example.org\r\nSubject: dinner\r\n", .want = RIGHT
		    "the name TO written \"To\" (relaxed does not see the "
		    "case)" },
		{ OWN, .name = "name capitalized", .hashed = HEADER,
		    .h = "from:to:subject", .header =
		    "From: Joe <joe@example.com>\r\nTO: a@example.org\r\n"
		    "Subject: dinner\r\n", .want = RIGHT "the name TO "
		    "written \"To\" (relaxed does not see the case)" },
		{ OWN, .name = "not known", .header = "From: x@example.com\r\n",
		    .want = "header: c= says simple, which does not outlive "
		    "any change of white space or of the case of names: likely "
		    "the cause; sign with c=relaxed/..." },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

#define ID_H "From:To:Subject:Message-ID"
#define ID(VALUE) \
	.h = ID_H, .hashed = RELAXED "message-id:" VALUE "\r\n"
#define AS(VALUE) \
	.want = RIGHT "Message-ID: \"" VALUE "\" (changed after signing)"

/*
 * What relaxed sees as well.
 */
static void
dkim_explainer_print_tidied(void **state)
{
	static const struct row rows[] = {
		{ .name = "domain in upper case", ID("<aB@ex.org>"),
		    AS("<aB@ex.org>"), .header = HEADER
		    "Message-ID: <aB@EX.org>\r\n" },
		{ .name = "domain in lower case", ID("<aB@EX>"),
		    AS("<aB@EX>"), .header = HEADER
		    "Message-ID: <aB@ex>\r\n" },
		{ .name = "all in lower case", ID("<AB@EX>"), AS("<AB@EX>"),
		    .header = HEADER "Message-ID: <ab@ex>\r\n" },
		{ .name = "all in upper case", ID("<ab@ex>"), AS("<ab@ex>"),
		    .header = HEADER "Message-ID: <AB@EX>\r\n" },
		{ .name = "spaces in it", ID("<ab@ex>"), AS("<ab@ex>"),
		    .header = HEADER "Message-ID: < ab@\r\n ex >\r\n" },
		{ .name = "brackets put round it", ID("ab"), AS("ab"),
		    .header = HEADER "Message-ID: <ab>\r\n" },
		{ .name = "brackets taken off", ID("<ab>"), AS("<ab>"),
		    .header = HEADER "Message-ID: ab\r\n" },
		{ .name = "quotes", .header =
		    "From: \"Joe\" <joe@example.com>\r\n"
		    "To: a@example.org\r\nSubject: dinner\r\n", .want = RIGHT
		    "From: \"Joe <joe@example.com>\" (changed after "
		    "signing)" },
		{ .name = "no quotes", .hashed = "from:\"Joe\" "
		    "<joe@example.com>\r\n" RELAXED_TO "subject:dinner\r\n",
		    .want = RIGHT "From: \"\\x22Joe\\x22 "
		    "<joe@example.com>\" (changed after signing)" },
		{ .name = "a fold within a word", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: din\r\n ner\r\n", .want = RIGHT "Subject "
		    "having nothing where it is folded (changed after "
		    "signing)" },
		{ .name = "a space behind a comma", .hashed = RELAXED_FROM
		    "to:a@x,b@x\r\nsubject:dinner\r\n", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@x, b@x\r\n"
		    "Subject: dinner\r\n", .want = RIGHT "To having no "
		    "white space behind commas (changed after signing)" },
		{ .name = "none in two fields", .h = "From:To:Cc:Subject",
		    .hashed = RELAXED_FROM "to:a@x, b@x\r\ncc:c@x, d@x\r\n"
		    "subject:a,b\r\n", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@x,b@x\r\n"
		    "Cc: c@x,d@x\r\nSubject: a,b\r\n", .want = RIGHT
		    "all fields having one space behind commas (changed after "
		    "signing)" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

/*
 * Two changes of two fields, and of header and body.
 */
static void
dkim_explainer_print_pairs(void **state)
{
	static const char marked[] = "From: Joe <joe@example.com>\r\n"
	    "To: a@example.org\r\nSubject: [l] dinner\r\n";
	static const struct row rows[] = {
		{ .name = "mark and added field", .h =
		    "From:To:Subject:Sender", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: [l] dinner\r\nSender: l@example.net\r\n",
		    .want = RIGHT "no Sender" ADDED ", Subject without "
		    "\"[l]\" (put in after signing)" },
		{ .name = "mark and Message-ID", .h = ID_H, .hashed = RELAXED
		    "message-id:<ab@ex>\r\n", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: [l] dinner\r\nMessage-ID: <ab@EX>\r\n",
		    .want = RIGHT "Subject without \"[l]\" (put in after "
		    "signing), Message-ID: \"<ab@ex>\" (changed after "
		    "signing)" },
		{ .name = "two types", .h = "From:To:Subject:Content-Type:"
		    "Content-Transfer-Encoding", .hashed = RELAXED
		    "content-type:text/plain\r\n"
		    "content-transfer-encoding:8bit\r\n", .header = HEADER
		    "Content-Type: text/plain; charset=x\r\n"
		    "Content-Transfer-Encoding: base64\r\n", .want = RIGHT
		    "Content-Transfer-Encoding: \"8bit\" (changed after "
		    "signing), Content-Type: \"text/plain\" (changed after "
		    "signing)" },
		{ OWN, .name = "white space and a mark", .hashed = HEADER,
		    .header = "From: Joe  <joe@example.com>\r\n"
		    "To:  a@example.org\r\nSubject: [l] dinner\r\n", .want =
		    RIGHT "Subject without \"[l]\" (put in after signing), "
		    "all fields having single spaces (relaxed does not see "
		    "white space)" },
		{ OWN, .name = "white space of two kinds", .hashed =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org,\r\n\t"
		    "b@example.org\r\nSubject: dinner\r\n", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org,\r\n "
		    "b@example.org\r\nSubject:dinner\r\n", .want = RIGHT
		    "all fields having one space behind the colon (relaxed "
		    "does not see white space), all fields having a tab at "
		    "the start of folded lines (relaxed does not see white "
		    "space)" },
		{ OWN, .name =
		    "a pair leaves the signature's own field as it was",
		    .hashed = "From: Joe <joe@example.com>\r\n"
		    "To: a@example.org,\r\n\tb@example.org\r\n"
		    "Subject: dinner\r\n", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org,\r\n "
		    "b@example.org\r\nSubject: [l] dinner\r\n", .want =
		    RIGHT "Subject without \"[l]\" (put in after signing), "
		    "all fields having a tab at the start of folded lines "
		    "(relaxed does not see white space)" },
		{ .name = "mark, and blanks in the body", .header = marked,
		    .c = "relaxed/simple", .body = "a \r\n", .body_hashed =
		    "a\r\n", .want = BLANKS },
		{ .name = "blanks in the body, and mark", .header = marked,
		    .c = "relaxed/simple", .body = "a \r\n", .body_hashed =
		    "a\r\n", .want = RIGHT "Subject without \"[l]\" (put in "
		    "after signing)" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

static void
dkim_explainer_print_signer(void **state)
{
	static const struct row rows[] = {
		{ .name = "CRLF at the end", .end = "\r\n", .want = FAULT
		    "its own field was hashed with a line end behind" },
		{ .name = "own field in simple", .own = "DKIM-Signature: ",
		    .want = FAULT "its own field was hashed in the other "
		    "canonicalization" },
		{ .name = "semicolon", .end = ";", .want = FAULT "a semicolon "
		    "behind an empty b= was hashed" },
		{ .name = "from the top", .h = "From:To:To:Subject", .header =
		    HEADER "To: b\r\n", .hashed = RELAXED_FROM RELAXED_TO
		    "to:b\r\nsubject:dinner\r\n", .want = FAULT "of several "
		    "fields of one name the upper ones were taken first" },
		{ .name = "empty fields", .h = "From:To:Cc:Subject:Bcc",
		    .hashed = RELAXED_FROM RELAXED_TO "cc:\r\n"
		    "subject:dinner\r\nbcc:\r\n", .want = FAULT "fields that "
		    "are not there were hashed as empty ones" },
		{ .name = "hashed again", .h = "From:From:To:Subject:To",
		    .hashed = RELAXED_FROM RELAXED_FROM RELAXED_TO
		    "subject:dinner\r\n" RELAXED_TO, .want = FAULT "a field "
		    "was hashed again for each time that h= names it" },
		{ .name = "in the message's order", .h = "To:From:Subject",
		    .want = FAULT "fields were hashed in the order of the "
		    "message" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

#define COPIES \
	"; z=From:=20Joe=20<joe@example.com>|To:=20a@example.org" \
	"|Subject:=20dinner"

static void
dkim_explainer_print_copies(void **state)
{
	static const char changed[] = "From: Joe <joe@example.com>\r\n"
	    "To: b@example.net\r\nSubject: lunch\r\n";
	static const struct row rows[] = {
		{ .name = "put back", .more = COPIES, .header = changed,
		    .want = RIGHT "the fields that z= has" },
		{ .name = "first", .more = COPIES, .header = changed,
		    .want = "z=: To was \"a@example.org\", is "
		    "\"b@example.net\"" },
		{ .name = "second", .more = COPIES, .header = changed,
		    .want = "z=: Subject was \"dinner\", is \"lunch\"" },
		{ .name = "verdict", .more = COPIES, .header = changed,
		    .want = "verdict: fail: signature did not verify: To "
		    "differs from its copy in z=" },
		{ .name = "missing", .more = COPIES, .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n",
		    .want = "z=: Subject was \"dinner\", is not there" },
		{ .name = "missing, put back", .more = COPIES, .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n",
		    .want = RIGHT "the fields that z= has" },
		{ .name = "added", .more = COPIES, .h = "From:To:Subject:Cc",
		    .header = HEADER "Cc: \x1b c\r\n", .want = "z=: Cc has no "
		    "copy, is \"\\x1b c\"" },
		{ .name = "added, taken out", .more = COPIES,
		    .h = "From:To:Subject:Cc", .header = HEADER
		    "Cc: c\r\n", .want = RIGHT "the fields that z= has" },
		{ .name = "nothing", .more = COPIES, .end = "?", .want =
		    "z=: what it has is as signed" },
		{ .name = "broken", .more = "; z=x", .header = changed,
		    .want = "z=: it breaks RFC 6376 s3.5 and tells nothing" },
		{ .name = "long", .more = "; z=Subject:01234567890123456789"
		    "0123456789012345678901234567890123456789A", .want =
		    "z=: Subject was \"01234567890123456789"
		    "0123456789012345678901234567890123456789...\", is "
		    "\"dinner\"", .end = "?" },
		{ .name = "late difference", .more = "; z=To:=20a@example.org,"
		    "=20b@example.org,=0D=0A=09c@example.org,=20Dave=20"
		    "<dave@example.org>", .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org, "
		    "b@example.org, c@example.org,\r\n Dan <dave@example.org>"
		    "\r\nSubject: dinner\r\n", .want = "z=: To was \"...g, "
		    "c@example.org, Dave <dave@example.org>\", is \"...g, "
		    "c@example.org, Dan <dave@example.org>\"" },
		{ .name = "its quotes", .more = COPIES, .header =
		    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\n"
		    "Subject: x\", is \"dinner\r\n", .want = "z=: Subject was "
		    "\"dinner\", is \"x\\x22, is \\x22dinner\"" },
		{ .name = "a beginning", .more = "; z=Subject:=20dinner=20at"
		    "=20eight=0D=0A=20o'clock", .want = "z=: Subject was "
		    "\"dinner at eight o'clock\", is \"dinner\"", .end = "?" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

#define RECORD(NAME, TEXT, SHOWN) \
	{ .name = NAME, .want = "key: a record there begins \"" SHOWN, \
	    .dns = "sel._domainkey.example.com\t" TEXT "\n" }

static void
dkim_explainer_print_key(void **state)
{
	const struct row rows[] = {
		{ .name = "right", .header = HEADER "To: x\r\n", .want =
		    "key: the published key made the signature" },
		{ .name = "another", .dns = other_dns, .want = "key: the "
		    "signature was not made with the key that is published, "
		    "or b= was damaged: publish the signer's key, or sign "
		    "with the one that is published" },
		{ .name = "its place", .dns = other_dns, .want = "key: the "
		    "record is asked for at sel._domainkey.example.com" },
		{ .name = "another size", .dns = long_dns, .want = "key: b= "
		    "has 128 octets, a signature of the published key has 136:"
		    " another key made it; publish that key, or sign with the "
		    "one that is published" },
		{ .name = "Ed25519, right", .is_ed25519 = true,
		    .body_hashed = "x\r\n", .want = "key: the published key "
		    "made the signature" },
		{ .name = "Ed25519, unknown", .is_ed25519 = true, .end = "?",
		    .want = "key: whether the published key made it, over "
		    "another header, cannot be told: Ed25519 does not show" },
		{ .name = "none", .dns = "", .want = "verdict: permerror: no "
		    "key for signature; there is no TXT record at that name; "
		    "publish it, or sign with a selector that is published" },
		{ .name = "none, place", .dns = "", .want = "key: the record "
		    "is asked for at sel._domainkey.example.com" },
		{ .name = "none, body", .dns = "", .want = "body: it is as "
		    "signed" },
		{ .name = "expired", .more = "; t=1; x=1798761599", .want =
		    "verdict: permerror: signature expired, 1 second ago; the "
		    "message came late, or is a replay; if it was only late, "
		    "let the signer give more time" },
		{ .name = "future", .more = "; t=1798762600", .want =
		    "verdict: policy: signature time is in the future, by "
		    "1000 seconds; t= is beyond this clock and ClockDrift; "
		    "compare the clocks of signer and receiver" },
		{ .name = "l= too large", .more = "; l=100", .want =
		    "verdict: permerror: l= is larger than the body: l=100, "
		    "body 12 octets; the end of the body is missing: it was "
		    "cut on the way, or rewritten" },
		RECORD("SPF", "v=spf1 mx -all", "v=spf1 mx -all\": this is an "
		    "SPF record"),
		RECORD("quotes", "\"v=DKIM1; p=\"", "\\x22v=DKIM1; p=\\x22\": "
		    "quotes stand in the record; they belong to a zone file, "
		    "not to the record"),
		RECORD("commas", "v=DKIM1, p=x", "v=DKIM1, p=x\": commas part "
		    "the tags; it must be semicolons"),
		RECORD("other", "nothing", "nothing\""),
		{ .name = "pass", .want = "verdict: pass" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

/*
 * A line of 2000 octets that Postfix, and Sendmail, broke.
 */
static void
dkim_explainer_print_long(void **state)
{
	static char body[4096], one[4096];
	static const char *const breaks[] = { "\r\n ", "!\r\n " };
	static const char *const wants[] = {
		"body: it is as signed but for long lines, which an MTA broke "
		"(RFC 5321 s4.5.3.1.6: 998 octets); the sender should send "
		"quoted-printable or base64",
		"body: it is as signed but for long lines, which Sendmail "
		"broke with \"!\"; the sender should send quoted-printable or "
		"base64",
	};
	struct row row = { .name = "long", .body = body, .body_hashed = one };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		snprintf(one, sizeof(one), "%02000d\r\nend\r\n", 0);
		snprintf(body, sizeof(body), "%0990d%s%0990d%s%020d\r\nend\r\n",
		    0, breaks[i], 0, breaks[i], 0);
		row.want = wants[i];
		run_rows(&row, 1);
	}
}

/*
 * So many lines that pieces of canonical octets end between CR and LF.
 */
static void
dkim_explainer_print_many(void **state)
{
	static char body[4096], signed_body[4096];
	struct row row = { .name = "many", .body = body,
	    .body_hashed = signed_body, .want = "body: lines 1 to 700 are as "
	    "signed; added since: 2 lines behind (a footer?)" };
	size_t i;

	(void)state;
	for (i = 0; i < 700; i++)
		memcpy(&body[3 * i], "a\r\n", 3);
	memcpy(signed_body, body, 3 * i);
	strcpy(&body[3 * i], "--\r\nb\r\n");
	run_rows(&row, 1);
	row.c = "relaxed/simple";
	run_rows(&row, 1);
}

/*
 * Blanks cost reading though relaxed makes one of them: 64 MiB are 80 such
 * headers.
 */
static void
dkim_explainer_print_bound_octets(void **state)
{
	struct row row = { .name = "blanks", .c = "relaxed/simple", .end = "?",
	    .want = "header: it differs, and no well-known change accounts "
	    "for it (80 tries, as many as are made): signed fields were "
	    "changed, added or taken out on the way" };
	struct buf names, header;

	(void)state;
	buf_init(&names, 65536);
	buf_init(&header, 1 << 20);
	buf_add_text(&names, "From");
	buf_add_text(&header, HEADER);
	for (size_t i = 0; i < 200; i++) {
		buf_add_format(&names, ":X-%zu", i);
		buf_add_format(&header, "X-%zu: a%4200sb\r\n", i, "");
	}
	buf_add_nul(&names);
	buf_add_nul(&header);
	assert_int_equal(buf_end(&names) | buf_end(&header), 0);
	row.h = (const char *)names.p;
	row.header = (const char *)header.p;
	run_rows(&row, 1);
	buf_clear(&names);
	buf_clear(&header);
}

/*
 * The same whatever the cuts of the body.
 */
static void
dkim_explainer_body_cuts(void **state)
{
	const struct row row = { .name = "cuts", .body =
	    "x\r\na\r\n\r\n.b=\r\n>From \r\n", .body_hashed = "a\r\n" };
	struct trial t;
	struct buf first;
	size_t chunk;

	(void)state;
	begin_trial(&row, &t);
	buf_init(&first, 65536);
	assert_int_equal(run_trial(&t), 0);
	buf_add(&first, buf_slice(&t.out));
	for (chunk = 1; chunk <= strlen(row.body); chunk++) {
		buf_reset(&t.out);
		t.chunk = chunk;
		assert_int_equal(run_trial(&t), 0);
		test_octets("cuts", t.out.p, t.out.n, first.p, first.n);
	}
	finish_trial(&t);
	buf_clear(&first);
}

/*
 * A header for which all guesses are made: they end at their bound, soon.
 */
static void
dkim_explainer_print_bound(void **state)
{
	struct row row = { .name = "bound", .c = "simple/simple", .end = "?",
	    .own = "DKIM-Signature: ", .want = "header: it differs, and no "
	    "well-known change accounts for it (1000 tries, as many as are "
	    "made): signed fields were changed, added or taken out on the "
	    "way" };
	struct buf names, header;
	size_t i;

	(void)state;
	buf_init(&names, 65536);
	buf_init(&header, 1 << 20);
	buf_add_text(&names, "From");
	buf_add_text(&header, HEADER);
	for (i = 0; i < 500; i++) {
		buf_add_format(&names, ":X-%zu", i);
		buf_add_format(&header, "X-%zu: a  b\r\n", i);
	}
	buf_add_nul(&names);
	buf_add_nul(&header);
	assert_int_equal(buf_end(&names) | buf_end(&header), 0);
	row.h = (const char *)names.p;
	row.header = (const char *)header.p;
	run_rows(&row, 1);
	buf_clear(&names);
	buf_clear(&header);
}

static void
dkim_explainer_states(void **state)
{
	const struct row row = { .name = "states" };
	struct dkim_verifier *v;
	struct dkim_explainer *e;
	struct trial t;

	(void)state;
	begin_trial(&row, &t);
	assert_int_equal(dkim_verifier_new(world.lib, t.header, &made_plain,
	    &v), 0);
	assert_int_equal(dkim_explainer_new(v, &e), 0);
	assert_int_equal(dkim_explainer_print(e, world.worker, 0, &t.out),
	    DKIM_ERR_STATE);
	assert_int_equal(dkim_explainer_body_end(e), 0);
	assert_int_equal(dkim_explainer_body_end(e), DKIM_ERR_STATE);
	assert_int_equal(dkim_explainer_body(e, slice_text("x")),
	    DKIM_ERR_STATE);
	assert_int_equal(dkim_explainer_print(e, world.worker, 0, &t.out),
	    DKIM_ERR_STATE);
	dkim_explainer_free(e);
	assert_int_equal(dkim_verifier_body_end(v), 0);
	assert_int_equal(dkim_explainer_new(v, &e), DKIM_ERR_STATE);
	dkim_explainer_free(NULL);
	dkim_verifier_free(v);
	finish_trial(&t);
}

static bool
explain_once(void *arg)
{
	struct trial *t = arg;
	int r;

	buf_clear(&t->out);
	r = run_trial(t);
	if (r != 0)
		test_int("error", r, DKIM_ERR_NOMEM);
	return r == 0;
}

static void
dkim_explainer_every_allocation(void **state)
{
	const struct row rows[] = {
		{ .name = "body", .body_hashed = "x\r\n" },
		{ .name = "copies", .more = COPIES, .header =
		    "From: Joe <joe@example.com>\r\nSubject: lunch\r\n" },
		{ .name = "simple", .c = "simple/simple", .end = "?", .own =
		    "DKIM-Signature: ", .hashed = HEADER },
		{ .name = "Ed25519", .is_ed25519 = true, .end = ";" },
		{ .name = "tidied", .h = ID_H, .end = "?", .header =
		    "From: Joe <joe@example.com>\r\nTo: a, b\r\n"
		    "Subject: x\r\nMessage-ID: <aB@C>\r\n" },
	};
	struct trial t;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		begin_trial(&rows[i], &t);
		test_every_allocation(explain_once, &t);
		finish_trial(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dkim_explainer_print_body),
		cmocka_unit_test(dkim_explainer_print_header),
		cmocka_unit_test(dkim_explainer_print_simple),
		cmocka_unit_test(dkim_explainer_print_tidied),
		cmocka_unit_test(dkim_explainer_print_pairs),
		cmocka_unit_test(dkim_explainer_print_signer),
		cmocka_unit_test(dkim_explainer_print_copies),
		cmocka_unit_test(dkim_explainer_print_key),
		cmocka_unit_test(dkim_explainer_print_long),
		cmocka_unit_test(dkim_explainer_print_many),
		cmocka_unit_test(dkim_explainer_print_bound),
		cmocka_unit_test(dkim_explainer_print_bound_octets),
		cmocka_unit_test(dkim_explainer_body_cuts),
		cmocka_unit_test(dkim_explainer_states),
		cmocka_unit_test(dkim_explainer_every_allocation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
