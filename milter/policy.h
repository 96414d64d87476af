/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who signs, who verifies, as whom. Pure: is told facts, says which rows it
 * needs, is given them (BEHAVIOUR 1, 3, 7; MIGRATION 2c, 2d).
 *
 *	policy_begin(p, facts);
 *	while (policy_needs(p, &need))
 *		policy_give(p, rows, n);
 */
#ifndef POLICY_H
#define POLICY_H

#include "conf.h"
#include "macros.h"
#include "stats.h"
#include "walk.h"
#include "want.h"

enum policy_role {
	POLICY_NONE,		/* passed as it is */
	POLICY_SIGN,
	POLICY_VERIFY,
};

enum policy_fault {
	POLICY_FAULT_NONE,
	POLICY_FAULT_MESSAGE,	/* the message cannot be signed */
	POLICY_FAULT_OURS,	/* table or key name at fault */
	POLICY_FAULT_MEMORY,
};

struct policy_facts {
	const struct conf	*conf;
	const struct macros	*macros;
	struct slice		 client_name;
	const struct sockaddr	*address;	/* NULL: a local pipe */
	const struct dkim_header *header;
	const struct dkim_header *rest;	/* sender fields behind a limit, NULL */
	const char		*over;	/* limit that the message passed */
	bool			 dont_sign; /* DontSignMailTo has a recipient */
};

/*
 * One signature to make.
 */
struct policy_key {
	struct slice	 name;		/* in KeyTable, or "KeyFile" */
	struct row	 row;
	struct key_row	 key_row;
	struct slice	 domain;	/* d=, A-labels */
	struct slice	 identity;	/* i=; empty: none */
};

struct policy_sender {
	struct slice	 local;
	struct slice	 domain;	/* A-labels; empty: matches nothing */
	struct slice	 text;		/* local@domain as it was parsed */
};

struct policy_need {
	enum want_table	 table;
	struct slice	 key;		/* lives until the next call */
	bool		 nocase;
};

struct policy {
	struct policy_facts	 facts;
	struct arena		*arena;
	struct buf		*trace;		/* NULL without LogWhy */

	/* what it found */
	enum policy_role	 role;
	enum policy_fault	 fault;
	const char		*reason;	/* static, never NULL */
	struct slice		 detail;	/* of reason, for the log only;
						 * untrusted octets */
	enum stats_counter stat;		/* STAT_COUNT: none */
	bool			 warn;		/* worth a notice */
	bool			 external;	/* sends as a domain of ours */
	bool			 ours;		/* origin */
	bool			 authenticated;
	struct policy_sender	*senders;
	size_t			 n_senders;
	struct policy_key	 keys[DKIM_SIGNATURES_MADE];
	size_t			 n_keys;

	/* where it stands */
	enum { POLICY_WALK, POLICY_KEYS, POLICY_DONE } phase;
	bool			 many_from;
	bool			 any_match;
	size_t			 sender;
	struct walk		 walk;
	struct slice		 walk_key;
	struct row		 hits[DKIM_SIGNATURES_MADE];
	size_t			 n_hits;
	struct slice		 key_name;
	struct slice		 signer;	/* behind the key name */
};

/*
 *   arena    for what the policy keeps; outlives it
 *   trace    lines that say why, each ended by LF; NULL: none wanted
 */
void policy_begin(struct policy *p, const struct policy_facts *facts,
    struct arena *arena, struct buf *trace);

/*
 * Which rows are needed next? False: role and the rest are known.
 */
bool policy_needs(const struct policy *p, struct policy_need *need);

/*
 * The rows of the last need, in table order; they outlive the policy.
 */
void policy_give(struct policy *p, const struct row *rows, size_t n);

/*
 * May forged Authentication-Results of this client stay: is it an inner hop
 * (InternalHosts or PeerList) that did not authenticate?
 *   source   BEHAVIOUR 7
 */
bool policy_is_inner_hop(const struct conf *conf, const struct macros *macros,
    struct slice client_name, const struct sockaddr *address);

/* ---- between policy.c, policy_origin.c, policy_sender.c, policy_key.c --- */

/*
 * The end: role, fault and reason are set.
 */
void policy_end(struct policy *p, enum policy_role role,
    enum policy_fault fault, const char *reason);

/*
 * One line of the trace: before, value escaped, after.
 */
void policy_why(struct policy *p, const char *before, struct slice value,
    const char *after);

/*
 * Is the origin ours: MTA, MacroList, InternalHosts, {auth_type}? Sets ours,
 * authenticated.
 *   source   MIGRATION 2d
 */
void policy_origin(struct policy *p);

/*
 * Find the mailboxes of the sender field: sets senders, many_from.
 *   result   NULL, or the reason why the message has no sender (static);
 *            fault is POLICY_FAULT_MEMORY when there was no memory
 *   source   BEHAVIOUR 3
 */
const char *policy_sender_find(struct policy *p);

/*
 * Begin with the keys of the hits: no more, or a first key name.
 */
void policy_key_begin(struct policy *p);
void policy_key_give(struct policy *p, const struct row *rows, size_t n);

/*
 * The one key of Domain, Selector, KeyFile.
 *   domain   the row's, in A-labels: d=
 */
void policy_key_single(struct policy *p, struct slice domain);

#endif
