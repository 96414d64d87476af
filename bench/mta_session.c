/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MTA's end of a milter connection; see mta_session.h.
 */

/* this room */
#include "mta_field.h"
#include "mta_session.h"

/* Length 13, command, version, actions and steps: what Postfix offers. */
static const uint8_t offer[] = { 0, 0, 0, 13, WIRE_OPTNEG,
    0, 0, 0, WIRE_VERSION,
    0, 0, MTA_SESSION_ACTIONS >> 8, MTA_SESSION_ACTIONS & 0xff,
    0, MTA_SESSION_STEPS >> 16, MTA_SESSION_STEPS >> 8 & 0xff,
    MTA_SESSION_STEPS & 0xff };

const char *
mta_fault_text(enum mta_fault fault)
{
	static const char *const texts[MTA_FAULTS] = {
		[MTA_OK] = "ok",
		[MTA_CONNECT] = "not-connected",
		[MTA_CLOSED] = "closed",
		[MTA_TIMEOUT] = "timeout",
		[MTA_PROTOCOL] = "protocol",
		[MTA_TEMPFAIL] = "tempfail",
		[MTA_REJECT] = "reject",
		[MTA_DISCARD] = "discard",
		[MTA_NO_FIELD] = "no-field",
		[MTA_NO_PASS] = "no-pass",
		[MTA_BAD_SIGNATURE] = "bad-signature",
	};

	assert(fault < MTA_FAULTS);
	return texts[fault];
}

void
mta_session_init(struct mta_session *s, enum mta_mode mode)
{
	*s = (struct mta_session){ .mode = mode, .state = MTA_NEGOTIATING };
	buf_init(&s->in, WIRE_PACKET_MAX);
	buf_init(&s->field, WIRE_DATA_MAX);
}

void
mta_session_clear(struct mta_session *s)
{
	buf_clear(&s->in);
	buf_clear(&s->field);
}

void
mta_session_fail(struct mta_session *s, enum mta_fault fault)
{
	s->state = MTA_FAILED;
	s->fault = fault;
}

/*
 * A connection may have nothing to say, or nothing that is answered: it is
 * ready when all is sent.
 */
static void
settle(struct mta_session *s)
{
	if (s->state == MTA_OPENING && s->stop == s->script->n &&
	    s->sent == s->script->octets.n)
		s->state = MTA_READY;
}

static void
begin(struct mta_session *s, const struct mta_script *script,
    enum mta_state state)
{
	s->script = script;
	s->sent = s->stop = 0;
	s->changes = s->progress = 0;
	s->fault = MTA_OK;
	s->state = state;
	buf_reset(&s->field);
	settle(s);
}

void
mta_session_open(struct mta_session *s, const struct mta_script *script)
{
	assert(s->state == MTA_NEGOTIATED);
	begin(s, script, MTA_OPENING);
}

void
mta_session_message(struct mta_session *s, const struct mta_script *script)
{
	assert(s->state == MTA_READY && script->n > 0);
	begin(s, script, MTA_BUSY);
}

/*
 * Octets of the script up to where the filter answers next.
 */
static size_t
until(const struct mta_session *s)
{
	return s->stop < s->script->n ? s->script->stops[s->stop].end :
	    s->script->octets.n;
}

struct slice
mta_session_out(const struct mta_session *s)
{
	switch (s->state) {
	case MTA_NEGOTIATING:
		return slice_of(offer + s->sent, sizeof offer - s->sent);
	case MTA_OPENING:
	case MTA_BUSY:
		return slice_sub(buf_slice(&s->script->octets), s->sent,
		    until(s) - s->sent);
	case MTA_NEGOTIATED:
	case MTA_READY:
	case MTA_FAILED:
		break;
	}
	return slice_of(NULL, 0);
}

bool
mta_session_is_last(const struct mta_session *s)
{
	return s->state == MTA_BUSY && s->stop + 1 == s->script->n;
}

void
mta_session_sent(struct mta_session *s, size_t n)
{
	assert(n <= mta_session_out(s).n);
	s->sent += n;
	settle(s);
}

static void
take_negotiation(struct mta_session *s, const struct wire_reply *reply)
{
	if (reply->kind != WIRE_REPLY_OPTNEG || s->sent < sizeof offer ||
	    reply->optneg.version < 2 ||
	    (reply->optneg.actions & ~(uint32_t)MTA_SESSION_ACTIONS) != 0 ||
	    (reply->optneg.steps & ~(uint32_t)MTA_SESSION_STEPS) != 0) {
		mta_session_fail(s, MTA_PROTOCOL);
		return;
	}
	s->steps = reply->optneg.steps;
	s->state = MTA_NEGOTIATED;
}

/*
 * A field that the filter adds: is it the one that is looked for? A pass wins
 * over what other authentication services have found.
 */
static void
take_field(struct mta_session *s, const struct wire_reply *reply)
{
	const char *wanted = s->mode == MTA_SIGN ? "DKIM-Signature" :
	    "Authentication-Results";

	if (!slice_equal_nocase(reply->name, slice_text(wanted)) ||
	    (s->mode == MTA_VERIFY &&
	    mta_field_has_pass(buf_slice(&s->field))))
		return;
	buf_reset(&s->field);
	buf_add(&s->field, reply->value);
}

/*
 * The filter lets the message pass: has it done what it is there for?
 */
static void
judge(struct mta_session *s)
{
	struct slice field = buf_slice(&s->field);

	s->state = MTA_READY;
	if (buf_end(&s->field) != 0)
		mta_session_fail(s, MTA_PROTOCOL);
	else if (field.n == 0)
		s->fault = MTA_NO_FIELD;
	else if (s->mode == MTA_SIGN)
		s->fault = mta_field_is_signed(field) ? MTA_OK : MTA_NO_FIELD;
	else
		s->fault = mta_field_has_pass(field) ? MTA_OK : MTA_NO_PASS;
}

