/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wiping, and private pages.
 */

/* system */
#include <sys/mman.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "mem.h"
#include "rsab.h"

/* More than any key here needs: a caller's bug, not a request. */
#define PRIVATE_MAX	((size_t)1 << 24)

static size_t
page_size(void)
{
	long size = sysconf(_SC_PAGESIZE);

	assert(size > 0);
	return (size_t)size;
}

/*
 * Octets of the pages that n octets fill.
 */
static size_t
pages_for(size_t n)
{
	size_t page = page_size();

	return (n + page - 1) / page * page;
}

/*
 * Each is a wish: an old kernel or a small limit may refuse it.
 */
static void
pages_protect(uint8_t *p, size_t n)
{
	(void)mlock(p, n);
#ifdef MADV_DONTDUMP
	(void)madvise(p, n, MADV_DONTDUMP);
#endif
#ifdef MADV_NOCORE
	(void)madvise(p, n, MADV_NOCORE);
#endif
#ifdef MADV_WIPEONFORK
	(void)madvise(p, n, MADV_WIPEONFORK);
#endif
}

uint8_t *
mem_private_new(size_t n)
{
	uint8_t *base, *inner;
	size_t page = page_size(), size;

	if (n == 0 || n > PRIVATE_MAX)
		return NULL;
	size = pages_for(n);
	base = mmap(NULL, size + 2 * page, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	inner = base + page;
	if (mprotect(inner, size, PROT_READ | PROT_WRITE) != 0) {
		(void)munmap(base, size + 2 * page);
		return NULL;
	}
	pages_protect(inner, size);
	return inner;
}

void
mem_private_free(uint8_t *p, size_t n)
{
	size_t page = page_size();

	if (p == NULL)
		return;
	rsab_wipe(p, n);
	(void)munmap(p - page, pages_for(n) + 2 * page);
}

void
rsab_wipe(void *p, size_t n)
{
	/* OPENSSL_cleanse goes octet by octet: 2 % of a short signature */
	if (n != 0)
		memset(p, 0, n);
	__asm__ volatile("" : : "r"(p) : "memory");
}

void
rsab_wipe_free(void *p, size_t n)
{
	if (p == NULL)
		return;
	rsab_wipe(p, n);
	free(p);
}
