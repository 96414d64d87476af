/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A URI, parsed by p11-kit and held to what token_uri.c allows.
 */
#ifndef PKCS11_URI_H
#define PKCS11_URI_H

/* p11-kit */
#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>

/* this room */
#include "der.h"
#include "pkcs11_fail.h"

struct pkcs11_uri {
	P11KitUri	*parsed;
	bool		 has_object;	/* object or id */
	struct der	 label, id;	/* within parsed; n is 0: not there */
	const char	*pin_value;	/* within parsed; NULL */
	const char	*pin_path;	/* pin-source without "file:" */
};

/*
 * Parse a URI.
 *   text     printable ASCII
 *   pin_value  pin-value may stand there
 *   out      pkcs11_uri_clear wipes and frees
 *   errors   RSAB_ERR_URI, RSAB_ERR_NOMEM, with fail
 */
int pkcs11_uri_parse(struct der text, bool pin_value, struct pkcs11_uri *out,
    struct pkcs11_fail *fail) MUSTUSE;
void pkcs11_uri_clear(struct pkcs11_uri *uri);

/*
 * Does the URI name this token, or one that this module may have? Slot numbers
 * are not looked at: they change.
 */
bool pkcs11_uri_has_module(const struct pkcs11_uri *uri, const CK_INFO *info);
bool pkcs11_uri_has_token(const struct pkcs11_uri *uri,
    const CK_TOKEN_INFO *info);

#endif
