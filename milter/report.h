/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where faults of a configuration go: the log, or the terminal of dkimd -n.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>

#include "../dkim/dkim.h"

enum fault {
	FAULT_WARNING,	/* goes on */
	FAULT_ROW,	/* one row or key is bad: mail that needs it is
			 * tempfailed, dkimd -n exits 1 */
	FAULT_FATAL,	/* does not start: 78 */
	FAULT_NOTE,	/* nothing is wrong: info; dkimd -n shows it under -v */
};

struct report {
	void	(*write)(void *context, enum fault fault, const char *text);
	void	*context;
	size_t	 warnings, rows, fatals;	/* counted by report_fault */
	size_t	 temporary;	/* of the rows: keys whose token is not there
				 * now; counted by keystore.c */
};

/*
 * Report one fault: "file:line: Option: what is wrong; what would be right".
 *   format   constant; untrusted octets are escaped by the caller
 */
void report_fault(struct report *r, enum fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The end of a noun that stands behind a number: "s" but for one.
 */
const char *report_s(size_t n);

/*
 * The option's name of "file:line: Option", for a message that has another
 * place; inside where.
 */
const char *report_name(const char *where);

/*
 * Octets of a file for a message: printable ASCII as it is, all else as \xHH;
 * of more than 200 octets the first 200 and "...".
 */
struct report_octets {
	char	text[820];
};
const char *report_octets(struct report_octets *out, struct slice octets);

#endif
