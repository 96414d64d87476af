/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed, by groups; each group tries its
 * guesses and leaves in place the one that is it, with its edits.
 */
#ifndef DKIM_HEADGUESS_H
#define DKIM_HEADGUESS_H

#include "headsearch.h"

/*
 * All groups, the likely ones first.
 *   s        headsearch_begin was called; the header as it is, is not it
 *   returns  false: none is it, a bound was met (s->spent) or s->error is set
 */
bool headguess_run(struct headsearch *s);

/*
 * What mailing lists and gateways do: words in Subject; an address moved to
 * another field; both, with a Reply-To added.
 */
bool headguess_list_subject(struct headsearch *s);
bool headguess_list_moved(struct headsearch *s);
bool headguess_list_all(struct headsearch *s);

/*
 * White space and, which matters to simple only, the case of names.
 *   source   RFC 6376 s3.4.1, s3.4.2
 */
bool headguess_white(struct headsearch *s);

/*
 * White space of all fields, as change white of headguess_white has it. False:
 * nothing differs, or s->error is set.
 */
bool headguess_white_all(struct headsearch *s, size_t white);

/*
 * What software makes of Message-ID, of types, and of the names in addresses.
 */
bool headguess_tidy(struct headsearch *s);

/*
 * Two of the changes that were tried alone.
 */
bool headguess_pair(struct headsearch *s);

/*
 * Take field i out of the message: fields above it come one name of h= earlier
 * (RFC 6376 s5.4.2), and the last name gets one that h= did not reach, if any.
 */
void headguess_leave_out(struct headsearch *s, size_t i);

/*
 * Faults of signers: how they hash their own field, and which fields.
 */
bool headguess_signer_own(struct headsearch *s);
bool headguess_signer_fields(struct headsearch *s);

#endif
