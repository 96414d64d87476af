/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation that tell what to do about a reason.
 */
#ifndef DKIM_EXPLAIN_ADVICE_H
#define DKIM_EXPLAIN_ADVICE_H

/*
 * What to do about a reason of verify.c, sigfield.c, keyrec.c, choose.c or
 * judge.c; NULL where the reason says it all.
 */
const char *explain_advice(const char *reason);

#endif
