/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PKCS#8 (RFC 5208, RFC 5958) and PKCS#1 (RFC 8017 A.1.2) private keys.
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs8.h"

/*
 * A small version number off the front of in.
 */
static int
version_read(struct der *in, unsigned *out)
{
	struct der version;

	if (der_read_unsigned(in, &version) != 0 || version.n > 1)
		return RSAB_ERR_KEY;
	*out = version.n == 0 ? 0 : version.p[0];
	return RSAB_OK;
}

/*
 * Contents of an RSAPrivateKey behind its version.
 */
static int
rsa_contents_parse(struct der in, struct pkcs8 *out)
{
	struct der *const numbers[] = {
		&out->rsa.n, &out->rsa.e, &out->d, &out->p, &out->q,
		&out->dp, &out->dq, &out->qinv,
	};
	int r;

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if ((r = der_read_unsigned(&in, numbers[i])) != 0)
			return r;
	if (in.n != 0)
		return RSAB_ERR_KEY;
	if ((r = spki_check_rsa(&out->rsa)) != 0)
		return r;
	/* All are below n, so nothing long is computed with later. */
	for (size_t i = 1; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i]->n > out->rsa.n.n)
			return RSAB_ERR_KEY;
	return RSAB_OK;
}

/*
 * An RSAPrivateKey as a whole.
 */
static int
rsa_parse(struct der in, struct pkcs8 *out)
{
	struct der contents;
	unsigned version;

	out->type = RSAB_RSA;
	out->der = in;
	if (der_read(&in, DER_SEQUENCE, &contents) != 0 || in.n != 0 ||
	    version_read(&contents, &version) != 0)
		return RSAB_ERR_KEY;
	/* RFC 8017 A.1.2: 1 is a key of three or more primes */
	if (version != 0)
		return RSAB_ERR_KEY_TYPE;
	return rsa_contents_parse(contents, out);
}

/*
 * CurvePrivateKey: an OCTET STRING in the OCTET STRING (RFC 8410 s7).
 */
static int
ed25519_parse(struct der in, struct pkcs8 *out)
{
	out->type = RSAB_ED25519;
	if (der_read(&in, DER_OCTET_STRING, &out->seed) != 0 || in.n != 0 ||
	    out->seed.n != PKCS8_ED25519_SEED)
		return RSAB_ERR_KEY;
	return RSAB_OK;
}

/*
 * What may follow the key: attributes [0], and from version 2 (number 1) on
 * the public key [1] (RFC 5958 s2).
 */
static int
tail_parse(struct der in, unsigned version, struct pkcs8 *out)
{
	struct der attributes, bits;

	out->point = (struct der){ NULL, 0 };
	if (in.n != 0 && in.p[0] == DER_CONTEXT_0 &&
	    der_read(&in, DER_CONTEXT_0, &attributes) != 0)
		return RSAB_ERR_KEY;
	if (in.n == 0)
		return RSAB_OK;
	if (version == 0 || der_read(&in, DER_CONTEXT_1, &bits) != 0 ||
	    in.n != 0 || bits.n < 1 || bits.p[0] != 0)
		return RSAB_ERR_KEY;
	if (out->type == RSAB_ED25519) {
		if (bits.n != 1 + SPKI_ED25519_POINT)
			return RSAB_ERR_KEY;
		out->point = (struct der){ &bits.p[1], bits.n - 1 };
	}
	return RSAB_OK;
}

/*
 * Contents of a PrivateKeyInfo behind its version.
 */
static int
info_parse(struct der in, unsigned version, struct pkcs8 *out)
{
	enum rsab_key_type type;
	struct der key;
	int r;

	if (version > 1)
		return RSAB_ERR_KEY;
	if ((r = spki_read_algorithm(&in, &type)) != 0)
		return r;
	if (der_read(&in, DER_OCTET_STRING, &key) != 0)
		return RSAB_ERR_KEY;
	r = type == RSAB_RSA ? rsa_parse(key, out) : ed25519_parse(key, out);
	if (r != 0)
		return r;
	return tail_parse(in, version, out);
}

/*
 * What begins with a SEQUENCE where a version should be: an
 * EncryptedPrivateKeyInfo (RFC 5958 s3), or no private key at all.
 */
static int
other_shape(struct der in)
{
	struct der algorithm, data;

	if (der_read(&in, DER_SEQUENCE, &algorithm) == 0 &&
	    der_read(&in, DER_OCTET_STRING, &data) == 0 && in.n == 0)
		return RSAB_ERR_ENCRYPTED;
	return RSAB_ERR_KEY;
}

int
pkcs8_parse(struct der in, struct pkcs8 *out)
{
	struct der whole = in, contents;
	struct pkcs8 key;
	unsigned version;
	int r;

	memset(&key, 0, sizeof key);
	if (der_read(&in, DER_SEQUENCE, &contents) != 0 || in.n != 0 ||
	    contents.n == 0)
		return RSAB_ERR_KEY;
	if (contents.p[0] == DER_SEQUENCE)
		return other_shape(contents);
	if (version_read(&contents, &version) != 0 || contents.n == 0)
		return RSAB_ERR_KEY;
	if (contents.p[0] == DER_SEQUENCE)
		r = info_parse(contents, version, &key);
	else if (contents.p[0] == DER_INTEGER)
		r = rsa_parse(whole, &key);
	else if (contents.p[0] == DER_OCTET_STRING)
		r = RSAB_ERR_KEY_TYPE;	/* ECPrivateKey, RFC 5915 s3 */
	else
		r = RSAB_ERR_KEY;
	if (r == 0)
		*out = key;
	return r;
}
