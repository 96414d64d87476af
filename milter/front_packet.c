/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of the MTA to session events, session actions to packets (MILTER 1).
 */

/* system */
#include <stdio.h>
#include <sys/socket.h>

/* this room */
#include "clock.h"
#include "front_answer.h"
#include "front_fault.h"
#include "front_loop.h"
#include "front_packet.h"
#include "inbox.h"
#include "log.h"

#define LEAST_VERSION	2	/* of the protocol */

/* ---- a connection ------------------------------------------------------- */

static void
on_answer(void *arg)
{
	front_loop_wake(arg);
}

/*
 * A session for what was agreed; c->connection stays NULL without memory: the
 * connection is refused then.
 */
static void
connection_make(struct front_conn *c)
{
	struct mlfi *front = c->loop->front;

	connection_free(c->connection);
	c->connection = NULL;
	if (connection_new(&front->connection, c->terms, c,
	    &c->connection) == 0)
		inbox_notify(c->connection->exchange.inbox, on_answer, c);
}

static bool
is_understood(struct front_conn *c, const struct wire_optneg *offer)
{
	char what[128];

	if (offer->version >= LEAST_VERSION)
		return true;
	snprintf(what, sizeof(what), "speaks milter protocol %u: at least %d "
	    "is needed (Postfix: see milter_protocol)",
	    (unsigned)offer->version, LEAST_VERSION);
	front_fault(c, "version", what);
	return false;
}

static bool
negotiate(struct front_conn *c, const struct wire_optneg *offer)
{
	struct mlfi *front = c->loop->front;
	struct conf *conf = conf_slot_get(front->setup.conf);
	unsigned long actions = offer->actions, steps = offer->steps;
	bool agreed = c->phase == FRONT_FRESH && is_understood(c, offer) &&
	    terms_make(conf, &actions, &steps, &c->terms);

	if (agreed) {
		/* nothing that was not offered */
		c->steps = (uint32_t)steps & offer->steps;
		c->phase = FRONT_AGREED;
		front_answer_terms(c, conf, (struct wire_optneg){
		    offer->version < WIRE_VERSION ? offer->version :
		    WIRE_VERSION, (uint32_t)actions, c->steps });
		connection_make(c);
	}
	conf_unref(conf);
	return agreed;
}

/*
 * Is this connection to be refused: no descriptors, no memory, leaving?
 */
static bool
is_refused(struct front_conn *c)
{
	struct mlfi *front = c->loop->front;

	return c->connection == NULL || atomic_load(&front->draining) ||
	    !descriptors_are_left(&front->descriptors);
}

/*
 * NULL: none that can be read, or not of the family that it is said to be.
 */
static const struct sockaddr *
address_of(const struct wire_command *command,
    struct sockaddr_storage *storage)
{
	sa_family_t family = command->family == WIRE_FAMILY_INET ? AF_INET :
	    AF_INET6;
	const struct sockaddr *address;
	socklen_t n;

	address = terms_parse_address((const char *)command->text[1].p,
	    storage, &n);
	return address != NULL && address->sa_family == family ? address :
	    NULL;
}

static bool
on_connect(struct front_conn *c, const struct wire_command *command)
{
	bool internet = command->family == WIRE_FAMILY_INET ||
	    command->family == WIRE_FAMILY_INET6;
	struct sockaddr_storage given, other;
	const struct sockaddr *address = NULL;
	socklen_t n;

	if (c->phase != FRONT_AGREED)
		return false;
	if (internet)
		address = address_of(command, &given);
	/* an address that is none is no local pipe */
	if (internet && address == NULL)
		return false;
	stats_add(STAT_CONNECTIONS, 1);
	if (is_refused(c)) {
		front_answer_code(c, "451", "4.3.2",
		    "Service is not available");
		return true;
	}
	address = terms_address(address,
	    front_macros_get(&c->macros, "{client_addr}"), &other, &n);
	/* who was refused has no message */
	if (session_connect(c->connection->exchange.session,
	    command->text[0], address, n) != 0) {
		front_answer(c, WIRE_TEMPFAIL);
		return true;
	}
	c->phase = FRONT_CONNECTED;
	front_answer(c, WIRE_CONTINUE);
	return true;
}

/* ---- a message ---------------------------------------------------------- */

