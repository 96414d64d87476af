/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks testkeys_parse with a file: a record put behind everything else is
 * found, and a bad line has a number.
 */

/* this room */
#include "milter/testkeys.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const char own[] = "own._domainkey.example.com";
	struct slice in = slice_of(p, n), found[8], name;
	struct testkeys *keys = NULL;
	struct buf b;
	unsigned line = 0;
	size_t count;

	buf_init(&b, 1 << 20);
	buf_add(&b, in);
	buf_add_format(&b, "\n%s v=DKIM1; p=last\n", own);
	if (buf_end(&b) != 0)
		return 0;
	if (testkeys_parse(buf_slice(&b), &keys, &line) != 0) {
		FUZZ_WANT(line >= 1);
		buf_clear(&b);
		return 0;
	}
	buf_clear(&b);
	count = testkeys_find(keys, slice_text(own), found, 8);
	FUZZ_WANT(count >= 1);
	if (count <= 8)
		FUZZ_WANT(slice_is(found[count - 1], "v=DKIM1; p=last"));
	while (in.n > 0) {
		name = fuzz_until(&in, '\n');
		(void)testkeys_find(keys, name, found, 8);
	}
	testkeys_free(keys);
	return 0;
}
