/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A token in a module: its slot of today, its login, its sessions.
 *
 * A token is known by what it says of itself (label, manufacturer, model,
 * serial number), never by a slot number. All functions are called inside the
 * module (pkcs11_module_enter).
 */
#ifndef PKCS11_TOKEN_H
#define PKCS11_TOKEN_H

/* system */
#include <pthread.h>

/* this room */
#include "pkcs11_held.h"
#include "pkcs11_module.h"
#include "pkcs11_pin.h"
#include "pkcs11_uri.h"

#define PKCS11_SLOTS_MAX	256
#define PKCS11_SESSIONS_MAX	(RSAB_TOKEN_SESSIONS_MAX + 8)

/* How long a token is left alone that is out of something, ms. */
#define PKCS11_BUSY_MIN		100
#define PKCS11_BUSY_MAX		10000

struct pkcs11_token {
	struct pkcs11_module	*module;
	CK_TOKEN_INFO		 info;		/* who it is */
	char			 where[112];	/* module and token */
	char			 identity[RSAB_TOKEN_IDENTITY];

	pthread_mutex_t		 lock;		/* all below */
	pthread_cond_t		 given;		/* a session came back */
	uint64_t		 module_epoch;	/* that all below is of */
	CK_SLOT_ID		 slot;
	CK_SESSION_HANDLE	 idle[PKCS11_SESSIONS_MAX];
	size_t			 idle_n, open_n, limit;
	bool			 needs_login, logged_in;
	uint64_t		 epoch;		/* of object handles */
	uint64_t		 busy_until;	/* ms */
	unsigned		 busy;		/* ms, of the next time */
	bool			 refused;	/* its PIN */

	struct pkcs11_held	 held;		/* has locks of its own */
};

/* A session that one thread uses. */
struct pkcs11_session {
	CK_SESSION_HANDLE	handle;
	CK_SLOT_ID		slot;
	uint64_t		epoch;		/* of object handles */
	bool			needs_login;
};

/* The slots of a module that have a token, one after the other. */
struct pkcs11_slots {
	CK_SLOT_ID	slot[PKCS11_SLOTS_MAX];
	CK_ULONG	n, at;
};

/*
 * Ask a module for its slots.
 *   errors   those of Cryptoki
 */
int pkcs11_token_slots(const struct pkcs11_module *module,
    struct pkcs11_slots *out, struct pkcs11_fail *fail) MUSTUSE;

/*
 * The next one whose token tells of itself.
 *   returns  false: there is none; slot and info are not set
 */
bool pkcs11_token_next(const struct pkcs11_module *module,
    struct pkcs11_slots *slots, CK_SLOT_ID *slot, CK_TOKEN_INFO *info);

/*
 * Find the slot where a token is now.
 *   errors   RSAB_ERR_TOKEN: nowhere; those of Cryptoki
 */
int pkcs11_token_find(const struct pkcs11_token *token, CK_SLOT_ID *slot,
    CK_TOKEN_INFO *info, struct pkcs11_fail *fail) MUSTUSE;

/*
 * Remember a token that was seen.
 */
int pkcs11_token_new(struct pkcs11_module *module, const CK_TOKEN_INFO *info,
    struct pkcs11_token **out) MUSTUSE;
void pkcs11_token_free(struct pkcs11_token *token);

bool pkcs11_token_is(const struct pkcs11_token *token,
    const struct pkcs11_module *module, const CK_TOKEN_INFO *info);

/*
 * Take a session that is logged in.
 *   epoch    of the module
 *   pins     NULL: no login is needed, and none is tried
 *   out      its epoch on errors too
 *   errors   RSAB_ERR_TOKEN, RSAB_ERR_PIN, those of Cryptoki
 */
int pkcs11_token_take(struct pkcs11_token *token, uint64_t epoch,
    uint64_t now, const struct pkcs11_pins *pins, const struct pkcs11_uri *uri,
    struct pkcs11_session *out, struct pkcs11_fail *fail) MUSTUSE;

/*
 * Give a session back; or close one in which something failed.
 */
void pkcs11_token_give(struct pkcs11_token *token,
    const struct pkcs11_session *session);
void pkcs11_token_drop(struct pkcs11_token *token,
    const struct pkcs11_session *session);

/*
 * CKA_ALWAYS_AUTHENTICATE: log in once more, for the operation that has begun.
 */
int pkcs11_token_authenticate(struct pkcs11_token *token,
    const struct pkcs11_session *session, const struct pkcs11_pins *pins,
    const struct pkcs11_uri *uri, struct pkcs11_fail *fail) MUSTUSE;

/*
 * Sessions, login or handles of an epoch turned out to be gone: look through
 * the idle sessions, log in with the next one, find objects again.
 */
void pkcs11_token_reopen(struct pkcs11_token *token, uint64_t epoch);

/*
 * The token is out of something, or well again.
 */
void pkcs11_token_back_off(struct pkcs11_token *token, uint64_t now);
void pkcs11_token_well(struct pkcs11_token *token);

#endif
