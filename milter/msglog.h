/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log of one message: the line of BEHAVIOUR 9, OpenDKIM's phrases under
 * LogStyle, LogResults. Makes text, writes nothing.
 */
#ifndef MSGLOG_H
#define MSGLOG_H

#include "options.h"

#define MSGLOG_SIGNATURES	8	/* in lists of the line, from the top */
#define MSGLOG_TEXT_MAX		8192	/* octets of one text */

/*
 * One signature, made or judged. Slices are untrusted octets.
 */
struct msglog_signature {
	enum dkim_result	 result;	/* judged */
	const char		*text;		/* "pass", "signed", "error" */
	const char		*reason;	/* static, "" */
	bool			 no_key;
	struct slice		 domain;
	struct slice		 selector;
	struct slice		 algorithm;
	struct slice		 signature;	/* b=; empty when it was made */
};

enum msglog_role {
	MSGLOG_NONE,
	MSGLOG_SIGN,
	MSGLOG_VERIFY,
};

struct msglog {
	const struct options	*options;
	struct slice		 queue_id;	/* empty: NOQUEUE */
	enum msglog_role	 role;
	const struct msglog_signature *signatures;
	size_t			 n;
	const char		*result;	/* for n 0: "none", "error" */
	struct slice		 from;
	struct slice		 client;
	const char		*reason;	/* static, "" */
	struct slice		 detail;	/* of reason */
	bool			 made;		/* signing: fields are added */
	uint64_t		 dns_us;
	uint64_t		 sign_us;
	enum action		 action;	/* what the MTA is told */
};

/*
 * `<queue-id>: role= result= d= s= a= from= client= reason= dns_ms= sign_us=`,
 * and ` action=` where the message is not accepted
 *   source   BEHAVIOUR 9
 */
void msglog_line(const struct msglog *m, struct buf *out);

/*
 * OpenDKIM's phrase i of the message, i from 0; false behind the last.
 *   source   MIGRATION 2h
 */
bool msglog_phrase(const struct msglog *m, size_t i, struct buf *out);

/*
 * LogResults' line for judged signature i; false behind the last.
 */
bool msglog_result(const struct msglog *m, size_t i, struct buf *out);

/*
 * "<queue-id>: "
 */
void msglog_id(struct slice queue_id, struct buf *out);

/*
 * Is all well: what SyslogSuccess no keeps out of the log?
 */
bool msglog_is_success(const struct msglog *m);

#endif
