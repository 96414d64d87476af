/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PEM (RFC 7468), base64 (RFC 4648 s4) and DER of private keys.
 */

/* system */
#include <limits.h>
#include <string.h>

/* libcrypto */
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

/* this room */
#include "error.h"
#include "mem.h"
#include "pem.h"

/* What PEM_read_bio_ex gives; all of it is its heap, secure if there is one. */
struct block {
	char		*label;
	char		*header;
	unsigned char	*data;
	long		 data_size;
};

static const struct {
	const char	*label;
	int		 result;
} labels[] = {
	{ "PRIVATE KEY", RSAB_OK },
	{ "RSA PRIVATE KEY", RSAB_OK },
	{ "ENCRYPTED PRIVATE KEY", RSAB_ERR_ENCRYPTED },
	{ "EC PRIVATE KEY", RSAB_ERR_KEY_TYPE },
	{ "DSA PRIVATE KEY", RSAB_ERR_KEY_TYPE },
	{ "OPENSSH PRIVATE KEY", RSAB_ERR_KEY_TYPE },
};

#define LABELS	(sizeof labels / sizeof labels[0])

static void
block_clear(struct block *block)
{
	OPENSSL_secure_free(block->label);
	OPENSSL_secure_free(block->header);
	OPENSSL_secure_clear_free(block->data, (size_t)block->data_size);
	memset(block, 0, sizeof *block);
}

/*
 * Take the DER of a block that is a private key.
 *   found    whether the block is one, of any kind; the result is about it
 */
static int
block_take(const struct block *block, struct pem *out, bool *found)
{
	size_t i = 0, n = (size_t)block->data_size;

	while (i < LABELS && strcmp(block->label, labels[i].label) != 0)
		i++;
	*found = i < LABELS;
	if (!*found)
		return RSAB_OK;
	/* RFC 1421 s4.6.1.1: Proc-Type: 4,ENCRYPTED */
	if (strstr(block->header, "ENCRYPTED") != NULL)
		return RSAB_ERR_ENCRYPTED;
	if (labels[i].result != 0)
		return labels[i].result;
	if (n == 0)
		return RSAB_ERR_KEY;
	if ((out->pages = mem_private_new(n)) == NULL)
		return RSAB_ERR_NOMEM;
	out->pages_size = n;
	memcpy(out->pages, block->data, n);
	out->der = (struct der){ out->pages, n };
	return RSAB_OK;
}

static int
text_decode(struct der in, struct pem *out)
{
	struct block block = { NULL, NULL, NULL, 0 };
	bool found = false;
	BIO *bio;
	int r = RSAB_OK;

	if ((bio = BIO_new_mem_buf(in.p, (int)in.n)) == NULL)
		return error_take(RSAB_ERR_NOMEM);
	while (!found && r == 0) {
		/* The BIO gets shorter each time, so this ends. */
		if (PEM_read_bio_ex(bio, &block.label, &block.header,
		    &block.data, &block.data_size,
		    PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE) != 1)
			r = error_take(RSAB_ERR_KEY);
		else
			r = block_take(&block, out, &found);
		block_clear(&block);
	}
	BIO_free(bio);
	return r;
}

static bool
is_base64(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	    (c >= '0' && c <= '9') || c == '+' || c == '/';
}

static bool
is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * Base64 without white space and NUL-ended to out; "=" only as padding.
 *   out      in.n + 1 octets
 *   returns  its octets, a multiple of 4; 0 when it is no base64
 */
static size_t
base64_squeeze(struct der in, uint8_t *out, size_t *padding)
{
	size_t at = 0;

	*padding = 0;
	for (size_t i = 0; i < in.n; i++) {
		uint8_t c = in.p[i];

		if (is_space(c))
			continue;
		if (c == '=')
			++*padding;
		else if (!is_base64(c) || *padding != 0)
			return 0;
		out[at++] = c;
	}
	out[at] = '\0';
	return at % 4 == 0 && *padding <= 2 ? at : 0;
}

/*
 * One run of private pages holds both: the text without white space, and
 * behind it the octets, since EVP_DecodeBlock does not promise that its
 * output may overlap its input.
 */
static int
base64_decode(struct der in, struct pem *out)
{
	size_t n, padding, size = 2 * (in.n + 1);
	int decoded;

	if ((out->pages = mem_private_new(size)) == NULL)
		return RSAB_ERR_NOMEM;
	out->pages_size = size;
	n = base64_squeeze(in, out->pages, &padding);
	if (n == 0)
		return RSAB_ERR_KEY;
	decoded = EVP_DecodeBlock(&out->pages[in.n + 1], out->pages, (int)n);
	if (decoded < 0 || (size_t)decoded <= padding)
		return error_take(RSAB_ERR_KEY);
	out->der = (struct der){ &out->pages[in.n + 1],
	    (size_t)decoded - padding };
	return RSAB_OK;
}

int
pem_decode(struct der in, struct pem *out)
{
	struct der rest = in, contents;
	struct pem pem;
	int r;

	memset(&pem, 0, sizeof pem);
	if (in.n == 0 || in.n > RSAB_KEY_FILE_MAX)
		return RSAB_ERR_KEY;
	if (der_read(&rest, DER_SEQUENCE, &contents) == 0 && rest.n == 0) {
		pem.der = in;
		*out = pem;
		return RSAB_OK;
	}
	/* "-" is none of base64's, so PEM is never taken for it. */
	r = base64_decode(in, &pem);
	if (r == RSAB_ERR_KEY) {
		pem_clear(&pem);
		r = text_decode(in, &pem);
	}
	if (r == 0)
		*out = pem;
	else
		pem_clear(&pem);
	return r;
}

void
pem_clear(struct pem *pem)
{
	mem_private_free(pem->pages, pem->pages_size);
	memset(pem, 0, sizeof *pem);
}
