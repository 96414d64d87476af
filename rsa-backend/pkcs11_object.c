/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of a token (PKCS #11 v2.40 s4, s5.7).
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs11_object.h"
#include "spki.h"

const uint8_t pkcs11_object_ed25519[PKCS11_ED25519_OID] = {
	0x06, 0x03, 0x2b, 0x65, 0x70,
};

/* Other ways in which tokens write it: a PrintableString, GnuPG's OID. */
static const uint8_t ed25519_name[] = {
	0x13, 0x0c, 'e', 'd', 'w', 'a', 'r', 'd', 's', '2', '5', '5', '1', '9',
};
static const uint8_t ed25519_gnu[] = {
	0x06, 0x09, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01,
};

static const struct der ed25519_forms[] = {
	{ pkcs11_object_ed25519, sizeof pkcs11_object_ed25519 },
	{ ed25519_name, sizeof ed25519_name },
	{ ed25519_gnu, sizeof ed25519_gnu },
};

#define ED25519_FORMS	(sizeof ed25519_forms / sizeof ed25519_forms[0])
#define ED25519_SIGNATURE	64	/* octets, RFC 8032 s5.1.6 */
#define PARAMETERS_MAX		64	/* octets; more is no curve of ours */

CK_ATTRIBUTE
pkcs11_object_octets(CK_ATTRIBUTE_TYPE type, struct der value)
{
	/* Cryptoki has no const, but only reads what it is given */
	return (CK_ATTRIBUTE){ type, (void *)(uintptr_t)value.p, value.n };
}

int
pkcs11_object_find(const struct pkcs11_at *at, CK_ATTRIBUTE *want, size_t n,
    bool only, CK_OBJECT_HANDLE *out, struct pkcs11_fail *fail)
{
	CK_FUNCTION_LIST *f = at->token->module->f;
	const char *where = at->token->where;
	CK_OBJECT_HANDLE found[2];
	CK_ULONG count = 0;
	CK_RV rv;

	rv = f->C_FindObjectsInit(at->session.handle, want, n);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, where, "C_FindObjectsInit", rv);
	rv = f->C_FindObjects(at->session.handle, found, 2, &count);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, where, "C_FindObjects", rv);
	rv = f->C_FindObjectsFinal(at->session.handle);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, where, "C_FindObjectsFinal", rv);
	if (count > 2)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s: "
		    "C_FindObjects found more objects than it was given room "
		    "for", where);
	if (count == 2 && only)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN_KEYS, "%s: more "
		    "than one private key matches the URI; add id= or object= "
		    "to it", where);
	if (count == 0 && only)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN_KEY, "%s: no "
		    "private key matches the URI", where);
	*out = count == 0 ? CK_INVALID_HANDLE : found[0];
	return RSAB_OK;
}

/*
 * Is a session that should be logged in no more? Private objects are not found
 * then, which looks as if they were not there.
 */
static bool
is_logged_out(const struct pkcs11_at *at)
{
	CK_SESSION_INFO info;

	return at->session.needs_login &&
	    at->token->module->f->C_GetSessionInfo(at->session.handle,
	    &info) == CKR_OK && (info.state == CKS_RO_PUBLIC_SESSION ||
	    info.state == CKS_RW_PUBLIC_SESSION);
}

int
pkcs11_object_find_key(const struct pkcs11_at *at, CK_OBJECT_HANDLE *out,
    struct pkcs11_fail *fail)
{
	CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
	CK_ATTRIBUTE want[3];
	size_t n = 0;
	int r;

	if (!at->uri->has_object)
		return pkcs11_fail_set(fail, RSAB_ERR_URI, "the URI names no "
		    "key: object= or id= is missing");
	want[n++] = (CK_ATTRIBUTE){ CKA_CLASS, &class, sizeof class };
	if (at->uri->label.n != 0)
		want[n++] = pkcs11_object_octets(CKA_LABEL, at->uri->label);
	if (at->uri->id.n != 0)
		want[n++] = pkcs11_object_octets(CKA_ID, at->uri->id);
	r = pkcs11_object_find(at, want, n, true, out, fail);
	if (r == RSAB_ERR_TOKEN_KEY && is_logged_out(at))
		r = pkcs11_fail_rv(fail, at->token->where, "C_FindObjects",
		    CKR_USER_NOT_LOGGED_IN);
	return r;
}

int
pkcs11_object_get(const struct pkcs11_at *at, CK_OBJECT_HANDLE object,
    CK_ATTRIBUTE_TYPE type, void *out, size_t size, size_t *n,
    struct pkcs11_fail *fail)
{
	CK_ATTRIBUTE a = { type, out, size };
	CK_RV rv;

	rv = at->token->module->f->C_GetAttributeValue(at->session.handle,
	    object, &a, 1);
	*n = 0;
	/* s5.7: these are about the attribute, not about the call */
	if (rv == CKR_ATTRIBUTE_TYPE_INVALID || rv == CKR_ATTRIBUTE_SENSITIVE ||
	    rv == CKR_BUFFER_TOO_SMALL)
		return RSAB_OK;
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where,
		    "C_GetAttributeValue", rv);
	if (a.ulValueLen <= size)
		*n = a.ulValueLen;
	return RSAB_OK;
}

