/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message with one signature judged while each allocation fails in turn.
 */
#ifndef TEST_MADE_JUDGED_H
#define TEST_MADE_JUDGED_H

#include "tests/failmalloc.h"
#include "tests/made.h"

struct made_judged {
	const struct replay	*world;
	struct dkim_keyset	*keyset;
	struct dkim_header	*header;
	const char		*body;
	enum dkim_result	 result;
	const char		*reason;	/* NULL: any */
};

static inline bool
made_judged_once(void *arg)
{
	const struct made_judged *m = arg;
	struct dkim_answer answer = { DKIM_ANSWER_FOUND, NULL,
	    DKIM_DNSSEC_INSECURE, NULL };
	struct dkim_verifier *v = NULL;
	int e;

	e = dkim_verifier_new(m->world->lib, m->header, &made_plain, &v);
	if (e == 0) {
		answer.keyset = dkim_keyset_ref(m->keyset);
		dkim_verifier_answer(v, 0, answer);
		e = dkim_verifier_body(v, slice_text(m->body));
	}
	if (e == 0)
		e = dkim_verifier_body_end(v);
	if (e == 0)
		e = dkim_verifier_finish(v, m->world->worker);
	if (e != 0) {
		test_int("error", e, DKIM_ERR_NOMEM);
	} else {
		test_int("result", dkim_verifier_verdict(v, 0)->result,
		    m->result);
		if (m->reason != NULL)
			test_str("reason", dkim_verifier_verdict(v, 0)->reason,
			    m->reason);
	}
	dkim_verifier_free(v);
	return e == 0;
}

/*
 * Header and record are parsed outside of what is under test.
 */
static inline void
made_judged_allocations(struct made_judged *m, const char *dns,
    const char *field, const char *fields)
{
	struct buf lines;

	buf_init(&lines, 65536);
	buf_add_text(&lines, field);
	buf_add_text(&lines, fields);
	buf_add_nul(&lines);
	assert_int_equal(buf_end(&lines), 0);
	m->header = made_header((const char *)lines.p);
	m->keyset = replay_answer(m->world, dns,
	    "sel._domainkey.example.com").keyset;
	test_every_allocation(made_judged_once, m);
	dkim_keyset_unref(m->keyset);
	dkim_header_free(m->header);
	buf_clear(&lines);
}

#endif
