/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A token in a module (PKCS #11 v2.40 s5.6, s11.6).
 */

/* system */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto */
#include <openssl/evp.h>

/* this room */
#include "error.h"
#include "pkcs11_token.h"
#include "token_detail.h"

int
pkcs11_token_slots(const struct pkcs11_module *module,
    struct pkcs11_slots *out, struct pkcs11_fail *fail)
{
	CK_RV rv;

	/* Asked for their number, modules look for new tokens (s11.5) */
	out->n = out->at = 0;
	rv = module->f->C_GetSlotList(CK_TRUE, NULL, &out->n);
	if (rv == CKR_OK && out->n == 0)
		return RSAB_OK;
	if (rv == CKR_OK) {
		out->n = PKCS11_SLOTS_MAX;
		rv = module->f->C_GetSlotList(CK_TRUE, out->slot, &out->n);
	}
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, module->name, "C_GetSlotList", rv);
	if (out->n > PKCS11_SLOTS_MAX)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s: "
		    "C_GetSlotList tells of more slots than it was given room "
		    "for", module->name);
	return RSAB_OK;
}

bool
pkcs11_token_next(const struct pkcs11_module *module,
    struct pkcs11_slots *slots, CK_SLOT_ID *slot, CK_TOKEN_INFO *info)
{
	while (slots->at < slots->n) {
		*slot = slots->slot[slots->at++];
		if (module->f->C_GetTokenInfo(*slot, info) == CKR_OK)
			return true;
	}
	return false;
}

/*
 * Hex SHA-256 of who a token says it is.
 */
static int
identity(const CK_TOKEN_INFO *info, char out[RSAB_TOKEN_IDENTITY])
{
	uint8_t text[sizeof info->label + sizeof info->manufacturerID +
	    sizeof info->model + sizeof info->serialNumber], digest[32], *p;
	size_t n = sizeof digest;

	p = text;
	memcpy(p, info->label, sizeof info->label);
	p += sizeof info->label;
	memcpy(p, info->manufacturerID, sizeof info->manufacturerID);
	p += sizeof info->manufacturerID;
	memcpy(p, info->model, sizeof info->model);
	p += sizeof info->model;
	memcpy(p, info->serialNumber, sizeof info->serialNumber);
	if (EVP_Q_digest(NULL, "SHA256", NULL, text, sizeof text, digest,
	    &n) != 1)
		return error_take(RSAB_ERR_BACKEND);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(&out[2 * i], 3, "%02x", digest[i]);
	return RSAB_OK;
}

int
pkcs11_token_new(struct pkcs11_module *module, const CK_TOKEN_INFO *info,
    struct pkcs11_token **out)
{
	struct pkcs11_token *token = calloc(1, sizeof *token);
	char label[sizeof info->label + 1];
	int r;

	if (token == NULL)
		return RSAB_ERR_NOMEM;
	if ((r = identity(info, token->identity)) != 0)
		goto no_lock;
	r = RSAB_ERR_NOMEM;
	if (pthread_mutex_init(&token->lock, NULL) != 0)
		goto no_lock;
	if (pthread_cond_init(&token->given, NULL) != 0)
		goto no_cond;
	if (pkcs11_held_init(&token->held) != 0)
		goto no_held;
	token->module = module;
	token->info = *info;
	token->busy = PKCS11_BUSY_MIN;
	token_detail_copy(info->label, sizeof info->label, label,
	    sizeof label);
	snprintf(token->where, sizeof token->where, "%s, token \"%s\"",
	    module->name, label);
	*out = token;
	return RSAB_OK;
no_held:
	pthread_cond_destroy(&token->given);
no_cond:
	pthread_mutex_destroy(&token->lock);
no_lock:
	free(token);
	return r;
}

void
pkcs11_token_free(struct pkcs11_token *token)
{
	pkcs11_held_clear(&token->held);
	pthread_cond_destroy(&token->given);
	pthread_mutex_destroy(&token->lock);
	free(token);
}