/*
 * The filter answers a step before the end.
 */
static void
go_on(struct mta_session *s, uint8_t command, enum wire_reply_kind kind)
{
	size_t last = s->script->n - 1;

	if (kind == WIRE_SKIP && command != WIRE_BODY) {
		mta_session_fail(s, MTA_PROTOCOL);
		return;
	}
	s->stop++;
	s->progress = 0;
	if (kind == WIRE_SKIP) {
		s->stop = last;
		s->sent = s->script->stops[last - 1].end;
	}
	settle(s);
}

/*
 * An answer that is no change of the message.
 *   command  what it answers
 */
static void
take_answer(struct mta_session *s, uint8_t command,
    enum wire_reply_kind kind)
{
	bool last = mta_session_is_last(s);

	switch (kind) {
	case WIRE_PROGRESS:
		if (++s->progress > MTA_SESSION_PROGRESS_MAX)
			mta_session_fail(s, MTA_PROTOCOL);
		break;
	case WIRE_CONTINUE:
	case WIRE_SKIP:
		if (last && kind == WIRE_CONTINUE)
			judge(s);
		else
			go_on(s, command, kind);
		break;
	case WIRE_ACCEPT:
		if (last)
			judge(s);
		else
			mta_session_fail(s, MTA_NO_FIELD);
		break;
	case WIRE_TEMPFAIL:
	case WIRE_CONN_FAIL:
	case WIRE_SHUTDOWN:
		mta_session_fail(s, MTA_TEMPFAIL);
		break;
	case WIRE_REJECT:
		mta_session_fail(s, MTA_REJECT);
		break;
	case WIRE_DISCARD:
		mta_session_fail(s, MTA_DISCARD);
		break;
	default:
		mta_session_fail(s, MTA_PROTOCOL);
	}
}

static void
take_reply(struct mta_session *s, const struct wire_reply *reply)
{
	/* an answer to what was not yet said */
	if (s->stop == s->script->n ||
	    s->sent < s->script->stops[s->stop].end) {
		mta_session_fail(s, MTA_PROTOCOL);
		return;
	}
	switch (reply->kind) {
	case WIRE_ADDHEADER:
	case WIRE_INSHEADER:
	case WIRE_CHGHEADER:
	case WIRE_ADDRCPT:
	case WIRE_DELRCPT:
	case WIRE_REPLBODY:
	case WIRE_QUARANTINE:
	case WIRE_CHGFROM:
		if (reply->kind == WIRE_ADDHEADER ||
		    reply->kind == WIRE_INSHEADER)
			take_field(s, reply);
		if (!mta_session_is_last(s) ||
		    ++s->changes > MTA_SESSION_CHANGES_MAX)
			mta_session_fail(s, MTA_PROTOCOL);
		break;
	case WIRE_REPLYCODE:
		/* "550 5.7.1 text": the first digit is what counts */
		mta_session_fail(s, reply->value.n > 0 &&
		    reply->value.p[0] == '5' ? MTA_REJECT : MTA_TEMPFAIL);
		break;
	default:
		take_answer(s, s->script->stops[s->stop].command,
		    reply->kind);
	}
}

static void
take_packet(struct mta_session *s, struct wire_packet packet)
{
	struct wire_reply reply;

	if (wire_parse_reply(packet, &reply) != 0) {
		mta_session_fail(s, MTA_PROTOCOL);
		return;
	}
	switch (s->state) {
	case MTA_NEGOTIATING:
		take_negotiation(s, &reply);
		break;
	case MTA_OPENING:
	case MTA_BUSY:
		take_reply(s, &reply);
		break;
	case MTA_NEGOTIATED:
	case MTA_READY:
		/* nothing was asked */
		mta_session_fail(s, MTA_PROTOCOL);
		break;
	case MTA_FAILED:
		break;
	}
}

/*
 * Take all whole packets off in.
 */
static void
take_packets(struct mta_session *s, struct slice *in)
{
	struct wire_packet packet;
	int error = 0;

	while (s->state != MTA_FAILED && wire_next(in, &packet, &error))
		take_packet(s, packet);
	if (error != 0)
		mta_session_fail(s, MTA_PROTOCOL);
}

/*
 * Octets that the packet in s->in still lacks: of its length, then of all.
 */
static size_t
missing(const struct mta_session *s)
{
	const uint8_t *p = s->in.p;
	size_t length;

	if (s->in.n < 4)
		return 4 - s->in.n;
	length = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 |
	    p[3];
	/* too long: wire_next says so */
	if (length > WIRE_DATA_MAX + 1)
		return 0;
	return 4 + length - s->in.n;
}

void
mta_session_feed(struct mta_session *s, struct slice in)
{
	while (s->state != MTA_FAILED && s->in.n > 0 && in.n > 0) {
		size_t n = missing(s);
		struct slice whole;

		n = n < in.n ? n : in.n;
		buf_add(&s->in, slice_sub(in, 0, n));
		in = slice_from(in, n);
		whole = buf_slice(&s->in);
		if (buf_end(&s->in) != 0)
			mta_session_fail(s, MTA_PROTOCOL);
		else
			take_packets(s, &whole);
		/* one packet at most is in there: all of it went, or none */
		if (whole.n == 0)
			buf_reset(&s->in);
	}
	if (s->state == MTA_FAILED)
		return;
	take_packets(s, &in);
	buf_add(&s->in, in);
	if (buf_end(&s->in) != 0)
		mta_session_fail(s, MTA_PROTOCOL);
}
