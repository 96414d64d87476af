/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plots; see all_plot.h.
 */

/* system */
#include <err.h>
#include <math.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "all_plot.h"
#include "all_rows.h"
#include "pivot.h"

#define POINTS_MAX	32	/* of a line */

/* What is drawn, while its figures are read. */
struct bars {
	struct pivot	 pivot;
	const char	*column;
};

struct point {
	double	per_s, p50, p99;
};

struct line {
	char		name[PIVOT_TEXT_SIZE];
	struct point	point[POINTS_MAX];
	size_t		n;
};

struct lines {
	struct line	 line[PIVOT_MAX];
	size_t		 n;
	const char	*mode;
};

/*
 * What all plots begin with.
 */
static FILE *
begin(const struct all_folder *folder, const char *name, const char *title)
{
	char file[ALL_FOLDER_NAME_MAX];
	FILE *out;

	snprintf(file, sizeof file, "%s.gp", name);
	out = all_folder_file(folder, file);
	if (out != NULL)
		fprintf(out, "# gnuplot %s.gp, in this folder\n"
		    "set terminal svg size 860,480 noenhanced background "
		    "\"white\" font \"sans-serif,13\"\n"
		    "set output \"%s.svg\"\n"
		    "set title \"%s\"\n"
		    "set datafile separator tab\n"
		    "set datafile missing \"?\"\n"
		    "set grid ytics\n"
		    "set key outside right top\n", name, name, title);
	return out;
}

static int
end(const struct all_folder *folder, const char *name, FILE *out)
{
	char file[ALL_FOLDER_NAME_MAX];

	snprintf(file, sizeof file, "%s.gp", name);
	return all_folder_done(folder, file, out);
}

/*
 * The rows of a file of the folder.
 */
static int
read_rows(const struct all_folder *folder, const char *file,
    int (*take)(void *arg, struct tsv *tsv), void *arg)
{
	char path[PATH_MAX];

	all_folder_path(folder, file, path);
	return all_rows(path, take, arg);
}

static int
full(struct tsv *tsv)
{
	return tsv_fail(tsv, "more than %d bars or lines of a kind",
	    PIVOT_MAX);
}

/*
 * Bars of all series side by side, a group a row. On a logarithmic axis the
 * foot is a round number below the least.
 */
static void
print_bars(const struct pivot *p, bool logarithmic, FILE *out)
{
	double least = 0;

	for (size_t r = 0; r < p->rows; r++)
		for (size_t c = 0; c < p->columns; c++)
			if (p->known[r][c] && p->value[r][c] > 0 &&
			    (least <= 0 || p->value[r][c] < least))
				least = p->value[r][c];
	pivot_print(p, "data", out);
	fprintf(out, "set style data histograms\n"
	    "set style histogram clustered gap 1\n"
	    "set style fill solid 0.8 noborder\n");
	if (logarithmic && least > 0)
		fprintf(out, "set logscale y\nset yrange [%g:*]\n",
		    pow(10, floor(log10(least))));
	else
		fprintf(out, "set yrange [0:*]\n");
	/* an empty plot is an error of gnuplot's */
	if (least > 0)
		fprintf(out, "plot for [i=2:%zu] $data using i:xtic(1) title "
		    "columnheader(i)\n", p->columns + 1);
	else
		fprintf(out, "plot 1/0 title \"no figures\"\n");
}

static int
take_messages(void *arg, struct tsv *tsv)
{
	struct bars *b = arg;
	char row[PIVOT_TEXT_SIZE];
	double value;
	int status = tsv_figure(tsv, b->column, &value);

	if (status != 0)
		return status;
	/* rows without messages are of raw RSA */
	if (value < 0)
		return 0;
	snprintf(row, sizeof row, "%.40s bits",
	    all_rows_text(tsv, "key_bits"));
	return pivot_add(&b->pivot, row, all_rows_text(tsv, "backend"),
	    value) == 0 ? 0 : full(tsv);
}

int
all_plot_messages(const struct all_folder *folder, const char *name,
    const char *table, const char *column)
{
	struct bars b = { .column = column };
	int status = read_rows(folder, table, take_messages, &b);
	FILE *out;

	if (status != 0)
		return status;
	out = begin(folder, name, strcmp(column, "dkim_sign") == 0 ?
	    "Messages signed a second, one core" :
	    "Messages verified a second, one core, key cached");
	if (out == NULL)
		return EX_CANTCREAT;
	fprintf(out, "set ylabel \"messages/s\"\n");
	print_bars(&b.pivot, true, out);
	return end(folder, name, out);
}

