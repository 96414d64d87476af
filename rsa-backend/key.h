/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key, for this room: immutable after load, but for its count and for the
 * idle contexts inside evp.
 */
#ifndef KEY_H
#define KEY_H

/* system */
#include <stdatomic.h>

/* this room */
#include "backend.h"
#include "evpkey.h"
#include "rsab.h"
#include "spki.h"

struct rsab_key {
	atomic_uint			 references;
	const struct rsab_backend	*backend;
	enum rsab_key_type		 type;
	bool				 is_private;
	unsigned			 bits;
	size_t				 signature_size;
	struct spki_rsa			 rsa;	/* within spki */
	struct evpkey			*evp;	/* at least the public half */
	void				*own;	/* the backend's */
	uint8_t				 fingerprint[RSAB_FINGERPRINT_SIZE];
	size_t				 spki_size;
	uint8_t				 spki[];
};

#endif
