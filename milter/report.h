/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where faults of a configuration go: the log, or the terminal of dkimd -n.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

enum fault {
	FAULT_WARNING,	/* goes on */
	FAULT_ROW,	/* one row or key is bad: mail that needs it is
			 * tempfailed, dkimd -n exits 1 */
	FAULT_FATAL,	/* does not start: 78 */
};

struct report {
	void	(*write)(void *context, enum fault fault, const char *text);
	void	*context;
	size_t	 warnings, rows, fatals;	/* counted by report_fault */
};

/*
 * Report one fault: "file:line: Option: what is wrong; what would be right".
 *   format   constant; untrusted octets are escaped by the caller
 */
void report_fault(struct report *r, enum fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