static bool
is_same_token(const CK_TOKEN_INFO *a, const CK_TOKEN_INFO *b)
{
	return memcmp(a->label, b->label, sizeof a->label) == 0 &&
	    memcmp(a->manufacturerID, b->manufacturerID,
	    sizeof a->manufacturerID) == 0 &&
	    memcmp(a->model, b->model, sizeof a->model) == 0 &&
	    memcmp(a->serialNumber, b->serialNumber,
	    sizeof a->serialNumber) == 0;
}

bool
pkcs11_token_is(const struct pkcs11_token *token,
    const struct pkcs11_module *module, const CK_TOKEN_INFO *info)
{
	return token->module == module && is_same_token(&token->info, info);
}

static int
gone(const struct pkcs11_token *token, struct pkcs11_fail *fail)
{
	pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s: the token is not there",
	    token->where);
	fail->act = PKCS11_INITIALIZE;
	return fail->error;
}

int
pkcs11_token_find(const struct pkcs11_token *token, CK_SLOT_ID *slot,
    CK_TOKEN_INFO *info, struct pkcs11_fail *fail)
{
	struct pkcs11_slots slots;
	int r;

	if ((r = pkcs11_token_slots(token->module, &slots, fail)) != 0)
		return r;
	while (pkcs11_token_next(token->module, &slots, slot, info))
		if (is_same_token(info, &token->info))
			return RSAB_OK;
	return gone(token, fail);
}

/*
 * Sessions that a token allows at once.
 */
static size_t
sessions_limit(const CK_TOKEN_INFO *info)
{
	CK_ULONG most = info->ulMaxSessionCount;

	return most == CK_UNAVAILABLE_INFORMATION ||
	    most == CK_EFFECTIVELY_INFINITE || most > PKCS11_SESSIONS_MAX ?
	    PKCS11_SESSIONS_MAX : (size_t)most;
}

/*
 * Find the slot again in a new epoch of the module.
 */
static int
find_slot(struct pkcs11_token *token, uint64_t epoch, struct pkcs11_fail *fail)
{
	CK_TOKEN_INFO info;
	CK_SLOT_ID slot;
	int r;

	if (token->module_epoch == epoch)
		return RSAB_OK;
	if ((r = pkcs11_token_find(token, &slot, &info, fail)) != 0)
		return r;
	token->slot = slot;
	token->idle_n = token->open_n = 0;
	token->limit = sessions_limit(&info);
	token->logged_in = false;
	token->epoch++;
	token->module_epoch = epoch;
	return RSAB_OK;
}

static int
refuse(struct pkcs11_token *token, struct pkcs11_fail *fail, const char *why)
{
	token->refused = true;
	pkcs11_fail_set(fail, RSAB_ERR_PIN, "%s: %s", token->where, why);
	fail->act = PKCS11_STOP;
	return fail->error;
}

/*
 * C_Login as either user.
 *   info     of now
 */
static int
login_as(struct pkcs11_token *token, CK_SESSION_HANDLE session,
    CK_USER_TYPE user, const CK_TOKEN_INFO *info,
    const struct pkcs11_pins *pins, const struct pkcs11_uri *uri,
    struct pkcs11_fail *fail)
{
	uint8_t pin[RSAB_TOKEN_PIN_MAX];
	bool pad = (info->flags & CKF_PROTECTED_AUTHENTICATION_PATH) != 0, has;
	size_t n = 0;
	CK_RV rv;
	int r;

