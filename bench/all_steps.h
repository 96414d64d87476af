/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench all runs, in what order and with what options.
 */
#ifndef ALL_STEPS_H
#define ALL_STEPS_H

/* system */
#include <stdbool.h>
#include <stddef.h>

enum all_steps_kind {
	ALL_STEPS_PASS,		/* in each pass, a part of its windows */
	ALL_STEPS_ONCE,		/* all its windows at once */
	ALL_STEPS_TEXT,		/* takes no options of measuring */
};

struct all_step {
	enum all_steps_kind	 kind;
	const char		*file;	/* in a pass NAME-1.tsv and so on */
	const char		*words;	/* behind the program's name */
};

struct all_steps {
	const struct all_step	*step;
	size_t			 n;
	unsigned		 passes;
	double			 seconds;	/* of a window */
	unsigned		 runs;		/* windows, all passes */
	unsigned		 load[8];	/* percent, of dkimd */
	size_t			 loads;
};

/*
 *   quick    a look, in under a minute
 */
const struct all_steps *all_steps(bool quick);

/*
 * Windows of a pass, so that all passes have at least runs.
 */
unsigned all_steps_windows(const struct all_steps *steps, unsigned runs);

#endif
