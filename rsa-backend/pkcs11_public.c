/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public half of a private key in a token.
 */

/* system */
#include <string.h>

/* libcrypto */
#include <openssl/x509.h>

/* this room */
#include "error.h"
#include "pkcs11_public.h"
#include "spki.h"

#define EXPONENT_MAX	16	/* octets, zeros in front included */
#define NAME_MAX_OCTETS	256	/* of CKA_ID, CKA_LABEL */
#define CERTIFICATE_MAX	16384	/* octets of DER */
#define POINT_MAX	64	/* octets, with whatever is around them */

static struct der
strip(struct der in)
{
	while (in.n != 0 && in.p[0] == 0) {
		in.p++;
		in.n--;
	}
	return in;
}

/*
 * Write the public half of an RSA key if it keeps the limits.
 */
static int
put_rsa(const struct pkcs11_at *at, struct der modulus, struct der exponent,
    uint8_t *out, size_t *n, struct pkcs11_fail *fail)
{
	struct spki_rsa rsa = { strip(modulus), strip(exponent) }, written;
	int r;

	if ((r = spki_check_rsa(&rsa)) != 0)
		return pkcs11_fail_set(fail, r, "%s: public half of the key: "
		    "%s", at->token->where, rsab_strerror(r));
	*n = spki_rsa_size(&rsa);
	if (*n > TOKEN_WIRE_PUBLIC_MAX)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "%s: public "
		    "half of the key is too large", at->token->where);
	spki_print_rsa(&rsa, out, &written);
	return RSAB_OK;
}

/*
 * RSA from a private or public key object; *n is 0 where it is not complete.
 */
static int
rsa_from(const struct pkcs11_at *at, CK_OBJECT_HANDLE object, uint8_t *out,
    size_t *n, struct pkcs11_fail *fail)
{
	uint8_t modulus[RSAB_SIGNATURE_MAX + 1], exponent[EXPONENT_MAX];
	size_t modulus_n, exponent_n;
	int r;

	*n = 0;
	if ((r = pkcs11_object_get(at, object, CKA_MODULUS, modulus,
	    sizeof modulus, &modulus_n, fail)) != 0 ||
	    (r = pkcs11_object_get(at, object, CKA_PUBLIC_EXPONENT, exponent,
	    sizeof exponent, &exponent_n, fail)) != 0)
		return r;
	if (modulus_n == 0 || exponent_n == 0)
		return RSAB_OK;
	return put_rsa(at, (struct der){ modulus, modulus_n },
	    (struct der){ exponent, exponent_n }, out, n, fail);
}

/*
 * Ed25519: the point alone, or in an OCTET STRING (PKCS #11 v3.0 s2.3.5 has
 * both), or in a BIT STRING (its first drafts).
 */
static int
ed25519_from(const struct pkcs11_at *at, CK_OBJECT_HANDLE object,
    uint8_t *out, size_t *n, struct pkcs11_fail *fail)
{
	uint8_t value[POINT_MAX];
	const uint8_t *point = NULL;
	size_t value_n;
	int r;

	*n = 0;
	r = pkcs11_object_get(at, object, CKA_EC_POINT, value, sizeof value,
	    &value_n, fail);
	if (r != 0)
		return r;
	if (value_n == SPKI_ED25519_POINT)
		point = value;
	else if (value_n == 2 + SPKI_ED25519_POINT &&
	    value[0] == DER_OCTET_STRING && value[1] == SPKI_ED25519_POINT)
		point = &value[2];
	else if (value_n == 3 + SPKI_ED25519_POINT &&
	    value[0] == DER_BIT_STRING &&
	    value[1] == 1 + SPKI_ED25519_POINT && value[2] == 0)
		point = &value[3];
	if (point == NULL)
		return RSAB_OK;
	spki_print_ed25519(point, out);
	*n = SPKI_ED25519_SIZE;
	return RSAB_OK;
}

static int
key_from(const struct pkcs11_at *at, const struct pkcs11_key *key,
    CK_OBJECT_HANDLE object, uint8_t *out, size_t *n,
    struct pkcs11_fail *fail)
{
	return key->type == RSAB_RSA ? rsa_from(at, object, out, n, fail) :
	    ed25519_from(at, object, out, n, fail);
}

