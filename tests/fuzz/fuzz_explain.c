/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the explanation of verdicts (explain.h) with a whole message that is
 * really signed, and then changed: what is printed is lines of printable
 * ASCII, the same however the body is cut. Input: octets of options, header
 * fields up to an empty line, a body; the options say what is changed.
 */

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "dkim/base64.h"
#include "dkim/digest.h"
#include "dkim/sigfield.h"
#include "tests/fuzz/fuzz.h"

#define OUT_MAX	((size_t)1 << 20)

/* made once, for all inputs */
static struct dkim_lib *lib;
static struct rsab_worker *worker;
static struct rsab_key *keys[2];
static struct dkim_keyset *keysets[2];

static void
make_key(const struct rsab_backend *backend, size_t i)
{
	struct buf b;
	struct slice record;

	FUZZ_WANT(rsab_key_generate(backend, i == 0 ? RSAB_RSA : RSAB_ED25519,
	    1024, &keys[i]) == 0);
	buf_init(&b, 65536);
	FUZZ_WANT(dkim_key_record_print(keys[i], false, false, &b) == 0);
	record = buf_slice(&b);
	FUZZ_WANT(dkim_keyset_parse(backend, &record, 1, &keysets[i]) == 0);
	buf_clear(&b);
}

static void
set_up(void)
{
	const struct rsab_backend *backend;

	if (lib != NULL)
		return;
	FUZZ_WANT(dkim_lib_new(&lib) == 0);
	FUZZ_WANT(rsab_backend_find("libcrypto", &backend) == 0);
	FUZZ_WANT(rsab_worker_new(&worker) == 0);
	make_key(backend, 0);
	make_key(backend, 1);
}

static struct dkim_header *
make_header(struct slice first, struct slice rest, struct slice skip)
{
	struct dkim_header *header;
	struct slice line;
	size_t colon;

	FUZZ_WANT(dkim_header_new(0, &header) == 0);
	if (first.n > 0)
		FUZZ_WANT(dkim_header_add(header,
		    slice_text("DKIM-Signature"), first) == 0);
	while (rest.n > 0) {
		line = fuzz_until(&rest, '\n');
		colon = slice_find(line, ':');
		if (colon == line.n || (line.p == skip.p && skip.n > 0))
			continue;
		/* one that is refused is simply not there */
		if (dkim_header_add(header, slice_sub(line, 0, colon),
		    slice_from(line, colon + 1)) != 0)
			continue;
	}
	return header;
}

/*
 * Sign the header and body as they came.
 */
static int
sign(const struct dkim_header *header, struct slice body, uint8_t bits,
    struct buf *out)
{
	struct rsab_job job = { .key = keys[bits & 1] }, *jobs[] = { &job };
	struct dkim_names *signs, *oversign;
	struct dkim_signer *signer = NULL;
	struct slice bad;
	size_t index;
	int r;

	FUZZ_WANT(dkim_names_parse(DKIM_NAMES_SIGN, slice_of(NULL, 0), &signs,
	    &bad) == 0);
	FUZZ_WANT(dkim_names_parse(DKIM_NAMES_OVERSIGN,
	    slice_text("From,Reply-To,Cc"), &oversign, &bad) == 0);
	struct dkim_sign_options o = {
		.domain = slice_text("example.com"),
		.selector = slice_text("s"),
		.header_canon = bits & 2 ? DKIM_RELAXED : DKIM_SIMPLE,
		.body_canon = bits & 4 ? DKIM_RELAXED : DKIM_SIMPLE,
		.sign = signs,
		.oversign = oversign,
		.now = 1798761600,
		.copy_fields = (bits & 8) != 0,
		.key = keys[bits & 1],
	};
	FUZZ_WANT(dkim_signer_new(lib, header, false, &signer) == 0);
	r = dkim_signer_add(signer, &o, &index);
	if (r == 0)
		r = dkim_signer_body(signer, body);
	if (r == 0)
		r = dkim_signer_body_end(signer);
	if (r == 0)
		r = dkim_signer_job(signer, index, &job);
	if (r == 0) {
		rsab_run(worker, jobs, 1);
		FUZZ_WANT(job.result == 0);
		r = dkim_signer_field(signer, index, slice_of(job.signature,
		    job.signature_len), "\r\n", out);
	}
	dkim_signer_free(signer);
	dkim_names_free(signs);
	dkim_names_free(oversign);
	return r;
}

