/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a return value of Cryptoki means for us: its name, what may help, and
 * the error that is left if nothing does. One table says it.
 */
#ifndef PKCS11_FAIL_H
#define PKCS11_FAIL_H

/* p11-kit */
#include <p11-kit/pkcs11.h>

/* this room */
#include "rsab.h"

enum pkcs11_act {
	PKCS11_GIVE_UP,		/* it will fail again */
	PKCS11_ONCE_MORE,	/* not known: one more try, in a new session */
	PKCS11_REOPEN,		/* new session, login, find the key again */
	PKCS11_INITIALIZE,	/* C_Finalize, C_Initialize, and all of that */
	PKCS11_STOP,		/* the PIN was refused: never again */
	PKCS11_BACK_OFF,	/* out of something: leave the token alone */
};

/* Why an operation failed. */
struct pkcs11_fail {
	enum pkcs11_act			act;
	int				error;	/* enum rsab_error */
	CK_RV				rv;	/* CKR_OK: not Cryptoki's */
	struct rsab_token_detail	detail;
};

/*
 * The name of a return value; static. "CKR_..." is given for one that is not
 * in the table.
 */
const char *pkcs11_fail_name(CK_RV rv);

/*
 * What helps against a return value.
 */
enum pkcs11_act pkcs11_fail_act(CK_RV rv);

/*
 * Say that a function of Cryptoki failed.
 *   where    module and token, for the text
 *   function as in "C_Sign"
 *   returns  fail->error, never 0
 */
int pkcs11_fail_rv(struct pkcs11_fail *fail, const char *where,
    const char *function, CK_RV rv);

/*
 * Say that something else failed, for good.
 *   returns  error
 */
int pkcs11_fail_set(struct pkcs11_fail *fail, int error, const char *format,
    ...) __attribute__((format(printf, 3, 4)));

#endif
