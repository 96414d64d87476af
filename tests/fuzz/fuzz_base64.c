/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks base64_decode: it stays within its room, and what it gives comes
 * back through base64_encode.
 */

/* this room */
#include "dkim/base64.h"
#include "tests/fuzz/fuzz.h"

/*
 * Encode in, and decode that.
 */
static void
check_round(struct slice in)
{
	uint8_t *out;
	struct buf b;
	size_t n;

	buf_init(&b, 1 << 20);
	base64_encode(in, &b);
	FUZZ_WANT(buf_end(&b) == 0 && b.n == BASE64_SIZE(in.n));
	out = malloc(b.n / 4 * 3 + 3);
	FUZZ_WANT(out != NULL);
	FUZZ_WANT(base64_decode(buf_slice(&b), out, &n) == 0);
	FUZZ_WANT(slice_equal(slice_of(out, n), in));
	free(out);
	buf_clear(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	uint8_t *out;
	size_t out_n;

	if (n > 65536)
		return 0;
	out = malloc(n / 4 * 3 + 3);
	FUZZ_WANT(out != NULL);
	if (base64_decode(slice_of(p, n), out, &out_n) == 0) {
		FUZZ_WANT(out_n <= n / 4 * 3 + 3);
		check_round(slice_of(out, out_n));
	}
	free(out);
	check_round(slice_of(p, n));
	return 0;
}
