/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tab-separated values; see tsv.h.
 */

/* system */
#include <stdio.h>

/* this room */
#include "tsv.h"

void
tsv_text(struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++) {
		uint8_t c = s.p[i];

		if (c == '\t')
			fputs("\\t", stdout);
		else if (c == '\n')
			fputs("\\n", stdout);
		else if (c == '\r')
			fputs("\\r", stdout);
		else if (c == '\\')
			fputs("\\\\", stdout);
		else if (c < ' ' || c >= 127)
			printf("\\x%02x", c);
		else
			putchar(c);
	}
}

void
tsv_field(struct slice s, int last)
{
	tsv_text(s);
	putchar(last ? '\n' : '\t');
}
