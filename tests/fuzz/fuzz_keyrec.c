/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks keyrec_parse with one TXT record. What is usable has a key within
 * the limits, and its record, printed, is usable again.
 */

/* system */
#include <stdint.h>
#include <stdlib.h>

/* this room */
#include "dkim/keyrec.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	const struct rsab_backend *backend;
	struct keyrec rec, again;
	struct buf b;

	if (rsab_backend_find("libcrypto", &backend) != 0 ||
	    keyrec_parse(backend, slice_of(p, n), &rec) != 0)
		abort();
	if ((rec.state == KEYREC_USABLE) != (rec.key != NULL) ||
	    (rec.state == KEYREC_USABLE) != (rec.error == NULL))
		abort();
	if (rec.key != NULL) {
		if (rsab_key_bits(rec.key) > RSAB_RSA_BITS_MAX)
			abort();
		buf_init(&b, DKIM_TXT_MAX);
		if (dkim_key_record_print(rec.key, rec.testing, rec.strict,
		    &b) != 0 ||
		    keyrec_parse(backend, buf_slice(&b), &again) != 0 ||
		    again.state != KEYREC_USABLE ||
		    again.testing != rec.testing ||
		    again.strict != rec.strict)
			abort();
		keyrec_clear(&again);
		buf_clear(&b);
	}
	keyrec_clear(&rec);
	return 0;
}
