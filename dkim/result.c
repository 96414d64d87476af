/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words for results (RFC 8601 s2.7.1), all of them registered (RFC 8601
 * s2.7.7, s4 #2).
 */

/* this room */
#include "dkim.h"

const char *
dkim_result_text(enum dkim_result result)
{
	static const char *const words[] = {
		[DKIM_NONE] = "none",
		[DKIM_PASS] = "pass",
		[DKIM_FAIL] = "fail",
		[DKIM_POLICY] = "policy",
		[DKIM_NEUTRAL] = "neutral",
		[DKIM_TEMPERROR] = "temperror",
		[DKIM_PERMERROR] = "permerror",
	};

	return words[result];
}
