/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers to the MTA.
 */

/* system */
#include <stdio.h>

/* this room */
#include "front_answer.h"
#include "log.h"

void
front_answer(struct front_conn *c, enum wire_reply_kind kind)
{
	wire_put((uint8_t)kind, slice_of(NULL, 0), &c->out);
}

void
front_answer_code(struct front_conn *c, const char *code, const char *xcode,
    const char *text)
{
	char doubled[OUTCOME_DOUBLED_MAX], line[OUTCOME_DOUBLED_MAX + 32];
	struct slice words;

	outcome_double(text, doubled);
	snprintf(line, sizeof(line), "%s %s %s", code, xcode, doubled);
	words = slice_text(line);
	wire_put_texts(WIRE_REPLYCODE, &words, 1, &c->out);
}

void
front_answer_terms(struct front_conn *c, const struct conf *conf,
    struct wire_optneg terms)
{
	static const enum wire_list_stage stages[TERMS_STAGES] = {
		[TERMS_CONNECT] = WIRE_LIST_CONNECT,
		[TERMS_MAIL] = WIRE_LIST_MAIL,
		[TERMS_HEADER_END] = WIRE_LIST_EOH,
		[TERMS_END] = WIRE_LIST_BODYEOB,
	};
	char names[TERMS_STAGES][TERMS_LIST_MAX];
	struct wire_list lists[TERMS_STAGES];
	size_t n = c->terms.list_macros ? TERMS_STAGES : 0;

	for (size_t i = 0; i < n; i++) {
		terms_macro_list(conf, (enum terms_stage)i, names[i]);
		lists[i] = (struct wire_list){ stages[i],
		    slice_text(names[i]) };
	}
	wire_put_lists(terms, lists, n, &c->out);
}

static void
put_change(struct front_conn *c, const struct session_action *a)
{
	struct slice value = slice_text(a->kind == SESSION_DELETE ? "" :
	    a->value);

	/* without HDR_LEADSPC the MTA puts a space of its own */
	if (!c->terms.leading_space && value.n > 0 && value.p[0] == ' ')
		value = slice_from(value, 1);
	wire_put_field(a->kind == SESSION_DELETE ? WIRE_CHGHEADER :
	    WIRE_INSHEADER, a->kind == SESSION_DELETE ? a->occurrence : 0,
	    slice_text(a->name), value, &c->out);
}

void
front_answer_result(struct front_conn *c, const struct session_result *r)
{
	const struct outcome *out = &r->outcome;
	struct slice text = slice_text(out->text);

	for (size_t i = 0; i < r->n_actions; i++)
		put_change(c, &r->actions[i]);
	switch (out->action) {
	case ACTION_ACCEPT:
		front_answer(c, WIRE_ACCEPT);
		break;
	case ACTION_DISCARD:
		front_answer(c, WIRE_DISCARD);
		break;
	case ACTION_QUARANTINE:
		if (c->terms.quarantine) {
			wire_put_texts(WIRE_QUARANTINE, &text, 1, &c->out);
			front_answer(c, WIRE_ACCEPT);
			break;
		}
		log_limited(LOG_ERR, "quarantine", "the MTA does not "
		    "quarantine: message refused for the time being");
		front_answer(c, WIRE_TEMPFAIL);
		break;
	case ACTION_REJECT:
	case ACTION_TEMPFAIL:
		if (out->code != NULL)
			front_answer_code(c, out->code, out->xcode,
			    out->text);
		else
			front_answer(c, out->action == ACTION_REJECT ?
			    WIRE_REJECT : WIRE_TEMPFAIL);
		break;
	}
}
