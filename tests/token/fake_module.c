/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PKCS#11 module for tests, which fails as it is told (fake_module.h). Its
 * signatures are right: libcrypto makes them.
 */

/* system */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libcrypto */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

/* p11-kit */
#include <p11-kit/pkcs11.h>

/* this room */
#include "tests/token/fake_module.h"

#define EXPORT		__attribute__((visibility("default")))
#define TOKENS		4
#define OBJECTS		256
#define SESSIONS	128
#define FAULTS		16
#define FUNCTIONS	32
#define SLOT_BASE	17	/* the first slot; changes with each start */
#define OCTETS		16384

struct object {
	bool		used;
	CK_OBJECT_CLASS	class;
	size_t		token;
	bool		is_session;	/* CKA_TOKEN is false */
	CK_SESSION_HANDLE owner;
	char		label[64];
	uint8_t		id[64];
	size_t		id_n;
	EVP_PKEY	*key;
	uint8_t		*value;		/* of a certificate */
	size_t		value_n;
};

struct session {
	bool		used;
	size_t		token;
	/* one operation at a time */
	CK_MECHANISM_TYPE mechanism;
	CK_OBJECT_HANDLE key;		/* 0: none began */
	bool		authenticated;
	bool		finding;
	CK_OBJECT_HANDLE found[OBJECTS];
	size_t		found_n, found_at;
};

struct fault {
	char		function[32];
	unsigned long	at;		/* call */
	bool		and_later;
	char		action[16];
};

static struct state {
	bool		initialized;
	unsigned long	starts;
	size_t		tokens;
	char		label[TOKENS][33], serial[TOKENS][17];
	bool		absent;
	char		pin[64];
	bool		logged_in[TOKENS];
	unsigned long	flags;
	bool		bare, always, readonly;
	char		point[8];
	unsigned long	sessions_most, sessions_told;
	unsigned long	without[8];
	size_t		without_n;
	unsigned long	size_min, size_max;
	struct object	objects[OBJECTS];
	unsigned long	handle_base;
	struct session	sessions[SESSIONS];
	struct fault	faults[FAULTS];
	size_t		faults_n;
	char		names[FUNCTIONS][32];
	unsigned long	calls[FUNCTIONS];
} s;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- faults ---- */

static unsigned long *
counter(const char *function)
{
	for (size_t i = 0; i < FUNCTIONS; i++) {
		if (s.names[i][0] == '\0')
			snprintf(s.names[i], sizeof s.names[i], "%s",
			    function);
		if (strcmp(s.names[i], function) == 0)
			return &s.calls[i];
	}
	abort();
}

/*
 * Count a call; what is to happen in it, or NULL.
 */
static const char *
action(const char *function)
{
	unsigned long n = ++*counter(function);

	for (size_t i = 0; i < s.faults_n; i++) {
		struct fault *f = &s.faults[i];

		if (strcmp(f->function, function) == 0 && (n == f->at ||
		    (f->and_later && n > f->at)))
			return f->action;
	}
	return NULL;
}

/*
 * Begin a function: takes the lock.
 *   returns  CKR_OK: go on; else unlocked, and to be returned
 */
static CK_RV
begin(const char *function, const char **act)
{
	const char *a;

	pthread_mutex_lock(&lock);
	a = action(function);
	*act = a;
	if (a != NULL && strcmp(a, "hang") == 0) {
		pthread_mutex_unlock(&lock);
		for (;;)
			pause();
	}
	if (a != NULL && strcmp(a, "crash") == 0)
		abort();
	if (a != NULL && strncmp(a, "0x", 2) == 0) {
		CK_RV rv = strtoul(a, NULL, 16);

		pthread_mutex_unlock(&lock);
		return rv;
	}
	if (!s.initialized && strcmp(function, "C_Initialize") != 0) {
		pthread_mutex_unlock(&lock);
		return CKR_CRYPTOKI_NOT_INITIALIZED;
	}
	return CKR_OK;
}

#define BEGIN(function) \
	const char *act; \
	CK_RV rv = begin(function, &act); \
	(void)act; \
	if (rv != CKR_OK) \
		return rv

static CK_RV
end(CK_RV rv)
{
	pthread_mutex_unlock(&lock);
	return rv;
}

static bool
acts(const char *act, const char *what)
{
	return act != NULL && strcmp(act, what) == 0;
}

/* ---- commands ---- */

static EVP_PKEY *
read_key(const char *path)
{
	FILE *f = fopen(path, "r");
	EVP_PKEY *key;

	if (f == NULL)
		return NULL;
	key = PEM_read_PrivateKey(f, NULL, NULL, NULL);
	fclose(f);
	return key;
}

