/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks dkim_authres_print: hostile job identifiers, limits' names and
 * DKIM-Signature fields, with every kind of answer of the DNS. No line passes
 * the maximum, no octet breaks out, the field claims us, and results stand
 * where results may stand. Input: lines: an octet of options and the job's id,
 * then the signature fields.
 */

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/fuzz/fuzz.h"

static const struct dkim_verify_options options = {
	.now = 1798761600,
	.clock_drift = 300,
	.max_signatures = 4,
};

/*
 * Judge fields with answers of the state that bits name.
 */
static struct dkim_verifier *
judge(const struct dkim_lib *lib, const struct dkim_header *header,
    unsigned bits)
{
	static const enum dkim_answer_state states[] = { DKIM_ANSWER_NO_KEY,
	    DKIM_ANSWER_TEMPERROR, DKIM_ANSWER_OVER };
	struct dkim_answer answer = { .state = states[bits % 3] };
	struct dkim_verifier *verifier;
	struct rsab_worker *worker;
	size_t i;

	FUZZ_WANT(dkim_verifier_new(lib, header, &options, &verifier) == 0);
	for (i = 0; i < dkim_verifier_queries(verifier); i++)
		dkim_verifier_answer(verifier, i, answer);
	FUZZ_WANT(dkim_verifier_body_end(verifier) == 0);
	FUZZ_WANT(rsab_worker_new(&worker) == 0);
	FUZZ_WANT(dkim_verifier_finish(verifier, worker) == 0);
	rsab_worker_free(worker);
	return verifier;
}

/*
 * Lines end as they should and are of plain ASCII.
 */
static void
check_lines(struct slice out, const char *line_end)
{
	size_t end_n = strlen(line_end), line = strlen(
	    "Authentication-Results:"), i;

	for (i = 0; i < out.n; i++) {
		if (out.n - i > end_n && memcmp(out.p + i, line_end,
		    end_n) == 0) {
			FUZZ_WANT(line <= DKIM_AUTHRES_LINE_MAX);
			FUZZ_WANT(out.p[i + end_n] == '\t');
			line = 1;
			i += end_n;
			continue;
		}
		FUZZ_WANT(out.p[i] >= ' ' && out.p[i] <= '~');
		line++;
	}
	FUZZ_WANT(line <= DKIM_AUTHRES_LINE_MAX);
}

/*
 * Outside of comments and quotes no ";" but between clauses, each a "dkim=".
 */
static void
check_clauses(struct slice out, bool pass)
{
	size_t depth = 0, i;
	bool quoted = false;

	for (i = 0; i < out.n; i++) {
		uint8_t c = out.p[i];
		struct slice rest;

		if (c == '\\' && (quoted || depth > 0))
			i++;
		else if (c == '"' && depth == 0)
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (c == '(')
			depth++;
		else if (c == ')') {
			FUZZ_WANT(depth > 0);
			depth--;
		} else if (c == ';' && depth == 0) {
			rest = slice_trim(slice_from(out, i + 1));
			FUZZ_WANT(rest.n > 5 && memcmp(rest.p, "dkim=",
			    5) == 0);
			FUZZ_WANT(pass || memcmp(rest.p, "dkim=pass",
			    9) != 0);
		}
	}
	FUZZ_WANT(depth == 0 && !quoted);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct slice in = slice_of(p, n);
	struct dkim_authres ar = {
		.authserv_id = slice_text("mx.example.org"),
	};
	struct dkim_verifier *verifier = NULL;
	struct dkim_header *header;
	struct dkim_lib *lib;
	struct buf b;
	unsigned bits;

	if (n < 1 || n > 65536)
		return 0;
	bits = p[0];
	in = slice_from(in, 1);
	ar.job_id = fuzz_until(&in, '\n');
	ar.no_header_b = (bits & 64) != 0;
	ar.line_end = (bits & 128) != 0 ? "\r\n" : "\n";
	FUZZ_WANT(dkim_lib_new(&lib) == 0);
	FUZZ_WANT(dkim_header_new(0, &header) == 0);
	FUZZ_WANT(dkim_header_add(header, slice_text("From"),
	    slice_text(" a@example.net")) == 0);
	while (in.n > 0 && dkim_header_over(header) == NULL)
		(void)!dkim_header_add(header, slice_text("DKIM-Signature"),
		    fuzz_until(&in, '\n'));
	if ((bits & 32) == 0)
		verifier = judge(lib, header, bits);
	buf_init(&b, 1 << 24);
	if (dkim_authres_print(&ar, verifier, NULL, &b) == 0) {
		check_lines(buf_slice(&b), ar.line_end);
		check_clauses(buf_slice(&b), false);
		FUZZ_WANT(dkim_authres_claims(buf_slice(&b), &ar.authserv_id,
		    1) == DKIM_AUTHRES_OURS_DKIM);
	}
	buf_clear(&b);
	dkim_verifier_free(verifier);
	dkim_header_free(header);
	dkim_lib_free(lib);
	return 0;
}
