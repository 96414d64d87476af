/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench all makes of what the other subcommands wrote: recorded runs,
 * plots, the folder they lie in.
 */

/* system */
#include <sys/utsname.h>
#include <dirent.h>
#include <fcntl.h>
#include <sysexits.h>
#include <unistd.h>
#include <openssl/crypto.h>

/* bench */
#include "bench/all_milter.h"
#include "bench/all_plot.h"
#include "bench/all_runs.h"
#include "bench/all_steps.h"
#include "bench/pivot.h"
#include "bench/standing.h"

/* this room */
#include "tests/test.h"

static char base[] = "/tmp/dkimbench-test.XXXXXX", path[64];
static struct all_folder folder;
static char text[8000];

static int
set_up(void **state)
{
	(void)state;
	strcpy(base + sizeof base - 7, "XXXXXX");
	if (mkdtemp(base) == NULL)
		return -1;
	snprintf(path, sizeof path, "%s/out", base);
	return all_folder_open(&folder, path);
}

static int
tear_down(void **state)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	(void)state;
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			unlinkat(folder.fd, entry->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	all_folder_close(&folder);
	rmdir(path);
	return rmdir(base);
}

/*
 * Make a file of the folder.
 *   returns  its path
 */
static const char *
put(const char *name, const char *octets)
{
	static char file[PATH_MAX];
	FILE *out = all_folder_file(&folder, name);

	assert_non_null(out);
	fputs(octets, out);
	test_int(name, all_folder_done(&folder, name, out), 0);
	all_folder_path(&folder, name, file);
	return file;
}

/*
 * What a file of the folder holds.
 */