static struct object *
object_new(CK_OBJECT_CLASS class, const char *label, const char *id)
{
	for (size_t i = 0; i < OBJECTS; i++) {
		struct object *o = &s.objects[i];

		if (o->used)
			continue;
		memset(o, 0, sizeof *o);
		o->used = true;
		o->class = class;
		o->token = s.tokens == 0 ? 0 : s.tokens - 1;
		snprintf(o->label, sizeof o->label, "%s", label);
		for (const char *p = id; p[0] != '\0' && p[0] != '-' &&
		    p[1] != '\0'; p += 2) {
			char two[3] = { p[0], p[1], '\0' };

			o->id[o->id_n++] = (uint8_t)strtoul(two, NULL, 16);
		}
		return o;
	}
	return NULL;
}

static void
object_drop(struct object *o)
{
	EVP_PKEY_free(o->key);
	free(o->value);
	memset(o, 0, sizeof *o);
}

static bool
add_object(const char *kind, const char *label, const char *id,
    const char *path)
{
	bool certificate = strcmp(kind, "certificate") == 0;
	struct object *o = object_new(certificate ? CKO_CERTIFICATE :
	    strcmp(kind, "key") == 0 ? CKO_PRIVATE_KEY : CKO_PUBLIC_KEY,
	    label, id);
	FILE *f;

	if (o == NULL)
		return false;
	if (!certificate) {
		o->key = read_key(path);
		return o->key != NULL;
	}
	if ((f = fopen(path, "r")) == NULL)
		return false;
	o->value = malloc(OCTETS);
	o->value_n = fread(o->value, 1, OCTETS, f);
	fclose(f);
	return true;
}

static void
sessions_forget(void)
{
	memset(s.sessions, 0, sizeof s.sessions);
	memset(s.logged_in, 0, sizeof s.logged_in);
	for (size_t i = 0; i < OBJECTS; i++)
		if (s.objects[i].used && s.objects[i].is_session)
			object_drop(&s.objects[i]);
}

static bool
add_fault(const char *function, const char *at, const char *what)
{
	struct fault *f = &s.faults[s.faults_n];

	if (s.faults_n == FAULTS)
		return false;
	snprintf(f->function, sizeof f->function, "%s", function);
	snprintf(f->action, sizeof f->action, "%s", what);
	f->at = *counter(function) + strtoul(at, NULL, 10);
	f->and_later = strchr(at, '+') != NULL;
	s.faults_n++;
	return true;
}

/* flat switch of words */
static bool
command(char *w[4])
{
	if (strcmp(w[0], "token") == 0 && s.tokens < TOKENS) {
		snprintf(s.label[s.tokens], sizeof s.label[0], "%s", w[1]);
		snprintf(s.serial[s.tokens], sizeof s.serial[0], "%s", w[2]);
		s.tokens++;
	} else if (strcmp(w[0], "key") == 0 || strcmp(w[0], "public") == 0 ||
	    strcmp(w[0], "certificate") == 0) {
		return add_object(w[0], w[1], w[2], w[3]);
	} else if (strcmp(w[0], "pin") == 0) {
		snprintf(s.pin, sizeof s.pin, "%s", w[1]);
	} else if (strcmp(w[0], "flags") == 0) {
		s.flags = strtoul(w[1], NULL, 16);
	} else if (strcmp(w[0], "bare") == 0) {
		s.bare = true;
	} else if (strcmp(w[0], "point") == 0) {
		snprintf(s.point, sizeof s.point, "%s", w[1]);
	} else if (strcmp(w[0], "always") == 0) {
		s.always = true;
	} else if (strcmp(w[0], "sessions") == 0) {
		s.sessions_most = strtoul(w[1], NULL, 10);
	} else if (strcmp(w[0], "told") == 0) {
		s.sessions_told = strtoul(w[1], NULL, 10);
	} else if (strcmp(w[0], "without") == 0 && s.without_n < 8) {
		s.without[s.without_n++] = strtoul(w[1], NULL, 16);
	} else if (strcmp(w[0], "sizes") == 0) {
		s.size_min = strtoul(w[1], NULL, 10);
		s.size_max = strtoul(w[2], NULL, 10);
	} else if (strcmp(w[0], "readonly") == 0) {
		s.readonly = true;
	} else if (strcmp(w[0], "absent") == 0) {
		s.absent = true;
	} else if (strcmp(w[0], "present") == 0) {
		s.absent = false;
	} else if (strcmp(w[0], "forget") == 0) {
		sessions_forget();
	} else if (strcmp(w[0], "logout") == 0) {
		memset(s.logged_in, 0, sizeof s.logged_in);
		s.handle_base += 1000;
	} else if (strcmp(w[0], "at") == 0) {
		return add_fault(w[1], w[2], w[3]);
	} else {
		return false;
	}
	return true;
}

