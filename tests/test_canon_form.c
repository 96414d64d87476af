/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of bench/canon_form.c: header/body as all subcommands take it (RFC
 * 6376 s3.5, c=), and the half form that none of them takes.
 */

/* system */
#include <sysexits.h>

/* bench */
#include "bench/canon_form.h"

/* this room */
#include "tests/test.h"

static void
canon_form_parse_rows(void **state)
{
	static const struct {
		const char	*text;
		int		 status;
		enum dkim_canon	 header, body;
	} rows[] = {
		{ "simple/simple", 0, DKIM_SIMPLE, DKIM_SIMPLE },
		{ "simple/relaxed", 0, DKIM_SIMPLE, DKIM_RELAXED },
		{ "relaxed/simple", 0, DKIM_RELAXED, DKIM_SIMPLE },
		{ "relaxed/relaxed", 0, DKIM_RELAXED, DKIM_RELAXED },
		{ "relaxed", EX_USAGE, 0, 0 },
		{ "simple", EX_USAGE, 0, 0 },
		{ "relaxed/", EX_USAGE, 0, 0 },
		{ "/simple", EX_USAGE, 0, 0 },
		{ "relaxed/simple/simple", EX_USAGE, 0, 0 },
		{ "relaxed simple", EX_USAGE, 0, 0 },
		{ "", EX_USAGE, 0, 0 },
	};
	struct canon_form form;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		form.text = "as before";
		test_int(rows[i].text, canon_form_parse("--canon",
		    rows[i].text, &form), rows[i].status);
		test_str(rows[i].text, form.text, rows[i].status == 0 ?
		    rows[i].text : "as before");
		if (rows[i].status != 0)
			continue;
		test_int(rows[i].text, form.header, rows[i].header);
		test_int(rows[i].text, form.body, rows[i].body);
	}
}

static void
canon_form_list_rows(void **state)
{
	static const struct {
		const char	*text;
		int		 status;
		size_t		 n;
	} rows[] = {
		{ "relaxed/simple", 0, 1 },
		{ "relaxed/simple,simple/simple,simple/relaxed", 0, 3 },
		{ "relaxed/simple,relaxed/simple", EX_USAGE, 0 },
		{ "relaxed/simple,relaxed", EX_USAGE, 1 },
		{ "relaxed/simple,", EX_USAGE, 0 },
	};
	struct canon_forms forms;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].text, canon_form_list("--canon",
		    rows[i].text, &forms), rows[i].status);
		test_int(rows[i].text, forms.n, rows[i].n);
	}
	test_int("three", canon_form_list("--canon", rows[1].text, &forms), 0);
	test_str("the last as it was written", forms.v[2].text,
	    "simple/relaxed");
	test_int("its header", forms.v[2].header, DKIM_SIMPLE);
	test_int("its body", forms.v[2].body, DKIM_RELAXED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canon_form_parse_rows),
		cmocka_unit_test(canon_form_list_rows),
	};

	return TEST_RUN(tests);
}
