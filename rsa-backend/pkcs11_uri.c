/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A URI, parsed by p11-kit (RFC 7512).
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "pkcs11_uri.h"
#include "token_detail.h"
#include "token_uri.h"

/* The slot-id of a URI that has none. */
#define NO_SLOT_ID	((CK_SLOT_ID)-1)

static const char *const parse_errors[] = {
	[-P11_KIT_URI_BAD_SCHEME] = "it does not begin with pkcs11:",
	[-P11_KIT_URI_BAD_ENCODING] = "a %XX in it is wrong",
	[-P11_KIT_URI_BAD_SYNTAX] = "its syntax is wrong",
	[-P11_KIT_URI_BAD_VERSION] = "library-version is wrong",
};

#define PARSE_ERRORS	(sizeof parse_errors / sizeof parse_errors[0])

/*
 * The value of an attribute; n is 0 where there is none.
 */
static struct der
attribute(P11KitUri *uri, CK_ATTRIBUTE_TYPE type)
{
	CK_ATTRIBUTE *a = p11_kit_uri_get_attribute(uri, type);

	if (a == NULL || a->pValue == NULL)
		return (struct der){ NULL, 0 };
	return (struct der){ a->pValue, a->ulValueLen };
}

/*
 * What token_uri.c cannot see before all is decoded.
 */
static int
check(struct pkcs11_uri *uri, struct pkcs11_fail *fail)
{
	P11KitUri *p = uri->parsed;
	struct der class = attribute(p, CKA_CLASS);
	CK_OBJECT_CLASS value = CKO_PRIVATE_KEY;
	const CK_TOKEN_INFO *token = p11_kit_uri_get_token_info(p);
	bool named = token->label[0] != 0 || token->serialNumber[0] != 0 ||
	    token->manufacturerID[0] != 0 || token->model[0] != 0;

	if (class.n == sizeof value)
		memcpy(&value, class.p, sizeof value);
	if (class.n != 0 && value != CKO_PRIVATE_KEY)
		return pkcs11_fail_set(fail, RSAB_ERR_URI, "the URI's type is "
		    "not private: only a private key signs");
	if (p11_kit_uri_get_module_name(p) != NULL ||
	    p11_kit_uri_get_module_path(p) != NULL)
		return pkcs11_fail_set(fail, RSAB_ERR_URI, "the URI names a "
		    "module, which only the configuration file may do");
	if (p11_kit_uri_get_slot_id(p) != NO_SLOT_ID && !named)
		return pkcs11_fail_set(fail, RSAB_ERR_URI, "the URI names its "
		    "token by a slot number only, and these change: name it by "
		    "token or serial");
	return RSAB_OK;
}

/*
 * Take the pieces out that are used often.
 */
static int
pieces(struct pkcs11_uri *uri, bool pin_value, struct pkcs11_fail *fail)
{
	const char *source = p11_kit_uri_get_pin_source(uri->parsed);

	uri->label = attribute(uri->parsed, CKA_LABEL);
	uri->id = attribute(uri->parsed, CKA_ID);
	uri->has_object = uri->label.n != 0 || uri->id.n != 0;
	uri->pin_value = p11_kit_uri_get_pin_value(uri->parsed);
	if (uri->pin_value != NULL && !pin_value)
		return pkcs11_fail_set(fail, RSAB_ERR_URI, "pin-value is "
		    "allowed in the configuration file only; use pin-source");
	if (source == NULL)
		return RSAB_OK;
	source += token_uri_before_path(source, strlen(source));
	if (source[0] != '/')
		return pkcs11_fail_set(fail, RSAB_ERR_URI, "pin-source is not "
		    "the full path of a file");
	uri->pin_path = source;
	return RSAB_OK;
}

int
pkcs11_uri_parse(struct der text, bool pin_value, struct pkcs11_uri *out,
    struct pkcs11_fail *fail)
{
	struct pkcs11_uri uri = { .has_object = false };
	char copy[RSAB_TOKEN_URI_MAX + 1];
	int r;

	r = rsab_token_uri_check((const char *)text.p, text.n, pin_value,
	    &fail->detail);
	if (r != 0) {
		fail->act = PKCS11_GIVE_UP;
		fail->error = r;
		return r;
	}
	if ((uri.parsed = p11_kit_uri_new()) == NULL)
		return pkcs11_fail_set(fail, RSAB_ERR_NOMEM, "out of memory");
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	r = p11_kit_uri_parse(copy, P11_KIT_URI_FOR_ANY, uri.parsed);
	rsab_wipe(copy, sizeof copy);
	if (r == P11_KIT_URI_UNEXPECTED)
		r = pkcs11_fail_set(fail, RSAB_ERR_NOMEM, "out of memory");
	else if (r != P11_KIT_URI_OK)
		r = pkcs11_fail_set(fail, RSAB_ERR_URI, "the URI is wrong: %s",
		    (size_t)-r < PARSE_ERRORS && parse_errors[-r] != NULL ?
		    parse_errors[-r] : "p11-kit does not take it");
	if (r == 0)
		r = pieces(&uri, pin_value, fail);
	if (r == 0)
		r = check(&uri, fail);
	if (r != 0)
		pkcs11_uri_clear(&uri);
	else
		*out = uri;
	return r;
}

void
pkcs11_uri_clear(struct pkcs11_uri *uri)
{
	/* p11-kit wipes no PIN before it frees it */
	const char *pin = uri->parsed == NULL ? NULL :
	    p11_kit_uri_get_pin_value(uri->parsed);

	if (pin != NULL)
		rsab_wipe((void *)(uintptr_t)pin, strlen(pin));
	if (uri->parsed != NULL)
		p11_kit_uri_free(uri->parsed);
	uri->parsed = NULL;
}

bool
pkcs11_uri_has_module(const struct pkcs11_uri *uri, const CK_INFO *info)
{
	return p11_kit_uri_match_module_info(uri->parsed, info) == 1;
}

bool
pkcs11_uri_has_token(const struct pkcs11_uri *uri, const CK_TOKEN_INFO *info)
{
	return p11_kit_uri_match_token_info(uri->parsed, info) == 1;
}