static const char *
get(const char *name)
{
	int fd = openat(folder.fd, name, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return fd < 0 ? "(not there)" : text;
}

static void
all_folder_open_not_empty(void **state)
{
	struct all_folder again;

	(void)state;
	test_int("empty", all_folder_open(&again, path), 0);
	all_folder_close(&again);
	put("runs.tsv", "precious\n");
	test_int("a file in it", all_folder_open(&again, path),
	    EX_CANTCREAT);
	test_str("still there", get("runs.tsv"), "precious\n");
	test_int("no folder above", all_folder_open(&again,
	    "/nonexistent/out"), EX_CANTCREAT);
	test_int("a file", all_folder_open(&again, "/dev/null"),
	    EX_CANTCREAT);
}

static void
all_folder_keep_name(void **state)
{
	int fd = all_folder_part(&folder, "a.tsv");

	(void)state;
	test_true("open", fd >= 0);
	test_int("written", write(fd, "x\n", 2), 2);
	close(fd);
	test_str("not yet", get("a.tsv"), "(not there)");
	test_str("a part", get("a.tsv.part"), "x\n");
	test_int("not twice", all_folder_part(&folder, "a.tsv"), -1);
	test_int("whole", all_folder_keep(&folder, "a.tsv"), 0);
	test_str("there", get("a.tsv"), "x\n");
	test_str("no part", get("a.tsv.part"), "(not there)");
	test_int("no such part", all_folder_keep(&folder, "b.tsv"),
	    EX_CANTCREAT);
	test_true("no second file of a name", all_folder_file(&folder,
	    "a.tsv") == NULL);
}

static const struct machine_facts facts = { .model = "Opteron 254",
    .os = "snv_115", .openssl = "0.9.8a", .ghz = 2.8126 };

#define RSA_HEADER "#backend\tpath\tbits\top\tbatch\tthreads\t" \
	"per_s_median\tratio\n"
#define RUNS_HEADER "#row\tmachine\tmhz\tos\topenssl\tbackend\tmeasure\t" \
	"key_bits\trun\tvalue\tmessages_in_5s\tpath\tbatch\tthreads\t" \
	"canon\tsize\n"
#define MACHINE "\tOpteron 254\t2813\tsnv_115\t0.9.8a\t"

static void
all_runs_take_rows(void **state)
{
	static const char want[] = RUNS_HEADER
	    "a" MACHINE "libcrypto x8\trsa-sign\t1024\t2\t549.0\t-\tevp\t8"
	    "\t1\t-\t-\n"
	    "b" MACHINE "bn64 x8\trsa-sign\t1024\t2\t-\t-\tifma\t8\t1\t-\t-\n"
	    "a" MACHINE "libcrypto x8\tdkim-verify\t1024\t1\t3682.0\t-\tevp"
	    "\t8\t1\trelaxed/simple\t1024\n"
	    "c" MACHINE "bn64 x1\tdkim-verify\t1024\t1\t1.5\t-\tadx\t1\t1"
	    "\trelaxed/simple\t1024\n";
	struct all_runs runs;
	FILE *out = all_folder_file(&folder, "runs.tsv");

	(void)state;
	assert_non_null(out);
	all_runs_begin(&runs, &facts, out);
	test_int("rsa", all_runs_take(&runs, put("rsa.tsv", RSA_HEADER
	    "libcrypto\tevp\t1024\tsign\t8\t1\t549.0\t1.000\n"
	    "bn64\tifma\t1024\tsign\t8\t1\tn/a\tn/a\n"
	    "token\ttoken\t1024\tboundary\t1\t1\t7.0\t-\n"), 2), 0);
	test_int("verify", all_runs_take(&runs, put("verify.tsv",
	    "#backend\tpath\tbits\top\tcanon\tsize\tbatch\tthreads\t"
	    "per_s_median\tkey\n"
	    "libcrypto\tevp\t1024\tverify\trelaxed/simple\t1024\t8\t1\t"
	    "3682.0\tcached\n"
	    "libcrypto\tevp\t1024\tverify\trelaxed/simple\t1024\t8\t1\t"
	    "99.0\tparsed\n"
	    "bn64\tadx\t1024\tverify\trelaxed/simple\t1024\t1\t1\t1.5\t"
	    "cached\n"), 1), 0);
	test_int("done", all_folder_done(&folder, "runs.tsv", out), 0);
	test_str("runs", get("runs.tsv"), want);
}

/* What is written is what dkimbench table reads. */
static void
all_runs_take_as_table(void **state)
{
	struct standing standing = { .rows = NULL };
	struct machine_facts unknown = facts;
	struct all_runs runs;
	struct tsv tsv;
	bool is_header, more;
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)state;
	unknown.ghz = 0;
	all_runs_begin(&runs, &unknown, out);
	for (unsigned run = 1; run <= 3; run++)
		test_int("a run", all_runs_take(&runs, put(run == 1 ? "1" :
		    run == 2 ? "2" : "3", RSA_HEADER
		    "libcrypto\tevp\t1024\tsign\t8\t1\t549.0\t1.000\n"),
		    run), 0);
	fclose(out);
	tsv_begin(&tsv, "runs.tsv", text, strlen(text));
	for (;;) {
		test_int("a line", tsv_next(&tsv, &is_header, &more), 0);
		if (!more)
			break;
		if (is_header)
			test_true("its columns", standing_is_header(&tsv));
		else
			test_int("its row", standing_add(&standing, &tsv), 0);
	}
	test_int("one row", (int)standing.n, 1);
	test_int("of three runs",
	    (int)standing.rows[0].figure[STANDING_RSA_SIGN].runs, 3);
	standing_clear(&standing);
}

static void
all_runs_take_wrong(void **state)
{
	struct all_runs runs;
	char rows[4000] = RSA_HEADER;
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)state;
	all_runs_begin(&runs, &facts, out);
	test_int("other columns", all_runs_take(&runs, put("1", "#form\tkind"
	    "\nsimple\ttext\n"), 1), EX_DATAERR);
	test_int("no number", all_runs_take(&runs, put("2", RSA_HEADER
	    "libcrypto\tevp\t1024\tsign\t8\t1\tmany\t1\n"), 1), EX_DATAERR);
	test_int("not there", all_runs_take(&runs, "/nonexistent", 1),
	    EX_NOINPUT);
	for (int i = 0; i <= ALL_RUNS_ROWS_MAX; i++)
		snprintf(rows + strlen(rows), sizeof rows - strlen(rows),
		    "libcrypto\tevp\t1024\tsign\t%d\t1\t1.0\t1\n", i + 1);
	test_int("more rows than letters", all_runs_take(&runs, put("3",
	    rows), 1), EX_DATAERR);
	test_int("as many as letters", (int)runs.n, ALL_RUNS_ROWS_MAX);
	fclose(out);
}

