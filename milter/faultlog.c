/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults to the log.
 */

/* system */
#include <stdio.h>
#include <string.h>

/* this room */
#include "milter/faultlog.h"
#include "milter/log.h"

static int
priority_of(enum fault fault)
{
	switch (fault) {
	case FAULT_NOTE:
		return LOG_INFO;
	case FAULT_WARNING:
		return LOG_WARNING;
	case FAULT_ROW:
	case FAULT_FATAL:
		break;
	}
	return LOG_ERR;
}

static void
write_log(void *context, enum fault fault, const char *text)
{
	size_t n;

	(void)context;
	/* A text of several lines is several lines of the log */
	for (;; text += n + 1) {
		n = strcspn(text, "\n");
		log_line(priority_of(fault), "%.*s", (int)n, text);
		if (text[n] == '\0')
			break;
	}
}

static void
write_both(void *context, enum fault fault, const char *text)
{
	if (!log_shows() && fault != FAULT_NOTE)
		fprintf(stderr, "dkimd: %s\n", text);
	write_log(context, fault, text);
}

void
faultlog_init(struct report *report, bool terminal)
{
	*report = (struct report){
		.write = terminal ? write_both : write_log,
	};
}
