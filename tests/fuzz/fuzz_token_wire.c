/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the records between a program and its token helper, both ways
 * (token_wire_parse, token_wire_print, token_wire_get_info): what is taken is
 * written again as the same octets.
 */

/* rsa-backend */
#include "rsa-backend/token_wire.h"

/* system */
#include <string.h>

/* this room */
#include "tests/fuzz/fuzz.h"

static void
check_info(struct der in)
{
	struct rsab_token_info info;
	uint8_t again[TOKEN_WIRE_INFO];

	if (token_wire_get_info(in, &info) != 0)
		return;
	token_wire_put_info(&info, again);
	FUZZ_WANT(memcmp(again, in.p, sizeof again) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct token_wire record;
	uint8_t again[TOKEN_WIRE_MAX];
	size_t size;

	check_info((struct der){ p, n });
	if (token_wire_parse((struct der){ p, n }, &record) != 0)
		return 0;
	for (size_t i = 0; i < TOKEN_WIRE_FIELDS; i++)
		FUZZ_WANT(fuzz_inside((struct slice){ record.field[i].p,
		    record.field[i].n }, (struct slice){ p, n }));
	FUZZ_WANT(token_wire_print(&record, again, &size) == 0);
	FUZZ_WANT(size == n && memcmp(again, p, n) == 0);
	if (record.answer)
		FUZZ_WANT(token_wire_error(&record) <= 0);
	return 0;
}