bool
pkcs11_object_mechanism(const struct pkcs11_token *token, CK_SLOT_ID slot,
    CK_MECHANISM_TYPE mechanism, CK_FLAGS flags, CK_ULONG *least,
    CK_ULONG *most)
{
	CK_MECHANISM_INFO info;

	if (token->module->f->C_GetMechanismInfo(slot, mechanism,
	    &info) != CKR_OK || (info.flags & flags) != flags)
		return false;
	*least = info.ulMinKeySize;
	*most = info.ulMaxKeySize == CK_UNAVAILABLE_INFORMATION ? 0 :
	    info.ulMaxKeySize;
	return true;
}

int
pkcs11_object_rsa_mechanism(const struct pkcs11_at *at, CK_FLAGS flag,
    size_t bits, CK_MECHANISM_TYPE *out, struct pkcs11_fail *fail)
{
	static const CK_MECHANISM_TYPE choice[] = {
		CKM_RSA_PKCS, CKM_RSA_X_509,
	};
	bool sign = flag == CKF_SIGN;
	CK_ULONG least = 0, most = 0;

	for (size_t i = 0; i < sizeof choice / sizeof choice[0]; i++) {
		if (!pkcs11_object_mechanism(at->token, at->session.slot,
		    choice[i], flag, &least, &most))
			continue;
		if (bits < least || (most != 0 && bits > most))
			return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE,
			    "%s: %s with RSA keys of %lu to %lu bits, not "
			    "%zu", at->token->where, sign ? "signs" :
			    "verifies", least, most, bits);
		*out = choice[i];
		return RSAB_OK;
	}
	return pkcs11_fail_set(fail, RSAB_ERR_KEY_TYPE, "%s: has neither "
	    "CKM_RSA_PKCS nor CKM_RSA_X_509 for %s; mechanisms that hash the "
	    "message themselves (CKM_SHA256_RSA_PKCS) are of no use here",
	    at->token->where, sign ? "signing" : "verifying");
}

static int
rsa_key(const struct pkcs11_at *at, struct pkcs11_key *key,
    struct pkcs11_fail *fail)
{
	uint8_t modulus[RSAB_SIGNATURE_MAX + 1];
	struct der n = { modulus, 0 };
	int r;

	r = pkcs11_object_get(at, key->handle, CKA_MODULUS, modulus,
	    sizeof modulus, &n.n, fail);
	if (r != 0)
		return r;
	while (n.n != 0 && n.p[0] == 0) {
		n.p++;
		n.n--;
	}
	if (n.n == 0)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY, "%s: the private "
		    "key has no CKA_MODULUS, or one of more than %d bits",
		    at->token->where, RSAB_RSA_BITS_MAX);
	if (n.n > RSAB_SIGNATURE_MAX || der_bits(n) < RSAB_RSA_BITS_MIN)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "%s: RSA key "
		    "of %zu bits", at->token->where, der_bits(n));
	key->type = RSAB_RSA;
	key->signature_size = n.n;
	return pkcs11_object_rsa_mechanism(at, CKF_SIGN, der_bits(n),
	    &key->mechanism, fail);
}

static int
ed25519_key(const struct pkcs11_at *at, struct pkcs11_key *key,
    struct pkcs11_fail *fail)
{
	uint8_t octets[PARAMETERS_MAX];
	struct der parameters = { octets, 0 };
	CK_ULONG least, most;
	bool is_ours = false;
	int r;

	r = pkcs11_object_get(at, key->handle, CKA_EC_PARAMS, octets,
	    sizeof octets, &parameters.n, fail);
	if (r != 0)
		return r;
	for (size_t i = 0; i < ED25519_FORMS; i++)
		is_ours |= der_is(parameters, ed25519_forms[i].p,
		    ed25519_forms[i].n);
	if (!is_ours)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_TYPE, "%s: an "
		    "elliptic curve key, but not Ed25519", at->token->where);
	if (!pkcs11_object_mechanism(at->token, at->session.slot, CKM_EDDSA,
	    CKF_SIGN, &least, &most))
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_TYPE, "%s: has no "
		    "CKM_EDDSA for signing", at->token->where);
	key->type = RSAB_ED25519;
	key->signature_size = ED25519_SIGNATURE;
	key->mechanism = CKM_EDDSA;
	return RSAB_OK;
}

int
pkcs11_object_key(const struct pkcs11_at *at, CK_OBJECT_HANDLE handle,
    struct pkcs11_key *out, struct pkcs11_fail *fail)
{
	struct pkcs11_key key = {
		.token = at->token,
		.module_epoch = at->module_epoch,
		.epoch = at->session.epoch,
		.handle = handle,
	};
	CK_KEY_TYPE type = CK_UNAVAILABLE_INFORMATION;
	CK_BBOOL always = CK_FALSE;
	size_t n;
	int r;

	if ((r = pkcs11_object_get(at, handle, CKA_KEY_TYPE, &type,
	    sizeof type, &n, fail)) != 0 ||
	    (r = pkcs11_object_get(at, handle, CKA_ALWAYS_AUTHENTICATE,
	    &always, sizeof always, &n, fail)) != 0)
		return r;
	/* What a token does not know of it does not ask for */
	key.always_authenticate = n == sizeof always && always != CK_FALSE;
	if (type == CKK_RSA)
		r = rsa_key(at, &key, fail);
	else if (type == CKK_EC_EDWARDS)
		r = ed25519_key(at, &key, fail);
	else
		r = pkcs11_fail_set(fail, RSAB_ERR_KEY_TYPE, "%s: the key is "
		    "neither RSA nor Ed25519 (CKA_KEY_TYPE 0x%lx)",
		    at->token->where, type);
	if (r == 0)
		*out = key;
	return r;
}