/*
 * Give one octet string to both, cut at octet cut.
 */
static void
feed(struct dkim_verifier *v, struct dkim_explainer *e, struct slice body,
    size_t cut)
{
	struct slice parts[2] = { slice_sub(body, 0, cut),
	    slice_from(body, cut) };
	size_t i;

	for (i = 0; i < 2; i++) {
		FUZZ_WANT(dkim_verifier_body(v, parts[i]) == 0);
		FUZZ_WANT(dkim_explainer_body(e, parts[i]) == 0);
	}
	FUZZ_WANT(dkim_verifier_body_end(v) == 0);
	FUZZ_WANT(dkim_explainer_body_end(e) == 0);
}

static void
explain(const struct dkim_header *header, struct slice body, size_t cut,
    size_t key, struct buf *out)
{
	struct dkim_verify_options options = { .now = 1798761600,
	    .clock_drift = 300 };
	struct dkim_verifier *v;
	struct dkim_explainer *e;
	size_t i;

	FUZZ_WANT(dkim_verifier_new(lib, header, &options, &v) == 0);
	FUZZ_WANT(dkim_explainer_new(v, &e) == 0);
	for (i = 0; i < dkim_verifier_queries(v); i++) {
		struct dkim_answer answer = { DKIM_ANSWER_FOUND,
		    dkim_keyset_ref(keysets[key]), DKIM_DNSSEC_INSECURE,
		    NULL };

		dkim_verifier_answer(v, i, answer);
	}
	feed(v, e, body, cut);
	FUZZ_WANT(dkim_verifier_finish(v, worker) == 0);
	for (i = 0; i < dkim_verifier_count(v); i++)
		FUZZ_WANT(dkim_explainer_print(e, worker, i, out) == 0);
	dkim_explainer_free(e);
	dkim_verifier_free(v);
}

static void
check_lines(struct slice out)
{
	static const char *const starts[] = {
		"verdict: ", "key: ", "body: ", "header: ", "z=: ",
	};
	struct slice line;
	size_t i, k;
	bool known;

	FUZZ_WANT(out.n == 0 || out.p[out.n - 1] == '\n');
	while (out.n > 0) {
		line = fuzz_until(&out, '\n');
		for (i = 0; i < line.n; i++)
			FUZZ_WANT(line.p[i] >= ' ' && line.p[i] <= '~');
		known = false;
		for (k = 0; k < sizeof(starts) / sizeof(starts[0]); k++)
			known = known || (line.n >= strlen(starts[k]) &&
			    memcmp(line.p, starts[k], strlen(starts[k])) == 0);
		FUZZ_WANT(known);
	}
}

/*
 * Where the header ends: behind the first empty line.
 */
static size_t
find_body(struct slice in)
{
	size_t i;

	for (i = 0; i + 1 < in.n; i++)
		if (in.p[i] == '\n' && in.p[i + 1] == '\n')
			return i + 1;
	return in.n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct slice in = slice_of(p, n), fields, body, changed, skip;
	struct dkim_header *header;
	struct buf value, first, second;
	uint8_t bits, what;

	if (n < 3 || n > 65536)
		return 0;
	set_up();
	bits = p[0];
	what = p[1];
	in = slice_from(in, 2);
	fields = slice_sub(in, 0, find_body(in));
	body = slice_from(in, fields.n);
	buf_init(&value, DKIM_FIELD_MAX);
	buf_init(&first, OUT_MAX);
	buf_init(&second, OUT_MAX);
	header = make_header(slice_of(NULL, 0), fields, slice_of(NULL, 0));
	if (sign(header, body, bits, &value) == 0) {
		/* the first field goes, the body loses its start, its end */
		skip = slice_sub(fields, 0, what & 1 ? slice_find(fields,
		    '\n') : 0);
		changed = slice_from(body, what & 2 ? body.n / 2 : 0);
		changed = slice_sub(changed, 0, what & 4 ? changed.n / 2 :
		    changed.n);
		dkim_header_free(header);
		header = make_header(buf_slice(&value), fields, skip);
		explain(header, changed, 0, (what >> 3) & 1, &first);
		explain(header, changed, changed.n / 3, (what >> 3) & 1,
		    &second);
		check_lines(buf_slice(&first));
		FUZZ_WANT(slice_equal(buf_slice(&first), buf_slice(&second)));
	}
	dkim_header_free(header);
	buf_clear(&value);
	buf_clear(&first);
	buf_clear(&second);
	return 0;
}
