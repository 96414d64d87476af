/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a token tells of itself.
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs11_info.h"
#include "pkcs11_object.h"
#include "token_detail.h"

static void
mechanisms(const struct pkcs11_token *token, CK_SLOT_ID slot,
    struct rsab_token_info *out)
{
	CK_ULONG least = 0, most = 0;

	out->signs_ed25519 = pkcs11_object_mechanism(token, slot, CKM_EDDSA,
	    CKF_SIGN, &least, &most);
	out->signs_rsa = pkcs11_object_mechanism(token, slot, CKM_RSA_PKCS,
	    CKF_SIGN, &least, &most) || pkcs11_object_mechanism(token, slot,
	    CKM_RSA_X_509, CKF_SIGN, &least, &most);
	/* NSS says 2^32 - 1 for "no end" */
	if (out->signs_rsa && least < UINT32_MAX)
		out->rsa_bits_min = (unsigned)least;
	if (out->signs_rsa && most < UINT32_MAX)
		out->rsa_bits_max = (unsigned)most;
}

int
pkcs11_info_read(const struct pkcs11_token *token,
    struct rsab_token_info *out, struct pkcs11_fail *fail)
{
	CK_TOKEN_INFO info;
	CK_SLOT_ID slot = 0;
	int r;

	if ((r = pkcs11_token_find(token, &slot, &info, fail)) != 0)
		return r;
	memset(out, 0, sizeof *out);
	token_detail_copy(info.label, sizeof info.label, out->label,
	    sizeof out->label);
	token_detail_copy(info.manufacturerID, sizeof info.manufacturerID,
	    out->manufacturer, sizeof out->manufacturer);
	token_detail_copy(info.model, sizeof info.model, out->model,
	    sizeof out->model);
	token_detail_copy(info.serialNumber, sizeof info.serialNumber,
	    out->serial, sizeof out->serial);
	if (info.ulMaxSessionCount != CK_UNAVAILABLE_INFORMATION)
		out->sessions_max = info.ulMaxSessionCount;
	out->needs_login = (info.flags & CKF_LOGIN_REQUIRED) != 0;
	out->pin_locked = (info.flags & CKF_USER_PIN_LOCKED) != 0;
	mechanisms(token, slot, out);
	return RSAB_OK;
}