static int
take_body(void *arg, struct tsv *tsv)
{
	struct bars *b = arg;
	char row[PIVOT_TEXT_SIZE];
	double value, alone = -1, size = -1;
	int status = tsv_figure(tsv, "mb_per_s_median", &value);

	if (status == 0)
		status = tsv_figure(tsv, "sha256_mb_per_s_median", &alone);
	if (status == 0)
		status = tsv_figure(tsv, "size", &size);
	if (status != 0)
		return status;
	snprintf(row, sizeof row, "%.30s, %.5g KiB",
	    all_rows_text(tsv, "kind"), size / 1024);
	if (pivot_add(&b->pivot, row, "SHA-256 alone", alone) != 0 ||
	    pivot_add(&b->pivot, row, all_rows_text(tsv, "form"), value) != 0)
		return full(tsv);
	return 0;
}

int
all_plot_body(const struct all_folder *folder, const char *name,
    const char *body)
{
	struct bars b = { .column = NULL };
	int status = read_rows(folder, body, take_body, &b);
	FILE *out;

	if (status != 0)
		return status;
	out = begin(folder, name, "Bodies canonicalized and hashed, one core");
	if (out == NULL)
		return EX_CANTCREAT;
	fprintf(out, "set ylabel \"MB/s\"\nset xtics rotate by -20\n");
	print_bars(&b.pivot, false, out);
	return end(folder, name, out);
}

/*
 * The line of a backend, a new one where it has none; NULL: there is no room.
 */
static struct line *
find_line(struct lines *lines, const char *name)
{
	struct line *line;

	for (size_t i = 0; i < lines->n; i++)
		if (strncmp(lines->line[i].name, name,
		    PIVOT_TEXT_SIZE - 1) == 0)
			return &lines->line[i];
	if (lines->n == PIVOT_MAX)
		return NULL;
	line = &lines->line[lines->n++];
	snprintf(line->name, sizeof line->name, "%s", name);
	return line;
}

static int
take_load(void *arg, struct tsv *tsv)
{
	struct lines *lines = arg;
	struct point point = { 0, 0, 0 };
	struct line *line;
	int status;

	/* as much as goes has no latency but that of its own queue */
	if (strcmp(all_rows_text(tsv, "mode"), lines->mode) != 0 ||
	    strcmp(all_rows_text(tsv, "load"), "-") == 0)
		return 0;
	status = tsv_figure(tsv, "per_s", &point.per_s);
	if (status == 0)
		status = tsv_figure(tsv, "p50_us", &point.p50);
	if (status == 0)
		status = tsv_figure(tsv, "p99_us", &point.p99);
	if (status != 0 || point.per_s < 0 || point.p50 < 0 || point.p99 < 0)
		return status;
	line = find_line(lines, all_rows_text(tsv, "backend"));
	if (line == NULL || line->n == POINTS_MAX)
		return full(tsv);
	line->point[line->n++] = point;
	return 0;
}

static void
print_lines(const struct lines *lines, FILE *out)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct line *line = &lines->line[i];

		fprintf(out, "$line%zu << EOD\n", i);
		for (size_t k = 0; k < line->n; k++)
			fprintf(out, "%.1f\t%.0f\t%.0f\n",
			    line->point[k].per_s, line->point[k].p50,
			    line->point[k].p99);
		fprintf(out, "EOD\n");
	}
	fprintf(out, "set xlabel \"messages/s\"\n"
	    "set ylabel \"us from the last packet to the answer\"\n"
	    "set xrange [0:*]\nset logscale y\n");
	if (lines->n == 0)
		fprintf(out, "set yrange [1:10]\n"
		    "plot 1/0 title \"no figures\"");
	for (size_t i = 0; i < lines->n; i++) {
		fprintf(out, "%s$line%zu using 1:2 with linespoints lc %zu "
		    "dt 2 title ", i == 0 ? "plot " : ", ", i, i + 1);
		pivot_quote(lines->line[i].name, out);
		fprintf(out, ".\", median\", $line%zu using 1:3 with "
		    "linespoints lc %zu title ", i, i + 1);
		pivot_quote(lines->line[i].name, out);
		fprintf(out, ".\", p99\"");
	}
	fputc('\n', out);
}

int
all_plot_latency(const struct all_folder *folder, const char *name,
    const char *milter, const char *mode)
{
	struct lines lines = { .n = 0, .mode = mode };
	int status = read_rows(folder, milter, take_load, &lines);
	FILE *out;

	if (status != 0)
		return status;
	out = begin(folder, name, strcmp(mode, "sign") == 0 ?
	    "dkimd signs through its socket: latency by load" :
	    "dkimd verifies through its socket: latency by load");
	if (out == NULL)
		return EX_CANTCREAT;
	print_lines(&lines, out);
	return end(folder, name, out);
}