	if ((info->flags & CKF_USER_PIN_LOCKED) != 0)
		return refuse(token, fail, "the user PIN is locked; unlock it "
		    "with the SO PIN");
	if ((info->flags & CKF_USER_PIN_FINAL_TRY) != 0)
		return refuse(token, fail, "one wrong PIN more locks the "
		    "token, so none is tried; log in once with another "
		    "program (pkcs11-tool --login), then reload");
	if (pins->careful && (info->flags & CKF_USER_PIN_COUNT_LOW) != 0)
		return refuse(token, fail, "a wrong PIN was entered since the "
		    "last login, so none is tried here; with the PIN set right "
		    "log in once: dkim keycheck with -k and this URI, or "
		    "reload dkimd");
	if ((r = pkcs11_pin_get(pins, uri, pin, &n, &has, fail)) != 0)
		return r;
	if (!has && !pad)
		return pkcs11_fail_set(fail, RSAB_ERR_PIN, "%s: the token asks "
		    "for a PIN and there is none; give pin-source in the URI",
		    token->where);
	rv = token->module->f->C_Login(session, user, has ? pin : NULL, n);
	rsab_wipe(pin, sizeof pin);
	if (rv == CKR_OK || rv == CKR_USER_ALREADY_LOGGED_IN)
		return RSAB_OK;
	r = pkcs11_fail_rv(fail, token->where, "C_Login", rv);
	if (fail->act != PKCS11_STOP)
		return r;
	token->refused = true;
	token_detail_set(&fail->detail, "%s: C_Login failed: %s (0x%lx); the "
	    "PIN is not tried again before a reload", token->where,
	    pkcs11_fail_name(rv), rv);
	return r;
}

/*
 * Log in, if the token wants it and nobody has. Asking for the token's info is
 * also how its absence is noticed: C_OpenSession may go well without it.
 */
static int
login(struct pkcs11_token *token, CK_SESSION_HANDLE session,
    const struct pkcs11_pins *pins, const struct pkcs11_uri *uri,
    struct pkcs11_fail *fail)
{
	CK_TOKEN_INFO info;
	CK_RV rv;
	int r;

	if (token->logged_in)
		return RSAB_OK;
	rv = token->module->f->C_GetTokenInfo(token->slot, &info);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, token->where, "C_GetTokenInfo",
		    rv);
	if (!is_same_token(&info, &token->info))
		return gone(token, fail);
	token->needs_login = (info.flags & CKF_LOGIN_REQUIRED) != 0;
	if (token->needs_login && (r = login_as(token, session, CKU_USER,
	    &info, pins, uri, fail)) != 0)
		return r;
	token->logged_in = true;
	return RSAB_OK;
}

static void
close_session(struct pkcs11_token *token, CK_SESSION_HANDLE session)
{
	(void)token->module->f->C_CloseSession(session);
	/* s11.6: the last one that closes logs out */
	if (--token->open_n == 0)
		token->logged_in = false;
	pthread_cond_broadcast(&token->given);
}

/*
 * An idle session or a new one. A token may have room for less than it says:
 * then we wait for one of ours.
 */
static int
get_session(struct pkcs11_token *token, CK_SESSION_HANDLE *out,
    struct pkcs11_fail *fail)
{
	CK_RV rv;

	for (;;) {
		if (token->idle_n != 0) {
			*out = token->idle[--token->idle_n];
			return RSAB_OK;
		}
		if (token->open_n < token->limit) {
			rv = token->module->f->C_OpenSession(token->slot,
			    CKF_SERIAL_SESSION, NULL, NULL, out);
			if (rv == CKR_OK)
				break;
			if (rv != CKR_SESSION_COUNT || token->open_n == 0)
				return pkcs11_fail_rv(fail, token->where,
				    "C_OpenSession", rv);
			token->limit = token->open_n;
		}
		pthread_cond_wait(&token->given, &token->lock);
	}
	token->open_n++;
	return RSAB_OK;
}

/*
 * May the token be used at all now?
 *   login    it will be needed
 */
