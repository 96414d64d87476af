/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message under verification: what verify.c (life, questions, body),
 * choose.c (which signatures) and judge.c (verdicts) share.
 */
#ifndef DKIM_VERIFY_H
#define DKIM_VERIFY_H

#include "bodyhash.h"
#include "keyrec.h"
#include "sigfield.h"

struct verify_query {
	struct slice		 name;		/* a NUL behind */
	uint32_t		 hash;		/* of name */
	bool			 answered;
	struct dkim_answer	 answer;
};

/*
 * A key record that is tried on a signature.
 */
struct verify_try {
	const struct keyrec	*rec;
	struct rsab_job		*job;		/* NULL: length differs */
};

struct verify_signature {
	struct sigfield		 field;
	struct dkim_verdict	 verdict;
	size_t			 own;		/* index in the header */
	bool			 judged;	/* the verdict is final */
	bool			 chosen;	/* is looked at */
	size_t			 query;
	size_t			 body_hash;	/* index in bodyhash */
	const char		*over;		/* key above the cap: reason */
	struct verify_try	 tries[DKIM_TXT_RECORDS_TRIED];
	size_t			 tries_n;
};

struct dkim_verifier {
	const struct dkim_lib		*lib;
	const struct dkim_header	*header;
	struct dkim_verify_options	 options;
	struct arena			 arena;
	struct verify_signature		*signatures;	/* from top */
	size_t				 n;
	struct verify_query		*queries;
	size_t				 queries_n;
	size_t				 chosen;	/* to be verified */
	struct bodyhash			*bodyhash;	/* NULL: none chosen */
	bool				 many_from;
	struct rsab_job			**jobs;		/* by group */
	size_t				 jobs_n;
	bool				 ended;		/* body_end came */
	bool				 prepared;	/* jobs are there */
	bool				 finished;
};

/*
 * Pick the signatures that are looked at among those not judged, and set
 * their questions; the others get their verdict.
 *   errors   DKIM_ERR_NOMEM
 *   source   BEHAVIOUR 6
 */
int choose_signatures(struct dkim_verifier *v) MUSTUSE;

/*
 * Judge what needs no operation, and make the jobs of the rest; once they have
 * run, judge what is left.
 *   errors   DKIM_ERR_NOMEM, _CRYPTO
 *   source   BEHAVIOUR 6, RFC 6376 s6.1.2, s6.1.3
 */
int judge_prepare(struct dkim_verifier *v) MUSTUSE;
int judge_conclude(struct dkim_verifier *v) MUSTUSE;

/*
 * Run the jobs, those of one group together.
 */
void judge_run(struct dkim_verifier *v, struct rsab_worker *worker);

/*
 * The reason why rsa-sha1 is refused.
 */
extern const char judge_sha1[];

/*
 * The reason for a header that is not as signed, with the first thing that
 * differs from its copy in z=.
 *   what     the reason without that
 *   reason   out: in the arena; NULL where z= tells nothing, for its own
 *            faults are nobody's concern
 *   errors   DKIM_ERR_NOMEM
 */
int change_reason(struct dkim_verifier *v, const struct verify_signature *sig,
    const char *what, const char **reason) MUSTUSE;

/*
 * Make this the final verdict; reason is static or in the arena.
 */
void judge_set(struct verify_signature *sig, enum dkim_result result,
    const char *reason);

#endif
