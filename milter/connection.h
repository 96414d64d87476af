/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection of an MTA, as a front end keeps it: session, inbox, what was
 * agreed, whether a message is counted.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "exchange.h"
#include "macros.h"
#include "terms.h"

struct connection {
	uint32_t	 magic;
	struct terms	 terms;
	struct exchange	 exchange;
	struct conf	*conf;		/* the message's; borrowed of session */
	atomic_uint	*messages;	/* where messages are counted */
	bool		 counted;	/* this one is */
	bool		 cut;		/* the last message was aborted */
	struct buf	 value;		/* of a field, its space put back */
};

/*
 *   lib, signer, host, messages   outlive the connection
 *   progress   tells the MTA to wait on, given context
 *   errors     DKIM_ERR_NOMEM
 */
struct connection_setup {
	const struct dkim_lib	*lib;
	struct signer		*signer;
	const char		*host;
	atomic_uint		*messages;
	void			(*progress)(void *context);
};
int connection_new(const struct connection_setup *setup, struct terms terms,
    void *context, struct connection **out) MUSTUSE;

/*
 * Free, with what was asked given up. Never blocks. NULL is allowed.
 */
void connection_free(struct connection *c);
void connection_check(const struct connection *c);	/* NULL is allowed */

/*
 * MAIL: end the message before, count this one. It is counted before the look
 * whether we are leaving, so that a drain misses none.
 */
void connection_count(struct connection *c);

/*
 * A message begins.
 *   conf     moved, also on failure
 *   errors   of session_mail: answer with tempfail
 */
int connection_mail(struct connection *c, struct conf *conf) MUSTUSE;

/*
 * The value of a macro of the MTA; NULL: none.
 *   context   of connection_new
 */
typedef const char *connection_macro(void *context, const char *name);

/*
 * Tell the macros that are known at MAIL, those of MacroList with them.
 */
void connection_macros(struct connection *c, connection_macro *macro);

/*
 * The header, the body is over: tell the macros that have come, and have the
 * session's wants carried out.
 */
void connection_header_end(struct connection *c, connection_macro *macro);
void connection_end(struct connection *c, connection_macro *macro);

/*
 * The message is over, or cut short. Harmless between messages.
 */
void connection_message_end(struct connection *c);

/*
 * A field as the MTA gave it; what it takes away of the leading space is put
 * back.
 */
void connection_field(struct connection *c, const char *name,
    const char *value);

/*
 * Log a connection that ends within a message.
 */
void connection_log_cut(const struct connection *c);

#endif
