/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where PINs come from: the URI, the file that it names, the configuration.
 */
#ifndef PKCS11_PIN_H
#define PKCS11_PIN_H

/* this room */
#include "pkcs11_fail.h"
#include "pkcs11_uri.h"
#include "rsab.h"

struct pkcs11_pins {
	const struct rsab_token_host	*host;
	char				 folders[RSAB_TOKEN_FOLDERS_MAX + 1];
	uint8_t				*own;	/* of the configuration */
	size_t				 own_n;
	bool				 careful;	/* rsab_token_setup */
};

/*
 * Get the PIN for a URI. Nothing is kept: a file is read each time.
 *   out      RSAB_TOKEN_PIN_MAX octets, the caller wipes them
 *   n        out: octets
 *   has      out: false, there is none
 *   errors   RSAB_ERR_PIN, with fail
 */
int pkcs11_pin_get(const struct pkcs11_pins *pins,
    const struct pkcs11_uri *uri, uint8_t *out, size_t *n, bool *has,
    struct pkcs11_fail *fail) MUSTUSE;

#endif