/*
 * The SubjectPublicKeyInfo of a certificate; *n is 0 where it has none for a
 * key of this type.
 */
static int
certificate_spki(const struct pkcs11_at *at, const struct pkcs11_key *key,
    struct der der, uint8_t *out, size_t *n, struct pkcs11_fail *fail)
{
	const unsigned char *p = der.p;
	unsigned char *spki = NULL;
	struct spki_rsa rsa;
	X509 *x509;
	int size;

	*n = 0;
	if ((x509 = d2i_X509(NULL, &p, (long)der.n)) == NULL) {
		error_drop();
		return RSAB_OK;
	}
	size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(x509), &spki);
	X509_free(x509);
	if (size <= 0) {
		error_drop();
		return RSAB_OK;
	}
	der = (struct der){ spki, (size_t)size };
	if (key->type == RSAB_RSA) {
		int r = spki_parse_rsa(der, &rsa) != 0 ? RSAB_OK :
		    put_rsa(at, rsa.n, rsa.e, out, n, fail);

		OPENSSL_free(spki);
		return r;
	}
	if (der.n == SPKI_ED25519_SIZE) {
		spki_print_ed25519(&der.p[der.n - SPKI_ED25519_POINT], out);
		if (der_is(der, out, SPKI_ED25519_SIZE))
			*n = SPKI_ED25519_SIZE;
	}
	OPENSSL_free(spki);
	return RSAB_OK;
}

static int
from_certificate(const struct pkcs11_at *at, const struct pkcs11_key *key,
    CK_OBJECT_HANDLE object, uint8_t *out, size_t *n,
    struct pkcs11_fail *fail)
{
	uint8_t der[CERTIFICATE_MAX];
	size_t der_n;
	int r;

	r = pkcs11_object_get(at, object, CKA_VALUE, der, sizeof der, &der_n,
	    fail);
	*n = 0;
	if (r != 0 || der_n == 0)
		return r;
	return certificate_spki(at, key, (struct der){ der, der_n }, out, n,
	    fail);
}

/*
 * Find the object of a class that belongs to the key.
 */
static int
find_related(const struct pkcs11_at *at, const struct pkcs11_key *key,
    CK_OBJECT_CLASS class, CK_OBJECT_HANDLE *out, struct pkcs11_fail *fail)
{
	CK_ATTRIBUTE want[2] = { { CKA_CLASS, &class, sizeof class } };
	uint8_t name[NAME_MAX_OCTETS];
	CK_ATTRIBUTE_TYPE by = CKA_ID;
	size_t n;
	int r;

	r = pkcs11_object_get(at, key->handle, by, name, sizeof name, &n, fail);
	if (r == 0 && n == 0) {
		by = CKA_LABEL;
		r = pkcs11_object_get(at, key->handle, by, name, sizeof name,
		    &n, fail);
	}
	*out = CK_INVALID_HANDLE;
	if (r != 0 || n == 0)
		return r;
	want[1] = (CK_ATTRIBUTE){ by, name, n };
	return pkcs11_object_find(at, want, 2, false, out, fail);
}

int
pkcs11_public_read(const struct pkcs11_at *at, const struct pkcs11_key *key,
    uint8_t *out, size_t *n, struct pkcs11_fail *fail)
{
	CK_OBJECT_HANDLE other;
	int r;

	if ((r = key_from(at, key, key->handle, out, n, fail)) != 0 || *n != 0)
		return r;
	if ((r = find_related(at, key, CKO_PUBLIC_KEY, &other, fail)) != 0)
		return r;
	if (other != CK_INVALID_HANDLE && ((r = key_from(at, key, other, out,
	    n, fail)) != 0 || *n != 0))
		return r;
	if ((r = find_related(at, key, CKO_CERTIFICATE, &other, fail)) != 0)
		return r;
	if (other != CK_INVALID_HANDLE && ((r = from_certificate(at, key,
	    other, out, n, fail)) != 0 || *n != 0))
		return r;
	return pkcs11_fail_set(fail, RSAB_ERR_KEY, "%s: the public half of the "
	    "key is neither in it nor in a public key or certificate with the "
	    "same CKA_ID; store one of them in the token", at->token->where);
}
