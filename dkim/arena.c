/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that goes all at once; see arena.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "arena.h"

#define BLOCK_FIRST	4096	/* octets of the first block */
#define BLOCK_LAST	65536	/* octets; blocks double up to here */

struct arena_block {
	struct arena_block	*next;
	size_t			 space;	/* octets in data */
	size_t			 used;
	bool			 lent;	/* the caller's memory */
	_Alignas(max_align_t) uint8_t data[];
};

/*
 * n rounded up to the alignment; n is below SIZE_MAX - BLOCK_LAST.
 */
static size_t
aligned(size_t n)
{
	size_t unit = _Alignof(max_align_t);

	return (n + unit - 1) / unit * unit;
}

static struct arena_block *
block_new(const struct arena *a, size_t n)
{
	struct arena_block *b;
	size_t space = BLOCK_FIRST;

	if (a->head != NULL)
		space = a->head->space < BLOCK_LAST ? a->head->space * 2 :
		    BLOCK_LAST;
	if (space < n)
		space = n;
	if ((b = malloc(sizeof(*b) + space)) == NULL)
		return NULL;
	b->next = a->head;
	b->space = space;
	b->used = 0;
	b->lent = false;
	return b;
}

void
arena_init(struct arena *a, size_t cap)
{
	*a = (struct arena){ .cap = cap };
}

void
arena_init_on(struct arena *a, size_t cap, void *memory, size_t n)
{
	struct arena_block *b = memory;

	assert(n > sizeof(*b));
	b->next = NULL;
	b->space = n - sizeof(*b);
	b->used = 0;
	b->lent = true;
	*a = (struct arena){ .head = b, .cap = cap };
}

void *
arena_alloc(struct arena *a, size_t n)
{
	struct arena_block *b = a->head;
	void *p;

	if (arena_is_full(a, n) || n > SIZE_MAX / 2)
		return NULL;
	/* an allocation of nothing still has an address of its own */
	n = aligned(n == 0 ? 1 : n);
	if (b == NULL || b->space - b->used < n) {
		if ((b = block_new(a, n)) == NULL)
			return NULL;
		a->head = b;
	}
	p = &b->data[b->used];
	b->used += n;
	a->used += n;
	return p;
}

struct slice
arena_copy(struct arena *a, struct slice s)
{
	uint8_t *p = arena_alloc(a, s.n);

	if (p == NULL)
		return slice_of(NULL, 0);
	if (s.n != 0)
		memcpy(p, s.p, s.n);
	return slice_of(p, s.n);
}

bool
arena_is_full(const struct arena *a, size_t n)
{
	return a->used > a->cap || n > a->cap - a->used;
}

void
arena_clear(struct arena *a)
{
	struct arena_block *b;

	while ((b = a->head) != NULL) {
		a->head = b->next;
		if (!b->lent)
			free(b);
	}
	a->used = 0;
}
