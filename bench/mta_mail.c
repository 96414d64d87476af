/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages for a milter under load; see mta_mail.h.
 */

/* system */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* rooms below */
#include "rsa-backend/rsab.h"

/* this room */
#include "mta_mail.h"
#include "random.h"

#define LINE	74	/* octets of a full line, without CRLF */

static const char *const words[] = { "message", "of", "no", "meaning", "that",
    "a", "filter", "reads", "and", "signs", "once", "more", "before", "it",
    "goes", "on" };

#define N_WORDS	(sizeof words / sizeof words[0])

/*
 * Fill one line of n octets: words and the blanks between them.
 */
static void
line_fill(struct random *random, uint8_t *out, size_t n)
{
	size_t at = 0, len;

	while (at < n) {
		const char *word = words[random_next(random) % N_WORDS];

		len = strlen(word);
		if (len > n - at)
			len = n - at;
		memcpy(out + at, word, len);
		at += len;
		if (at < n)
			out[at++] = ' ';
	}
	/* a blank at a line's end is not what most mail has */
	if (n > 0 && out[n - 1] == ' ')
		out[n - 1] = '.';
}

static int
body_make(struct random *random, size_t size, struct buf *out)
{
	uint8_t line[LINE + 2];
	size_t left = size, n;

	buf_init(out, size);
	while (left > 0) {
		n = left >= sizeof line ? LINE : left < 2 ? left : left - 2;
		/* what is left behind must have room for a CRLF of its own */
		if (n == LINE && left - sizeof line == 1)
			n--;
		line_fill(random, line, n);
		if (left >= 2) {
			line[n++] = '\r';
			line[n++] = '\n';
		}
		buf_add(out, slice_of(line, n));
		left -= n;
	}
	return buf_end(out);
}

static int
field_add(struct dkim_header *header, const char *name, const char *value)
{
	return dkim_header_add(header, slice_text(name), slice_text(value));
}

static int
header_make(const struct mta_mail_kind *kind, uint64_t number,
    uint64_t random, struct dkim_header **out)
{
	char from[512], id[512], subject[64];
	struct dkim_header *h;
	int error = dkim_header_new(0, &h);

	if (error != 0)
		return error;
	snprintf(from, sizeof from, " Load Sender <sender@%s>", kind->domain);
	snprintf(subject, sizeof subject, " Message %" PRIu64 " of a load",
	    number);
	snprintf(id, sizeof id, " <%016" PRIx64 ".%" PRIu64 "@%s>", random,
	    number, kind->domain);
	error = field_add(h, "From", from);
	if (error == 0)
		error = field_add(h, "To", " Recipient <rcpt@dest.example>");
	if (error == 0)
		error = field_add(h, "Subject", subject);
	if (error == 0)
		error = field_add(h, "Date",
		    " Mon, 30 Nov 2026 09:00:00 +0000");
	if (error == 0)
		error = field_add(h, "Message-ID", id);
	if (error == 0)
		error = field_add(h, "MIME-Version", " 1.0");
	if (error == 0)
		error = field_add(h, "Content-Type",
		    " text/plain; charset=utf-8;\r\n\tformat=flowed");
	if (error == 0)
		error = field_add(h, "Content-Transfer-Encoding", " 7bit");
	if (error == 0)
		error = field_add(h, "X-Mailer", " dkimbench");
	if (error == 0)
		*out = h;
	else
		dkim_header_free(h);
	return error;
}

int
mta_mail_make(const struct mta_mail_kind *kind, uint64_t number,
    struct mta_mail *out)
{
	struct random random = { kind->seed ^ number << 32 };
	int error;

	out->header = NULL;
	error = body_make(&random, kind->size, &out->body);
	if (error == 0)
		error = header_make(kind, number, random_next(&random),
		    &out->header);
	if (error != 0)
		mta_mail_clear(out);
	return error;
}

void
mta_mail_clear(struct mta_mail *mail)
{
	dkim_header_free(mail->header);
	mail->header = NULL;
	buf_clear(&mail->body);
}

int
mta_mail_put_above(struct mta_mail *mail, const char *name,
    struct slice value)
{
	struct dkim_header *old = mail->header, *h;
	int error = dkim_header_new(0, &h);

