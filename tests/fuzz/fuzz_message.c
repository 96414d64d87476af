/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the verifier with a whole message: DKIM-Signature fields, choice,
 * judging, and Authentication-Results, which must carry no octet that could
 * break out of it. Input: one octet of options, a TXT record up to the first
 * NUL, then the message.
 */

/* system */
#include <stdint.h>
#include <stdlib.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "dkim/dkim.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

struct run {
	struct dkim_lib			*lib;
	const struct rsab_backend	*backend;
	struct rsab_worker		*worker;
	struct dkim_header		*header;
	struct dkim_verifier		*verifier;
	struct slice			 record;
	unsigned			 bits;		/* options */
};

static int
on_header(void *context)
{
	struct run *run = context;
	struct dkim_verify_options options = {
		.now = 1798761600,
		.clock_drift = 300,
		.max_signatures = run->bits & 3,
		.minimum = { DKIM_MINIMUM_PERCENT, run->bits & 127 },
		.fix_crlf = (run->bits & 4) != 0,
	};
	struct dkim_answer answer = { DKIM_ANSWER_FOUND, NULL,
	    DKIM_DNSSEC_INSECURE, NULL };
	size_t i;
	int r;

	r = dkim_verifier_new(run->lib, run->header, &options, &run->verifier);
	if (r != 0)
		return r;
	for (i = 0; i < dkim_verifier_queries(run->verifier); i++) {
		r = dkim_keyset_parse(run->backend, &run->record, 1,
		    &answer.keyset);
		if (r != 0)
			return r;
		dkim_verifier_answer(run->verifier, i, answer);
	}
	return 0;
}

static int
on_body(void *context, struct slice octets)
{
	struct run *run = context;

	return dkim_verifier_body(run->verifier, octets);
}

/*
 * Print the verdicts; what comes out is plain ASCII, folded, and claims us.
 */
static void
check_printed(const struct run *run)
{
	struct dkim_authres ar = {
		.authserv_id = slice_text("mx.example.org"),
		.line_end = "\r\n",
	};
	struct slice out;
	struct buf b;
	size_t i;

	buf_init(&b, 1 << 24);
	if (dkim_authres_print(&ar, run->verifier, NULL, &b) != 0)
		abort();
	out = buf_slice(&b);
	for (i = 0; i < out.n; i++) {
		if (out.p[i] == '\r') {
			if (out.n - i < 3 || out.p[i + 1] != '\n' ||
			    out.p[i + 2] != '\t')
				abort();
			i += 2;
		} else if (out.p[i] < ' ' || out.p[i] > '~')
			abort();
	}
	if (dkim_authres_claims(out, &ar.authserv_id, 1) !=
	    DKIM_AUTHRES_OURS_DKIM)
		abort();
	buf_clear(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct run run = { 0 };
	struct dkim_reader *reader = NULL;
	struct slice in = { p, n };
	int r;

	if (n == 0)
		return 0;
	run.bits = p[0];
	in = slice_from(in, 1);
	run.record = slice_sub(in, 0, slice_find(in, '\0'));
	in = slice_from(in, run.record.n + (run.record.n < in.n));
	if (dkim_lib_new(&run.lib) != 0 ||
	    rsab_backend_find("libcrypto", &run.backend) != 0 ||
	    rsab_worker_new(&run.worker) != 0 ||
	    dkim_header_new(0, &run.header) != 0 ||
	    dkim_reader_new(run.header, on_header, on_body, &run, &reader) !=
	    0)
		abort();
	r = dkim_reader_feed(reader, in);
	if (r == 0)
		r = dkim_reader_end(reader);
	if (r == 0)
		r = dkim_verifier_body_end(run.verifier);
	if (r == 0)
		r = dkim_verifier_finish(run.verifier, run.worker);
	if (r == 0)
		check_printed(&run);
	dkim_reader_free(reader);
	dkim_verifier_free(run.verifier);
	dkim_header_free(run.header);
	rsab_worker_free(run.worker);
	dkim_lib_free(run.lib);
	return 0;
}
