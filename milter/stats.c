/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of the process, as C11 atomics.
 */

/* system */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>

/* this room */
#include "milter/log.h"
#include "milter/stats.h"

static _Atomic uint64_t counters[STAT_COUNT];

static const char *const names[] = {
	[STAT_CONNECTIONS] = "connections",
	[STAT_MESSAGES] = "messages",
	[STAT_ABORTED] = "aborted",
	[STAT_SIGNED] = "signed",
	[STAT_SIGNATURES] = "signatures",
	[STAT_UNSIGNED_NO_ENTRY] = "unsigned_no_entry",
	[STAT_UNSIGNED_NO_FROM] = "unsigned_no_from",
	[STAT_UNSIGNED_NOT_OURS] = "unsigned_not_ours",
	[STAT_SIGN_MESSAGE_FAULT] = "sign_message_fault",
	[STAT_SIGN_OUR_FAULT] = "sign_our_fault",
	[STAT_VERIFIED] = "verified",
	[STAT_RESULT_NONE] = "none",
	[STAT_RESULT_PASS] = "pass",
	[STAT_RESULT_FAIL] = "fail",
	[STAT_RESULT_POLICY] = "policy",
	[STAT_RESULT_NEUTRAL] = "neutral",
	[STAT_RESULT_TEMPERROR] = "temperror",
	[STAT_RESULT_PERMERROR] = "permerror",
	[STAT_OVER_LIMIT] = "over_limit",
	[STAT_AUTHRES_REMOVED] = "authres_removed",
	[STAT_REJECTED] = "rejected",
	[STAT_TEMPFAILED] = "tempfailed",
	[STAT_DNS_QUERIES] = "dns_queries",
	[STAT_DNS_CACHED] = "dns_cached",
	[STAT_DNS_FAILED] = "dns_failed",
	[STAT_DNS_REFUSED] = "dns_refused",
	[STAT_KEYS_LOADED] = "keys_loaded",
	[STAT_KEYS_FAILED] = "keys_failed",
	[STAT_KEYS_KEPT] = "keys_kept",
	[STAT_QUEUE_FULL] = "queue_full",
	[STAT_SIGN_TIMEOUT] = "sign_timeout",
	[STAT_SIGN_FAULTS] = "sign_faults",
	[STAT_SIGN_PASS_1] = "sign_pass_1",
	[STAT_SIGN_PASS_2] = "sign_pass_2",
	[STAT_SIGN_PASS_3] = "sign_pass_3",
	[STAT_SIGN_PASS_4] = "sign_pass_4",
	[STAT_SIGN_PASS_5] = "sign_pass_5",
	[STAT_SIGN_PASS_6] = "sign_pass_6",
	[STAT_SIGN_PASS_7] = "sign_pass_7",
	[STAT_SIGN_PASS_8] = "sign_pass_8",
	[STAT_RELOADS] = "reloads",
	[STAT_RELOADS_FAILED] = "reloads_failed",
	[STAT_LONG_LINES] = "long_lines",
	[STAT_LOG_SUPPRESSED] = "log_suppressed",
	[STAT_LOG_DROPPED] = "log_dropped",
	[STAT_BAD_PACKETS] = "bad_packets",
	[STAT_TOKEN_STARTS] = "token_starts",
	[STAT_TOKEN_ENDS] = "token_ends",
	[STAT_TOKEN_KILLS] = "token_kills",
	[STAT_TOKEN_GONE] = "token_gone",
	[STAT_TOKEN_BACK] = "token_back",
	[STAT_TOKEN_PIN_REFUSED] = "token_pin_refused",
	[STAT_TOKEN_KEYS_GONE] = "token_keys_gone",
	[STAT_TOKEN_VERIFIED] = "token_verified",
	[STAT_TOKEN_NOT_VERIFIED] = "token_not_verified",
};

void
stats_add(enum stats_counter stat, uint64_t n)
{
	assert(stat < STAT_COUNT);
	atomic_fetch_add_explicit(&counters[stat], n, memory_order_relaxed);
}

uint64_t
stats_get(enum stats_counter stat)
{
	assert(stat < STAT_COUNT);
	return atomic_load_explicit(&counters[stat], memory_order_relaxed);
}

const char *
stats_name(enum stats_counter stat)
{
	if (stat >= sizeof(names) / sizeof(names[0]) || names[stat] == NULL)
		return "unnamed";
	return names[stat];
}

size_t
stats_print(char *out, size_t size)
{
	size_t n = 0;
	uint64_t value;
	int k, i;

	assert(size > 0);
	out[0] = '\0';
	for (i = 0; i < STAT_COUNT; i++) {
		value = stats_get((enum stats_counter)i);
		if (value == 0)
			continue;
		k = snprintf(out + n, size - n, "%s%s=%llu", n == 0 ? "" : " ",
		    stats_name((enum stats_counter)i),
		    (unsigned long long)value);
		if (k < 0 || (size_t)k >= size - n)
			break;
		n += (size_t)k;
	}
	out[n] = '\0';
	return n;
}

void
stats_log(void)
{
	char text[STATS_TEXT_MAX];

	if (stats_print(text, sizeof(text)) == 0)
		snprintf(text, sizeof(text), "nothing yet");
	log_line(LOG_INFO, "counters: %s", text);
}
