/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that goes all at once: one arena per message. Part of the engine's
 * public header.
 */
#ifndef DKIM_ARENA_H
#define DKIM_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "slice.h"

struct arena_block;

struct arena {
	struct arena_block	*head;
	size_t			 used;	/* octets handed out */
	size_t			 cap;	/* octets it may hand out */
};

void arena_init(struct arena *a, size_t cap);

/*
 * The same, and the first block is the caller's: n octets of memory aligned
 * for any type (64 or more), which stay there until arena_clear.
 */
void arena_init_on(struct arena *a, size_t cap, void *memory, size_t n);

/*
 * n octets aligned for any type, or NULL: no memory, or the cap is passed
 * (arena_is_full tells which). They live until arena_clear.
 */
void *arena_alloc(struct arena *a, size_t n);

/*
 * A copy of s in the arena; p is NULL on failure.
 */
struct slice arena_copy(struct arena *a, struct slice s);

/*
 * Would n more octets pass the cap?
 */
bool arena_is_full(const struct arena *a, size_t n);

void arena_clear(struct arena *a);

#endif
