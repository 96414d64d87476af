/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of a configuration: counted, written, escaped.
 */

/* system */
#include "tests/test.h"

/* under test */
#include "milter/report.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;

static void
report_fault_counts(void **state)
{
	struct report silent = { .write = NULL };

	(void)state;
	capture_init(&capture);
	report_fault(&capture.report, FAULT_WARNING, "%s", "a");
	report_fault(&capture.report, FAULT_ROW, "b%d", 2);
	report_fault(&capture.report, FAULT_ROW, "c");
	report_fault(&capture.report, FAULT_FATAL, "d");
	report_fault(&capture.report, FAULT_NOTE, "e");
	test_str("all", capture.text, "W a\nR b2\nR c\nF d\nN e\n");
	test_int("warnings", capture.report.warnings, 1);
	test_int("rows", capture.report.rows, 2);
	test_int("fatals", capture.report.fatals, 1);
	report_fault(&silent, FAULT_FATAL, "x");
	test_int("nobody listens", silent.fatals, 1);
}

/* A text that does not fit says so. */
static void
report_fault_long(void **state)
{
	static char text[5000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	capture_init(&capture);
	report_fault(&capture.report, FAULT_NOTE, "%s", text);
	test_int("length", capture.n, 2 + 4095 + 1);
	test_octets("end", capture.text + capture.n - 5, 5, "x...\n", 5);
	text[4095] = '\0';
	capture_init(&capture);
	report_fault(&capture.report, FAULT_NOTE, "%s", text);
	test_octets("fits", capture.text + capture.n - 5, 5, "xxxx\n", 5);
}

static void
report_octets_escapes(void **state)
{
	struct report_octets out;
	char many[300];

	(void)state;
	test_str(
	    "plain", report_octets(&out, slice_text("a b~\"'")), "a b~\"'");
	test_str("empty", report_octets(&out, slice_of("", 0)), "");
	test_str("control",
	    report_octets(&out, slice_of("\0\n\x1b[\x7f\x80\xff\\", 8)),
	    "\\x00\\x0a\\x1b[\\x7f\\x80\\xff\\x5c");
	memset(many, '\n', sizeof(many));
	report_octets(&out, slice_of(many, 200));
	test_int("200", strlen(out.text), 800);
	report_octets(&out, slice_of(many, 201));
	test_int("201", strlen(out.text), 803);
	test_str("201", out.text + 796, "\\x0a...");
}

static void
report_s_numbers(void **state)
{
	(void)state;
	test_str("0 rows", report_s(0), "s");
	test_str("1 row", report_s(1), "");
	test_str("2 rows", report_s(2), "s");
}

static void
report_name_places(void **state)
{
	(void)state;
	test_str("plain", report_name("KeyTable"), "KeyTable");
	test_str("file", report_name("/a b/c:1: KeyTable"), "KeyTable");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_fault_counts),
		cmocka_unit_test(report_fault_long),
		cmocka_unit_test(report_name_places),
		cmocka_unit_test(report_octets_escapes),
		cmocka_unit_test(report_s_numbers),
	};

	return CAPTURE_RUN(tests);
}
