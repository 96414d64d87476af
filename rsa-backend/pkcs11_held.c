/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public keys that a token holds (PKCS #11 v2.40 s4.4, s5.7: a session object
 * is seen by all sessions and goes with the one that made it).
 */

/* system */
#include <string.h>

/* libcrypto */
#include <openssl/evp.h>

/* this room */
#include "error.h"
#include "pkcs11_held.h"
#include "pkcs11_object.h"
#include "token_wire.h"

#define NOWHERE	PKCS11_HELD_MAX

int
pkcs11_held_init(struct pkcs11_held *held)
{
	memset(held, 0, sizeof *held);
	if (pthread_mutex_init(&held->making, NULL) != 0)
		return RSAB_ERR_NOMEM;
	if (pthread_mutex_init(&held->lock, NULL) != 0) {
		pthread_mutex_destroy(&held->making);
		return RSAB_ERR_NOMEM;
	}
	return RSAB_OK;
}

void
pkcs11_held_clear(struct pkcs11_held *held)
{
	pthread_mutex_destroy(&held->lock);
	pthread_mutex_destroy(&held->making);
}

/*
 * Modulus and exponent, whatever octets carried them.
 */
static int
name_of(const struct spki_rsa *rsa, uint8_t name[PKCS11_HELD_NAME],
    struct pkcs11_fail *fail)
{
	uint8_t spki[TOKEN_WIRE_PUBLIC_MAX];
	struct spki_rsa written;
	size_t n = spki_rsa_size(rsa), name_n = PKCS11_HELD_NAME;

	if (n > sizeof spki)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "public key "
		    "of %zu octets", n);
	spki_print_rsa(rsa, spki, &written);
	if (EVP_Q_digest(NULL, "SHA256", NULL, spki, n, name, &name_n) != 1)
		return pkcs11_fail_set(fail, error_take(RSAB_ERR_BACKEND),
		    "no SHA-256");
	return RSAB_OK;
}

/*
 * With lock: count a use of what lies at a place.
 */
static void
use(struct pkcs11_held *held, size_t place, struct pkcs11_held_use *out)
{
	struct pkcs11_held_key *key = &held->list[place];

	key->users++;
	key->used = ++held->time;
	*out = (struct pkcs11_held_use){ place, held->epoch, key->handle,
	    key->mechanism, key->trusted };
}

/*
 * Use a key that is there.
 */
static bool
find(struct pkcs11_held *held, const struct pkcs11_at *at,
    const uint8_t name[PKCS11_HELD_NAME], struct pkcs11_held_use *out)
{
	bool found = false;

	pthread_mutex_lock(&held->lock);
	for (size_t i = 0; held->epoch == at->session.epoch && !found &&
	    i < PKCS11_HELD_MAX; i++) {
		const struct pkcs11_held_key *key = &held->list[i];

		found = key->handle != CK_INVALID_HANDLE &&
		    memcmp(key->name, name, sizeof key->name) == 0;
		if (found)
			use(held, i, out);
	}
	pthread_mutex_unlock(&held->lock);
	return found;
}

/*
 * With making: end the session, and with it all objects.
 *   epoch    that keys are held for from here on
 */
static void
drop(struct pkcs11_held *held, const struct pkcs11_at *at, uint64_t epoch)
{
	CK_FUNCTION_LIST *f = at->token->module->f;
	CK_SESSION_INFO info;

	/* A number that is no session's any more may become another's */
	if (held->has_session && held->module_epoch == at->module_epoch &&
	    f->C_GetSessionInfo(held->session, &info) == CKR_OK)
		(void)f->C_CloseSession(held->session);
	held->has_session = false;
	pthread_mutex_lock(&held->lock);
	memset(held->list, 0, sizeof held->list);
	held->epoch = epoch;
	pthread_mutex_unlock(&held->lock);
}

/*
 * With making: a session for keys of this epoch.
 */
static int
open_session(struct pkcs11_held *held, const struct pkcs11_at *at,
    struct pkcs11_fail *fail)
{
	CK_RV rv;

	if (held->epoch > at->session.epoch) {
		pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s: its sessions were "
		    "opened anew", at->token->where);
		fail->act = PKCS11_ONCE_MORE;
		return fail->error;
	}
	if (held->epoch < at->session.epoch)
		drop(held, at, at->session.epoch);
	if (held->has_session)
		return RSAB_OK;
	rv = at->token->module->f->C_OpenSession(at->session.slot,
	    CKF_SERIAL_SESSION, NULL, NULL, &held->session);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_OpenSession",
		    rv);
	held->has_session = true;
	held->module_epoch = at->module_epoch;
	return RSAB_OK;
}

/*
 * A place for one more: a free one, else that of the key unused longest, which
 * is taken out of the list.
 *   old      out: its object; CK_INVALID_HANDLE: none
 *   returns  NOWHERE: all are in use
 */
