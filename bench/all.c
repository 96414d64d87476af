/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench all: everything on this machine in one go, into a folder. The
 * other subcommands measure; this one runs them, collects what they say and
 * has it drawn.
 */

/* system */
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "all_milter.h"
#include "all_plot.h"
#include "all_runs.h"
#include "all_steps.h"
#include "helper.h"
#include "machine.h"
#include "stopwatch.h"
#include "subcommand.h"

#define RUNS_FILE	"runs.tsv"
#define TABLE_FILE	"table.tsv"
#define MILTER_FILE	"milter.tsv"
#define LOAD_WINDOWS	10	/* a load of dkimd lasts so many windows */

struct all {
	struct all_run		 run;
	const struct all_steps	*steps;
	const char		*out, *dkimd;
	char			 dkimd_path[PATH_MAX];
	bool			 quick;
	struct machine_facts	 facts;
	struct all_runs		 runs;
	uint64_t		 began;
	int			 status;	/* the first that was not 0 */
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench all --out DIR [--quick] [--dkimd PATH] [--seconds S]\n"
"                     [--runs N] [--cpu N] [--seed N]\n"
"  --out DIR      where to: a folder that is new or empty\n"
"  --quick        a look, in under a minute; else under ten\n"
"  --dkimd PATH   the daemon for the load through its socket; default the\n"
"                 one that was built or installed with this program\n"
"  --seconds S    of a window; default %g, with --quick %g\n"
"  --runs N       windows of each contestant; default %u, with --quick %u\n"
"  --cpu N        processor of what is measured; default the last allowed\n"
"                 one; loads come from another\n"
"  --seed N       of messages, operands and arrivals; default 1\n"
"Exit: 0 all is measured, 64 usage, 69 a program is not there, 70 a result\n"
"was wrong, 71 no memory or process, 73 and 74 cannot write.\n",
	    all_steps(false)->seconds, all_steps(true)->seconds,
	    all_steps(false)->runs, all_steps(true)->runs);
}

static int
take_option(void *arg, int option, const char *text)
{
	struct all *a = arg;

	switch (option) {
	case 'd':
		a->dkimd = text;
		return 0;
	case 'o':
		a->out = text;
		return 0;
	case 'q':
		a->quick = true;
		return 0;
	default:
		return EX_USAGE;
	}
}

static int
parse_options(int argc, char **argv, struct all *a)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "cpu", required_argument, NULL, OPTIONS_CPU },
		{ "dkimd", required_argument, NULL, 'd' },
		{ "out", required_argument, NULL, 'o' },
		{ "quick", no_argument, NULL, 'q' },
		{ "runs", required_argument, NULL, OPTIONS_RUNS },
		{ "seconds", required_argument, NULL, OPTIONS_SECONDS },
		{ "seed", required_argument, NULL, OPTIONS_SEED },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	struct options_measure *m = &a->run.measure;
	int status = options_parse(argc, argv, &syntax, a, m);

	if (status != 0)
		return status;
	if (a->out == NULL) {
		warnx("--out is wanted: a folder that is new or empty");
		usage(stderr);
		return EX_USAGE;
	}
	a->steps = all_steps(a->quick);
	if (m->seconds <= 0)
		m->seconds = a->steps->seconds;
	if (m->runs == 0)
		m->runs = a->steps->runs;
	return options_pin(m, &a->run.pin);
}

static bool
interrupted(const struct all *a)
{
	return a->run.signals.got != 0;
}

static void
note(struct all *a, int status)
{
	if (a->status == 0)
		a->status = status;
}

/*
 * How long it took so far, and what is there.
 */
static void
tell(const struct all *a, const char *file)
{
	printf("%6.1f s  %s\n", (double)(stopwatch_ns() - a->began) / 1e9,
	    file);
	fflush(stdout);
}

/*
 * Its standard output becomes a file, once it has ended well.
 */
static int
line_to_file(struct all *a, struct all_run_line *line, const char *file)
{
	int fd = all_folder_part(&a->run.folder, file), status;

	if (fd < 0)
		return EX_CANTCREAT;
	status = all_run_line(&a->run, line, fd, NULL);
	close(fd);
	if (status == 0)
		status = all_folder_keep(&a->run.folder, file);
	else if (status != ALL_RUN_INTERRUPTED)
		warnx("dkimbench %s: exit %d; %s/%s says why, what it "
		    "measured is in %s.part", line->word[1], status, a->out,
		    ALL_RUN_LOG, file);
	if (status == 0)
		tell(a, file);
	return status;
}

