/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PKCS#11 module for tests, which fails as it is told. It is a shared object
 * of its own; tests in one process with it find these functions by dlsym.
 *
 * Commands, by fake_command or as lines of the file that C_Initialize's
 * pReserved names:
 *	token LABEL SERIAL	one more token (at first there is none)
 *	key LABEL ID FILE	a private key of the last token, PEM; ID is hex
 *	public LABEL ID FILE	its public key as an object
 *	certificate LABEL ID FILE	DER
 *	pin PIN			of all tokens; "-": no login is needed
 *	flags HEX		more CKF_ of the tokens
 *	bare			private keys do not give their public half away
 *	point raw|octets|bits	form of CKA_EC_POINT
 *	always			CKA_ALWAYS_AUTHENTICATE
 *	sessions N		more get CKR_SESSION_COUNT
 *	told N			ulMaxSessionCount
 *	without MECHANISM	hex; the token does not have it
 *	sizes MIN MAX		of its mechanisms
 *	readonly		C_CreateObject: CKR_ATTRIBUTE_READ_ONLY
 *	absent, present		the first token is gone, is back
 *	forget			all sessions and logins are gone
 *	logout			the login is gone; handles change
 *	at FUNCTION N ACTION	at its N-th call from now; "N+": all from there.
 *				ACTION: 0xRV, hang, crash, wrong, right, short,
 *				huge
 */
#ifndef FAKE_MODULE_H
#define FAKE_MODULE_H

/*
 * Run a command.
 *   returns  false: not a command
 */
bool fake_command(const char *line);

/*
 * How often a function was called since fake_reset.
 */
unsigned long fake_calls(const char *function);

/*
 * Sessions open now.
 */
unsigned long fake_sessions(void);

/*
 * Objects of sessions that are there now.
 */
unsigned long fake_session_objects(void);

/*
 * As it was loaded.
 */
void fake_reset(void);

#endif
