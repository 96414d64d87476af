/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench growth: time and memory of one message, while what a stranger may
 * make long grows twofold and twofold again.
 */

/* system */
#include <sys/wait.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "growth_work.h"
#include "options.h"
#include "process_use.h"
#include "subcommand.h"
#include "table.h"

#define SECONDS		0.01	/* of a window */
#define SHAPES_MAX	32

enum op { OP_VERIFY, OP_SIGN, OPS };

static const struct {
	const char	*name;
	int		(*run)(const struct growth_site *site,
	    const struct growth_case *c, struct growth_result *out);
} ops[OPS] = {
	{ "verify", growth_verify },
	{ "sign", growth_sign },
};

struct contestant {
	const struct growth_site	*site;
	enum op				 op;
	struct growth_case		 input;
	struct growth_result		 want;
};

struct growth_bench {
	struct options_measure	 measure;
	struct options_names	 shapes;
	struct pin		 pin;
	struct progress		 progress;
	struct measure_plan	 plan;
	struct growth_site	 site;
	struct table		 table;
	double			 peak_kb[SHAPES_MAX][OPS][GROWTH_STEPS];
};

static const struct table_column columns[] = {
	{ "shape", -11, false },
	{ "op", -7, false },
	{ "n", 8, false },
	{ "unit", -7, false },
	{ "octets", 8, false },
	{ "us_median", 10, false },
	{ "us_min", 9, false },
	{ "us_max", 9, false },
	{ "time_ratio", 11, false },
	{ "peak_kb", 8, false },
	{ "kb_ratio", 9, false },
	{ "written", 8, false },
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench growth [--shape LIST] [--tsv] [--seconds S] [--runs N]\n"
"                        [--cpu N] [--seed N]\n"
"  --shape LIST   default all of:");
	for (size_t i = 0; i < growth_shapes_count; i++)
		fprintf(out, "%s%s", i % 8 == 0 ? "\n                 " :
		    ",", growth_shapes[i].name);
	fprintf(out, "\n"
"  --seconds S    of a window; default %g\n"
"  --runs N       windows of each; default %d\n"
"  --cpu N        processor to stay on; default the last allowed one\n"
"  --seed N       taken, without use: nothing here is random\n"
"Exit: 0 measured, 64 usage, 70 a result was wrong, 71 no memory, 74 cannot\n"
"write.\n", SECONDS, MEASURE_RUNS);
}

static const struct growth_shape *
find_shape(const char *name)
{
	for (size_t i = 0; i < growth_shapes_count; i++)
		if (strcmp(growth_shapes[i].name, name) == 0)
			return &growth_shapes[i];
	return NULL;
}

static int
take_option(void *arg, int option, const char *text)
{
	struct growth_bench *b = arg;
	int status;

	if (option != 's')
		return EX_USAGE;
	status = options_names("--shape", text, &b->shapes);
	for (size_t i = 0; i < b->shapes.n && status == 0; i++)
		if (find_shape(b->shapes.v[i]) == NULL) {
			warnx("--shape: no shape '%s'; --help names them",
			    b->shapes.v[i]);
			status = EX_USAGE;
		}
	return status;
}

static int
parse_options(int argc, char **argv, struct growth_bench *b)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "shape", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};

	return options_parse(argc, argv, &syntax, b, &b->measure);
}

static int
run_once(const struct contestant *c, struct growth_result *out)
{
	int r = ops[c->op].run(c->site, &c->input, out);

	if (r != 0)
		warnx("%s: %s", ops[c->op].name, dkim_strerror(r));
	return r == 0 ? 0 : r == DKIM_ERR_NOMEM ? EX_OSERR : EX_SOFTWARE;
}

/*
 * As run of struct measure_contestant.
 */
static int
run_rounds(void *arg, unsigned thread, size_t rounds)
{
	const struct contestant *c = arg;
	struct growth_result got;
	int status;

	(void)thread;
	while (rounds-- > 0) {
		if ((status = run_once(c, &got)) != 0)
			return status;
		if (got.written != c->want.written ||
		    got.first != c->want.first) {
			warnx("%s: another result than before",
			    ops[c->op].name);
			return EX_SOFTWARE;
		}
	}
	return 0;
}

/*
 * Make one size of a shape.
 */
static int
make(const struct growth_bench *b, const struct growth_shape *shape,
    enum op op, size_t step, struct contestant *c)
{
	int r;

	c->site = &b->site;
	c->op = op;
	r = growth_case_make(b->site.lib, shape, shape->least << step,
	    &c->input);
	if (r == 0)
		return 0;
	warnx("%s: %s", shape->name, dkim_strerror(r));
	return EX_OSERR;
}

/*
 * Resident memory that a run adds at its height, kilobytes; 0: not known.
 */
static double
run_for_memory(const struct growth_bench *b, const struct growth_shape *shape,
    enum op op, size_t step)
{
	struct process_use use = { { getpid() }, 1 };
	struct process_sample before, after;
	struct contestant c;