EXPORT bool
fake_command(const char *line)
{
	char copy[1024], *w[4] = { NULL }, none[] = "", *save;
	bool good;

	snprintf(copy, sizeof copy, "%s", line);
	w[0] = strtok_r(copy, " \n", &save);
	if (w[0] == NULL)
		return true;
	for (size_t i = 1; i < 4; i++)
		if ((w[i] = strtok_r(NULL, " \n", &save)) == NULL)
			w[i] = none;
	pthread_mutex_lock(&lock);
	good = command(w);
	pthread_mutex_unlock(&lock);
	return good;
}

EXPORT unsigned long
fake_calls(const char *function)
{
	unsigned long n;

	pthread_mutex_lock(&lock);
	n = *counter(function);
	pthread_mutex_unlock(&lock);
	return n;
}

EXPORT unsigned long
fake_sessions(void)
{
	unsigned long n = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < SESSIONS; i++)
		n += s.sessions[i].used;
	pthread_mutex_unlock(&lock);
	return n;
}

EXPORT unsigned long
fake_session_objects(void)
{
	unsigned long n = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < OBJECTS; i++)
		n += s.objects[i].used && s.objects[i].is_session;
	pthread_mutex_unlock(&lock);
	return n;
}

EXPORT void
fake_reset(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < OBJECTS; i++)
		if (s.objects[i].used)
			object_drop(&s.objects[i]);
	memset(&s, 0, sizeof s);
	snprintf(s.pin, sizeof s.pin, "1234");
	snprintf(s.point, sizeof s.point, "octets");
	s.size_min = 512;
	s.size_max = 8192;
	s.sessions_most = SESSIONS;
	pthread_mutex_unlock(&lock);
}

static void
read_script(const char *path)
{
	char line[1024];
	FILE *f = fopen(path, "r");

	if (f == NULL)
		return;
	fake_reset();
	while (fgets(line, sizeof line, f) != NULL)
		if (!fake_command(line))
			abort();
	fclose(f);
}

/* ---- Cryptoki ---- */

CK_RV
C_Initialize(CK_VOID_PTR arguments)
{
	const CK_C_INITIALIZE_ARGS *args = arguments;
	const char *script = args == NULL ? NULL : args->pReserved;

	if (args == NULL || (args->flags & CKF_OS_LOCKING_OK) == 0)
		return CKR_CANT_LOCK;
	if (script != NULL && s.starts == 0)
		read_script(script);
	BEGIN("C_Initialize");
	if (s.initialized)
		return end(CKR_CRYPTOKI_ALREADY_INITIALIZED);
	s.initialized = true;
	s.starts++;
	return end(CKR_OK);
}

CK_RV
C_Finalize(CK_VOID_PTR reserved)
{
	BEGIN("C_Finalize");
	(void)reserved;
	s.initialized = false;
	sessions_forget();
	return end(CKR_OK);
}

static void
pad(unsigned char *out, size_t size, const char *text)
{
	memset(out, ' ', size);
	memcpy(out, text, strlen(text) < size ? strlen(text) : size);
}

CK_RV
C_GetInfo(CK_INFO *info)
{
	BEGIN("C_GetInfo");
	memset(info, 0, sizeof *info);
	info->cryptokiVersion.major = 2;
	info->cryptokiVersion.minor = 40;
	pad(info->manufacturerID, sizeof info->manufacturerID, "dkimd tests");
	pad(info->libraryDescription, sizeof info->libraryDescription, "fake");
	return end(CKR_OK);
}

/* The slot numbers of this start. */
static CK_SLOT_ID
slot_of(size_t token)
{
	return SLOT_BASE + 100 * s.starts + token;
}

/*
 * The token in a slot; TOKENS: none.
 */
static size_t
token_in(CK_SLOT_ID slot)
{
	for (size_t i = 0; i < s.tokens; i++)
		if (slot_of(i) == slot)
			return i;
	return TOKENS;
}

CK_RV
C_GetSlotList(CK_BBOOL present, CK_SLOT_ID_PTR list, CK_ULONG_PTR n)
{
	size_t count = 0, room;

	BEGIN("C_GetSlotList");
	room = *n;
	for (size_t i = 0; i < s.tokens; i++) {
		if (present && s.absent && i == 0)
			continue;
		if (list != NULL && count < room)
			list[count] = slot_of(i);
		count++;
	}
	*n = acts(act, "huge") ? 100000 : count;
	return end(list != NULL && count > room ? CKR_BUFFER_TOO_SMALL :
	    CKR_OK);
}

CK_RV
C_GetTokenInfo(CK_SLOT_ID slot, CK_TOKEN_INFO *info)
{
	size_t token;

	BEGIN("C_GetTokenInfo");
	token = token_in(slot);
	if (token == TOKENS)
		return end(CKR_SLOT_ID_INVALID);
	if (s.absent && token == 0)
		return end(CKR_TOKEN_NOT_PRESENT);
	memset(info, 0, sizeof *info);
	pad(info->label, sizeof info->label, s.label[token]);
	pad(info->serialNumber, sizeof info->serialNumber, s.serial[token]);
	pad(info->manufacturerID, sizeof info->manufacturerID, "dkimd tests");
	pad(info->model, sizeof info->model, "fake");
	info->flags = CKF_TOKEN_INITIALIZED | CKF_RNG | s.flags;
	if (strcmp(s.pin, "-") != 0)
		info->flags |= CKF_LOGIN_REQUIRED | CKF_USER_PIN_INITIALIZED;
	info->ulMaxSessionCount = s.sessions_told;
	return end(CKR_OK);
}