static size_t
make_room(struct pkcs11_held *held, CK_OBJECT_HANDLE *old)
{
	size_t best = NOWHERE;

	*old = CK_INVALID_HANDLE;
	pthread_mutex_lock(&held->lock);
	for (size_t i = 0; i < PKCS11_HELD_MAX; i++)
		if (held->list[i].users == 0 && (best == NOWHERE ||
		    held->list[i].used < held->list[best].used))
			best = i;
	if (best != NOWHERE) {
		*old = held->list[best].handle;
		memset(&held->list[best], 0, sizeof held->list[best]);
	}
	pthread_mutex_unlock(&held->lock);
	return best;
}

static int
create(const struct pkcs11_at *at, CK_SESSION_HANDLE session,
    const struct spki_rsa *rsa, CK_OBJECT_HANDLE *out,
    struct pkcs11_fail *fail)
{
	CK_OBJECT_CLASS class = CKO_PUBLIC_KEY;
	CK_KEY_TYPE type = CKK_RSA;
	CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
	CK_ATTRIBUTE template[] = {
		{ CKA_CLASS, &class, sizeof class },
		{ CKA_KEY_TYPE, &type, sizeof type },
		{ CKA_TOKEN, &no, sizeof no },
		{ CKA_PRIVATE, &no, sizeof no },
		{ CKA_VERIFY, &yes, sizeof yes },
		pkcs11_object_octets(CKA_MODULUS, rsa->n),
		pkcs11_object_octets(CKA_PUBLIC_EXPONENT, rsa->e),
	};
	CK_RV rv = at->token->module->f->C_CreateObject(session, template,
	    sizeof template / sizeof template[0], out);

	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where,
		    "C_CreateObject", rv);
	return RSAB_OK;
}

/*
 * With making: bring a key in that is not there.
 */
static int
make(struct pkcs11_held *held, const struct pkcs11_at *at,
    const struct spki_rsa *rsa, const uint8_t name[PKCS11_HELD_NAME],
    struct pkcs11_held_use *out, struct pkcs11_fail *fail)
{
	struct pkcs11_held_key key = { .handle = CK_INVALID_HANDLE };
	CK_OBJECT_HANDLE old;
	size_t place;
	CK_RV rv;
	int r;

	if ((r = pkcs11_object_rsa_mechanism(at, CKF_VERIFY, der_bits(rsa->n),
	    &key.mechanism, fail)) != 0 ||
	    (r = open_session(held, at, fail)) != 0)
		return r;
	if ((place = make_room(held, &old)) == NOWHERE)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s: all public "
		    "keys that it holds are in use", at->token->where);
	if (old != CK_INVALID_HANDLE && (rv = at->token->module->f->
	    C_DestroyObject(held->session, old)) != CKR_OK) {
		/* Their number stays bounded: with the session all go */
		drop(held, at, held->epoch);
		return pkcs11_fail_rv(fail, at->token->where,
		    "C_DestroyObject", rv);
	}
	if ((r = create(at, held->session, rsa, &key.handle, fail)) != 0)
		return r;
	memcpy(key.name, name, sizeof key.name);
	pthread_mutex_lock(&held->lock);
	held->list[place] = key;
	use(held, place, out);
	pthread_mutex_unlock(&held->lock);
	return RSAB_OK;
}

int
pkcs11_held_take(const struct pkcs11_at *at, const struct spki_rsa *rsa,
    struct pkcs11_held_use *out, struct pkcs11_fail *fail)
{
	struct pkcs11_held *held = &at->token->held;
	uint8_t name[PKCS11_HELD_NAME];
	int r;

	if ((r = name_of(rsa, name, fail)) != 0 || find(held, at, name, out))
		return r;
	pthread_mutex_lock(&held->making);
	/* Another thread may have brought it in meanwhile */
	if (!find(held, at, name, out))
		r = make(held, at, rsa, name, out, fail);
	pthread_mutex_unlock(&held->making);
	return r;
}

void
pkcs11_held_give(const struct pkcs11_at *at,
    const struct pkcs11_held_use *used, bool trusted)
{
	struct pkcs11_held *held = &at->token->held;
	struct pkcs11_held_key *key = &held->list[used->place];

	pthread_mutex_lock(&held->lock);
	/* Since then all may have been forgotten, and the place given away */
	if (held->epoch == used->epoch && key->handle == used->handle &&
	    key->users > 0) {
		key->users--;
		key->trusted |= trusted;
	}
	pthread_mutex_unlock(&held->lock);
}

void
pkcs11_held_reopen(const struct pkcs11_at *at)
{
	struct pkcs11_held *held = &at->token->held;

	pthread_mutex_lock(&held->making);
	if (held->epoch == at->session.epoch)
		drop(held, at, at->session.epoch + 1);
	pthread_mutex_unlock(&held->making);
}
