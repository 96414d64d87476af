/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs run by dkimbench all; see all_run.h.
 */

/* system */
#include <err.h>
#include <stdarg.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "all_run.h"

#define LATE_SECONDS	600.0	/* no step takes as long */

void
all_run_begin(const struct all_run *run, struct all_run_line *line,
    const char *program)
{
	line->n = 0;
	line->folder = -1;
	all_run_word(line, "%s", program == NULL ? run->self : program);
}

/*
 * The line stays too long: all_run_start tells.
 */
static void
spoil(struct all_run_line *line)
{
	line->n = ALL_RUN_WORDS_MAX + 1;
}

void
all_run_word(struct all_run_line *line, const char *format, ...)
{
	va_list args;
	int n;

	if (line->n >= ALL_RUN_WORDS_MAX) {
		spoil(line);
		return;
	}
	va_start(args, format);
	n = vsnprintf(line->word[line->n], ALL_RUN_WORD_SIZE, format, args);
	va_end(args);
	if (n < 0 || n >= ALL_RUN_WORD_SIZE) {
		spoil(line);
		return;
	}
	line->n++;
}

void
all_run_words(struct all_run_line *line, const char *words)
{
	const char *p = words + strspn(words, " ");

	while (*p != '\0') {
		size_t n = strcspn(p, " ");

		all_run_word(line, "%.*s", (int)n, p);
		p += n;
		p += strspn(p, " ");
	}
}

int
all_run_start(struct all_run *run, struct all_run_line *line, int out,
    const struct pin *pin, pid_t *pid)
{
	struct child_setup setup = { .argv = line->argv,
	    .folder = line->folder, .out = out, .err = fileno(run->log),
	    .pin = pin };

	if (line->n > ALL_RUN_WORDS_MAX) {
		warnx("%s: a command line that is too long; a shorter --out "
		    "or TMPDIR may do", run->self);
		return EX_OSERR;
	}
	fputs("==", run->log);
	for (size_t i = 0; i < line->n; i++) {
		line->argv[i] = line->word[i];
		fprintf(run->log, " %s", line->word[i]);
	}
	line->argv[line->n] = NULL;
	fputc('\n', run->log);
	return child_start(&setup, &run->signals, pid);
}

int
all_run_line(struct all_run *run, struct all_run_line *line, int out,
    const struct pin *pin)
{
	pid_t pid;
	int ended = 0;
	int status = all_run_start(run, line, out, pin, &pid);

	if (status != 0)
		return status;
	switch (child_wait(pid, LATE_SECONDS, &run->signals, &ended)) {
	case CHILD_ENDED:
		return ended;
	case CHILD_INTERRUPTED:
		child_stop(pid, &run->signals);
		return ALL_RUN_INTERRUPTED;
	case CHILD_LATE:
	default:
		child_stop(pid, &run->signals);
		warnx("%s %s: not done after %.0f s, ended", line->word[0],
		    line->n > 1 ? line->word[1] : "", LATE_SECONDS);
		return EX_OSERR;
	}
}