static bool
has_mechanism(CK_MECHANISM_TYPE type)
{
	for (size_t i = 0; i < s.without_n; i++)
		if (s.without[i] == type)
			return false;
	return type == CKM_RSA_PKCS || type == CKM_RSA_X_509 ||
	    type == CKM_EDDSA || type == CKM_RSA_PKCS_KEY_PAIR_GEN ||
	    type == CKM_EC_EDWARDS_KEY_PAIR_GEN;
}

CK_RV
C_GetMechanismInfo(CK_SLOT_ID slot, CK_MECHANISM_TYPE type,
    CK_MECHANISM_INFO *info)
{
	BEGIN("C_GetMechanismInfo");
	(void)slot;
	if (!has_mechanism(type))
		return end(CKR_MECHANISM_INVALID);
	info->ulMinKeySize = s.size_min;
	info->ulMaxKeySize = s.size_max;
	info->flags = CKF_SIGN | CKF_VERIFY | CKF_GENERATE_KEY_PAIR;
	return end(CKR_OK);
}

static struct session *
session_find(CK_SESSION_HANDLE handle)
{
	if (handle == 0 || handle > SESSIONS || !s.sessions[handle - 1].used)
		return NULL;
	return &s.sessions[handle - 1];
}

CK_RV
C_OpenSession(CK_SLOT_ID slot, CK_FLAGS flags, CK_VOID_PTR application,
    CK_NOTIFY notify, CK_SESSION_HANDLE_PTR out)
{
	size_t token, open = 0;

	BEGIN("C_OpenSession");
	(void)application;
	(void)notify;
	token = token_in(slot);
	if (token == TOKENS)
		return end(CKR_SLOT_ID_INVALID);
	if ((flags & CKF_SERIAL_SESSION) == 0)
		return end(CKR_SESSION_PARALLEL_NOT_SUPPORTED);
	for (size_t i = 0; i < SESSIONS; i++)
		open += s.sessions[i].used;
	if (open >= s.sessions_most)
		return end(CKR_SESSION_COUNT);
	for (size_t i = 0; i < SESSIONS; i++) {
		if (s.sessions[i].used)
			continue;
		memset(&s.sessions[i], 0, sizeof s.sessions[i]);
		s.sessions[i].used = true;
		s.sessions[i].token = token;
		*out = i + 1;
		return end(CKR_OK);
	}
	return end(CKR_SESSION_COUNT);
}

CK_RV
C_CloseSession(CK_SESSION_HANDLE handle)
{
	struct session *session;
	bool others = false;

	BEGIN("C_CloseSession");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	session->used = false;
	for (size_t i = 0; i < OBJECTS; i++)
		if (s.objects[i].used && s.objects[i].is_session &&
		    s.objects[i].owner == handle)
			object_drop(&s.objects[i]);
	for (size_t i = 0; i < SESSIONS; i++)
		others |= s.sessions[i].used &&
		    s.sessions[i].token == session->token;
	if (!others)
		s.logged_in[session->token] = false;
	return end(CKR_OK);
}

CK_RV
C_GetSessionInfo(CK_SESSION_HANDLE handle, CK_SESSION_INFO *info)
{
	struct session *session;

	BEGIN("C_GetSessionInfo");
	memset(info, 0, sizeof *info);
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	info->state = s.logged_in[session->token] ? CKS_RO_USER_FUNCTIONS :
	    CKS_RO_PUBLIC_SESSION;
	return end(CKR_OK);
}

CK_RV
C_Login(CK_SESSION_HANDLE handle, CK_USER_TYPE user, CK_UTF8CHAR_PTR pin,
    CK_ULONG n)
{
	struct session *session;

	BEGIN("C_Login");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	if (pin == NULL || n != strlen(s.pin) || memcmp(pin, s.pin, n) != 0)
		return end(CKR_PIN_INCORRECT);
	if (user == CKU_CONTEXT_SPECIFIC) {
		if (session->key == 0)
			return end(CKR_OPERATION_NOT_INITIALIZED);
		session->authenticated = true;
		return end(CKR_OK);
	}
	if (s.logged_in[session->token])
		return end(CKR_USER_ALREADY_LOGGED_IN);
	s.logged_in[session->token] = true;
	return end(CKR_OK);
}

/* ---- objects ---- */

/*
 * Handles carry a base that changes with each logout.
 */
