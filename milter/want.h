/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A want: what a session needs from elsewhere. A heap object with two owners,
 * who asked and who answers; the last one frees it. It carries copies and
 * counted references, never a pointer into the session or its arena.
 *
 * Life: the asker makes it (two references), hands one to resolver, keystore
 * or signer, keeps one. The answerer fills it in and puts it into the inbox,
 * which passes its reference on to whoever takes it out. At a deadline or an
 * abort the asker sets cancelled and drops its reference; an answerer that
 * has not begun drops a cancelled want.
 */
#ifndef WANT_H
#define WANT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../dkim/dkim.h"
#include "../rsa-backend/rsab.h"
#include "conf.h"

struct inbox;

enum want_kind {
	WANT_ROWS,
	WANT_PUBLIC_KEY,
	WANT_PRIVATE_KEY,
	WANT_SIGNATURE,
};

enum want_error {
	WANT_OK = 0,
	WANT_ERR_NOMEM = -1,
	WANT_ERR_KEY = -2,		/* key cannot be loaded: detail */
	WANT_ERR_QUEUE_FULL = -3,
	WANT_ERR_TIMEOUT = -4,		/* SignTimeout, DNSTimeout */
	WANT_ERR_SIGN = -5,		/* the operation failed: detail */
	WANT_ERR_STOPPED = -6,		/* the daemon is leaving */
	WANT_ERR_KEY_GONE = -7,		/* the token does not have this key any
					 * more: load it again; detail */
};

enum want_table {
	TABLE_SIGNING,
	TABLE_KEY,
	TABLE_DOMAIN,
};

#define WANT_ROWS_MAX	16

struct want {
	atomic_uint	 refs;
	atomic_bool	 cancelled;
	enum want_kind	 kind;
	size_t		 id;		/* the asker's own number */
	struct inbox	*inbox;		/* counted */
	struct conf	*conf;		/* counted */
	int		 error;		/* WANT_OK or WANT_ERR_* */
	char		 detail[256];	/* NUL-ended text for the log, "" */
	uint64_t	 asked;		/* monotonic microseconds */
	uint64_t	 answered;
	uint64_t	 expires;	/* given up after this; 0: never */
	struct want	*next;		/* of the queue it is in */
	void		*service;	/* the answerer's own */
	union {
		struct {
			enum want_table	 table;
			struct slice	 key;	/* in key_text */
			char		 key_text[DATASET_KEY_MAX];
			bool		 nocase;
			struct row	 rows[WANT_ROWS_MAX];
			size_t		 n;
		} rows;
		struct {
			char		 name[DKIM_NAME_MAX + 1];
			struct dkim_answer answer;
			bool		 cached;
		} public_key;
		struct {
			struct row	 row;	/* of KeyTable, or of
						 * Domain, Selector, KeyFile */
			struct key_row	 key_row; /* slices into row's table */
			char		 domain[DKIM_NAME_MAX + 1]; /* replaces
						 * "%", passed the grammar */
			struct rsab_key	*key;	/* a reference of the want */
			struct rsab_key	*gone;	/* one that is of no use any
						 * more, or NULL; likewise */
		} private_key;
		struct rsab_job	 signature;	/* key: the want's reference */
	};
};

/*
 * A want with two references.
 *   inbox, conf   a reference of each is taken
 */
int want_new(enum want_kind kind, struct inbox *inbox, struct conf *conf,
    struct want **out) MUSTUSE;

/*
 * Give one reference back; the last wipes, gives back what the want refers to
 * and frees.
 */
void want_unref(struct want *want);

#endif
