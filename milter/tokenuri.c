/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pkcs11: URIs as slices.
 */

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter/tokenuri.h"

bool
tokenuri_is(struct slice text)
{
	struct slice scheme = slice_text("pkcs11:");

	return text.n >= scheme.n && slice_equal_nocase(slice_sub(text, 0,
	    scheme.n), scheme);
}

static void
add(struct buf *out, const char *text, size_t n)
{
	buf_add(out, (struct slice){ (const uint8_t *)text, n });
}

void
tokenuri_token(struct slice uri, struct buf *out)
{
	char name[RSAB_TOKEN_URI_MAX];

	add(out, name, rsab_token_uri_token((const char *)uri.p, uri.n, name));
}

void
tokenuri_pin_source(struct slice uri, struct buf *out)
{
	char path[RSAB_TOKEN_URI_MAX];

	add(out, path, rsab_token_uri_pin_source((const char *)uri.p, uri.n,
	    path));
}
