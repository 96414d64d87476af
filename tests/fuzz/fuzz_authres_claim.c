/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks dkim_authres_claims with a field body. It fails closed: with our own
 * id in front the field is never foreign.
 */

/* system */
#include <stdint.h>
#include <stdlib.h>

/* this room */
#include "dkim/dkim.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	const struct slice id = slice_text("mx.example.org");
	struct buf b;

	(void)dkim_authres_claims(slice_of(p, n), &id, 1);
	buf_init(&b, n + 64);
	buf_add_text(&b, " (x) \"mx.example.ORG\";");
	buf_add(&b, slice_of(p, n));
	if (buf_end(&b) != 0)
		return 0;
	if (dkim_authres_claims(buf_slice(&b), &id, 1) ==
	    DKIM_AUTHRES_FOREIGN)
		abort();
	buf_clear(&b);
	return 0;
}
