/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PKCS11Verify: public keys whose signatures a token verifies, in front of
 * libcrypto (BEHAVIOUR 12). The process of dkimd-token for it is one of its
 * own and has no PIN: what strangers send never meets the one that signs, and
 * when it hangs or crashes no signature is late.
 *
 * Nobody waits for it: while there is no process, all sessions are busy or the
 * token failed a moment ago, libcrypto verifies. Its lock is a leaf. Counted.
 */
#ifndef VERIFIER_H
#define VERIFIER_H

#include "options.h"

#define VERIFIER_TIMEOUT	1000	/* milliseconds for a signature */

struct rsab_backend;
struct verifier;

/*
 * Nothing is started before the first signature.
 *   options  of PKCS11
 *   threads  sessions where PKCS11Sessions is 0
 *   errors   DKIM_ERR_NOMEM
 */
int verifier_new(const struct options *options, unsigned threads,
    struct verifier **out) MUSTUSE;
struct verifier *verifier_ref(struct verifier *verifier);

/*
 * Keys that it loaded go on to be verified with. NULL is allowed.
 */
void verifier_unref(struct verifier *verifier);

/*
 * What loads the keys; as long as the reference.
 */
const struct rsab_backend *verifier_backend(const struct verifier *verifier);

/*
 * End the process in good order, for the end of the program.
 */
void verifier_end(struct verifier *verifier);

/*
 * The process, for tests; 0: none.
 */
long verifier_process(struct verifier *verifier);

#endif