static CK_OBJECT_HANDLE
handle_of(size_t i)
{
	return s.handle_base + i + 1;
}

static struct object *
object_find(const struct session *session, CK_OBJECT_HANDLE handle)
{
	size_t i = handle - s.handle_base - 1;

	if (handle <= s.handle_base || i >= OBJECTS || !s.objects[i].used ||
	    s.objects[i].token != session->token)
		return NULL;
	return &s.objects[i];
}

static bool
is_visible(const struct session *session, const struct object *o)
{
	return o->used && o->token == session->token &&
	    (o->class != CKO_PRIVATE_KEY || s.logged_in[o->token] ||
	    strcmp(s.pin, "-") == 0);
}

static size_t
public_octets(const struct object *o, CK_ATTRIBUTE_TYPE type, uint8_t *out)
{
	BIGNUM *n = NULL;
	size_t size = 32, at = 0;

	if (EVP_PKEY_get_base_id(o->key) == EVP_PKEY_RSA) {
		if (EVP_PKEY_get_bn_param(o->key, type == CKA_MODULUS ?
		    OSSL_PKEY_PARAM_RSA_N : OSSL_PKEY_PARAM_RSA_E, &n) != 1)
			return 0;
		size = (size_t)BN_bn2bin(n, out);
		BN_free(n);
		return size;
	}
	if (strcmp(s.point, "octets") == 0) {
		out[at++] = 0x04;
		out[at++] = 0x20;
	} else if (strcmp(s.point, "bits") == 0) {
		out[at++] = 0x03;
		out[at++] = 0x21;
		out[at++] = 0x00;
	}
	EVP_PKEY_get_raw_public_key(o->key, &out[at], &size);
	return at + size;
}

static size_t
ulong_octets(unsigned long x, uint8_t *out)
{
	memcpy(out, &x, sizeof x);
	return sizeof x;
}

static size_t
bool_octets(bool x, uint8_t *out)
{
	out[0] = x;
	return 1;
}

/*
 * The value of an attribute.
 *   returns  its octets; -1: the object has none. flat switch
 */
static size_t
value_of(const struct object *o, CK_ATTRIBUTE_TYPE type, uint8_t *out)
{
	static const uint8_t ed25519[] = { 0x06, 0x03, 0x2b, 0x65, 0x70 };
	bool private = o->class == CKO_PRIVATE_KEY;
	bool rsa = o->key != NULL &&
	    EVP_PKEY_get_base_id(o->key) == EVP_PKEY_RSA;

	switch (type) {
	case CKA_CLASS:
		return ulong_octets(o->class, out);
	case CKA_TOKEN:
		return bool_octets(!o->is_session, out);
	case CKA_LABEL:
		memcpy(out, o->label, strlen(o->label));
		return strlen(o->label);
	case CKA_ID:
		memcpy(out, o->id, o->id_n);
		return o->id_n;
	case CKA_KEY_TYPE:
		if (o->key == NULL)
			return SIZE_MAX;
		return ulong_octets(rsa ? CKK_RSA :
		    EVP_PKEY_get_base_id(o->key) == EVP_PKEY_EC ? CKK_EC :
		    CKK_EC_EDWARDS, out);
	case CKA_SENSITIVE:
		return bool_octets(true, out);
	case CKA_EXTRACTABLE:
		return bool_octets(false, out);
	case CKA_ALWAYS_AUTHENTICATE:
		return private && s.always ? bool_octets(true, out) :
		    SIZE_MAX;
	case CKA_MODULUS:
		return rsa ? public_octets(o, type, out) : SIZE_MAX;
	case CKA_PUBLIC_EXPONENT:
		return rsa && !(private && s.bare) ?
		    public_octets(o, type, out) : SIZE_MAX;
	case CKA_EC_PARAMS:
		memcpy(out, ed25519, sizeof ed25519);
		return o->key != NULL && !rsa ? sizeof ed25519 : SIZE_MAX;
	case CKA_EC_POINT:
		return o->key != NULL && !rsa && !(private && s.bare) ?
		    public_octets(o, type, out) : SIZE_MAX;
	case CKA_VALUE:
		if (o->value == NULL)
			return SIZE_MAX;
		memcpy(out, o->value, o->value_n);
		return o->value_n;
	default:
		return SIZE_MAX;
	}
}

static bool
has_all(const struct object *o, const CK_ATTRIBUTE *want, CK_ULONG n)
{
	uint8_t value[OCTETS];

	for (CK_ULONG i = 0; i < n; i++) {
		size_t size = value_of(o, want[i].type, value);

		if (size == SIZE_MAX || size != want[i].ulValueLen ||
		    memcmp(value, want[i].pValue, size) != 0)
			return false;
	}
	return true;
}

