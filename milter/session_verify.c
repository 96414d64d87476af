/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifying: all keys are asked for at end of header, with one deadline
 * (BEHAVIOUR 5).
 */

/* system */
#include <stdio.h>

/* this room */
#include "session_message.h"

void
session_verify_begin(struct session *s)
{
	struct message *m = s->m;
	const struct options *o = &m->conf->options;
	struct dkim_verify_options options = {
		.now = m->now.seconds,
		.clock_drift = o->clock_drift,
		.max_signatures = (size_t)o->maximum_signatures_to_verify,
		.min_bits = (unsigned)o->minimum_key_bits,
		.minimum = m->conf->minimum,
		.fix_crlf = o->fix_crlf,
	};
	struct want *want;
	size_t i;
	int n;

	m->has_signature = dkim_header_find(m->header,
	    slice_text("DKIM-Signature"), 0) < dkim_header_count(m->header);
	if (!m->has_signature)
		return;
	if (dkim_verifier_new(s->lib, m->header, &options, &m->verifier) !=
	    0) {
		session_fail_memory(s);
		return;
	}
	for (i = 0; i < dkim_verifier_queries(m->verifier); i++) {
		want = session_want_new(s, WANT_PUBLIC_KEY, i,
		    m->asked + m->patience);
		if (want == NULL)
			return;
		n = snprintf(want->public_key.name,
		    sizeof(want->public_key.name), "%s",
		    dkim_verifier_query(m->verifier, i));
		if (n < 0 || (size_t)n >= sizeof(want->public_key.name)) {
			session_fail_memory(s);
			return;
		}
	}
}

void
session_verify_key(struct session *s, struct want *want, uint64_t now)
{
	struct message *m = s->m;
	struct dkim_answer answer = want->public_key.answer;

	/* an answerer at fault is no verdict on the signature */
	if (want->error != WANT_OK) {
		dkim_keyset_unref(answer.keyset);
		answer = (struct dkim_answer){ .state = DKIM_ANSWER_TEMPERROR,
		    .detail = want->error == WANT_ERR_TIMEOUT ? "timeout" :
		    "no answer" };
	}
	want->public_key.answer.keyset = NULL;	/* moved */
	if (now > m->asked && now - m->asked > m->dns_us)
		m->dns_us = now - m->asked;
	dkim_verifier_answer(m->verifier, want->id, answer);
}
