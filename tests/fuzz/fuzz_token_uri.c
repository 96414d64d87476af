/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks pkcs11: URIs (rsab_token_uri_check, rsab_token_uri_print,
 * token_uri_with_id).
 */

/* system */
#include <string.h>

/* rsa-backend */
#include "rsa-backend/rsab.h"
#include "rsa-backend/token_uri.h"

/* this room */
#include "tests/fuzz/fuzz.h"

/*
 * A good URI is written as it is, but for what looks like a pin-value, whose
 * value is never written.
 */
static void
check_print(const char *uri, size_t n)
{
	char out[RSAB_TOKEN_URI_MAX + 64];
	const char *mark;

	rsab_token_uri_print(uri, n, out, sizeof out);
	FUZZ_WANT(strlen(out) < sizeof out);
	if (memmem(uri, n, "pin-value=", 10) == NULL)
		FUZZ_WANT(strlen(out) == n && memcmp(out, uri, n) == 0);
	mark = strstr(out, "pin-value=");
	while (mark != NULL) {
		mark += strlen("pin-value=");
		FUZZ_WANT(strncmp(mark, "***", 3) == 0);
		FUZZ_WANT(mark[3] == '&' || mark[3] == '\0');
		mark = strstr(mark, "pin-value=");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const uint8_t id[] = { 0xde, 0xad, 0x00 };
	const char *uri = (const char *)p;
	struct rsab_token_detail detail = { "" };
	char more[RSAB_TOKEN_URI_MAX], tight[16];
	bool with = rsab_token_uri_check(uri, n, true, &detail) == 0;
	bool without = rsab_token_uri_check(uri, n, false, &detail) == 0;
	size_t size;

	FUZZ_WANT(strlen(detail.text) < sizeof detail.text);
	FUZZ_WANT(with || !without);
	FUZZ_WANT(with || detail.text[0] != '\0');
	rsab_token_uri_print(uri, n, tight, n % sizeof tight + 1);
	if (!with)
		return 0;
	check_print(uri, n);
	size = token_uri_with_id(uri, n, id, sizeof id, more);
	FUZZ_WANT(size <= sizeof more);
	return 0;
}