CK_RV
C_FindObjectsInit(CK_SESSION_HANDLE handle, CK_ATTRIBUTE_PTR want, CK_ULONG n)
{
	struct session *session;

	BEGIN("C_FindObjectsInit");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	if (session->finding)
		return end(CKR_OPERATION_ACTIVE);
	session->finding = true;
	session->found_n = session->found_at = 0;
	for (size_t i = 0; i < OBJECTS; i++)
		if (is_visible(session, &s.objects[i]) &&
		    has_all(&s.objects[i], want, n))
			session->found[session->found_n++] = handle_of(i);
	return end(CKR_OK);
}

CK_RV
C_FindObjects(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE_PTR out,
    CK_ULONG most, CK_ULONG_PTR n)
{
	struct session *session;

	BEGIN("C_FindObjects");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	*n = 0;
	while (*n < most && session->found_at < session->found_n)
		out[(*n)++] = session->found[session->found_at++];
	if (acts(act, "huge"))
		*n = 100000;
	return end(CKR_OK);
}

CK_RV
C_FindObjectsFinal(CK_SESSION_HANDLE handle)
{
	struct session *session;

	BEGIN("C_FindObjectsFinal");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	session->finding = false;
	return end(CKR_OK);
}

CK_RV
C_GetAttributeValue(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE object,
    CK_ATTRIBUTE_PTR want, CK_ULONG n)
{
	struct session *session;
	struct object *o;
	uint8_t value[OCTETS];
	CK_RV result = CKR_OK;

	BEGIN("C_GetAttributeValue");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	if ((o = object_find(session, object)) == NULL)
		return end(CKR_OBJECT_HANDLE_INVALID);
	for (CK_ULONG i = 0; i < n; i++) {
		size_t size = value_of(o, want[i].type, value);

		if (size == SIZE_MAX) {
			want[i].ulValueLen = CK_UNAVAILABLE_INFORMATION;
			result = CKR_ATTRIBUTE_TYPE_INVALID;
		} else if (acts(act, "huge")) {
			want[i].ulValueLen = 1000000;
		} else if (want[i].pValue != NULL &&
		    want[i].ulValueLen < size) {
			want[i].ulValueLen = CK_UNAVAILABLE_INFORMATION;
			result = CKR_BUFFER_TOO_SMALL;
		} else {
			if (want[i].pValue != NULL)
				memcpy(want[i].pValue, value, size);
			want[i].ulValueLen = size;
		}
	}
	return end(result);
}

/* ---- keys from templates ---- */

static const CK_ATTRIBUTE *
given(const CK_ATTRIBUTE *template, CK_ULONG n, CK_ATTRIBUTE_TYPE type)
{
	for (CK_ULONG i = 0; i < n; i++)
		if (template[i].type == type)
			return &template[i];
	return NULL;
}

static unsigned long
given_ulong(const CK_ATTRIBUTE *template, CK_ULONG n, CK_ATTRIBUTE_TYPE type)
{
	const CK_ATTRIBUTE *a = given(template, n, type);
	unsigned long x = 0;

	if (a != NULL && a->ulValueLen == sizeof x)
		memcpy(&x, a->pValue, sizeof x);
	return x;
}

static EVP_PKEY *
key_from(const CK_ATTRIBUTE *t, CK_ULONG n, bool private)
{
	static const struct { CK_ATTRIBUTE_TYPE type; const char *name; }
	    parts[] = {
		{ CKA_MODULUS, OSSL_PKEY_PARAM_RSA_N },
		{ CKA_PUBLIC_EXPONENT, OSSL_PKEY_PARAM_RSA_E },
		{ CKA_PRIVATE_EXPONENT, OSSL_PKEY_PARAM_RSA_D },
	};
	OSSL_PARAM_BLD *b;
	OSSL_PARAM *p;
	BIGNUM *numbers[3] = { NULL };
	EVP_PKEY_CTX *c;
	EVP_PKEY *key = NULL;
	const CK_ATTRIBUTE *a;

	if (given_ulong(t, n, CKA_KEY_TYPE) != CKK_RSA) {
		a = given(t, n, private ? CKA_VALUE : CKA_EC_POINT);
		if (a == NULL || a->ulValueLen < 32)
			return NULL;
		return private ? EVP_PKEY_new_raw_private_key(
		    EVP_PKEY_ED25519, NULL, a->pValue, 32) :
		    EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL,
		    (const uint8_t *)a->pValue + a->ulValueLen - 32, 32);
	}
	b = OSSL_PARAM_BLD_new();
	for (size_t i = 0; i < (private ? 3 : 2); i++) {
		if ((a = given(t, n, parts[i].type)) == NULL)
			continue;
		numbers[i] = BN_bin2bn(a->pValue, (int)a->ulValueLen, NULL);
		OSSL_PARAM_BLD_push_BN(b, parts[i].name, numbers[i]);
	}
	p = OSSL_PARAM_BLD_to_param(b);
	c = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	if (EVP_PKEY_fromdata_init(c) != 1 || EVP_PKEY_fromdata(c, &key,
	    private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, p) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(c);
	OSSL_PARAM_free(p);
	OSSL_PARAM_BLD_free(b);
	for (size_t i = 0; i < 3; i++)
		BN_free(numbers[i]);
	return key;
}