static void
pivot_print_block(void **state)
{
	struct pivot p = { .rows = 0 };
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)state;
	test_int("1", pivot_add(&p, "1024", "libcrypto", 1981.8), 0);
	test_int("2", pivot_add(&p, "2048", "bn \"64\"\n$x`\\", 5), 0);
	test_int("3", pivot_add(&p, "1024", "none", -1), 0);
	test_int("again", pivot_add(&p, "2048", "libcrypto", 7), 0);
	test_int("the later one", pivot_add(&p, "2048", "libcrypto", 8), 0);
	pivot_print(&p, "data", out);
	fclose(out);
	test_str("block", text, "$data << EOD\n"
	    "\"\"\t\"libcrypto\"\t\"bn  64  $x  \"\t\"none\"\n"
	    "\"1024\"\t1981.8\t?\t?\n"
	    "\"2048\"\t8.0\t5.0\t?\n"
	    "EOD\n");
}

static void
pivot_add_full(void **state)
{
	struct pivot p = { .rows = 0 };
	char name[16];

	(void)state;
	for (int i = 0; i < PIVOT_MAX; i++) {
		snprintf(name, sizeof name, "%d", i);
		test_int(name, pivot_add(&p, name, name, i), 0);
	}
	test_int("a row more", pivot_add(&p, "x", "0", 1), -1);
	test_int("a column more", pivot_add(&p, "0", "x", 1), -1);
	test_int("known ones", pivot_add(&p, "15", "0", 1), 0);
}

#define PLOT_BEGIN(name, title) "# gnuplot " name ".gp, in this folder\n" \
	"set terminal svg size 860,480 noenhanced background \"white\" " \
	"font \"sans-serif,13\"\n" \
	"set output \"" name ".svg\"\n" \
	"set title \"" title "\"\n" \
	"set datafile separator tab\n" \
	"set datafile missing \"?\"\n" \
	"set grid ytics\n" \
	"set key outside right top\n"
#define PLOT_BARS "set style data histograms\n" \
	"set style histogram clustered gap 1\n" \
	"set style fill solid 0.8 noborder\n"

static void
all_plot_messages_bars(void **state)
{
	(void)state;
	put("table.tsv", "#row\tbackend\tkey_bits\tdkim_sign\n"
	    "a\tlibcrypto x8\t1024\t2575\n"
	    "b\tbn64 x8\t1024\t18706\n"
	    "c\tlibcrypto x1\t1024\t-\n"
	    "a\tlibcrypto x8\t4096\t204\n");
	test_int("made", all_plot_messages(&folder, "sign", "table.tsv",
	    "dkim_sign"), 0);
	test_str("plot", get("sign.gp"), PLOT_BEGIN("sign",
	    "Messages signed a second, one core")
	    "set ylabel \"messages/s\"\n"
	    "$data << EOD\n"
	    "\"\"\t\"libcrypto x8\"\t\"bn64 x8\"\n"
	    "\"1024 bits\"\t2575.0\t18706.0\n"
	    "\"4096 bits\"\t204.0\t?\n"
	    "EOD\n" PLOT_BARS
	    "set logscale y\nset yrange [100:*]\n"
	    "plot for [i=2:3] $data using i:xtic(1) title columnheader(i)\n");
	test_int("no such column", all_plot_messages(&folder, "verify",
	    "table.tsv", "dkim_verify"), EX_DATAERR);
	test_int("no such file", all_plot_messages(&folder, "verify",
	    "none.tsv", "dkim_verify"), EX_NOINPUT);
	put("empty.tsv", "#row\tbackend\tkey_bits\tdkim_sign\n");
	test_int("nothing measured", all_plot_messages(&folder, "empty",
	    "empty.tsv", "dkim_sign"), 0);
	test_true("still a plot", strstr(get("empty.gp"),
	    "plot 1/0 title \"no figures\"\n") != NULL);
}

