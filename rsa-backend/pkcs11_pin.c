/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where PINs come from.
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs11_pin.h"

int
pkcs11_pin_get(const struct pkcs11_pins *pins, const struct pkcs11_uri *uri,
    uint8_t *out, size_t *n, bool *has, struct pkcs11_fail *fail)
{
	int r;

	*has = true;
	if (uri->pin_value != NULL) {
		*n = strlen(uri->pin_value);
		if (*n > RSAB_TOKEN_PIN_MAX)
			return pkcs11_fail_set(fail, RSAB_ERR_PIN, "pin-value "
			    "is longer than %d octets", RSAB_TOKEN_PIN_MAX);
		memcpy(out, uri->pin_value, *n);
		return RSAB_OK;
	}
	if (uri->pin_path != NULL) {
		r = pins->host->pin(pins->host->context, uri->pin_path,
		    pins->folders, out, n, &fail->detail);
		if (r != 0) {
			fail->act = PKCS11_GIVE_UP;
			fail->error = r;
			fail->rv = CKR_OK;
		}
		return r;
	}
	*has = pins->own != NULL;
	*n = pins->own_n;
	if (*has)
		memcpy(out, pins->own, *n);
	return RSAB_OK;
}
