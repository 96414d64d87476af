/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection of an MTA, message by message: events in, wants and a result
 * out (DESIGN "Session"). No threads, no DNS, no files, no clock, no libmilter.
 * One thread at a time calls it.
 *
 * A message: session_mail, macros, session_rcpt, session_field for each field,
 * session_header_end, session_body in any chunks, session_end, session_finish.
 * After each event the front end carries the wants out:
 *
 *	while ((w = session_next_want(s)) != NULL)
 *		if (ask(w))
 *			session_answer(s, w, now);
 *	while ((w = session_next_cancelled(s)) != NULL) {
 *		ask_cancel(w);
 *		want_unref(w);
 *	}
 *
 * and hands answers from the inbox to session_answer at any time. Before a
 * body chunk it waits while session_holds_body, before session_finish while
 * session_holds_end, at most until session_deadline; then session_expire.
 *
 * No event fails: what goes wrong becomes the outcome of the message.
 */
#ifndef SESSION_H
#define SESSION_H

#include <sys/socket.h>

#include "outcome.h"
#include "stats.h"
#include "want.h"

#define SESSION_FIELD_MAX	65000	/* octets of a field that we insert:
					 * a milter packet has 65,535 */
#define SESSION_KEY_US		8000000	/* a private key may take, at most
					 * SignTimeout: Sendmail waits 10 s for
					 * an answer by default */
#define SESSION_REMOVED_MAX	65536	/* fields taken out of one message */

struct session;

struct session_time {
	uint64_t	us;		/* monotonic */
	uint64_t	seconds;	/* Unix time */
};

/*
 * What the front end can do on this connection.
 */
struct session_can {
	bool	change_fields;		/* delete */
	bool	quarantine;
};

/*
 * Header changes, in the order in which they must be made: deletions from the
 * highest occurrence down, then insertions at index 0.
 */
struct session_action {
	enum { SESSION_DELETE, SESSION_INSERT } kind;
	const char	*name;		/* of the field, NUL-ended */
	unsigned	 occurrence;	/* DELETE: from 1, as received */
	const char	*value;		/* INSERT: from its leading space, folds
					 * as LF, NUL-ended */
};

struct session_note {
	int		 priority;	/* of syslog.h */
	const char	*limit;		/* key of log_limited, or NULL */
	const char	*text;		/* NUL-ended, escaped */
};

struct session_count {
	enum stats_counter stat;
	uint64_t	 n;
};

/*
 * What comes out of a message; lives until the next session_mail or
 * session_reset.
 */
struct session_result {
	struct outcome			 outcome;
	const struct session_action	*actions;
	size_t				 n_actions;
	const struct session_note	*notes;
	size_t				 n_notes;
	const struct session_count	*counts;
	size_t				 n_counts;
};

/*
 *   lib, host   outlive the session; host names this machine, for AuthservID
 *   inbox       answers go there; a reference is taken
 */
int session_new(const struct dkim_lib *lib, struct inbox *inbox,
    const char *host, const struct session_can *can, struct session **out)
    MUSTUSE;

/*
 * Free, with all wants given up; session_reset and the cancelled wants come
 * first (the front end has to tell who works on them).
 */
void session_free(struct session *s);

/*
 * A connection begins.
 *   address   NULL: a local pipe, counts as 127.0.0.1
 *   errors    DKIM_ERR_NOMEM: refuse the connection
 */
int session_connect(struct session *s, struct slice name,
    const struct sockaddr *address, socklen_t n) MUSTUSE;

/*
 * A macro; NULL takes it away. Without memory the message at hand fails.
 */
void session_macro(struct session *s, const char *name, const char *value);
struct slice session_get_macro(const struct session *s, const char *name);

/*
 * A message begins; one before it is reset.
 *   conf     moved, also on failure
 *   errors   DKIM_ERR_NOMEM, _STATE (no session_connect): answer with tempfail
 */
int session_mail(struct session *s, struct conf *conf /* moved */) MUSTUSE;

/*
 *   address   as the envelope has it, "<" and ">" or not
 */
void session_rcpt(struct session *s, struct slice address);

/*
 *   value    leading white space included, folds as LF (dkim_header_add_milter)
 */
void session_field(struct session *s, struct slice name, struct slice value);

/*
 * The front end had no memory for a field: the message fails.
 */
void session_field_lost(struct session *s);

/*
 *   patience   microseconds that keys may take (resolver_patience)
 */
void session_header_end(struct session *s, struct session_time now,
    uint64_t patience);

/*
 * Is the outcome known and nothing to change in the header, so that the
 * message can be answered at end of header? Then session_finish may be called.
 */
bool session_is_over(const struct session *s);

/*
 *   result   false: no more body octets are needed
 */
bool session_body(struct session *s, struct slice octets);
void session_end(struct session *s, struct session_time now);

/*
 * A want to be carried out, or NULL. One reference is for who answers; the
 * other one stays with the session.
 */
struct want *session_next_want(struct session *s);

/*
 * A want that the session has given up, marked so; the reference moves to the
 * caller. NULL: none.
 */
struct want *session_next_cancelled(struct session *s);

/*
 * An answer, of whatever age: one that nobody waits for is dropped.
 *   want     the reference moves
 *   now      monotonic microseconds
 */
void session_answer(struct session *s, struct want *want /* moved */,
    uint64_t now);

/*
 * Must answers come before the next body octets, before the result?
 */
bool session_holds_body(const struct session *s);
bool session_holds_end(const struct session *s);

/*
 * When the first of the wants expires, monotonic microseconds; UINT64_MAX
 * without any. session_expire gives up those whose time is over.
 */
uint64_t session_deadline(const struct session *s);
void session_expire(struct session *s, uint64_t now);

/*
 * Judge, and say what to do.
 *   worker   the calling thread's, for verifying; NULL: none to be had
 *   result   never NULL between session_mail and session_reset
 */
const struct session_result *session_finish(struct session *s,
    struct rsab_worker *worker);

/*
 * Does session_finish need a worker?
 */
bool session_is_verifying(const struct session *s);

/*
 * Is there a message, between MAIL and its end?
 */
bool session_in_message(const struct session *s);

/*
 * The message is over, or cut short: forget it, give up its wants. Harmless
 * between messages.
 */
void session_reset(struct session *s);

#endif