static const char *
macro_of(void *context, const char *name)
{
	const struct front_conn *c = context;

	return front_macros_get(&c->macros, name);
}

/*
 * The message is over for us; the MTA may go on with it.
 */
static void
message_end(struct front_conn *c, enum front_phase phase)
{
	connection_message_end(c->connection);
	front_macros_message_end(&c->macros);
	c->phase = phase;
}

static bool
on_mail(struct front_conn *c)
{
	struct mlfi *front = c->loop->front;

	if (c->connection == NULL || c->phase < FRONT_CONNECTED)
		return false;
	connection_count(c->connection);
	c->phase = FRONT_ANSWERED;
	if (atomic_load(&front->draining)) {
		connection_message_end(c->connection);
		front_answer_code(c, "451", "4.3.2",
		    "Service is shutting down");
		return true;
	}
	if (connection_mail(c->connection, conf_slot_get(front->setup.conf))
	    != 0) {
		connection_message_end(c->connection);
		front_answer(c, WIRE_TEMPFAIL);
		return true;
	}
	connection_macros(c->connection, macro_of);
	c->phase = FRONT_ENVELOPE;
	front_answer(c, WIRE_CONTINUE);
	return true;
}

/*
 * A step that is answered with "continue" unless no answer was agreed.
 */
static bool
answered(struct front_conn *c, uint32_t no_reply)
{
	if (no_reply == 0 || (c->steps & no_reply) == 0)
		front_answer(c, WIRE_CONTINUE);
	return true;
}

/*
 * The message is judged: log, change the header, answer.
 */
static void
finish(struct front_conn *c)
{
	struct session *s = c->connection->exchange.session;
	const struct session_result *r = session_finish(s,
	    session_is_verifying(s) ? c->loop->worker : NULL);

	if (r == NULL)
		front_answer(c, WIRE_TEMPFAIL);
	else {
		front_answer_result(c, r);
		exchange_write(r);
	}
}

static bool
on_header_end(struct front_conn *c)
{
	connection_header_end(c->connection, macro_of);
	if (session_is_over(c->connection->exchange.session)) {
		finish(c);
		message_end(c, FRONT_ANSWERED);
		return true;
	}
	c->phase = FRONT_BODY;
	front_answer(c, WIRE_CONTINUE);
	return true;
}

/*
 * Must something come before this packet?
 */
static bool
is_held(struct front_conn *c, enum front_hold hold)
{
	c->hold = hold;
	c->progress = 0;
	return !front_packet_look(c);
}

static bool
on_body(struct front_conn *c, struct slice octets)
{
	bool more;

	if (is_held(c, FRONT_HOLD_BODY))
		return true;
	more = session_body(c->connection->exchange.session, octets);
	if (!c->terms.no_reply_body)
		front_answer(c, more || !c->terms.skip ? WIRE_CONTINUE :
		    WIRE_SKIP);
	return true;
}

static bool
on_end(struct front_conn *c, struct slice octets)
{
	if (is_held(c, FRONT_HOLD_LAST))
		return true;
	if (octets.n > 0)
		(void)session_body(c->connection->exchange.session, octets);
	connection_end(c->connection, macro_of);
	(void)is_held(c, FRONT_HOLD_END);
	return true;
}

static bool
on_abort(struct front_conn *c)
{
	if (c->connection == NULL)
		return true;
	if (c->connection->counted)
		stats_add(STAT_ABORTED, 1);
	message_end(c, c->phase < FRONT_CONNECTED ? c->phase :
	    FRONT_CONNECTED);
	return true;
}

/* What holds, as exchange_look asks. */
static bool
still_holds(struct front_conn *c, uint64_t *until)
{
	struct exchange *e = &c->connection->exchange;

	if (c->hold == FRONT_HOLD_END)
		return exchange_look(e, session_holds_end, &c->progress,
		    until);
	return exchange_look(e, session_holds_body,
	    c->hold == FRONT_HOLD_LAST ? &c->progress : NULL, until);
}

