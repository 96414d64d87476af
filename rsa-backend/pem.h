/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A private key's file to its DER: PEM, base64 of DER, or DER itself.
 */
#ifndef PEM_H
#define PEM_H

/* this room */
#include "der.h"
#include "rsab.h"

/* DER, and the private pages it lies in, unless it is the input itself. */
struct pem {
	struct der	 der;
	uint8_t		*pages;
	size_t		 pages_size;
};

/*
 * Find the DER of a private key. Nothing ever asks for a pass phrase.
 *   in       the first private key in PEM is taken, whatever stands around
 *            it; DER and base64 fill the whole input, but for white space
 *            in base64
 *   out      pem_clear wipes it; borrows in when that is DER
 *   errors   RSAB_ERR_KEY, RSAB_ERR_ENCRYPTED, RSAB_ERR_NOMEM;
 *            RSAB_ERR_KEY_TYPE: the PEM label says so
 *   source   RFC 7468, RFC 1421 s4.6 (Proc-Type)
 */
int pem_decode(struct der in, struct pem *out) MUSTUSE;

/*
 * Wipe and free.
 */
void pem_clear(struct pem *pem);

#endif
