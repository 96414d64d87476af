/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the n-th allocation fail. Test programs are linked with --wrap for
 * malloc, calloc, realloc, reallocarray, aligned_alloc, posix_memalign, strdup,
 * strndup, asprintf and vasprintf, so this meets the calls of our own objects
 * and never those inside a shared library.
 */
#ifndef FAILMALLOC_H
#define FAILMALLOC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Let the n-th allocation from now on fail, once; all later ones succeed.
 *   n        1 is the next one; 0 counts only
 */
void failmalloc_at(size_t n);

/* As failmalloc_at, but all allocations from the n-th on fail. */
void failmalloc_from(size_t n);

/* Back to normal. Also in force before the first call. */
void failmalloc_off(void);

/* Allocations tried since the last failmalloc_at, _from or _off. */
size_t failmalloc_count(void);

/* Octets that these asked for; what vasprintf makes is not known. */
size_t failmalloc_octets(void);

/* Whether an allocation was made to fail since then. */
bool failmalloc_hit(void);

#endif
