/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocation that fails on demand: the linker hands each malloc(3) of our
 * objects to __wrap_malloc here, and __real_malloc is the C library's. Counters
 * are atomic, since worker threads allocate too.
 */

/* system */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "tests/failmalloc.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t k, size_t n);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
int __real_posix_memalign(void **out, size_t align, size_t n);
int __real_vasprintf(char **out, const char *format, va_list args);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t k, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t k, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
int __wrap_posix_memalign(void **out, size_t align, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
int __wrap_vasprintf(char **out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static atomic_size_t first, last, count, octets;
static atomic_bool hit;

static bool
fails(size_t wanted)
{
	size_t n = atomic_fetch_add(&count, 1) + 1;

	atomic_fetch_add(&octets, wanted);
	if (n < atomic_load(&first) || n > atomic_load(&last))
		return false;
	atomic_store(&hit, true);
	errno = ENOMEM;
	return true;
}

static void
set(size_t from, size_t to)
{
	atomic_store(&first, from);
	atomic_store(&last, to);
	atomic_store(&count, 0);
	atomic_store(&octets, 0);
	atomic_store(&hit, false);
}

void
failmalloc_at(size_t n)
{
	set(n, n);
}

void
failmalloc_from(size_t n)
{
	set(n, SIZE_MAX);
}

void
failmalloc_off(void)
{
	set(0, 0);
}

size_t
failmalloc_count(void)
{
	return atomic_load(&count);
}

size_t
failmalloc_octets(void)
{
	return atomic_load(&octets);
}

bool
failmalloc_hit(void)
{
	return atomic_load(&hit);
}

void *
__wrap_malloc(size_t n)
{
	return fails(n) ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t k, size_t n)
{
	return fails(k * n) ? NULL : __real_calloc(k, n);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return fails(n) ? NULL : __real_realloc(p, n);
}

void *
__wrap_reallocarray(void *p, size_t k, size_t n)
{
	if (n != 0 && k > SIZE_MAX / n) {
		errno = ENOMEM;
		return NULL;
	}
	return fails(k * n) ? NULL : __real_realloc(p, k * n);
}

void *
__wrap_aligned_alloc(size_t align, size_t n)
{
	return fails(n) ? NULL : __real_aligned_alloc(align, n);
}

int
__wrap_posix_memalign(void **out, size_t align, size_t n)
{
	return fails(n) ? ENOMEM : __real_posix_memalign(out, align, n);
}

char *
__wrap_strdup(const char *s)
{
	return __wrap_strndup(s, SIZE_MAX - 1);
}

char *
__wrap_strndup(const char *s, size_t n)
{
	size_t k = strnlen(s, n);
	char *copy = __wrap_malloc(k + 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, s, k);
	copy[k] = '\0';
	return copy;
}

int
__wrap_vasprintf(char **out, const char *format, va_list args)
{
	return fails(0) ? -1 : __real_vasprintf(out, format, args);
}

int
__wrap_asprintf(char **out, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = __wrap_vasprintf(out, format, args);
	va_end(args);
	return n;
}
