/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of a token: finding them, reading attributes.
 */
#ifndef PKCS11_OBJECT_H
#define PKCS11_OBJECT_H

/* this room */
#include "pkcs11_token.h"

/* A private key, ready to sign. Handles are good for an epoch of the token. */
struct pkcs11_key {
	struct pkcs11_token	*token;
	uint64_t		 module_epoch, epoch;
	CK_OBJECT_HANDLE	 handle;
	enum rsab_key_type	 type;
	size_t			 signature_size;	/* octets */
	CK_MECHANISM_TYPE	 mechanism;
	bool			 always_authenticate;
};

/* Who asks, and where: passed around inside a module. */
struct pkcs11_at {
	struct pkcs11_token		*token;
	struct pkcs11_session		 session;
	uint64_t			 module_epoch;
	const struct pkcs11_pins	*pins;
	const struct pkcs11_uri		*uri;
};

/*
 * An attribute to look for, or to make an object with.
 *   value    stays the caller's
 */
CK_ATTRIBUTE pkcs11_object_octets(CK_ATTRIBUTE_TYPE type, struct der value);

/*
 * Find the object of a class with all of some attributes.
 *   n        attributes of want
 *   only     more than one is an error; else any is taken
 *   out      CK_INVALID_HANDLE where there is none and only is false
 *   errors   RSAB_ERR_TOKEN_KEY, RSAB_ERR_TOKEN_KEYS, those of Cryptoki
 */
int pkcs11_object_find(const struct pkcs11_at *at, CK_ATTRIBUTE *want,
    size_t n, bool only, CK_OBJECT_HANDLE *out, struct pkcs11_fail *fail)
    MUSTUSE;

/*
 * Find the one private key that the URI names.
 */
int pkcs11_object_find_key(const struct pkcs11_at *at, CK_OBJECT_HANDLE *out,
    struct pkcs11_fail *fail) MUSTUSE;

/*
 * Read an attribute.
 *   out      size octets
 *   n        out: octets; 0: the object has none, or does not give it away, or
 *            it is longer than size
 *   errors   those of Cryptoki
 */
int pkcs11_object_get(const struct pkcs11_at *at, CK_OBJECT_HANDLE object,
    CK_ATTRIBUTE_TYPE type, void *out, size_t size, size_t *n,
    struct pkcs11_fail *fail) MUSTUSE;

/*
 * Read what signing with a private key takes.
 *   errors   RSAB_ERR_KEY_TYPE, _KEY_SIZE, _KEY; those of Cryptoki
 */
int pkcs11_object_key(const struct pkcs11_at *at, CK_OBJECT_HANDLE handle,
    struct pkcs11_key *out, struct pkcs11_fail *fail) MUSTUSE;

/*
 * What a token does with a mechanism.
 *   flags    CKF_SIGN, ...: what it must do
 *   least, most  out: bits; 0: not known
 *   returns  whether it does
 */
bool pkcs11_object_mechanism(const struct pkcs11_token *token,
    CK_SLOT_ID slot, CK_MECHANISM_TYPE mechanism, CK_FLAGS flags,
    CK_ULONG *least, CK_ULONG *most);

/*
 * The mechanism for an RSA key: the token pads, or, where it cannot, we do.
 * CKM_SHA256_RSA_PKCS is of no use: it wants the message, of which only the
 * hash comes here.
 *   flag     CKF_SIGN, CKF_VERIFY
 *   bits     of the modulus
 *   errors   RSAB_ERR_KEY_TYPE: it has none; RSAB_ERR_KEY_SIZE: not for such
 */
int pkcs11_object_rsa_mechanism(const struct pkcs11_at *at, CK_FLAGS flag,
    size_t bits, CK_MECHANISM_TYPE *out, struct pkcs11_fail *fail) MUSTUSE;

/* The parameters of Ed25519, as an object identifier (RFC 8410 s3). */
#define PKCS11_ED25519_OID	5
extern const uint8_t pkcs11_object_ed25519[PKCS11_ED25519_OID];

#endif
