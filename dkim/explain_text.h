/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation.
 */
#ifndef DKIM_EXPLAIN_TEXT_H
#define DKIM_EXPLAIN_TEXT_H

#include "bodysearch.h"
#include "headsearch.h"
#include "verify.h"

/*
 * A stranger's octets in quotes, a quote among them as \x22, and "..." where
 * something before or behind them is left out.
 */
void explain_text_quoted(struct buf *out, struct slice octets, bool cut_before,
    bool cut_behind);

/*
 * A stranger's octets in quotes, of which DKIM_EXPLAIN_SHOWN are shown; a name
 * without quotes where it is plain.
 */
void explain_text_shown(struct buf *out, struct slice s);
void explain_text_name(struct buf *out, struct slice name);

/*
 * The verdict, with its numbers.
 *   now      the time that was judged at
 */
void explain_text_verdict(const struct verify_signature *sig, uint64_t now,
    struct buf *out);

/*
 * What was found about the body.
 */
void explain_text_body(const struct verify_signature *sig,
    const struct bodysearch_finding *finding, struct buf *out);

/*
 * The edits that make the header right.
 */
void explain_text_edits(const struct headsearch *s, struct buf *out);

/*
 * What a reader may look for when no edits were found.
 */
void explain_text_hints(const struct headsearch *s, struct buf *out);

#endif
