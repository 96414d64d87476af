/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public keys that a token holds, so that it can verify with them: session
 * objects of one session that is kept for them, because other sessions come
 * and go with what fails in them. Their number is bounded; the one unused
 * longest is taken out of the token again.
 *
 * Two locks: making is held over calls of Cryptoki in that session and taken
 * first, lock guards the list and is a leaf.
 */
#ifndef PKCS11_HELD_H
#define PKCS11_HELD_H

/* system */
#include <pthread.h>

/* p11-kit */
#include <p11-kit/pkcs11.h>

/* this room */
#include "pkcs11_fail.h"
#include "spki.h"

struct pkcs11_at;

/* Keys of a token; more than its sessions, each of which uses one at most. */
#define PKCS11_HELD_MAX		128
#define PKCS11_HELD_NAME	32	/* octets: SHA-256 */

struct pkcs11_held_key {
	uint8_t			name[PKCS11_HELD_NAME];
	CK_OBJECT_HANDLE	handle;		/* CK_INVALID_HANDLE: none */
	CK_MECHANISM_TYPE	mechanism;
	bool			trusted;	/* a wrong signature was told
						 * from a right one */
	unsigned		users;
	uint64_t		used;		/* when, by time; 0: never */
};

/* All zero but for its locks: nothing is held. */
struct pkcs11_held {
	pthread_mutex_t		making;
	bool			has_session;
	CK_SESSION_HANDLE	session;
	uint64_t		module_epoch;	/* of the session */

	pthread_mutex_t		lock;		/* all below */
	uint64_t		epoch;		/* of the token, of all keys */
	uint64_t		time;		/* counts uses */
	struct pkcs11_held_key	list[PKCS11_HELD_MAX];
};

/* A key that one thread uses. */
struct pkcs11_held_use {
	size_t			place;		/* in the list */
	uint64_t		epoch;
	CK_OBJECT_HANDLE	handle;
	CK_MECHANISM_TYPE	mechanism;
	bool			trusted;
};

/*
 *   errors   RSAB_ERR_NOMEM
 */
int pkcs11_held_init(struct pkcs11_held *held) MUSTUSE;

/*
 * Forget all; the module has taken, or will take, the objects away.
 */
void pkcs11_held_clear(struct pkcs11_held *held);

/*
 * Use an RSA key: one that is there already, or one that is made now.
 *   at       its session needs no login
 *   out      pkcs11_held_give ends it
 *   errors   RSAB_ERR_KEY_TYPE, _KEY_SIZE: the token does not verify with
 *            such; those of Cryptoki
 */
int pkcs11_held_take(const struct pkcs11_at *at, const struct spki_rsa *rsa,
    struct pkcs11_held_use *out, struct pkcs11_fail *fail) MUSTUSE;

/*
 * End a use.
 *   trusted  remember it of the key
 */
void pkcs11_held_give(const struct pkcs11_at *at,
    const struct pkcs11_held_use *use, bool trusted);

/*
 * Handles of this epoch turned out to be gone: forget them all, and close what
 * is left of their session.
 */
void pkcs11_held_reopen(const struct pkcs11_at *at);

#endif
