/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of a configuration on their way to syslog, a socket of the test's
 * own, and to the terminal.
 */

/* system */
#include <sys/socket.h>
#include <sys/un.h>

/* this room */
#include "tests/capture.h"
#include "milter/faultlog.h"
#include "milter/log.h"

static char path[108];
static int syslog_fd, terminal, shown;

static int
set_up(void **state)
{
	struct options options = { .syslog = true,
	    .syslog_name = (char *)(uintptr_t)"tester" };
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	(void)state;
	snprintf(path, sizeof(path), "%s/log", capture_dir());
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	syslog_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (bind(syslog_fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		return -1;
	log_open_at(&options, false, path);
	return 0;
}

static int
tear_down(void **state)
{
	close(syslog_fd);
	return capture_clean(state);
}

/* Standard error into a pipe, and back. */
static void
hide(void)
{
	int ends[2];

	fflush(stderr);
	assert_int_equal(pipe(ends), 0);
	terminal = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	shown = ends[0];
}

static const char *
show(void)
{
	static char text[1000];
	ssize_t n;

	fflush(stderr);
	dup2(terminal, STDERR_FILENO);
	close(terminal);
	n = read(shown, text, sizeof(text) - 1);
	close(shown);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

/* The next line of syslog: "<priority>text", or "". */
static const char *
next(void)
{
	static char line[5000], out[5000];
	ssize_t n = recv(syslog_fd, line, sizeof(line) - 1, 0);
	const char *text;

	line[n < 0 ? 0 : n] = '\0';
	text = strstr(line, "]: ");
	if (text == NULL)
		return line;
	snprintf(out, sizeof(out), "%.*s%s", (int)strcspn(line, ">") + 1, line,
	    text + 3);
	return out;
}

static void
faultlog_init_priorities(void **state)
{
	/* facility mail is 2 << 3: 3 error, 4 warning, 6 info */
	static const struct {
		enum fault	 fault;
		const char	*log, *terminal;
	} rows[] = {
		{ FAULT_FATAL, "<19>f:1: X", "dkimd: f:1: X\n" },
		{ FAULT_ROW, "<19>f:1: X", "dkimd: f:1: X\n" },
		{ FAULT_WARNING, "<20>f:1: X", "dkimd: f:1: X\n" },
		{ FAULT_NOTE, "<22>f:1: X", "" },
	};
	struct report report;
	char text[1000];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows) * 2; i++) {
		hide();
		faultlog_init(&report, i % 2 == 1);
		report_fault(&report, rows[i / 2].fault, "f:%d: X", 1);
		snprintf(text, sizeof(text), "%s", show());
		test_str("log", next(), rows[i / 2].log);
		test_str("and no more", next(), "");
		test_str("terminal", text, i % 2 == 1 ? rows[i / 2].terminal :
		    "");
	}
	test_int("counted", report.rows + report.fatals + report.warnings, 0);
	report_fault(&report, FAULT_ROW, "x");
	test_int("counted", report.rows, 1);
	(void)next();
}

static void
faultlog_init_lines(void **state)
{
	struct report report;

	(void)state;
	faultlog_init(&report, false);
	report_fault(&report, FAULT_WARNING, "one\ntwo\n\nfour");
	test_str("1", next(), "<20>one");
	test_str("2", next(), "<20>two");
	test_str("3", next(), "<20>");
	test_str("4", next(), "<20>four");
	test_str("end", next(), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faultlog_init_priorities),
		cmocka_unit_test(faultlog_init_lines),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