static void
name_from(struct object *o, const CK_ATTRIBUTE *t, CK_ULONG n)
{
	const CK_ATTRIBUTE *a;

	if ((a = given(t, n, CKA_LABEL)) != NULL &&
	    a->ulValueLen < sizeof o->label) {
		memset(o->label, 0, sizeof o->label);
		memcpy(o->label, a->pValue, a->ulValueLen);
	}
	if ((a = given(t, n, CKA_ID)) != NULL &&
	    a->ulValueLen <= sizeof o->id) {
		memcpy(o->id, a->pValue, a->ulValueLen);
		o->id_n = a->ulValueLen;
	}
}

CK_RV
C_CreateObject(CK_SESSION_HANDLE handle, CK_ATTRIBUTE_PTR template,
    CK_ULONG n, CK_OBJECT_HANDLE_PTR out)
{
	struct session *session;
	struct object *o;
	CK_OBJECT_CLASS class;

	BEGIN("C_CreateObject");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	if (s.readonly)
		return end(CKR_ATTRIBUTE_READ_ONLY);
	class = given_ulong(template, n, CKA_CLASS);
	if ((o = object_new(class, "", "")) == NULL)
		return end(CKR_DEVICE_MEMORY);
	o->token = session->token;
	o->is_session = true;
	o->owner = handle;
	o->key = key_from(template, n, class == CKO_PRIVATE_KEY);
	name_from(o, template, n);
	if (o->key == NULL) {
		object_drop(o);
		return end(CKR_TEMPLATE_INCONSISTENT);
	}
	*out = handle_of((size_t)(o - s.objects));
	return end(CKR_OK);
}

CK_RV
C_DestroyObject(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE object)
{
	struct session *session;
	struct object *o;

	BEGIN("C_DestroyObject");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	if ((o = object_find(session, object)) == NULL)
		return end(CKR_OBJECT_HANDLE_INVALID);
	object_drop(o);
	return end(CKR_OK);
}

CK_RV
C_GenerateKeyPair(CK_SESSION_HANDLE handle, CK_MECHANISM_PTR mechanism,
    CK_ATTRIBUTE_PTR public, CK_ULONG public_n, CK_ATTRIBUTE_PTR private,
    CK_ULONG private_n, CK_OBJECT_HANDLE_PTR out_public,
    CK_OBJECT_HANDLE_PTR out_private)
{
	struct session *session;
	struct object *a, *b;
	unsigned long bits = given_ulong(public, public_n, CKA_MODULUS_BITS);

	BEGIN("C_GenerateKeyPair");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	a = object_new(CKO_PUBLIC_KEY, "", "");
	b = object_new(CKO_PRIVATE_KEY, "", "");
	if (a == NULL || b == NULL)
		return end(CKR_DEVICE_MEMORY);
	a->token = b->token = session->token;
	name_from(a, public, public_n);
	name_from(b, private, private_n);
	b->key = mechanism->mechanism == CKM_RSA_PKCS_KEY_PAIR_GEN ?
	    EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits) :
	    EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	EVP_PKEY_up_ref(b->key);
	a->key = b->key;
	*out_public = handle_of((size_t)(a - s.objects));
	*out_private = handle_of((size_t)(b - s.objects));
	return end(CKR_OK);
}

/* ---- signing ---- */

static CK_RV
init(CK_SESSION_HANDLE handle, const CK_MECHANISM *mechanism,
    CK_OBJECT_HANDLE key)
{
	struct session *session;

	if ((session = session_find(handle)) == NULL)
		return CKR_SESSION_HANDLE_INVALID;
	if (session->key != 0)
		return CKR_OPERATION_ACTIVE;
	if (!has_mechanism(mechanism->mechanism))
		return CKR_MECHANISM_INVALID;
	if (object_find(session, key) == NULL)
		return CKR_KEY_HANDLE_INVALID;
	session->key = key;
	session->mechanism = mechanism->mechanism;
	session->authenticated = false;
	return CKR_OK;
}

CK_RV
C_SignInit(CK_SESSION_HANDLE handle, CK_MECHANISM_PTR mechanism,
    CK_OBJECT_HANDLE key)
{
	BEGIN("C_SignInit");
	return end(init(handle, mechanism, key));
}

static int
padding(CK_MECHANISM_TYPE mechanism)
{
	return mechanism == CKM_RSA_PKCS ? RSA_PKCS1_PADDING : RSA_NO_PADDING;
}

