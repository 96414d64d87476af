/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MTA's steps of one message; see try.h.
 */

/* system */
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <sysexits.h>

/* this room */
#include "try.h"

#define QUEUE_ID	"dkimtry"	/* macro i */

/*
 * Tell a reply that ends the message; the exit code.
 */
static int
refused(const struct wire_reply *reply)
{
	switch (reply->kind) {
	case WIRE_REPLYCODE:
		fprintf(stderr, "refused: %.*s\n", (int)reply->value.n,
		    (const char *)reply->value.p);
		return TRY_REFUSED;
	case WIRE_REJECT:
		fputs("refused: reject\n", stderr);
		return TRY_REFUSED;
	case WIRE_DISCARD:
		fputs("refused: discard\n", stderr);
		return TRY_REFUSED;
	case WIRE_TEMPFAIL:
		fputs("refused: tempfail\n", stderr);
		return TRY_REFUSED;
	case WIRE_CONN_FAIL:
	case WIRE_SHUTDOWN:
		fputs("refused: connection failed\n", stderr);
		return TRY_REFUSED;
	default:
		warnx("a reply out of place (code %c)", reply->kind);
		return EX_PROTOCOL;
	}
}

/*
 * Send what was put and, unless the filter negotiated it away, wait for the
 * reply to one step before the end of message.
 *   no_reply     step flag: sent, not answered
 */
static int
step(struct try *t, uint32_t no_reply)
{
	struct milter_client *c = &t->client_end;
	struct wire_reply reply;
	int status = milter_client_send(c);

	if (status != 0 || (no_reply != 0 && (c->steps & no_reply) != 0))
		return status;
	do
		status = milter_client_reply(c, &reply);
	while (status == 0 && reply.kind == WIRE_PROGRESS);
	if (status != 0)
		return status;
	if (reply.kind == WIRE_CONTINUE)
		return 0;
	if (reply.kind == WIRE_ACCEPT) {
		t->settled = true;
		return 0;
	}
	if (reply.kind == WIRE_SKIP) {
		t->skip_body = true;
		return 0;
	}
	return refused(&reply);
}

static bool
is_left_out(const struct try *t, uint32_t flag)
{
	return t->settled || (t->client_end.steps & flag) != 0;
}

/*
 * Macros of a stage: ours, then those of the command line.
 */
static void
put_macros(struct try *t, uint8_t stage)
{
	struct wire_pair list[WIRE_MACROS_MAX];
	size_t n = 0;

	list[n++] = (struct wire_pair){ slice_text("j"), slice_text(t->host) };
	if (t->daemon != NULL)
		list[n++] = (struct wire_pair){ slice_text("{daemon_name}"),
		    slice_text(t->daemon) };
	if (stage != WIRE_CONNECT) {
		list[n++] = (struct wire_pair){ slice_text("i"),
		    slice_text(QUEUE_ID) };
		if (t->auth != NULL) {
			list[n++] = (struct wire_pair){
			    slice_text("{auth_type}"), slice_text("PLAIN") };
			list[n++] = (struct wire_pair){
			    slice_text("{auth_authen}"), slice_text(t->auth) };
		}
	}
	memcpy(list + n, t->macros, t->n_macros * sizeof(list[0]));
	wire_put_macros(stage, list, n + t->n_macros, &t->client_end.out);
}

static int
send_connect(struct try *t)
{
	struct buf *out = &t->client_end.out;
	struct in6_addr address;
	struct slice name;
	uint8_t family;

	if (inet_pton(AF_INET, t->client, &address) == 1)
		family = WIRE_FAMILY_INET;
	else if (inet_pton(AF_INET6, t->client, &address) == 1)
		family = WIRE_FAMILY_INET6;
	else {
		warnx("--client %s: an IPv4 or IPv6 address is wanted",
		    t->client);
		return EX_USAGE;
	}
	name = slice_text(t->name != NULL ? t->name :
	    strcmp(t->client, "127.0.0.1") == 0 ||
	    strcmp(t->client, "::1") == 0 ? "localhost" : "unknown");
	if (is_left_out(t, WIRE_NOCONNECT))
		return 0;
	put_macros(t, WIRE_CONNECT);
	wire_put_connect(name, family, 2525, slice_text(t->client), out);
	return step(t, WIRE_NR_CONN);
}

/*
 * MAIL or RCPT with one address, in angle brackets.
 */
static int
send_address(struct try *t, uint8_t kind, const char *address, uint32_t left,
    uint32_t no_reply)
{
	struct buf text;
	struct slice arg;
	int status;

	if (is_left_out(t, left))
		return 0;
	buf_init(&text, 4096);
	buf_add_format(&text, address[0] == '<' ? "%s" : "<%s>", address);
	if (buf_end(&text) != 0) {
		warnx("%s: the address is too long", address);
		buf_clear(&text);
		return EX_USAGE;
	}
	arg = buf_slice(&text);
	put_macros(t, kind);
	wire_put_texts(kind, &arg, 1, &t->client_end.out);
	status = step(t, no_reply);
	buf_clear(&text);
	return status;
}