static void
all_plot_body_bars(void **state)
{
	(void)state;
	put("body.tsv", "#form\tkind\tsize\tmb_per_s_median\t"
	    "sha256_mb_per_s_median\n"
	    "simple\ttext\t1024\t190.5\t200\n"
	    "relaxed\ttext\t1024\t100\t200\n"
	    "relaxed\tlong\t1048576\t150\t210\n");
	test_int("made", all_plot_body(&folder, "body", "body.tsv"), 0);
	test_str("plot", get("body.gp"), PLOT_BEGIN("body",
	    "Bodies canonicalized and hashed, one core")
	    "set ylabel \"MB/s\"\nset xtics rotate by -20\n"
	    "$data << EOD\n"
	    "\"\"\t\"SHA-256 alone\"\t\"simple\"\t\"relaxed\"\n"
	    "\"text, 1 KiB\"\t200.0\t190.5\t100.0\n"
	    "\"long, 1024 KiB\"\t210.0\t?\t150.0\n"
	    "EOD\n" PLOT_BARS "set yrange [0:*]\n"
	    "plot for [i=2:4] $data using i:xtic(1) title columnheader(i)\n");
}

static void
all_plot_latency_lines(void **state)
{
	(void)state;
	put("milter.tsv", "#per_s\tp50_us\tp99_us\tmode\tbackend\tload\n"
	    "1000.0\t19000\t25000\tsign\tlibcrypto\t-\n"
	    "100.5\t700\t900\tsign\tlibcrypto\t10\n"
	    "9000.0\t1\t2\tverify\tlibcrypto\t10\n"
	    "500.0\t800\t-\tsign\tlibcrypto\t50\n"
	    "200.0\t400\t600\tsign\tbn64\t10\n");
	test_int("made", all_plot_latency(&folder, "latency-sign",
	    "milter.tsv", "sign"), 0);
	test_str("plot", get("latency-sign.gp"), PLOT_BEGIN("latency-sign",
	    "dkimd signs through its socket: latency by load")
	    "$line0 << EOD\n100.5\t700\t900\nEOD\n"
	    "$line1 << EOD\n200.0\t400\t600\nEOD\n"
	    "set xlabel \"messages/s\"\n"
	    "set ylabel \"us from the last packet to the answer\"\n"
	    "set xrange [0:*]\nset logscale y\n"
	    "plot $line0 using 1:2 with linespoints lc 1 dt 2 title "
	    "\"libcrypto\".\", median\", $line0 using 1:3 with linespoints "
	    "lc 1 title \"libcrypto\".\", p99\", $line1 using 1:2 with "
	    "linespoints lc 2 dt 2 title \"bn64\".\", median\", $line1 using "
	    "1:3 with linespoints lc 2 title \"bn64\".\", p99\"\n");
}

static void
all_steps_plan(void **state)
{
	(void)state;
	for (int quick = 0; quick < 2; quick++) {
		const struct all_steps *s = all_steps(quick);

		for (size_t i = 0; i < s->n; i++)
			for (size_t k = 0; k < i; k++)
				test_true(s->step[i].file, strcmp(
				    s->step[i].file, s->step[k].file) != 0);
		for (unsigned runs = 1; runs < 30; runs++)
			test_true("as many windows as asked for",
			    all_steps_windows(s, runs) * s->passes >= runs);
	}
	test_int("three passes of seven",
	    (int)all_steps_windows(all_steps(false), 20), 7);
	test_int("one of three", (int)all_steps_windows(all_steps(true), 3),
	    3);
}

static void
all_milter_messages_bounds(void **state)
{
	(void)state;
	test_int("a second", (int)all_milter_messages(1000, 1), 50);
	test_int("at least one", (int)all_milter_messages(3, 0.1), 1);
	test_int("nothing known", (int)all_milter_messages(-1, 2), 1);
	test_int("at most", (int)all_milter_messages(1e9, 1e3), 100000);
}

