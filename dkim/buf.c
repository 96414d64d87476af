/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sticky writer with a cap; see buf.h.
 */

/* system */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "buf.h"
#include "dkim.h"

#define BUF_FIRST	512	/* octets of the first allocation */

bool
buf_reserve(struct buf *b, size_t more)
{
	size_t space;
	uint8_t *p;

	if (b->error != 0)
		return false;
	if (more > b->cap - b->n) {
		b->error = DKIM_ERR_LIMIT;
		return false;
	}
	if (more < b->space - b->n)
		return true;
	space = b->space == 0 ? BUF_FIRST : b->space;
	while (space - b->n <= more) {
		if (space > SIZE_MAX / 2) {
			b->error = DKIM_ERR_NOMEM;
			return false;
		}
		space *= 2;
	}
	if ((p = realloc(b->p, space)) == NULL) {
		b->error = DKIM_ERR_NOMEM;
		return false;
	}
	b->p = p;
	b->space = space;
	return true;
}

void
buf_init(struct buf *b, size_t cap)
{
	*b = (struct buf){ .cap = cap };
}

void
buf_clear(struct buf *b)
{
	free(b->p);
	buf_init(b, b->cap);
}

void
buf_reset(struct buf *b)
{
	b->n = 0;
	b->error = 0;
}

void
buf_add_number(struct buf *b, uint64_t value)
{
	uint8_t digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (uint8_t)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	buf_add(b, slice_of(digits + at, sizeof(digits) - at));
}

void
buf_add_format(struct buf *b, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0) {
		if (b->error == 0)
			b->error = DKIM_ERR_ARGUMENT;
		return;
	}
	if (n == 0 || !buf_reserve(b, (size_t)n))
		return;
	va_start(ap, format);
	(void)vsnprintf((char *)b->p + b->n, (size_t)n + 1, format, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void
buf_add_escaped(struct buf *b, struct slice s)
{
	static const char hex[] = "0123456789abcdef";
	uint8_t code[4] = { '\\', 'x' };
	size_t i;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] >= 0x20 && s.p[i] < 0x7f && s.p[i] != '\\') {
			buf_add_octet(b, s.p[i]);
			continue;
		}
		code[2] = (uint8_t)hex[s.p[i] >> 4];
		code[3] = (uint8_t)hex[s.p[i] & 15];
		buf_add(b, slice_of(code, sizeof(code)));
	}
}

void
buf_add_nul(struct buf *b)
{
	if (buf_reserve(b, 0))
		b->p[b->n] = '\0';
}

void
buf_cut(struct buf *b, const char *mark)
{
	size_t n = strlen(mark);

	if (b->error != DKIM_ERR_LIMIT)
		return;
	b->error = 0;
	if (b->n > b->cap - n)
		b->n = b->cap - n;
	buf_add(b, slice_of(mark, n));
}

int
buf_end(const struct buf *b)
{
	return b->error;
}

struct slice
buf_slice(const struct buf *b)
{
	return slice_of(b->p, b->n);
}

uint8_t *
buf_take(struct buf *b)
{
	uint8_t *p = b->p;

	buf_init(b, b->cap);
	return p;	/* moved */
}