	if (error != 0)
		return error;
	error = dkim_header_add_milter(h, slice_text(name), value);
	for (size_t i = 0; i < dkim_header_count(old) && error == 0; i++)
		error = dkim_header_add(h, dkim_header_name(old, i),
		    dkim_header_value(old, i));
	if (error != 0) {
		dkim_header_free(h);
		return error;
	}
	mail->header = h;
	dkim_header_free(old);
	return 0;
}

/*
 * Let a signer see the message and make the one signature that it was asked
 * for.
 */
static int
signer_run(struct dkim_signer *signer, const struct mta_mail *mail,
    struct rsab_key *key, struct rsab_worker *worker, struct buf *out)
{
	struct rsab_job job = { .key = key }, *jobs[1] = { &job };
	int error = dkim_signer_body(signer, buf_slice(&mail->body));

	if (error == 0)
		error = dkim_signer_body_end(signer);
	if (error == 0)
		error = dkim_signer_job(signer, 0, &job);
	if (error != 0)
		return error;
	rsab_run(worker, jobs, 1);
	if (job.result != RSAB_OK)
		return DKIM_ERR_CRYPTO;
	error = dkim_signer_field(signer, 0, slice_of(job.signature,
	    job.signature_len), "\n", out);
	return error != 0 ? error : buf_end(out);
}

/*
 * The lists of names that dkimd has, too.
 */
static int
options_make(const struct mta_mail_kind *kind, struct rsab_key *key,
    uint64_t now, struct dkim_names **sign, struct dkim_names **over,
    struct dkim_sign_options *out)
{
	struct slice all = { NULL, 0 }, bad;
	int error = dkim_names_parse(DKIM_NAMES_SIGN, all, sign, &bad);

	if (error == 0)
		error = dkim_names_parse(DKIM_NAMES_OVERSIGN, all, over,
		    &bad);
	*out = (struct dkim_sign_options){ .domain = slice_text(kind->domain),
	    .selector = slice_text(MTA_MAIL_SELECTOR),
	    .header_canon = DKIM_RELAXED, .body_canon = DKIM_SIMPLE,
	    .sign = *sign, .oversign = *over, .now = now, .key = key };
	return error;
}

int
mta_mail_sign(struct mta_mail *mail, const struct mta_mail_kind *kind,
    const struct dkim_lib *lib, struct rsab_key *key,
    struct rsab_worker *worker, uint64_t now)
{
	struct dkim_names *sign = NULL, *over = NULL;
	struct dkim_signer *signer = NULL;
	struct dkim_sign_options options;
	struct buf field;
	size_t index;
	int error;

	buf_init(&field, DKIM_FIELD_MAX);
	error = options_make(kind, key, now, &sign, &over, &options);
	if (error == 0)
		error = dkim_signer_new(lib, mail->header, false, &signer);
	if (error == 0)
		error = dkim_signer_add(signer, &options, &index);
	if (error == 0)
		error = signer_run(signer, mail, key, worker, &field);
	dkim_signer_free(signer);
	if (error == 0)
		error = mta_mail_put_above(mail, "DKIM-Signature",
		    buf_slice(&field));
	dkim_names_free(over);
	dkim_names_free(sign);
	buf_clear(&field);
	return error;
}

int
mta_mail_verify(const struct mta_mail *mail, const struct dkim_lib *lib,
    struct slice record, struct rsab_worker *worker, uint64_t now,
    enum dkim_result *out)
{
	struct dkim_verify_options options = { .now = now,
	    .clock_drift = 300 };
	struct dkim_answer answer = { .state = DKIM_ANSWER_FOUND };
	const struct rsab_backend *backend;
	struct dkim_verifier *v = NULL;
	int error = dkim_verifier_new(lib, mail->header, &options, &v);

	if (error == 0 && rsab_backend_find("libcrypto", &backend) != 0)
		error = DKIM_ERR_CRYPTO;
	for (size_t i = 0; error == 0 && i < dkim_verifier_queries(v); i++) {
		error = dkim_keyset_parse(backend, &record, 1,
		    &answer.keyset);
		if (error == 0)
			dkim_verifier_answer(v, i, answer);
	}
	if (error == 0)
		error = dkim_verifier_body(v, buf_slice(&mail->body));
	if (error == 0)
		error = dkim_verifier_body_end(v);
	if (error == 0)
		error = dkim_verifier_finish(v, worker);
	if (error == 0)
		*out = dkim_verifier_count(v) == 0 ? DKIM_NONE :
		    dkim_verifier_verdict(v, 0)->result;
	dkim_verifier_free(v);
	return error;
}