static int
run_step(struct all *a, const struct all_step *step, const char *file,
    unsigned windows)
{
	const struct options_measure *m = &a->run.measure;
	struct all_run_line line;

	all_run_begin(&a->run, &line, NULL);
	all_run_words(&line, step->words);
	if (step->kind != ALL_STEPS_TEXT) {
		all_run_words(&line, "--tsv --seconds");
		all_run_word(&line, "%g", m->seconds);
		all_run_word(&line, "--runs=%u", windows);
		all_run_word(&line, "--seed=%llu",
		    (unsigned long long)m->seed);
		if (a->run.pin.n > 0)
			all_run_word(&line, "--cpu=%u", a->run.pin.cpu[0]);
	}
	return line_to_file(a, &line, file);
}

/*
 * All steps of a pass, from 1, and their rows into the runs.
 */
static void
run_pass(struct all *a, unsigned pass)
{
	unsigned windows = all_steps_windows(a->steps, a->run.measure.runs);
	char file[ALL_FOLDER_NAME_MAX], path[PATH_MAX];
	int status;

	for (size_t i = 0; i < a->steps->n && !interrupted(a); i++) {
		const struct all_step *step = &a->steps->step[i];

		if (step->kind != ALL_STEPS_PASS)
			continue;
		snprintf(file, sizeof file, "%s-%u.tsv", step->file, pass);
		status = run_step(a, step, file, windows);
		if (status == 0) {
			all_folder_path(&a->run.folder, file, path);
			status = all_runs_take(&a->runs, path, pass);
		}
		note(a, status);
	}
}

static int
run_passes(struct all *a)
{
	FILE *out = all_folder_file(&a->run.folder, RUNS_FILE);

	if (out == NULL)
		return EX_CANTCREAT;
	machine_print(out, "# ", &a->run.pin);
	pin_processors(&a->run.pin, a->run.pin.n);
	all_runs_begin(&a->runs, &a->facts, out);
	for (unsigned p = 1; p <= a->steps->passes && !interrupted(a); p++)
		run_pass(a, p);
	note(a, all_folder_done(&a->run.folder, RUNS_FILE, out));
	return 0;
}

static void
run_others(struct all *a)
{
	for (size_t i = 0; i < a->steps->n && !interrupted(a); i++) {
		const struct all_step *step = &a->steps->step[i];

		if (step->kind != ALL_STEPS_PASS)
			note(a, run_step(a, step, step->file,
			    a->run.measure.runs));
	}
}

static void
run_milter(struct all *a)
{
	struct all_milter_plan plan = { .dkimd = a->dkimd,
	    .seconds = a->run.measure.seconds * LOAD_WINDOWS,
	    .loads = a->steps->loads };
	int status;

	memcpy(plan.load, a->steps->load, sizeof plan.load);
	if (a->dkimd == NULL)
		return;
	status = all_milter(&a->run, &plan, MILTER_FILE);
	note(a, status);
	if (status == 0)
		tell(a, MILTER_FILE);
}

/*
 * The table of 2009: for programs and for people.
 */
static void
run_table(struct all *a)
{
	static const char *const words[] = { "table --tsv", "table" };
	static const char *const files[] = { TABLE_FILE, "table.txt" };
	struct all_run_line line;
	char path[PATH_MAX];

	all_folder_path(&a->run.folder, RUNS_FILE, path);
	for (size_t i = 0; i < 2; i++) {
		all_run_begin(&a->run, &line, NULL);
		all_run_words(&line, words[i]);
		all_run_word(&line, "%s", path);
		note(a, line_to_file(a, &line, files[i]));
	}
}

/*
 * One by one: where one fails the next may do.
 *   returns  whether gnuplot is there
 */
static bool
draw(struct all *a, const char *name)
{
	struct all_run_line line;
	char file[ALL_FOLDER_NAME_MAX];
	int status;

	all_run_begin(&a->run, &line, "gnuplot");
	all_run_word(&line, "%s.gp", name);
	line.folder = a->run.folder.fd;
	status = all_run_line(&a->run, &line, fileno(a->run.log), NULL);
	snprintf(file, sizeof file, "%s.svg", name);
	if (status == 0)
		tell(a, file);
	else if (status == CHILD_NOT_FOUND)
		warnx("gnuplot is not here, so nothing is drawn; with it "
		    "(Debian: gnuplot-nox): cd %s && gnuplot *.gp", a->out);
	else if (!interrupted(a)) {
		warnx("gnuplot %s.gp: exit %d; %s/%s says why", name, status,
		    a->out, ALL_RUN_LOG);
		note(a, EX_SOFTWARE);
	}
	return status != CHILD_NOT_FOUND;
}

