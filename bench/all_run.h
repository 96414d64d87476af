/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the steps of dkimbench all have in common, and running this program
 * again for each of them.
 */
#ifndef ALL_RUN_H
#define ALL_RUN_H

/* this room */
#include "all_folder.h"
#include "child.h"
#include "options.h"

#define ALL_RUN_WORDS_MAX	32	/* of a command line */
#define ALL_RUN_WORD_SIZE	256	/* octets of a word and its NUL */
#define ALL_RUN_LOG		"log.txt"
#define ALL_RUN_INTERRUPTED	128	/* as an exit status: a signal came */

struct all_run {
	struct options_measure	 measure;
	struct all_folder	 folder;
	struct child_signals	 signals;
	struct pin		 pin;	/* what is measured is on the first */
	char			 self[PATH_MAX];
	FILE			*log;	/* ALL_RUN_LOG: what programs say */
};

/* A command line: words are added, then it is run. */
struct all_run_line {
	char	word[ALL_RUN_WORDS_MAX][ALL_RUN_WORD_SIZE];
	char	*argv[ALL_RUN_WORDS_MAX + 1];
	size_t	n;
	int	folder;		/* descriptor of where it runs; -1: here */
};

/*
 * Begin a line; a program of NULL is this one.
 */
void all_run_begin(const struct all_run *run, struct all_run_line *line,
    const char *program);

/*
 * Add words: those of a text that blanks part, or one as it is printed. A word
 * that is too long, or one too many, makes all_run_line fail.
 */
void all_run_words(struct all_run_line *line, const char *words);
void all_run_word(struct all_run_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Run it to its end.
 *   out      descriptor for its standard output
 *   pin      where, or NULL
 *   returns  its exit status; ALL_RUN_INTERRUPTED: it was ended by a signal to
 *            us; EX_OSERR: it could not be run, or was ended for being late
 *            (told)
 */
int all_run_line(struct all_run *run, struct all_run_line *line, int out,
    const struct pin *pin) MUSTUSE;

/*
 * Start it, and leave it running.
 */
int all_run_start(struct all_run *run, struct all_run_line *line, int out,
    const struct pin *pin, pid_t *pid) MUSTUSE;

#endif
