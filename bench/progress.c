/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line that shows how far it is; see progress.h.
 */

/* system */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* this room */
#include "progress.h"

/*
 * The progress of struct measure_plan.
 */
static void
show(void *arg, unsigned window, unsigned of)
{
	const struct progress *progress = arg;

	fprintf(stderr, "\r%s: window %u of %u ", progress->what, window, of);
	if (window == of)
		fprintf(stderr, "\r%78s\r", "");
}

void
progress_attach(struct progress *progress, struct measure_plan *plan)
{
	progress->what[0] = '\0';
	if (!isatty(STDERR_FILENO))
		return;
	plan->progress = show;
	plan->progress_arg = progress;
}

void
progress_name(struct progress *progress, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(progress->what, sizeof progress->what, format, args);
	va_end(args);
}