static void
all_run_line_log(void **state)
{
	struct all_run run = { .folder = folder };
	struct all_run_line line;
	char long_word[ALL_RUN_WORD_SIZE + 1];
	int out = all_folder_part(&folder, "out");

	(void)state;
	run.log = all_folder_file(&folder, ALL_RUN_LOG);
	child_signals_take(&run.signals);
	all_run_begin(&run, &line, "/bin/sh");
	all_run_words(&line, "  -c ");
	all_run_word(&line, "echo %s; echo c >&2; exit 7", "a  b");
	test_int("its status", all_run_line(&run, &line, out, NULL), 7);
	test_str("its output", get("out.part"), "a b\n");
	test_str("the log", get(ALL_RUN_LOG),
	    "== /bin/sh -c echo a  b; echo c >&2; exit 7\nc\n");

	all_run_begin(&run, &line, "/bin/sh");
	memset(long_word, 'x', ALL_RUN_WORD_SIZE);
	long_word[ALL_RUN_WORD_SIZE] = '\0';
	all_run_word(&line, "%s", long_word);
	all_run_words(&line, "a b");
	test_int("a word too long", all_run_line(&run, &line, out, NULL),
	    EX_OSERR);
	all_run_begin(&run, &line, "/bin/sh");
	for (int i = 0; i < ALL_RUN_WORDS_MAX; i++)
		all_run_words(&line, "a");
	test_int("a word too many", all_run_line(&run, &line, out, NULL),
	    EX_OSERR);

	all_run_begin(&run, &line, "/bin/sleep");
	all_run_words(&line, "60");
	raise(SIGTERM);
	test_int("a signal to us", all_run_line(&run, &line, out, NULL),
	    ALL_RUN_INTERRUPTED);
	run.signals.got = 0;
	child_signals_back(&run.signals);
	close(out);
	test_int("closed", all_folder_done(&folder, ALL_RUN_LOG, run.log), 0);
}

static void
machine_version_rows(void **state)
{
	static const struct {
		const char	*release;
		size_t		 want;
	} rows[] = {
		{ "6.1.0-18-amd64", 5 },	/* Debian 12 */
		{ "6.8.9", 5 },			/* kernel.org */
		{ "5.10.0.", 6 },
		{ "14.1-RELEASE-p3", 4 },	/* FreeBSD */
		{ "24.6.0+local", 6 },
		{ "unknown-1.2", 11 },
		{ ".", 1 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].release,
		    (long)machine_version(rows[i].release),
		    (long)rows[i].want);
}

static void
machine_look_facts(void **state)
{
	struct pin pin = { .n = 0 };
	struct machine_facts f;
	struct utsname u;
	char os[200];

	(void)state;
	machine_look(&f, &pin);
	assert_int_equal(uname(&u), 0);
	snprintf(os, sizeof os, "%s %.*s", u.sysname,
	    (int)machine_version(u.release), u.release);
	test_str("kernel", f.os, os);
	test_str("libcrypto", f.openssl,
	    OpenSSL_version(OPENSSL_VERSION_STRING));
	test_true("a column of its own", f.model[0] != '\0' &&
	    strpbrk(f.model, "\t\n") == NULL);
	test_true("a clock, or none", f.ghz >= 0 && f.ghz < 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_folder_open_not_empty,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_folder_keep_name, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(all_runs_take_rows, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(all_runs_take_as_table,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_runs_take_wrong, set_up,
		    tear_down),
		cmocka_unit_test(pivot_print_block),
		cmocka_unit_test(pivot_add_full),
		cmocka_unit_test_setup_teardown(all_plot_messages_bars,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_plot_body_bars, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(all_plot_latency_lines,
		    set_up, tear_down),
		cmocka_unit_test(machine_version_rows),
		cmocka_unit_test(machine_look_facts),
		cmocka_unit_test(all_steps_plan),
		cmocka_unit_test(all_milter_messages_bounds),
		cmocka_unit_test_setup_teardown(all_run_line_log, set_up,
		    tear_down),
	};

	return TEST_RUN(tests);
}
