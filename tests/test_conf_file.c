/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of a configuration file (MIGRATION 2a).
 */

/* system */
#include "tests/test.h"

/* under test */
#include "milter/conf_file.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;

/* What was set, as "line:name=value|". */
struct sink {
	char text[4000];
	size_t n;
	int answer;
};

static int
put(void *context, struct option_place place, struct slice name,
    struct slice value)
{
	struct sink *sink = context;

	sink->n +=
	    (size_t)snprintf(sink->text + sink->n, sizeof(sink->text) - sink->n,
		"%u:%.*s=%.*s|", place.line, (int)name.n, (const char *)name.p,
		(int)value.n, (const char *)value.p);
	return sink->answer;
}

static int
read_text(const void *octets, size_t n, struct sink *sink)
{
	struct option_file *files = NULL;
	int error;

	capture_init(&capture);
	error = conf_file_read(capture_file("main.conf", octets, n), put, sink,
	    &capture.report, &files);
	conf_file_free(files);
	return error;
}

static void
conf_file_read_lines(void **state)
{
	const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "empty", "", "" },
		{ "blanks", " \n\t\n\n", "" },
		{ "plain", "A b\n", "1:A=b|" },
		{ "no line end", "A b", "1:A=b|" },
		{ "tabs and spaces", "  A\t \tb  c \t\n", "1:A=b  c|" },
		{ "comment lines", "# A b\n #x\nA b\n", "3:A=b|" },
		{ "# cuts a value", "A b#c d\nB c # d\n", "1:A=b|2:B=c|" },
		{ "# cuts a name", "A#b c\n", "1:A=|" },
		{ "CRLF", "A b\r\nB c\r\n", "1:A=b|2:B=c|" },
		{ "CR cuts", "A b\rc d\nB c\n", "1:A=b|2:B=c|" },
		{ "no value", "A\n", "1:A=|" },
		{ "value to the line end", "A \"b\" <c@d>, e\n",
		    "1:A=\"b\" <c@d>, e|" },
		{ "= is no separator", "A=b\n", "1:A=b=|" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct sink sink = { "", 0, 0 };

		test_int(rows[i].name,
		    read_text(rows[i].text, strlen(rows[i].text), &sink), 0);
		test_str(rows[i].name, sink.text, rows[i].want);
		capture_check(rows[i].name, &capture, NULL);
	}
}

static void
conf_file_read_bad(void **state)
{
	static char line[CONF_FILE_LINE_MAX + 10];
	struct sink sink = { "", 0, 0 };
	struct option_file *files = NULL;

	(void)state;
	test_int("nul", read_text("A b\0c\nB c\n", 10, &sink), DKIM_ERR_SYNTAX);
	capture_check("nul", &capture,
	    "main.conf:1: line: it has more than 65536 octets, or a NUL");
	test_str("the rest is read", sink.text, "2:B=c|");

	memset(line, ' ', sizeof(line));
	line[0] = 'A';
	line[CONF_FILE_LINE_MAX - 1] = 'b';
	line[CONF_FILE_LINE_MAX] = '\n';
	sink = (struct sink){ "", 0, 0 };
	test_int("65536", read_text(line, CONF_FILE_LINE_MAX + 1, &sink), 0);
	test_str("65536", sink.text, "1:A=b|");
	line[CONF_FILE_LINE_MAX] = ' ';
	test_int("65537", read_text(line, CONF_FILE_LINE_MAX + 1, &sink),
	    DKIM_ERR_SYNTAX);

	capture_init(&capture);
	test_int("missing",
	    conf_file_read(
		"/nonexistent/dkimd.conf", put, &sink, &capture.report, &files),
	    DKIM_ERR_SYNTAX);
	capture_check(
	    "missing", &capture, "F /nonexistent/dkimd.conf: no such file");
	conf_file_free(files);

	/* a fault of one setting is told, and the others are read */
	sink = (struct sink){ "", 0, DKIM_ERR_SYNTAX };
	test_int("all", read_text("A b\nB c\n", 8, &sink), DKIM_ERR_SYNTAX);
	test_str("all", sink.text, "1:A=b|2:B=c|");
	sink = (struct sink){ "", 0, DKIM_ERR_NOMEM };
	test_int("memory", read_text("A b\nB c\n", 8, &sink), DKIM_ERR_NOMEM);
	test_str("memory", sink.text, "1:A=b|");
}

static void
conf_file_read_include(void **state)
{
	struct sink sink = { "", 0, 0 };
	char text[400];

	(void)state;
	/* relative to the including file, name without case, in the place of
	 * the line */
	capture_text("inner.conf", "B 2\n");
	snprintf(text, sizeof(text),
	    "A 1\niNCLUDE inner.conf\nInclude %s/inner.conf\nC 3\n",
	    capture_dir());
	test_int("include", read_text(text, strlen(text), &sink), 0);
	test_str("include", sink.text, "1:A=1|1:B=2|1:B=2|4:C=3|");

	sink = (struct sink){ "", 0, 0 };
	test_int("missing", read_text("Include none.conf\nA 1\n", 22, &sink),
	    DKIM_ERR_SYNTAX);
	capture_check("missing", &capture, "main.conf:1: ");
	capture_check("missing", &capture, "/none.conf: no such file");
	test_str("missing", sink.text, "2:A=1|");
}

/* Five files inside each other are read, a sixth is not. */
static void
conf_file_read_nested(void **state)
{
	struct sink sink = { "", 0, 0 };
	char name[20], text[60];

	(void)state;
	for (int i = 2; i <= 6; i++) {
		snprintf(name, sizeof(name), "n%d.conf", i);
		snprintf(text, sizeof(text),
		    i < 5 ? "Include n%d.conf\n" : "Deep %d\n", i + 1);
		capture_text(name, text);
	}
	test_int("five", read_text("Include n2.conf\n", 16, &sink), 0);
	test_str("five", sink.text, "1:Deep=6|");
	capture_text("n5.conf", "Include n6.conf\n");
	sink = (struct sink){ "", 0, 0 };
	test_int(
	    "six", read_text("Include n2.conf\n", 16, &sink), DKIM_ERR_SYNTAX);
	capture_check("six", &capture,
	    "n5.conf:1: Include: files are nested more than 5 deep");
	test_str("six", sink.text, "");
	/* itself, many times: bounded */
	capture_text("self.conf",
	    "Include self.conf\nInclude self.conf\nInclude self.conf\n"
	    "Include self.conf\nInclude self.conf\nInclude self.conf\nInclude "
	    "self.conf\n");
	test_int("self", read_text("Include self.conf\n", 18, &sink),
	    DKIM_ERR_SYNTAX);
}

static bool
run_read(void *arg)
{
	struct option_file *files = NULL;
	struct sink sink = { "", 0, 0 };
	int error;

	capture_init(&capture);
	error = conf_file_read(arg, put, &sink, &capture.report, &files);
	conf_file_free(files);
	return error == 0;
}

static void
conf_file_read_no_memory(void **state)
{
	char path[300];

	(void)state;
	capture_text("inner.conf", "B 2\n");
	snprintf(path, sizeof(path), "%s",
	    capture_text("outer.conf", "A 1\nInclude inner.conf\n"));
	test_every_allocation(run_read, path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conf_file_read_lines),
		cmocka_unit_test(conf_file_read_bad),
		cmocka_unit_test(conf_file_read_include),
		cmocka_unit_test(conf_file_read_nested),
		cmocka_unit_test(conf_file_read_no_memory),
	};

	return CAPTURE_RUN(tests);
}