static int
is_usable(struct pkcs11_token *token, uint64_t now, bool login,
    struct pkcs11_fail *fail)
{
	if (token->refused && login)
		return refuse(token, fail, "its PIN was refused or is locked "
		    "and is not tried again before a reload");
	if (now < token->busy_until)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s: the token "
		    "had no room; it is left alone for up to %u ms",
		    token->where, PKCS11_BUSY_MAX);
	return RSAB_OK;
}

int
pkcs11_token_take(struct pkcs11_token *token, uint64_t epoch, uint64_t now,
    const struct pkcs11_pins *pins, const struct pkcs11_uri *uri,
    struct pkcs11_session *out, struct pkcs11_fail *fail)
{
	CK_SESSION_HANDLE session;
	int r;

	pthread_mutex_lock(&token->lock);
	if ((r = is_usable(token, now, pins != NULL, fail)) == 0)
		r = find_slot(token, epoch, fail);
	out->epoch = token->epoch;
	if (r != 0 || (r = get_session(token, &session, fail)) != 0)
		goto out;
	/* While this waited for a session another may have been refused */
	if ((r = is_usable(token, now, pins != NULL, fail)) == 0 &&
	    pins != NULL)
		r = login(token, session, pins, uri, fail);
	if (r != 0) {
		close_session(token, session);
		goto out;
	}
	*out = (struct pkcs11_session){ session, token->slot, token->epoch,
	    token->needs_login };
out:
	pthread_mutex_unlock(&token->lock);
	return r;
}

void
pkcs11_token_give(struct pkcs11_token *token,
    const struct pkcs11_session *session)
{
	pthread_mutex_lock(&token->lock);
	token->idle[token->idle_n++] = session->handle;
	pthread_cond_signal(&token->given);
	pthread_mutex_unlock(&token->lock);
}

void
pkcs11_token_drop(struct pkcs11_token *token,
    const struct pkcs11_session *session)
{
	pthread_mutex_lock(&token->lock);
	close_session(token, session->handle);
	pthread_mutex_unlock(&token->lock);
}

int
pkcs11_token_authenticate(struct pkcs11_token *token,
    const struct pkcs11_session *session, const struct pkcs11_pins *pins,
    const struct pkcs11_uri *uri, struct pkcs11_fail *fail)
{
	CK_TOKEN_INFO info;
	CK_RV rv;
	int r;

	rv = token->module->f->C_GetTokenInfo(session->slot, &info);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, token->where, "C_GetTokenInfo",
		    rv);
	/* One at a time: a second thread must see that the first was refused */
	pthread_mutex_lock(&token->lock);
	r = token->refused ? is_usable(token, 0, true, fail) : login_as(token,
	    session->handle, CKU_CONTEXT_SPECIFIC, &info, pins, uri, fail);
	pthread_mutex_unlock(&token->lock);
	return r;
}

void
pkcs11_token_reopen(struct pkcs11_token *token, uint64_t epoch)
{
	CK_SESSION_INFO info;
	size_t kept = 0;

	pthread_mutex_lock(&token->lock);
	if (token->epoch == epoch) {
		for (size_t i = 0; i < token->idle_n; i++) {
			CK_SESSION_HANDLE session = token->idle[i];

			if (token->module->f->C_GetSessionInfo(session,
			    &info) == CKR_OK)
				token->idle[kept++] = session;
			else
				close_session(token, session);
		}
		token->idle_n = kept;
		token->logged_in = false;
		token->epoch++;
	}
	pthread_mutex_unlock(&token->lock);
}

void
pkcs11_token_back_off(struct pkcs11_token *token, uint64_t now)
{
	pthread_mutex_lock(&token->lock);
	token->busy_until = now + token->busy;
	if (token->busy < PKCS11_BUSY_MAX)
		token->busy *= 2;
	pthread_mutex_unlock(&token->lock);
}

void
pkcs11_token_well(struct pkcs11_token *token)
{
	pthread_mutex_lock(&token->lock);
	token->busy = PKCS11_BUSY_MIN;
	pthread_mutex_unlock(&token->lock);
}
