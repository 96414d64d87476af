/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection of an MTA.
 */

/* system */
#include <assert.h>
#include <stdlib.h>

/* this room */
#include "clock.h"
#include "connection.h"
#include "inbox.h"
#include "log.h"
#include "resolver.h"

#define CONNECTION_MAGIC	0x4d4c4649u

int
connection_new(const struct connection_setup *setup, struct terms terms,
    void *context, struct connection **out)
{
	struct session_can can = { terms.change_fields, terms.quarantine };
	struct connection *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return DKIM_ERR_NOMEM;
	c->magic = CONNECTION_MAGIC;
	c->terms = terms;
	c->messages = setup->messages;
	buf_init(&c->value, DKIM_FIELD_MAX);
	c->exchange.signer = setup->signer;
	c->exchange.progress = setup->progress;
	c->exchange.context = context;
	if (inbox_new(&c->exchange.inbox) != 0 ||
	    session_new(setup->lib, c->exchange.inbox, setup->host, &can,
	    &c->exchange.session) != 0) {
		connection_free(c);
		return DKIM_ERR_NOMEM;
	}
	*out = c;
	return 0;
}

void
connection_check(const struct connection *c)
{
	assert(c == NULL || c->magic == CONNECTION_MAGIC);
}

void
connection_free(struct connection *c)
{
	if (c == NULL)
		return;
	connection_check(c);
	if (c->exchange.session != NULL) {
		connection_message_end(c);
		session_free(c->exchange.session);
	}
	if (c->exchange.inbox != NULL)
		inbox_close(c->exchange.inbox);
	inbox_unref(c->exchange.inbox);
	buf_clear(&c->value);
	c->magic = 0;
	free(c);
}

void
connection_count(struct connection *c)
{
	connection_message_end(c);
	atomic_fetch_add(c->messages, 1);
	c->counted = true;
}

int
connection_mail(struct connection *c, struct conf *conf)
{
	int r;

	c->cut = false;
	r = session_mail(c->exchange.session, conf);
	if (r == 0)
		c->conf = conf;
	return r;
}

static void
tell_macro(struct connection *c, connection_macro *macro, const char *name)
{
	session_macro(c->exchange.session, name,
	    macro(c->exchange.context, name));
}

/*
 * Those of MacroList, by the configuration of the message.
 */
static void
tell_listed_macros(struct connection *c, connection_macro *macro)
{
	char name[TERMS_MACRO_MAX];

	for (size_t i = 0; terms_macro_name(c->conf, i, name); i++)
		if (name[0] != '\0')
			tell_macro(c, macro, name);
}

void
connection_macros(struct connection *c, connection_macro *macro)
{
	for (size_t i = 0; terms_macros[i] != NULL; i++)
		tell_macro(c, macro, terms_macros[i]);
	tell_listed_macros(c, macro);
}

void
connection_header_end(struct connection *c, connection_macro *macro)
{
	struct session_time now = { clock_us(), clock_unix() };

	tell_macro(c, macro, "i");
	tell_listed_macros(c, macro);
	session_header_end(c->exchange.session, now,
	    c->conf->resolver == NULL ? 0 :
	    resolver_patience(c->conf->resolver));
	exchange_carry(&c->exchange);
	exchange_take(&c->exchange);
}

void
connection_end(struct connection *c, connection_macro *macro)
{
	struct session_time now = { clock_us(), clock_unix() };

	tell_macro(c, macro, "i");
	session_end(c->exchange.session, now);
	exchange_carry(&c->exchange);
}

void
connection_message_end(struct connection *c)
{
	exchange_reset(&c->exchange);
	c->conf = NULL;
	if (c->counted)
		atomic_fetch_sub(c->messages, 1);
	c->counted = false;
}

void
connection_field(struct connection *c, const char *name, const char *value)
{
	struct session *s = c->exchange.session;

	if (c->terms.leading_space) {
		session_field(s, slice_text(name), slice_text(value));
		return;
	}
	/* most fields had one space, and the MTA has eaten it */
	buf_reset(&c->value);
	buf_add_octet(&c->value, ' ');
	buf_add_text(&c->value, value);
	if (buf_end(&c->value) == 0)
		session_field(s, slice_text(name), buf_slice(&c->value));
	else
		session_field_lost(s);
}

void
connection_log_cut(const struct connection *c)
{
	struct slice name = session_get_macro(c->exchange.session, "j");
	struct buf mta;

	/* libmilter does not tell a bad packet from a client that left */
	if (!c->cut && !c->counted)
		return;
	buf_init(&mta, 4 * MACROS_VALUE_MAX + 1);
	buf_add_escaped(&mta, name.n == 0 ? slice_text("without a name") :
	    name);
	buf_add_nul(&mta);
	if (buf_end(&mta) == 0)
		log_limited(LOG_INFO, "cut", "the connection of MTA %s ended "
		    "within a message", (const char *)mta.p);
	buf_clear(&mta);
}