bool
front_packet_look(struct front_conn *c)
{
	uint64_t until = 0, now, left;
	struct timeval tv;

	if (c->hold == FRONT_GO) {
		if (c->connection != NULL)
			exchange_take(&c->connection->exchange);
		return true;
	}
	if (still_holds(c, &until)) {
		now = clock_us();
		/* a millisecond more: the time is over then */
		left = (until > now ? until - now : 0) + 1000;
		tv.tv_sec = (time_t)(left / 1000000);
		tv.tv_usec = (suseconds_t)(left % 1000000);
		(void)event_add(&c->timer, &tv);
		return false;
	}
	event_del(&c->timer);
	if (c->hold == FRONT_HOLD_END) {
		finish(c);
		message_end(c, FRONT_CONNECTED);
	}
	c->hold = FRONT_GO;
	return true;
}

/* ---- packets ------------------------------------------------------------ */

/*
 * What comes within a message.
 */
static bool
in_message(struct front_conn *c, const struct wire_command *command)
{
	bool header = c->phase == FRONT_ENVELOPE;

	switch (command->kind) {
	case WIRE_RCPT:
		if (header)
			session_rcpt(c->connection->exchange.session,
			    command->text[0]);
		return header && answered(c, WIRE_NR_RCPT);
	case WIRE_DATA:
		return header && answered(c, WIRE_NR_DATA);
	case WIRE_HEADER:
		if (header)
			connection_field(c->connection,
			    (const char *)command->text[0].p,
			    (const char *)command->text[1].p);
		return header && answered(c, WIRE_NR_HDR);
	case WIRE_EOH:
		return header && on_header_end(c);
	case WIRE_BODY:
		return c->phase == FRONT_BODY && on_body(c, command->body);
	case WIRE_BODYEOB:
		return c->phase == FRONT_BODY && on_end(c, command->body);
	default:
		return false;
	}
}

static bool
take_command(struct front_conn *c, const struct wire_command *command)
{
	switch (command->kind) {
	case WIRE_OPTNEG:
		return negotiate(c, &command->optneg);
	case WIRE_CONNECT:
		return on_connect(c, command);
	case WIRE_HELO:
		return c->phase >= FRONT_CONNECTED &&
		    answered(c, WIRE_NR_HELO);
	case WIRE_UNKNOWN:
		return c->phase >= FRONT_CONNECTED &&
		    answered(c, WIRE_NR_UNKN);
	case WIRE_MAIL:
		return on_mail(c);
	case WIRE_ABORT:
		return on_abort(c);
	case WIRE_QUIT:
		return false;
	case WIRE_QUIT_NC:
		/* another client over the same connection */
		if (c->phase < FRONT_AGREED)
			return false;
		(void)on_abort(c);
		front_macros_clear(&c->macros);
		connection_make(c);
		c->phase = FRONT_AGREED;
		return true;
	default:
		/* what comes of a message that was answered is void */
		return c->phase == FRONT_ANSWERED || in_message(c, command);
	}
}

/*
 * Command octets are letters; what comes from elsewhere may be anything.
 */
static void
refuse_packet(struct front_conn *c, struct wire_packet packet,
    const char *why)
{
	bool shown = packet.kind > ' ' && packet.kind < 0x7f;
	char what[128];

	snprintf(what, sizeof(what), shown ? "packet %c of %zu octets %s" :
	    "packet 0x%02x of %zu octets %s", packet.kind, packet.data.n, why);
	front_fault(c, "packet", what);
}

void
front_packet_refuse_length(struct front_conn *c, int error)
{
	char what[128];

	snprintf(what, sizeof(what), error == DKIM_ERR_LIMIT ? "a packet of "
	    "more than %d octets (a header field as long?)" :
	    "a packet of no octets, where %d are the most", WIRE_DATA_MAX);
	front_fault(c, "packet", what);
}

static bool
take_macros(struct front_conn *c, struct wire_packet packet)
{
	int error = front_macros_put(&c->macros, packet.data);

	if (error == DKIM_ERR_LIMIT)
		refuse_packet(c, packet, "is too much beside the macros "
		    "before it");
	return error == 0;
}

bool
front_packet(struct front_conn *c, struct wire_packet packet)
{
	struct wire_command command;

	if (wire_parse_command(packet, &command) != 0) {
		refuse_packet(c, packet, "is none of the milter protocol");
		return false;
	}
	if (command.kind == WIRE_MACRO)
		return take_macros(c, packet);
	if (take_command(c, &command))
		return true;
	if (command.kind != WIRE_QUIT)
		refuse_packet(c, packet, "is out of turn");
	return false;
}
