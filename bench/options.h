/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the options of the subcommands have in common: lists, numbers, and how
 * to measure.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

/* system */
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* this room */
#include "measure.h"
#include "progress.h"

#define OPTIONS_LIST_MAX	16	/* elements of a list */
#define OPTIONS_NAME_MAX	64	/* octets of an element, with its NUL */

struct options_numbers {
	unsigned	v[OPTIONS_LIST_MAX];
	size_t		n;
};

struct options_names {
	char		v[OPTIONS_LIST_MAX][OPTIONS_NAME_MAX];
	size_t		n;
};

/* How to measure, as the user wants it. */
struct options_measure {
	double		seconds;
	unsigned	runs, threads;
	int		cpu;
	uint64_t	seed;
	bool		tsv;
	double		seconds_wanted;	/* shorter windows are a look only */
};

/* Their long options; the values that getopt_long gives. */
enum {
	OPTIONS_SECONDS = 1000,
	OPTIONS_RUNS,
	OPTIONS_CPU,
	OPTIONS_SEED,
	OPTIONS_THREADS,
	OPTIONS_TSV,
};

#define OPTIONS_MEASURE \
	{ "help", no_argument, NULL, 'h' }, \
	{ "seconds", required_argument, NULL, OPTIONS_SECONDS }, \
	{ "runs", required_argument, NULL, OPTIONS_RUNS }, \
	{ "cpu", required_argument, NULL, OPTIONS_CPU }, \
	{ "seed", required_argument, NULL, OPTIONS_SEED }, \
	{ "tsv", no_argument, NULL, OPTIONS_TSV }

#define OPTIONS_MEASURE_DEFAULT \
	{ MEASURE_SECONDS, MEASURE_RUNS, 1, PIN_ANY, 1, false, \
	    MEASURE_SECONDS }

/*
 * Take one of the options above; all errors are told.
 *   returns  0, or EX_USAGE
 */
int options_measure(struct options_measure *options, int option,
    const char *text) MUSTUSE;

/* What a subcommand takes. */
struct options_syntax {
	const struct option *longs;	/* OPTIONS_MEASURE among them */

	/*
	 * One of its own options, never one of those above.
	 *   option   val of struct option
	 *   returns  0, or EX_USAGE (told)
	 */
	int		(*take)(void *arg, int option, const char *text);
	void		(*usage)(FILE *out);
	bool		 operands;	/* may follow the options */
};

/*
 * Take a command line apart; --help ends the program.
 *   arg      for syntax->take
 *   returns  0 (operands begin at optind), or EX_USAGE
 */
int options_parse(int argc, char **argv, const struct options_syntax *syntax,
    void *arg, struct options_measure *options) MUSTUSE;

/*
 * A whole number from min to max; or a comma list of them, none twice.
 *   option   as the user wrote it, for errors
 */
int options_number(const char *option, const char *text, uint64_t min,
    uint64_t max, uint64_t *out) MUSTUSE;
int options_unsigned(const char *option, const char *text, unsigned min,
    unsigned max, unsigned *out) MUSTUSE;
int options_numbers(const char *option, const char *text, unsigned min,
    unsigned max, struct options_numbers *out) MUSTUSE;

/*
 * A comma list of names, none empty, none twice.
 */
int options_names(const char *option, const char *text,
    struct options_names *out) MUSTUSE;

/*
 * The processors, the one of --cpu first.
 *   returns  0, or EX_USAGE: no such processor (told)
 */
int options_pin(const struct options_measure *options, struct pin *out)
    MUSTUSE;

/*
 * The plan that the options ask for; says on standard error where it is
 * shorter than what figures are published by.
 *   pin      filled, kept by the plan
 *   returns  0, or EX_USAGE: no such processor
 */
int options_plan(const struct options_measure *options, struct pin *pin,
    struct measure_plan *out) MUSTUSE;

/*
 * Begin to measure: the plan, with its progress line, and the machine's
 * description, on standard output, or on standard error where --tsv keeps
 * that for the table.
 *   pin, progress  filled, kept by the plan
 *   returns  0, or EX_USAGE: no such processor
 */
int options_begin(const struct options_measure *options, struct pin *pin,
    struct progress *progress, struct measure_plan *out) MUSTUSE;

#endif
