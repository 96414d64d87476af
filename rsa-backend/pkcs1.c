/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EMSA-PKCS1-v1_5 (RFC 8017 s9.2).
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs1.h"

/* RFC 8017 s9.2 step 4: at least eight octets of padding. */
#define PADDING_MIN	8

/* DER of DigestInfo up to the digest, RFC 8017 s9.2 note 1. */
static const uint8_t sha1_prefix[] = {
	0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a,
	0x05, 0x00, 0x04, 0x14,
};
static const uint8_t sha256_prefix[] = {
	0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65,
	0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20,
};

static const struct digest_info {
	enum rsab_hash	 hash;
	const uint8_t	*prefix;
	size_t		 prefix_size;
	size_t		 digest_size;
} digest_infos[] = {
	{ RSAB_SHA1, sha1_prefix, sizeof sha1_prefix, 20 },
	{ RSAB_SHA256, sha256_prefix, sizeof sha256_prefix, 32 },
};

#define DIGEST_INFOS	(sizeof digest_infos / sizeof digest_infos[0])

static const struct digest_info *
digest_info_find(enum rsab_hash hash)
{
	for (size_t i = 0; i < DIGEST_INFOS; i++)
		if (digest_infos[i].hash == hash)
			return &digest_infos[i];
	return NULL;
}

size_t
pkcs1_digest_size(enum rsab_hash hash)
{
	const struct digest_info *info = digest_info_find(hash);

	return info == NULL ? 0 : info->digest_size;
}

int
pkcs1_encode(enum rsab_hash hash, const uint8_t *digest, uint8_t *out,
    size_t n)
{
	const struct digest_info *info = digest_info_find(hash);
	size_t tail, padding;

	if (info == NULL)
		return RSAB_ERR_ARGUMENT;
	tail = info->prefix_size + info->digest_size;
	if (n < 3 + PADDING_MIN + tail)
		return RSAB_ERR_ARGUMENT;
	padding = n - 3 - tail;
	out[0] = 0x00;
	out[1] = 0x01;
	memset(&out[2], 0xff, padding);
	out[2 + padding] = 0x00;
	/* RFC 6376 s3.3.2: the hash as it is, none of it cut off */
	memcpy(&out[3 + padding], info->prefix, info->prefix_size);
	memcpy(&out[n - info->digest_size], digest, info->digest_size);
	return RSAB_OK;
}

int
pkcs1_digest_info(enum rsab_hash hash, const uint8_t *digest, uint8_t *out,
    size_t *n)
{
	const struct digest_info *info = digest_info_find(hash);

	if (info == NULL)
		return RSAB_ERR_ARGUMENT;
	memcpy(out, info->prefix, info->prefix_size);
	memcpy(&out[info->prefix_size], digest, info->digest_size);
	*n = info->prefix_size + info->digest_size;
	return RSAB_OK;
}
