/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The message at hand, shared by the session_*.c files.
 */
#ifndef SESSION_MESSAGE_H
#define SESSION_MESSAGE_H

#include "macros.h"
#include "msglog.h"
#include "policy.h"
#include "session.h"

/*
 * A want on its way.
 */
struct slot {
	struct want	*want;		/* our reference; NULL: free */
	bool		 carried;	/* session_next_want gave it out */
};

enum stage {
	STAGE_ENVELOPE,
	STAGE_HEADER,
	STAGE_BODY,
	STAGE_END,
	STAGE_FINISHED,
};

enum session_fault {
	SESSION_FAULT_NONE,
	SESSION_FAULT_MESSAGE,		/* On-SignatureError */
	SESSION_FAULT_OURS,		/* On-InternalError */
	SESSION_FAULT_MEMORY,		/* the same, or tempfail */
};

/*
 * One signature in the making.
 */
struct signing {
	struct rsab_key	*key;		/* a reference */
	bool		 again;		/* the key was asked for twice */
	struct slice	 signature;	/* in the arena */
	char		*value;		/* the field's, in the arena */
};

/*
 * Authentication-Results fields that claim to be ours.
 */
struct forged {
	struct slice	*ids;		/* in the arena; NULL: not made yet */
	size_t		 n_ids;
	unsigned	*at;		/* occurrences to delete, rising */
	size_t		 n, space;
	unsigned	 seen;		/* fields of that name */
};

/*
 * What is watched while body octets go by, for the warning.
 */
struct lines {
	size_t		 run;		/* octets since the last LF */
	bool		 is_long;	/* a line above 998 octets */
	bool		 eight_bit;
};

struct message {
	struct conf		*conf;
	struct arena		 arena;
	enum stage		 stage;
	struct session_time	 now;		/* of the last event with one */
	struct dkim_header	*header;
	struct dkim_header	*rest;		/* senders behind a limit */
	const char		*over;		/* the limit passed */
	bool			 dont_sign;
	struct forged		 forged;

	struct policy		 policy;
	struct buf		 trace;
	enum policy_role	 role;		/* NONE until known */
	bool			 role_known;

	enum session_fault	 fault;
	const char		*reason;	/* of fault; the MTA sees it */
	char			 detail[320];	/* for the log; untrusted */
	size_t			 detail_n;
	bool			 by_peer;	/* the peer brought it about */
	size_t			 failed;	/* signature at fault */

	struct slot		*slots;
	size_t			 n_slots;
	size_t			 waiting;	/* slots in use */

	struct dkim_signer	*signer;
	struct signing		 sign[DKIM_SIGNATURES_MADE];
	size_t			 n_sign;
	size_t			 keys_missing;
	bool			 sign_ready;	/* takes body octets */
	bool			 body_lost;	/* came before that */
	bool			 second_pass;
	struct lines		 lines;
	uint64_t		 sign_us;

	struct dkim_verifier	*verifier;
	bool			 has_signature;
	uint64_t		 patience;	/* of public keys, in us */
	uint64_t		 asked;		/* end of header */
	uint64_t		 dns_us;
	const struct dkim_verdict **verdicts;	/* in the arena */
	size_t			 n_verdicts;
	size_t			 deciding;	/* index, or n_verdicts */
	bool			 authres_too_long;

	struct session_action	*actions;	/* in the arena */
	size_t			 n_actions;
	struct session_note	*notes;
	size_t			 n_notes, notes_space;
	struct session_count	 counts[24];
	size_t			 n_counts;
	struct session_result	 result;
	struct session_note	 last_note;	/* when memory is out */
};

struct session {
	uint32_t		 magic;
	const struct dkim_lib	*lib;
	struct inbox		*inbox;
	const char		*host;
	struct session_can	 can;
	struct macros		 macros;
	char			*client_name;	/* NULL until told; never so
						 * within a message */
	struct sockaddr_storage	 address;
	bool			 has_address;
	struct want		**cancelled;	/* to be fetched */
	size_t			 n_cancelled, cancelled_space;
	struct message		*m;		/* NULL between messages */
};

/* ---- session_want.c ------------------------------------------------------ */

/*
 * A new want of this message, expiring at expires; to be carried out next.
 *   id       given back in want->id
 *   result   NULL without memory: the message has failed
 */
struct want *session_want_new(struct session *s, enum want_kind kind,
    size_t id, uint64_t expires);
void session_want_cancel_all(struct session *s);

/* ---- session.c ----------------------------------------------------------- */

/*
 * The message has failed; its wants are given up. The first fault counts.
 *   reason   static: the MTA may see it
 *   detail   for the log, untrusted; cut at the size of the field
 */
void session_fail(struct session *s, enum session_fault fault,
    const char *reason, struct slice detail);
void session_fail_memory(struct session *s);

/*
 * Role and keys are known: the end of the body, if that has come already.
 */
void session_body_end(struct session *s);
const struct sockaddr *session_address(const struct session *s);

/* ---- session_policy.c ---------------------------------------------------- */

void session_policy_begin(struct session *s);
void session_policy_answer(struct session *s, const struct want *want);

/* ---- session_sign.c ------------------------------------------------------ */

void session_sign_begin(struct session *s);
void session_sign_key(struct session *s, struct want *want);
void session_sign_body(struct session *s, struct slice octets);
void session_sign_end(struct session *s);
void session_sign_signature(struct session *s, const struct want *want);

/*
 * Make the values of all fields.
 */
void session_sign_fields(struct session *s);

/* ---- session_lines.c ----------------------------------------------------- */

/*
 * Watch for lines over 998 octets and for octets above 127.
 */
void session_lines_body(struct lines *lines, struct slice octets);
void session_lines_header(struct lines *lines,
    const struct dkim_header *header);
void session_lines_end(struct lines *lines);

/*
 * Does the header declare 8-bit octets?
 */
bool session_lines_declared(const struct dkim_header *header);

/* ---- session_verify.c ---------------------------------------------------- */

void session_verify_begin(struct session *s);
void session_verify_key(struct session *s, struct want *want, uint64_t now);

/* ---- session_authres.c --------------------------------------------------- */

struct slice session_authres_id(const struct session *s);

/*
 * Look at a field as it comes, whatever the limits say: does it claim to be
 * ours?
 */
void session_authres_field(struct session *s, struct slice name,
    struct slice value);

/*
 * The value of our own field, in the arena; NULL: it is too long, or no memory
 * (then the message has failed).
 */
const char *session_authres_print(struct session *s);

/* ---- session_result.c ---------------------------------------------------- */

void session_result_make(struct session *s);

/*
 * What the options say about the fault of the message.
 */
enum outcome_kind session_result_fault_kind(const struct session *s);
enum action session_result_fault_action(const struct session *s);

/* ---- session_notes.c ----------------------------------------------------- */

void session_notes_count(struct message *m, enum stats_counter stat,
    uint64_t n);

/*
 * Write the log of the message; what there is no memory for is left out, but
 * never all of it.
 */
void session_notes_make(struct session *s);

#endif