static void
run_plots(struct all *a)
{
	static const char *const names[] = { "sign", "verify", "body",
	    "latency-sign", "latency-verify" };
	const struct all_folder *f = &a->run.folder;
	int made[5];
	bool here = true;

	made[0] = all_plot_messages(f, names[0], TABLE_FILE, "dkim_sign");
	made[1] = all_plot_messages(f, names[1], TABLE_FILE, "dkim_verify");
	made[2] = all_plot_body(f, names[2], "body.tsv");
	made[3] = made[4] = EX_NOINPUT;
	if (a->dkimd != NULL) {
		made[3] = all_plot_latency(f, names[3], MILTER_FILE, "sign");
		made[4] = all_plot_latency(f, names[4], MILTER_FILE,
		    "verify");
	}
	for (size_t i = 0; i < 5; i++) {
		note(a, made[i]);
		if (made[i] == 0 && here && !interrupted(a))
			here = draw(a, names[i]);
	}
}

/*
 * The machine, and what dkimd is made with.
 */
static int
describe(struct all *a)
{
	FILE *out = all_folder_file(&a->run.folder, "machine.txt");
	struct all_run_line line;

	if (out == NULL)
		return EX_CANTCREAT;
	machine_print(out, "", &a->run.pin);
	/* machine_print stays on one processor; programs may have any */
	pin_processors(&a->run.pin, a->run.pin.n);
	fflush(out);
	if (a->dkimd != NULL) {
		all_run_begin(&a->run, &line, a->dkimd);
		all_run_word(&line, "-V");
		note(a, all_run_line(&a->run, &line, fileno(out), NULL));
	}
	return all_folder_done(&a->run.folder, "machine.txt", out);
}

static void
find_dkimd(struct all *a)
{
	int status;

	if (a->dkimd != NULL)
		return;
	status = helper_find("dkimd", a->dkimd_path, sizeof a->dkimd_path);
	if (status == 0)
		a->dkimd = a->dkimd_path;
	else
		warnx("so nothing goes through a socket; --dkimd says where "
		    "it is");
	note(a, status);
}

static int
begin(struct all *a)
{
	ssize_t n = readlink("/proc/self/exe", a->run.self,
	    sizeof a->run.self - 1);
	int status;

	if (n <= 0) {
		warn("/proc/self/exe");
		return EX_OSERR;
	}
	a->run.self[n] = '\0';
	status = all_folder_open(&a->run.folder, a->out);
	if (status == 0 && (a->run.log = all_folder_file(&a->run.folder,
	    ALL_RUN_LOG)) == NULL)
		status = EX_CANTCREAT;
	if (status != 0)
		return status;
	find_dkimd(a);
	a->began = stopwatch_ns();
	machine_look(&a->facts, &a->run.pin);
	machine_print(stdout, "# ", &a->run.pin);
	return describe(a);
}

static void
run_all(struct all *a)
{
	int status = run_passes(a);

	note(a, status);
	if (!interrupted(a))
		run_others(a);
	if (!interrupted(a))
		run_milter(a);
	if (!interrupted(a))
		run_table(a);
	if (!interrupted(a))
		run_plots(a);
}

int
subcommand_all(int argc, char **argv)
{
	static struct all a = { .run = { .measure = { .cpu = PIN_ANY,
	    .threads = 1, .seed = 1 }, .folder = { .fd = -1 } } };
	int status = parse_options(argc, argv, &a);

	if (status != 0)
		return status;
	child_signals_take(&a.run.signals);
	note(&a, begin(&a));
	if (a.run.log != NULL && !interrupted(&a))
		run_all(&a);
	if (interrupted(&a))
		warnx("interrupted; what was measured until now is in %s",
		    a.out);
	if (a.run.log != NULL)
		note(&a, all_folder_done(&a.run.folder, ALL_RUN_LOG,
		    a.run.log));
	all_folder_close(&a.run.folder);
	child_signals_back(&a.run.signals);
	return a.status;
}
