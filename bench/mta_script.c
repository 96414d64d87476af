/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets made beforehand; see mta_script.h.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "mta_script.h"

#define HOST		"mta.example.org"
#define RECIPIENT	"rcpt@dest.example"
#define CHUNK		WIRE_DATA_MAX

struct macro {
	const char	*name, *value;
};

static void
script_init(size_t cap, struct mta_script *out)
{
	*out = (struct mta_script){ .stops = NULL };
	buf_init(&out->octets, cap);
}

void
mta_script_clear(struct mta_script *script)
{
	buf_clear(&script->octets);
	free(script->stops);
	script->stops = NULL;
	script->n = script->space = 0;
}

/*
 * The MTA waits here for an answer.
 */
static int
stop(struct mta_script *s, uint8_t command)
{
	struct mta_stop *more;

	if (s->n == s->space) {
		size_t space = s->space == 0 ? 8 : 2 * s->space;

		more = reallocarray(s->stops, space, sizeof *more);
		if (more == NULL)
			return DKIM_ERR_NOMEM;
		s->stops = more;
		s->space = space;
	}
	s->stops[s->n++] = (struct mta_stop){ s->octets.n, command };
	return buf_end(&s->octets);
}

/*
 * What was put is answered, unless no-reply was negotiated for it.
 */
static int
sent(struct mta_script *s, uint8_t command, uint32_t steps, uint32_t no_reply)
{
	if ((steps & no_reply) != 0)
		return buf_end(&s->octets);
	return stop(s, command);
}

static void
put_macros(struct mta_script *s, uint8_t stage, const struct macro *macros,
    size_t n)
{
	struct wire_pair pairs[WIRE_MACROS_MAX];

	assert(n <= WIRE_MACROS_MAX);
	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct wire_pair){ slice_text(macros[i].name),
		    slice_text(macros[i].value) };
	wire_put_macros(stage, pairs, n, &s->octets);
}

int
mta_script_connect(uint32_t steps, const char *client,
    struct mta_script *out)
{
	const struct macro macros[] = { { "j", HOST },
	    { "{daemon_name}", "smtpd" }, { "{daemon_addr}", "192.0.2.25" },
	    { "v", "Postfix 3.7.11" }, { "_", "client.example.net" } };
	struct slice name = slice_text("client.example.net");
	int error = 0;

	script_init(WIRE_PACKET_MAX, out);
	if ((steps & WIRE_NOCONNECT) == 0) {
		put_macros(out, WIRE_CONNECT, macros,
		    sizeof macros / sizeof macros[0]);
		wire_put_connect(name, WIRE_FAMILY_INET, 40000,
		    slice_text(client), &out->octets);
		error = sent(out, WIRE_CONNECT, steps, WIRE_NR_CONN);
	}
	if (error == 0 && (steps & WIRE_NOHELO) == 0) {
		wire_put_texts(WIRE_HELO, &name, 1, &out->octets);
		error = sent(out, WIRE_HELO, steps, WIRE_NR_HELO);
	}
	return error != 0 ? error : buf_end(&out->octets);
}

static int
put_envelope(uint32_t steps, const char *sender, const struct macro *id,
    struct mta_script *s)
{
	const struct macro mail[] = { *id, { "{mail_addr}", sender },
	    { "{mail_host}", "" }, { "{mail_mailer}", "smtp" } };
	const struct macro rcpt[] = { *id, { "{rcpt_addr}", RECIPIENT },
	    { "{rcpt_host}", "dest.example" }, { "{rcpt_mailer}", "smtp" } };
	char address[DKIM_ADDRESS_MAX + 3];
	struct slice text = slice_of(address, 0);
	int error = 0;

