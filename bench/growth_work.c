/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message, read, verified or signed.
 */

/* this room */
#include "growth_work.h"

#define NOW	1798761600	/* 2027-01-01 */
#define FIELD_MAX	((size_t)1 << 24)	/* octets that we write */

struct work {
	const struct growth_site	*site;
	const struct growth_case	*input;
	struct growth_result		*out;
	struct dkim_header		*header;
	struct dkim_verifier		*verifier;
	struct dkim_signer		*signer;
	struct dkim_names		*names;
};

int
growth_site_open(struct growth_site *site)
{
	*site = (struct growth_site){ 0 };
	if (dkim_lib_new(&site->lib) != 0 ||
	    rsab_worker_new(&site->worker) != 0)
		return DKIM_ERR_NOMEM;
	if (rsab_backend_find("libcrypto", &site->backend) != 0 ||
	    rsab_key_generate(site->backend, RSAB_ED25519, 0, &site->key) != 0)
		return DKIM_ERR_CRYPTO;
	return 0;
}

void
growth_site_close(struct growth_site *site)
{
	rsab_key_unref(site->key);
	rsab_worker_free(site->worker);
	dkim_lib_free(site->lib);
}

static int
count_claims(struct work *w)
{
	const struct slice id = slice_text(GROWTH_ID);
	const struct slice name = slice_text("Authentication-Results");
	size_t i, n = dkim_header_count(w->header);

	for (i = dkim_header_find(w->header, name, 0); i < n;
	    i = dkim_header_find(w->header, name, i + 1))
		if (dkim_authres_claims(dkim_header_value(w->header, i), &id,
		    1) != DKIM_AUTHRES_FOREIGN)
			w->out->claims++;
	return 0;
}

static int
begin_verifying(void *context)
{
	static const struct dkim_verify_options options = {
		.now = NOW, .clock_drift = 300 };
	struct dkim_answer answer = { .state = DKIM_ANSWER_FOUND };
	struct work *w = context;
	struct slice record = buf_slice(&w->input->record);
	size_t i;
	int r;

	r = count_claims(w);
	if (r == 0)
		r = dkim_verifier_new(w->site->lib, w->header, &options,
		    &w->verifier);
	if (r != 0)
		return r;
	for (i = 0; i < dkim_verifier_queries(w->verifier); i++) {
		r = dkim_keyset_parse(w->site->backend, &record, 1,
		    &answer.keyset);
		if (r != 0)
			return r;
		dkim_verifier_answer(w->verifier, i, answer);
	}
	return 0;
}

static int
begin_signing(void *context)
{
	struct work *w = context;
	struct dkim_sign_options options = {
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"),
		.header_canon = DKIM_RELAXED,
		.body_canon = DKIM_RELAXED,
		.now = NOW,
		.key = w->site->key,
	};
	struct slice bad;
	size_t index;
	int r;

	r = dkim_names_parse(DKIM_NAMES_SIGN, slice_of(NULL, 0), &w->names,
	    &bad);
	options.sign = w->names;
	if (r == 0)
		r = dkim_signer_new(w->site->lib, w->header, false,
		    &w->signer);
	return r == 0 ? dkim_signer_add(w->signer, &options, &index) : r;
}

static int
on_body(void *context, struct slice octets)
{
	struct work *w = context;

	return w->signer != NULL ? dkim_signer_body(w->signer, octets) :
	    dkim_verifier_body(w->verifier, octets);
}

/*
 * Read the message into a verifier or a signer.
 */
static int
read_all(struct work *w, int (*begin)(void *context))
{
	struct dkim_reader *reader = NULL;
	int r;

	r = dkim_header_new(0, &w->header);
	if (r == 0)
		r = dkim_reader_new(w->header, begin, on_body, w, &reader);
	if (r == 0)
		r = dkim_reader_feed(reader, buf_slice(&w->input->header));
	if (r == 0)
		r = dkim_reader_feed(reader, slice_text("\r\n"));
	if (r == 0)
		r = dkim_reader_feed(reader, buf_slice(&w->input->body));
	if (r == 0)
		r = dkim_reader_end(reader);
	dkim_reader_free(reader);
	return r;
}

static void
clear(struct work *w)
{
	dkim_verifier_free(w->verifier);
	dkim_signer_free(w->signer);
	dkim_names_free(w->names);
	dkim_header_free(w->header);
}

static int
print_verdicts(struct work *w)
{
	const struct dkim_authres ar = { .line_end = "\r\n",
	    .authserv_id = slice_text(GROWTH_ID) };
	const struct dkim_verdict *verdict;
	struct buf b;
	size_t i;
	int r;

	w->out->verdicts = dkim_verifier_count(w->verifier);
	for (i = 0; i < w->out->verdicts; i++) {
		verdict = dkim_verifier_verdict(w->verifier, i);
		w->out->looked_at += verdict->evaluated;
		if (i == 0)
			w->out->first = verdict->result;
	}
	buf_init(&b, FIELD_MAX);
	r = dkim_authres_print(&ar, w->verifier, NULL, &b);
	w->out->written = b.n;
	buf_clear(&b);
	return r;
}

int
growth_verify(const struct growth_site *site, const struct growth_case *c,
    struct growth_result *out)
{
	struct work w = { .site = site, .input = c, .out = out };
	int r;

	*out = (struct growth_result){ 0 };
	r = read_all(&w, begin_verifying);
	if (r == 0)
		r = dkim_verifier_body_end(w.verifier);
	if (r == 0)
		r = dkim_verifier_finish(w.verifier, site->worker);
	if (r == 0)
		r = print_verdicts(&w);
	clear(&w);
	return r;
}

static int
print_signature(struct work *w)
{
	struct rsab_job job = { .key = w->site->key }, *jobs[] = { &job };
	struct buf b;
	int r;

	r = dkim_signer_body_end(w->signer);
	if (r == 0)
		r = dkim_signer_job(w->signer, 0, &job);
	if (r != 0)
		return r;
	rsab_run(w->site->worker, jobs, 1);
	if (job.result != 0)
		return DKIM_ERR_CRYPTO;
	buf_init(&b, FIELD_MAX);
	r = dkim_signer_field(w->signer, 0, slice_of(job.signature,
	    job.signature_len), "\r\n", &b);
	w->out->written = b.n;
	buf_clear(&b);
	return r;
}

int
growth_sign(const struct growth_site *site, const struct growth_case *c,
    struct growth_result *out)
{
	struct work w = { .site = site, .input = c, .out = out };
	int r;

	*out = (struct growth_result){ 0 };
	r = read_all(&w, begin_signing);
	if (r == 0)
		r = print_signature(&w);
	clear(&w);
	return r;
}