static CK_RV
sign(EVP_PKEY *key, CK_MECHANISM_TYPE mechanism, const uint8_t *data,
    size_t n, uint8_t *out, CK_ULONG_PTR out_n)
{
	size_t size = *out_n;
	bool good;

	if (mechanism == CKM_EDDSA) {
		EVP_MD_CTX *m = EVP_MD_CTX_new();

		good = EVP_DigestSignInit(m, NULL, NULL, NULL, key) == 1 &&
		    EVP_DigestSign(m, out, &size, data, n) == 1;
		EVP_MD_CTX_free(m);
	} else {
		EVP_PKEY_CTX *c = EVP_PKEY_CTX_new(key, NULL);

		good = EVP_PKEY_sign_init(c) == 1 &&
		    EVP_PKEY_CTX_set_rsa_padding(c, padding(mechanism)) == 1 &&
		    EVP_PKEY_sign(c, out, &size, data, n) == 1;
		EVP_PKEY_CTX_free(c);
	}
	*out_n = size;
	return good ? CKR_OK : CKR_DATA_LEN_RANGE;
}

CK_RV
C_Sign(CK_SESSION_HANDLE handle, CK_BYTE_PTR data, CK_ULONG n,
    CK_BYTE_PTR out, CK_ULONG_PTR out_n)
{
	struct session *session;
	struct object *o;
	CK_RV result;

	BEGIN("C_Sign");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	if (session->key == 0)
		return end(CKR_OPERATION_NOT_INITIALIZED);
	if (s.always && !session->authenticated)
		return end(CKR_USER_NOT_LOGGED_IN);
	o = object_find(session, session->key);
	session->key = 0;
	if (o == NULL)
		return end(CKR_KEY_HANDLE_INVALID);
	result = sign(o->key, session->mechanism, data, n, out, out_n);
	if (acts(act, "wrong"))
		out[10] ^= 1;
	if (acts(act, "short"))
		(*out_n)--;
	if (acts(act, "huge"))
		*out_n = 100000;
	return end(result);
}

CK_RV
C_VerifyInit(CK_SESSION_HANDLE handle, CK_MECHANISM_PTR mechanism,
    CK_OBJECT_HANDLE key)
{
	BEGIN("C_VerifyInit");
	return end(init(handle, mechanism, key));
}

CK_RV
C_Verify(CK_SESSION_HANDLE handle, CK_BYTE_PTR data, CK_ULONG n,
    CK_BYTE_PTR signature, CK_ULONG signature_n)
{
	struct session *session;
	struct object *o;
	bool good;

	BEGIN("C_Verify");
	if ((session = session_find(handle)) == NULL)
		return end(CKR_SESSION_HANDLE_INVALID);
	o = object_find(session, session->key);
	session->key = 0;
	if (o == NULL)
		return end(CKR_KEY_HANDLE_INVALID);
	if (session->mechanism == CKM_EDDSA) {
		EVP_MD_CTX *m = EVP_MD_CTX_new();

		good = EVP_DigestVerifyInit(m, NULL, NULL, NULL, o->key) == 1 &&
		    EVP_DigestVerify(m, signature, signature_n, data, n) == 1;
		EVP_MD_CTX_free(m);
	} else {
		EVP_PKEY_CTX *c = EVP_PKEY_CTX_new(o->key, NULL);

		good = EVP_PKEY_verify_init(c) == 1 &&
		    EVP_PKEY_CTX_set_rsa_padding(c,
		    padding(session->mechanism)) == 1 &&
		    EVP_PKEY_verify(c, signature, signature_n, data, n) == 1;
		EVP_PKEY_CTX_free(c);
	}
	if (acts(act, "right"))
		return end(CKR_OK);
	return end(good && !acts(act, "wrong") ? CKR_OK :
	    CKR_SIGNATURE_INVALID);
}

static CK_FUNCTION_LIST list = {
	.version = { 2, 40 },
	.C_Initialize = C_Initialize,
	.C_Finalize = C_Finalize,
	.C_GetInfo = C_GetInfo,
	.C_GetSlotList = C_GetSlotList,
	.C_GetTokenInfo = C_GetTokenInfo,
	.C_GetMechanismInfo = C_GetMechanismInfo,
	.C_OpenSession = C_OpenSession,
	.C_CloseSession = C_CloseSession,
	.C_GetSessionInfo = C_GetSessionInfo,
	.C_Login = C_Login,
	.C_CreateObject = C_CreateObject,
	.C_DestroyObject = C_DestroyObject,
	.C_GetAttributeValue = C_GetAttributeValue,
	.C_FindObjectsInit = C_FindObjectsInit,
	.C_FindObjects = C_FindObjects,
	.C_FindObjectsFinal = C_FindObjectsFinal,
	.C_SignInit = C_SignInit,
	.C_Sign = C_Sign,
	.C_VerifyInit = C_VerifyInit,
	.C_Verify = C_Verify,
	.C_GenerateKeyPair = C_GenerateKeyPair,
};

EXPORT CK_RV
C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR out)
{
	*out = &list;
	return CKR_OK;
}
