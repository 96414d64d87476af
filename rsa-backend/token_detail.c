/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes details.
 */

/* system */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* this room */
#include "token_detail.h"

static void
make_printable(char *text)
{
	for (; *text != '\0'; text++)
		if (*text < 0x20 || *text > 0x7e)
			*text = '?';
}

void
token_detail_set(struct rsab_token_detail *detail, const char *format, ...)
{
	va_list arguments;

	if (detail == NULL)
		return;
	va_start(arguments, format);
	if (vsnprintf(detail->text, sizeof detail->text, format,
	    arguments) < 0)
		detail->text[0] = '\0';
	va_end(arguments);
	make_printable(detail->text);
}

void
token_detail_copy(const uint8_t *in, size_t n, char *out, size_t size)
{
	if (n >= size)
		n = size - 1;
	while (n > 0 && (in[n - 1] == ' ' || in[n - 1] == '\0'))
		n--;
	if (n > 0)
		memcpy(out, in, n);
	for (size_t i = 0; i < n; i++)
		if (out[i] == '\0')
			out[i] = '?';
	out[n] = '\0';
	make_printable(out);
}