	snprintf(address, sizeof address, "<%s>", sender);
	text.n = strlen(address);
	if ((steps & WIRE_NOMAIL) == 0) {
		put_macros(s, WIRE_MAIL, mail, sizeof mail / sizeof mail[0]);
		wire_put_texts(WIRE_MAIL, &text, 1, &s->octets);
		error = sent(s, WIRE_MAIL, steps, WIRE_NR_MAIL);
	}
	text = slice_text("<" RECIPIENT ">");
	if (error == 0 && (steps & WIRE_NORCPT) == 0) {
		put_macros(s, WIRE_RCPT, rcpt, sizeof rcpt / sizeof rcpt[0]);
		wire_put_texts(WIRE_RCPT, &text, 1, &s->octets);
		error = sent(s, WIRE_RCPT, steps, WIRE_NR_RCPT);
	}
	if (error == 0 && (steps & WIRE_NODATA) == 0) {
		put_macros(s, WIRE_DATA, id, 1);
		wire_put(WIRE_DATA, slice_of(NULL, 0), &s->octets);
		error = sent(s, WIRE_DATA, steps, WIRE_NR_DATA);
	}
	return error;
}

/*
 * One field: folds are LF on the wire, and without HDR_LEADSPC the space
 * behind the colon stays with the MTA.
 */
static int
put_field(uint32_t steps, struct slice name, struct slice value,
    struct mta_script *s)
{
	struct slice texts[2] = { name };
	struct buf lf;
	int error;

	if ((steps & WIRE_HDR_LEADSPC) == 0 && value.n > 0 &&
	    value.p[0] == ' ')
		value = slice_from(value, 1);
	buf_init(&lf, DKIM_FIELD_MAX);
	for (size_t i = 0; i < value.n; i++)
		if (value.p[i] != '\r')
			buf_add_octet(&lf, value.p[i]);
	error = buf_end(&lf);
	texts[1] = buf_slice(&lf);
	if (error == 0) {
		wire_put_texts(WIRE_HEADER, texts, 2, &s->octets);
		error = sent(s, WIRE_HEADER, steps, WIRE_NR_HDR);
	}
	buf_clear(&lf);
	return error;
}

static int
put_header(uint32_t steps, const struct mta_mail *mail,
    const struct macro *id, struct mta_script *s)
{
	int error = 0;

	for (size_t i = 0; error == 0 && (steps & WIRE_NOHDRS) == 0 &&
	    i < dkim_header_count(mail->header); i++)
		error = put_field(steps, dkim_header_name(mail->header, i),
		    dkim_header_value(mail->header, i), s);
	if (error == 0 && (steps & WIRE_NOEOH) == 0) {
		put_macros(s, WIRE_EOH, id, 1);
		wire_put(WIRE_EOH, slice_of(NULL, 0), &s->octets);
		error = sent(s, WIRE_EOH, steps, WIRE_NR_EOH);
	}
	return error;
}

static int
put_body(uint32_t steps, struct slice body, const struct macro *id,
    struct mta_script *s)
{
	int error = 0;

	while (error == 0 && (steps & WIRE_NOBODY) == 0 && body.n > 0) {
		size_t n = body.n < CHUNK ? body.n : CHUNK;

		wire_put(WIRE_BODY, slice_sub(body, 0, n), &s->octets);
		body = slice_from(body, n);
		error = sent(s, WIRE_BODY, steps, WIRE_NR_BODY);
	}
	if (error != 0)
		return error;
	put_macros(s, WIRE_BODYEOB, id, 1);
	wire_put(WIRE_BODYEOB, slice_of(NULL, 0), &s->octets);
	return stop(s, WIRE_BODYEOB);
}

int
mta_script_message(uint32_t steps, const struct mta_mail *mail,
    const char *sender, const char *queue_id, struct mta_script *out)
{
	const struct macro id = { "i", queue_id };
	int error;

	/* header at most DKIM_HEADER_MAX, heads of packets, the body */
	script_init(mail->body.n + mail->body.n / 1024 +
	    2 * DKIM_HEADER_HARD_MAX, out);
	error = put_envelope(steps, sender, &id, out);
	if (error == 0)
		error = put_header(steps, mail, &id, out);
	if (error == 0)
		error = put_body(steps, buf_slice(&mail->body), &id, out);
	return error;
}
