/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters, C11 atomics, read for one log line at reload and stop (later for
 * /metrics).
 */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>
#include <stdint.h>

/* Octets that all names and values can take */
#define STATS_TEXT_MAX	(STAT_COUNT * 48)

enum stats_counter {
	STAT_CONNECTIONS,
	STAT_MESSAGES,			/* that reached their end */
	STAT_ABORTED,			/* messages cut short by the MTA */
	STAT_SIGNED,			/* messages signed */
	STAT_SIGNATURES,		/* signatures made */
	STAT_UNSIGNED_NO_ENTRY,		/* origin ours, no table entry */
	STAT_UNSIGNED_NO_FROM,
	STAT_UNSIGNED_NOT_OURS,		/* a table matches, origin not ours */
	STAT_SIGN_MESSAGE_FAULT,	/* On-SignatureError */
	STAT_SIGN_OUR_FAULT,		/* On-InternalError */
	STAT_VERIFIED,			/* messages verified */
	STAT_RESULT_NONE,		/* messages by best result */
	STAT_RESULT_PASS,
	STAT_RESULT_FAIL,
	STAT_RESULT_POLICY,
	STAT_RESULT_NEUTRAL,
	STAT_RESULT_TEMPERROR,
	STAT_RESULT_PERMERROR,
	STAT_OVER_LIMIT,
	STAT_AUTHRES_REMOVED,		/* fields */
	STAT_REJECTED,
	STAT_TEMPFAILED,
	STAT_DNS_QUERIES,
	STAT_DNS_CACHED,
	STAT_DNS_FAILED,
	STAT_DNS_REFUSED,		/* over our bound in flight */
	STAT_KEYS_LOADED,
	STAT_KEYS_FAILED,
	STAT_KEYS_KEPT,			/* asked for by a row that became bad
					 * at a reload */
	STAT_QUEUE_FULL,
	STAT_SIGN_TIMEOUT,
	STAT_SIGN_FAULTS,		/* signatures wrong at the check
					 * after signing */
	STAT_SIGN_PASS_1,		/* passes of 1, 2, ... RSAB_PASS_MAX
					 * signatures: lanes filled */
	STAT_SIGN_PASS_2,
	STAT_SIGN_PASS_3,
	STAT_SIGN_PASS_4,
	STAT_SIGN_PASS_5,
	STAT_SIGN_PASS_6,
	STAT_SIGN_PASS_7,
	STAT_SIGN_PASS_8,
	STAT_RELOADS,
	STAT_RELOADS_FAILED,
	STAT_LONG_LINES,
	STAT_LOG_SUPPRESSED,		/* lines held back */
	STAT_LOG_DROPPED,		/* lines lost: syslog stood still */
	STAT_BAD_PACKETS,
	STAT_TOKEN_STARTS,		/* processes of dkimd-token */
	STAT_TOKEN_ENDS,		/* that ended, or were killed */
	STAT_TOKEN_KILLS,		/* of these: did not answer in time */
	STAT_TOKEN_GONE,		/* times that a token became useless */
	STAT_TOKEN_BACK,
	STAT_TOKEN_PIN_REFUSED,
	STAT_TOKEN_KEYS_GONE,		/* keys that had to be loaded again */
	STAT_TOKEN_VERIFIED,		/* signatures, PKCS11Verify: verdicts of
					 * the token; and that were left to
					 * libcrypto */
	STAT_TOKEN_NOT_VERIFIED,
	STAT_COUNT			/* owners may add before this line */
};

void stats_add(enum stats_counter stat, uint64_t n);
uint64_t stats_get(enum stats_counter stat);
const char *stats_name(enum stats_counter stat);

/*
 * The counters that are not 0 into out, NUL-ended: "name=n name=n".
 *   size     octets of out; STATS_TEXT_MAX is enough for all
 *   returns  octets written, without the NUL
 */
size_t stats_print(char *out, size_t size);

/*
 * All counters that are not 0, as one line "name=n name=n".
 */
void stats_log(void);

#endif
