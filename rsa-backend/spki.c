/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SubjectPublicKeyInfo (RFC 5280 s4.1.2.7), RSAPublicKey (RFC 8017 A.1.1).
 */

/* system */
#include <string.h>

/* this room */
#include "spki.h"

/* 1.2.840.113549.1.1.1, RFC 8017 A.1 */
static const uint8_t oid_rsa[] = {
	0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01,
};

/* 1.3.101.112, RFC 8410 s3 */
static const uint8_t oid_ed25519[] = { 0x2b, 0x65, 0x70 };

/* AlgorithmIdentifier of RSA with its NULL, RFC 8017 A.1 */
static const uint8_t rsa_algorithm[] = {
	0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01,
	0x01, 0x01, 0x05, 0x00,
};

/* All of the SubjectPublicKeyInfo of Ed25519 before the point */
static const uint8_t ed25519_head[] = {
	0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21,
	0x00,
};

int
spki_read_algorithm(struct der *in, enum rsab_key_type *type)
{
	struct der algorithm, oid, null;

	if (der_read(in, DER_SEQUENCE, &algorithm) != 0 ||
	    der_read(&algorithm, DER_OID, &oid) != 0)
		return RSAB_ERR_KEY;
	if (der_is(oid, oid_ed25519, sizeof oid_ed25519)) {
		*type = RSAB_ED25519;
		return algorithm.n == 0 ? RSAB_OK : RSAB_ERR_KEY;
	}
	if (!der_is(oid, oid_rsa, sizeof oid_rsa))
		return RSAB_ERR_KEY_TYPE;
	*type = RSAB_RSA;
	if (algorithm.n == 0)
		return RSAB_OK;
	if (der_read(&algorithm, DER_NULL, &null) != 0 || null.n != 0 ||
	    algorithm.n != 0)
		return RSAB_ERR_KEY;
	return RSAB_OK;
}

static bool
is_odd(struct der magnitude)
{
	return magnitude.n != 0 && (magnitude.p[magnitude.n - 1] & 1) != 0;
}

int
spki_check_rsa(const struct spki_rsa *rsa)
{
	size_t bits = der_bits(rsa->n);

	if (bits < RSAB_RSA_BITS_MIN || bits > RSAB_RSA_BITS_MAX ||
	    der_bits(rsa->e) > RSAB_EXPONENT_BITS_MAX)
		return RSAB_ERR_KEY_SIZE;
	/* RFC 8017 s3.1: e is 3 to n - 1, prime to the even lambda(n) */
	if (!is_odd(rsa->n) || !is_odd(rsa->e) || der_bits(rsa->e) < 2)
		return RSAB_ERR_KEY;
	return RSAB_OK;
}

/*
 * Contents of an RSAPublicKey, without its SEQUENCE.
 */
static int
rsa_contents_parse(struct der in, struct spki_rsa *out)
{
	struct spki_rsa rsa;
	int r;

	if ((r = der_read_unsigned(&in, &rsa.n)) != 0 ||
	    (r = der_read_unsigned(&in, &rsa.e)) != 0)
		return r;
	if (in.n != 0)
		return RSAB_ERR_KEY;
	if ((r = spki_check_rsa(&rsa)) != 0)
		return r;
	*out = rsa;
	return RSAB_OK;
}

/*
 * Contents of a SubjectPublicKeyInfo to those of its RSAPublicKey.
 */
static int
info_unwrap(struct der in, struct der *out)
{
	enum rsab_key_type type;
	struct der bits, contents;
	int r;

	if ((r = spki_read_algorithm(&in, &type)) != 0)
		return r;
	if (type != RSAB_RSA)
		return RSAB_ERR_KEY_TYPE;
	if (der_read(&in, DER_BIT_STRING, &bits) != 0 || in.n != 0)
		return RSAB_ERR_KEY;
	/* The first octet counts unused bits: DER in it is whole octets. */
	if (bits.n < 1 || bits.p[0] != 0)
		return RSAB_ERR_KEY;
	bits.p = &bits.p[1];
	bits.n--;
	if (der_read(&bits, DER_SEQUENCE, &contents) != 0 || bits.n != 0)
		return RSAB_ERR_KEY;
	*out = contents;
	return RSAB_OK;
}

int
spki_parse_rsa(struct der in, struct spki_rsa *out)
{
	struct der contents;
	int r;

	if (der_read(&in, DER_SEQUENCE, &contents) != 0 || in.n != 0)
		return RSAB_ERR_KEY;
	if (contents.n != 0 && contents.p[0] == DER_SEQUENCE &&
	    (r = info_unwrap(contents, &contents)) != 0)
		return r;
	return rsa_contents_parse(contents, out);
}

/*
 * Octets of the contents of the RSAPublicKey.
 */
static size_t
rsa_contents_size(const struct spki_rsa *rsa)
{
	return der_element_size(der_unsigned_size(rsa->n)) +
	    der_element_size(der_unsigned_size(rsa->e));
}

size_t
spki_rsa_size(const struct spki_rsa *rsa)
{
	size_t bits = 1 + der_element_size(rsa_contents_size(rsa));

	return der_element_size(sizeof rsa_algorithm +
	    der_element_size(bits));
}

void
spki_print_rsa(const struct spki_rsa *rsa, uint8_t *out,
    struct spki_rsa *written)
{
	size_t contents = rsa_contents_size(rsa);
	size_t bits = 1 + der_element_size(contents);
	size_t at;

	at = der_put_header(out, DER_SEQUENCE,
	    sizeof rsa_algorithm + der_element_size(bits));
	memcpy(&out[at], rsa_algorithm, sizeof rsa_algorithm);
	at += sizeof rsa_algorithm;
	at += der_put_header(&out[at], DER_BIT_STRING, bits);
	out[at++] = 0;
	at += der_put_header(&out[at], DER_SEQUENCE, contents);
	at += der_put_unsigned(&out[at], rsa->n);
	written->n = (struct der){ &out[at - rsa->n.n], rsa->n.n };
	at += der_put_unsigned(&out[at], rsa->e);
	written->e = (struct der){ &out[at - rsa->e.n], rsa->e.n };
}

void
spki_print_ed25519(const uint8_t point[SPKI_ED25519_POINT],
    uint8_t out[SPKI_ED25519_SIZE])
{
	memcpy(out, ed25519_head, sizeof ed25519_head);
	memcpy(&out[sizeof ed25519_head], point, SPKI_ED25519_POINT);
}
