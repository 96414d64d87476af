/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Secrets told to a checker: valgrind's memcheck (SECRET_VALGRIND) or clang's
 * MemorySanitizer. Both then report a branch or an address that depends on one
 * as on memory that was never written (Langley 2010, ctgrind).
 */
#ifndef SECRET_H
#define SECRET_H

/* system */
#include <stddef.h>

#if defined(SECRET_VALGRIND)
#include <valgrind/memcheck.h>

static inline void
secret_is(void *p, size_t n)
{
	(void)VALGRIND_MAKE_MEM_UNDEFINED(p, n);
}

static inline void
secret_is_not(void *p, size_t n)
{
	(void)VALGRIND_MAKE_MEM_DEFINED(p, n);
}

/*
 * The checker's name, or NULL: it is not there, and nothing is checked.
 */
static inline const char *
secret_checker(void)
{
	return RUNNING_ON_VALGRIND ? "valgrind" : NULL;
}
#elif defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SECRET_MSAN
#endif
#endif

#ifdef SECRET_MSAN
static inline void
secret_is(void *p, size_t n)
{
	__msan_poison(p, n);
}

static inline void
secret_is_not(void *p, size_t n)
{
	__msan_unpoison(p, n);
}

static inline const char *
secret_checker(void)
{
	return "MSan";
}
#elif !defined(SECRET_VALGRIND)
#error "neither -DSECRET_VALGRIND nor -fsanitize=memory"
#endif

#endif
