/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks dnspacket_parse with the answer of a hostile server to a question
 * for "s._domainkey.a.b": records are no longer than the packet in all.
 */

/* this room */
#include "milter/dnspacket.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct dnspacket out;
	size_t i, kept, octets = 0;

	if (dnspacket_parse(slice_of(p, n), "s._domainkey.a.b", &out) != 0) {
		FUZZ_WANT(out.octets == NULL);
		return 0;
	}
	kept = out.n < DKIM_TXT_RECORDS_MAX ? out.n : DKIM_TXT_RECORDS_MAX;
	for (i = 0; i < kept; i++) {
		FUZZ_WANT(fuzz_inside(out.records[i],
		    slice_of(out.octets, n)));
		octets += out.records[i].n;
	}
	FUZZ_WANT(octets <= n);
	FUZZ_WANT(out.rcode <= 15);
	dnspacket_clear(&out);
	return 0;
}