	if (make(b, shape, op, step, &c) != 0)
		return 0;
	process_use_forget_peak(&use);
	process_use_sample(&use, &before);
	if (run_once(&c, &c.want) != 0)
		return 0;
	process_use_sample(&use, &after);
	if (before.rss_kb == 0 || after.peak_kb <= before.rss_kb)
		return 0;
	return (double)(after.peak_kb - before.rss_kb);
}

/*
 * The same in a process of its own, since what one run has given back another
 * one takes without adding to it.
 */
static double
measure_memory(const struct growth_bench *b, const struct growth_shape *shape,
    enum op op, size_t step)
{
	double kb = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends) != 0)
		return 0;
	fflush(stdout);
	if ((pid = fork()) == 0) {
		kb = run_for_memory(b, shape, op, step);
		_exit(write(ends[1], &kb, sizeof(kb)) != sizeof(kb));
	}
	close(ends[1]);
	if (pid < 0 || read(ends[0], &kb, sizeof(kb)) != sizeof(kb))
		kb = 0;
	close(ends[0]);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return kb;
}

static void
print_row(struct growth_bench *b, size_t shape, const struct contestant *c,
    size_t i, const struct measure_summary *m)
{
	const struct growth_shape *s = &growth_shapes[shape];
	const struct growth_case *in = &c[i].input;
	const double *kb = b->peak_kb[shape][c[i].op];
	struct table *t = &b->table;

	table_text(t, s->name);
	table_text(t, ops[c[i].op].name);
	table_number(t, s->least << i);
	table_text(t, s->unit);
	table_number(t, in->header.n + in->body.n + in->record.n);
	table_figure(t, m[i].ns_median / 1e3, 1);
	table_figure(t, 1e6 / m[i].per_s_max, 1);
	table_figure(t, 1e6 / m[i].per_s_min, 1);
	table_figure(t, i == 0 ? 0 : m[i].ns_median / m[i - 1].ns_median, 2);
	table_figure(t, kb[i], 0);
	table_figure(t, i > 0 && kb[i - 1] > 0 ? kb[i] / kb[i - 1] : 0, 2);
	table_number(t, c[i].want.written);
	table_end(t, NULL);
}

static int
run_shape(struct growth_bench *b, size_t shape, enum op op)
{
	struct measure_contestant measured[GROWTH_STEPS] = { { 0 } };
	struct measure_summary summaries[GROWTH_STEPS];
	struct contestant c[GROWTH_STEPS] = { { 0 } };
	int status = 0;

	progress_name(&b->progress, "%s, %s", growth_shapes[shape].name,
	    ops[op].name);
	for (size_t i = 0; i < GROWTH_STEPS && status == 0; i++) {
		status = make(b, &growth_shapes[shape], op, i, &c[i]);
		if (status == 0)
			status = run_once(&c[i], &c[i].want);
		measured[i].run = run_rounds;
		measured[i].arg = &c[i];
		measured[i].per_round = 1;
	}
	if (status == 0)
		status = measure_heat(&b->plan, measured, GROWTH_STEPS);
	for (size_t i = 0; i < GROWTH_STEPS && status == 0; i++)
		status = measure_summarize(&b->plan, measured, GROWTH_STEPS,
		    i, &summaries[i]);
	for (size_t i = 0; i < GROWTH_STEPS && status == 0; i++)
		print_row(b, shape, c, i, summaries);
	measure_clear(measured, GROWTH_STEPS);
	for (size_t i = 0; i < GROWTH_STEPS; i++)
		growth_case_clear(&c[i].input);
	return status;
}

static bool
is_wanted(const struct growth_bench *b, size_t shape)
{
	for (size_t i = 0; i < b->shapes.n; i++)
		if (strcmp(b->shapes.v[i], growth_shapes[shape].name) == 0)
			return true;
	return b->shapes.n == 0;
}

static int
run_all(struct growth_bench *b)
{
	int status = 0;

	if (growth_site_open(&b->site) != 0) {
		warnx("libcrypto does not serve");
		return EX_OSERR;
	}
	for (size_t i = 0; i < growth_shapes_count; i++)
		for (enum op op = 0; op < OPS; op++)
			for (size_t k = 0; k < GROWTH_STEPS; k++)
				if (is_wanted(b, i))
					b->peak_kb[i][op][k] = measure_memory(
					    b, &growth_shapes[i], op, k);
	table_init(&b->table, columns, sizeof columns / sizeof columns[0],
	    b->measure.tsv, stdout);
	table_header(&b->table);
	for (size_t i = 0; i < growth_shapes_count && status == 0; i++)
		for (enum op op = 0; op < OPS && status == 0; op++)
			if (is_wanted(b, i))
				status = run_shape(b, i, op);
	growth_site_close(&b->site);
	return status == 0 ? table_check(&b->table) : status;
}

int
subcommand_growth(int argc, char **argv)
{
	static struct growth_bench b = { .measure = OPTIONS_MEASURE_DEFAULT };
	int status;

	b.measure.seconds = SECONDS;
	b.measure.seconds_wanted = SECONDS;
	status = parse_options(argc, argv, &b);
	if (status == 0)
		status = options_begin(&b.measure, &b.pin, &b.progress,
		    &b.plan);
	if (status == 0)
		status = run_all(&b);
	return status;
}
