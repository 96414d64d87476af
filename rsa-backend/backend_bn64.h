/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backends of our own arithmetic: one a kind of machine.
 */
#ifndef BACKEND_BN64_H
#define BACKEND_BN64_H

/* this room */
#include "backend.h"
#include "bn/path.h"

/*
 * A backend and its paths. backend is the first member: keys come with its
 * address.
 */
struct bn64 {
	struct rsab_backend	 backend;
	const struct path	*lanes;		/* NULL: none */
	const struct path	*scalar;
};

/* Without lanes, in plain C; the others differ in name and paths only. */
extern const struct bn64 backend_bn64_portable;

#endif
