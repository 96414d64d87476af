/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a signature did not pass, for people: what is wrong with key, body or
 * header, and which well-known change on the way would account for it. Part of
 * the engine's public header.
 *
 * It reads the body through some forty digests and tries up to a thousand
 * headers for each signature: for a command line, never for mail that somebody
 * waits for.
 */
#ifndef DKIM_EXPLAIN_H
#define DKIM_EXPLAIN_H

#include "buf.h"
#include "slice.h"

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

struct dkim_verifier;
struct dkim_explainer;
struct rsab_worker;

#define DKIM_EXPLAIN_BODIES	16	/* body hashes looked for */
#define DKIM_EXPLAIN_CHANGES	8	/* differences from z= told */
#define DKIM_EXPLAIN_SHOWN	60	/* octets of a value shown */

/*
 * Watch a message that is verified.
 *   verifier   new, before its first body octet; outlives the explainer
 *   errors     DKIM_ERR_STATE, _NOMEM, _CRYPTO
 */
int dkim_explainer_new(const struct dkim_verifier *verifier,
    struct dkim_explainer **out) MUSTUSE;
void dkim_explainer_free(struct dkim_explainer *explainer);

/*
 * The octets that the verifier is given, cut anywhere, then their end.
 */
int dkim_explainer_body(struct dkim_explainer *explainer, struct slice in)
    MUSTUSE;
int dkim_explainer_body_end(struct dkim_explainer *explainer) MUSTUSE;

/*
 * Explain verdict i, after dkim_verifier_finish: lines "what: sentence", each
 * with LF, where what is verdict, key, body, header or z=.
 *   worker   the calling thread's
 *   out      appended to; printable ASCII: octets of the message as \xHH
 *   errors   DKIM_ERR_STATE, _NOMEM, _CRYPTO, _LIMIT (out is full)
 */
int dkim_explainer_print(struct dkim_explainer *explainer,
    struct rsab_worker *worker, size_t i, struct buf *out) MUSTUSE;

#endif
