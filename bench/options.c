/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of all subcommands; see options.h.
 */

/* system */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "machine.h"
#include "options.h"

#define SECONDS_MIN	0.001
#define SECONDS_MAX	3600.0
#define RUNS_MAX	100000

int
options_number(const char *option, const char *text, uint64_t min,
    uint64_t max, uint64_t *out)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
	    n < min || n > max) {
		warnx("%s %s: a whole number from %" PRIu64 " to %" PRIu64
		    " is wanted", option, text, min, max);
		return EX_USAGE;
	}
	*out = n;
	return 0;
}

int
options_unsigned(const char *option, const char *text, unsigned min,
    unsigned max, unsigned *out)
{
	uint64_t n;
	int status = options_number(option, text, min, max, &n);

	if (status == 0)
		*out = (unsigned)n;
	return status;
}

int
options_names(const char *option, const char *text, struct options_names *out)
{
	const char *p = text;
	size_t len;

	for (out->n = 0;; p += len + 1) {
		len = strcspn(p, ",");
		if (len == 0 || len >= OPTIONS_NAME_MAX) {
			warnx("%s %s: element %zu is %s", option, text,
			    out->n + 1, len == 0 ? "empty" : "too long");
			return EX_USAGE;
		}
		if (out->n == OPTIONS_LIST_MAX) {
			warnx("%s %s: at most %d elements", option, text,
			    OPTIONS_LIST_MAX);
			return EX_USAGE;
		}
		memcpy(out->v[out->n], p, len);
		out->v[out->n][len] = '\0';
		for (size_t i = 0; i < out->n; i++)
			if (strcmp(out->v[i], out->v[out->n]) == 0) {
				warnx("%s %s: %s is there twice", option,
				    text, out->v[i]);
				return EX_USAGE;
			}
		out->n++;
		if (p[len] == '\0')
			return 0;
	}
}

int
options_numbers(const char *option, const char *text, unsigned min,
    unsigned max, struct options_numbers *out)
{
	struct options_names names;
	int status = options_names(option, text, &names);

	out->n = 0;
	for (size_t i = 0; i < names.n && status == 0; i++) {
		status = options_unsigned(option, names.v[i], min, max,
		    &out->v[out->n]);
		if (status == 0)
			out->n++;
	}
	return status;
}

static int
parse_seconds(const char *text, double *out)
{
	char *end;
	double seconds = strtod(text, &end);

	/* not-a-number compares false, so the right case is what is asked */
	if (end != text && *end == '\0' && seconds >= SECONDS_MIN &&
	    seconds <= SECONDS_MAX) {
		*out = seconds;
		return 0;
	}
	warnx("--seconds %s: a number from %g to %g is wanted", text,
	    SECONDS_MIN, SECONDS_MAX);
	return EX_USAGE;
}

int
options_measure(struct options_measure *options, int option, const char *text)
{
	uint64_t n = 0;
	int status;

	switch (option) {
	case OPTIONS_SECONDS:
		return parse_seconds(text, &options->seconds);
	case OPTIONS_RUNS:
		return options_unsigned("--runs", text, 1, RUNS_MAX,
		    &options->runs);
	case OPTIONS_THREADS:
		return options_unsigned("--threads", text, 1,
		    MEASURE_THREADS_MAX, &options->threads);
	case OPTIONS_CPU:
		status = options_number("--cpu", text, 0, PIN_CPUS - 1, &n);
		if (status == 0)
			options->cpu = (int)n;
		return status;
	case OPTIONS_SEED:
		return options_number("--seed", text, 0, UINT64_MAX,
		    &options->seed);
	case OPTIONS_TSV:
		options->tsv = true;
		return 0;
	default:
		return EX_USAGE;
	}
}

/*
 * What getopt_long gave.
 */
static int
take(const struct options_syntax *syntax, void *arg,
    struct options_measure *options, int option)
{
	switch (option) {
	case 'h':
		syntax->usage(stdout);
		exit(fflush(stdout) == 0 ? EX_OK : EX_IOERR);
	case '?':
		syntax->usage(stderr);
		return EX_USAGE;
	default:
		return option >= OPTIONS_SECONDS ?
		    options_measure(options, option, optarg) :
		    syntax->take(arg, option, optarg);
	}
}

int
options_parse(int argc, char **argv, const struct options_syntax *syntax,
    void *arg, struct options_measure *options)
{
	int option, status = 0;

	while (status == 0 && (option = getopt_long(argc, argv, "h",
	    syntax->longs, NULL)) != -1)
		status = take(syntax, arg, options, option);
	if (status == 0 && optind < argc && !syntax->operands) {
		warnx("%s: only options are wanted", argv[optind]);
		syntax->usage(stderr);
		status = EX_USAGE;
	}
	return status;
}

int
options_pin(const struct options_measure *options, struct pin *out)
{
	if (pin_init(out, options->cpu) == 0)
		return 0;
	warnx("--cpu %d: this process may not run there", options->cpu);
	return EX_USAGE;
}

int
options_plan(const struct options_measure *options, struct pin *pin,
    struct measure_plan *out)
{
	int status = options_pin(options, pin);

	if (status != 0)
		return status;
	*out = (struct measure_plan){ .seconds = options->seconds,
	    .runs = options->runs, .threads = options->threads, .pin = pin,
	    .clock = &measure_clock_real };
	if (options->seconds < options->seconds_wanted ||
	    options->runs < MEASURE_RUNS)
		warnx("a look only: figures want %d windows of %g s or more",
		    MEASURE_RUNS, options->seconds_wanted);
	return 0;
}

int
options_begin(const struct options_measure *options, struct pin *pin,
    struct progress *progress, struct measure_plan *out)
{
	int status = options_plan(options, pin, out);

	if (status != 0)
		return status;
	progress_attach(progress, out);
	machine_print(options->tsv ? stderr : stdout, "# ", pin);
	return 0;
}