static int
send_envelope(struct try *t)
{
	struct slice helo = slice_text(t->host);
	size_t i;
	int status = send_connect(t);

	if (status == 0 && !is_left_out(t, WIRE_NOHELO)) {
		wire_put_texts(WIRE_HELO, &helo, 1, &t->client_end.out);
		status = step(t, WIRE_NR_HELO);
	}
	if (status == 0)
		status = send_address(t, WIRE_MAIL, t->from, WIRE_NOMAIL,
		    WIRE_NR_MAIL);
	for (i = 0; status == 0 && i < t->n_rcpts; i++)
		status = send_address(t, WIRE_RCPT, t->rcpts[i], WIRE_NORCPT,
		    WIRE_NR_RCPT);
	if (status == 0 && !is_left_out(t, WIRE_NODATA)) {
		put_macros(t, WIRE_DATA);
		wire_put(WIRE_DATA, slice_text(""), &t->client_end.out);
		status = step(t, WIRE_NR_DATA);
	}
	return status;
}

/*
 * The value of a field as milters see it: folds are LF, and without leading
 * space negotiated one space goes.
 */
static int
milter_value(const struct try *t, struct slice value, struct buf *out)
{
	size_t i;

	if ((t->client_end.steps & WIRE_HDR_LEADSPC) == 0 && value.n > 0 &&
	    value.p[0] == ' ')
		value = slice_from(value, 1);
	for (i = 0; i < value.n; i++)
		if (value.p[i] != '\r' || i + 1 == value.n ||
		    value.p[i + 1] != '\n')
			buf_add_octet(out, value.p[i]);
	return buf_end(out);
}

static int
send_field(struct try *t, size_t i, struct buf *value)
{
	struct slice texts[2];
	struct slice name = dkim_header_name(t->header, i);
	const char *separator =
	    (t->client_end.steps & WIRE_HDR_LEADSPC) != 0 ? ":" : ": ";

	buf_reset(value);
	if (milter_value(t, dkim_header_value(t->header, i), value) != 0 ||
	    fieldlist_insert(&t->fields, i, name, separator,
	    buf_slice(value)) != 0)
		return EX_OSERR;
	if (is_left_out(t, WIRE_NOHDRS))
		return 0;
	texts[0] = name;
	texts[1] = buf_slice(value);
	wire_put_texts(WIRE_HEADER, texts, 2, &t->client_end.out);
	return step(t, WIRE_NR_HDR);
}

int
try_header(void *context)
{
	struct try *t = context;
	struct buf value;
	size_t i, n = dkim_header_count(t->header);

	t->status = send_envelope(t);
	buf_init(&value, DKIM_FIELD_MAX);
	for (i = 0; t->status == 0 && i < n; i++)
		t->status = send_field(t, i, &value);
	buf_clear(&value);
	if (t->status == 0 && !is_left_out(t, WIRE_NOEOH)) {
		wire_put(WIRE_EOH, slice_text(""), &t->client_end.out);
		t->status = step(t, WIRE_NR_EOH);
	}
	return t->status == 0 ? 0 : DKIM_ERR_STATE;
}

int
try_body(void *context, struct slice in)
{
	struct try *t = context;

	while (in.n > 0 && t->status == 0 && !t->skip_body &&
	    !is_left_out(t, WIRE_NOBODY)) {
		size_t n = in.n < WIRE_DATA_MAX ? in.n : WIRE_DATA_MAX;

		wire_put(WIRE_BODY, slice_sub(in, 0, n), &t->client_end.out);
		t->status = step(t, WIRE_NR_BODY);
		in = slice_from(in, n);
	}
	return t->status == 0 ? 0 : DKIM_ERR_STATE;
}

/*
 * One modification at end of message; 0, or an exit code.
 */
static int
apply(struct try *t, const struct wire_reply *reply)
{
	const char *separator =
	    (t->client_end.steps & WIRE_HDR_LEADSPC) != 0 ? ":" : ": ";
	int error;

	switch (reply->kind) {
	case WIRE_INSHEADER:
		error = fieldlist_insert(&t->fields, reply->index,
		    reply->name, separator, reply->value);
		break;
	case WIRE_ADDHEADER:
		error = fieldlist_insert(&t->fields, t->fields.n, reply->name,
		    separator, reply->value);
		break;
	case WIRE_CHGHEADER:
		error = fieldlist_change(&t->fields, reply->index,
		    reply->name, separator, reply->value);
		break;
	case WIRE_QUARANTINE:
		fprintf(stderr, "quarantine: %.*s\n", (int)reply->value.n,
		    (const char *)reply->value.p);
		return 0;
	default:
		warnx("note: the filter also changes %s", reply->kind ==
		    WIRE_REPLBODY ? "the body" : "the envelope");
		return 0;
	}
	return error == 0 ? 0 : EX_OSERR;
}

int
try_end(struct try *t)
{
	struct milter_client *c = &t->client_end;
	struct wire_reply reply;
	int status;

	if (t->settled)
		return 0;
	put_macros(t, WIRE_BODYEOB);
	wire_put(WIRE_BODYEOB, slice_text(""), &c->out);
	status = milter_client_send(c);
	while (status == 0) {
		status = milter_client_reply(c, &reply);
		if (status != 0 || reply.kind == WIRE_PROGRESS)
			continue;
		if (reply.kind == WIRE_CONTINUE || reply.kind == WIRE_ACCEPT)
			break;
		if (strchr("hime+-bq", (int)reply.kind) != NULL)
			status = apply(t, &reply);
		else
			status = refused(&reply);
	}
	if (status == 0) {
		wire_put(WIRE_QUIT, slice_text(""), &c->out);
		status = milter_client_send(c);
	}
	return status;
}
