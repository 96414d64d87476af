/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of a configuration: counted and handed to whoever shows them.
 */

/* system */
#include <stdarg.h>
#include <stdio.h>

/* this room */
#include "report.h"

#define REPORT_TEXT_MAX		4096	/* octets of one message, with NUL */
#define REPORT_OCTETS_MAX	200	/* octets of a value that are shown */

void
report_fault(struct report *r, enum fault fault, const char *format, ...)
{
	char text[REPORT_TEXT_MAX];
	va_list ap;
	int n;

	switch (fault) {
	case FAULT_WARNING:
		r->warnings++;
		break;
	case FAULT_ROW:
		r->rows++;
		break;
	case FAULT_FATAL:
		r->fatals++;
		break;
	case FAULT_NOTE:
		break;
	}
	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n < 0)
		snprintf(text, sizeof(text), "%s", format);
	else if ((size_t)n >= sizeof(text))
		/* a long path: say that it goes on */
		memcpy(text + sizeof(text) - 4, "...", 4);
	if (r->write != NULL)
		r->write(r->context, fault, text);
}

const char *
report_s(size_t n)
{
	return n == 1 ? "" : "s";
}

const char *
report_name(const char *where)
{
	const char *at = strrchr(where, ' ');

	return at == NULL ? where : at + 1;
}

const char *
report_octets(struct report_octets *out, struct slice octets)
{
	static const char hex[] = "0123456789abcdef";
	size_t i, n = 0;

	for (i = 0; i < octets.n && i < REPORT_OCTETS_MAX; i++) {
		uint8_t c = octets.p[i];

		if (c >= 0x20 && c < 0x7f && c != '\\') {
			out->text[n++] = (char)c;
			continue;
		}
		out->text[n++] = '\\';
		out->text[n++] = 'x';
		out->text[n++] = hex[c >> 4];
		out->text[n++] = hex[c & 15];
	}
	memcpy(out->text + n, i < octets.n ? "..." : "", i < octets.n ? 4 : 1);
	return out->text;
}
