/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data sets: which kind a text names (MIGRATION 2b: the rows marked [V] there
 * were seen in OpenDKIM, or are where we differ), flat files and lists.
 */

/* system */
#include "tests/test.h"

/* under test */
#include "milter/dataset.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;

/* Opens, or fails the test. */
static struct dataset *
open_set(const char *text)
{
	struct dataset *set = NULL;

	capture_init(&capture);
	test_int(
	    text, dataset_open("Option", text, NULL, &capture.report, &set), 0);
	return set;
}

static void
dataset_open_kinds(void **state)
{
	const struct {
		const char *name, *text, *base;
		int kind; /* -1: an error */
		size_t count;
		const char *message; /* of the error */
	} rows[] = {
		{ "IPv4 and IPv6 list", "127.0.0.1,::1", NULL, DATASET_CSL, 2,
		    NULL },
		{ "one IPv6 address", "::1", NULL, DATASET_CSL, 1, NULL },
		{ "IPv6 network first", "2001:db8::/32,127.0.0.1", NULL,
		    DATASET_CSL, 2, NULL },
		{ "IPv6 that begins with a prefix", "db::1", NULL, DATASET_CSL,
		    1, NULL },
		{ "negated IPv6", "!db::1,::1", NULL, DATASET_CSL, 2, NULL },
		{ "csl prefix", "csl:a,b,c", NULL, DATASET_CSL, 3, NULL },
		{ "prefix in capitals", "CSL:a", NULL, DATASET_CSL, 1, NULL },
		{ "bare list", "example.com, example.net", NULL, DATASET_CSL, 2,
		    NULL },
		{ "one word", "example.com", NULL, DATASET_CSL, 1, NULL },
		{ "empty items", "a,, b ,", NULL, DATASET_CSL, 2, NULL },
		{ "colon after a comma", "a,b:c", NULL, DATASET_CSL, 2, NULL },
		{ "unknown prefix is text", "a.b:c", NULL, DATASET_CSL, 1,
		    NULL },
		{ "bare path", "%s", NULL, DATASET_FILE, 2, NULL },
		{ "file", "file:%s", NULL, DATASET_FILE, 2, NULL },
		{ "refile", "refile:%s", NULL, DATASET_REFILE, 2, NULL },
		{ "blank behind the prefix", "refile: %s", NULL, DATASET_REFILE,
		    2, NULL },
		{ "relative with base", "file:table", "dir", DATASET_FILE, 2,
		    NULL },
		{ "relative without base", "file:table", NULL, -1, 0,
		    "BaseDirectory" },
		{ "unknown kind", "fil:/etc/table", NULL, -1, 0,
		    "unknown kind" },
		{ "sql", "dsn:mysql://u:p@3306+h/d/table=T?keycol=K", NULL, -1,
		    0,
		    "F Option: data sets of kind \"dsn\" are not supported "
		    "yet" },
		{ "ldap", "ldap://h/", NULL, -1, 0,
		    "\"ldap\" are not supported yet" },
		{ "db prefix", "db:/etc/x", NULL, -1, 0,
		    "\"db\" are not supported yet" },
		{ "db name", "/etc/x.db", NULL, -1, 0,
		    "\"db\" are not supported yet" },
		{ "lua", "lua:/etc/x", NULL, -1, 0, "not supported yet" },
		{ "no file", "file:/nonexistent/x", NULL, -1, 0,
		    "cannot read \"/nonexistent/x\": no such file" },
		{ "a folder", "file:/etc", NULL, -1, 0, "it is a folder" },
		{ "a device", "file:/dev/null", NULL, -1, 0, "no plain file" },
		{ "nothing", "", NULL, -1, 0, "names nothing" },
		{ "prefix only", "refile:", NULL, -1, 0, "names nothing" },
	};
	const char *path = capture_text("table", "a 1\nb 2\n");
	char text[400];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct dataset *set = NULL;
		const char *at = strstr(rows[i].text, "%s");
		int got;

		snprintf(text, sizeof(text), "%.*s%s",
		    at == NULL ? (int)strlen(rows[i].text)
			       : (int)(at - rows[i].text),
		    rows[i].text, at == NULL ? "" : path);
		capture_init(&capture);
		got = dataset_open("Option", text,
		    rows[i].base == NULL ? NULL : capture_dir(),
		    &capture.report, &set);
		test_int(
		    rows[i].name, got, rows[i].kind < 0 ? DKIM_ERR_SYNTAX : 0);
		capture_check(rows[i].name, &capture, rows[i].message);
		test_int(rows[i].name, capture.report.fatals, rows[i].kind < 0);
		if (got == 0) {
			test_int(rows[i].name, dataset_kind(set), rows[i].kind);
			test_int(
			    rows[i].name, dataset_count(set), rows[i].count);
		}
		dataset_free(set);
	}
}

/* Looks key up; gives the values found, joined by ",". */
static const char *
find(const struct dataset *set, const char *key, bool nocase, size_t max)
{
	static char text[1000];
	struct row rows[16];
	size_t n, at = 0;

	test_int(
	    key, dataset_find(set, slice_text(key), nocase, rows, max, &n), 0);
	test_true(key, n <= max);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s",
		    i > 0 ? "," : "", (int)rows[i].value.n,
		    (const char *)rows[i].value.p);
	return text;
}

static void
dataset_find_flat_file(void **state)
{
	struct dataset *set;
	struct row row;
	char text[300];

	(void)state;
	snprintf(text, sizeof(text), "file:%s",
	    capture_text("flat",
		"# a comment\r\n"
		"\n"
		"key1   example.com:s:/etc/keys/a:b.pem  # why\n"
		"  Key2\tvalue two \r\n"
		"key1 again\n"
		"alone\n"
		"cut va#lue\n"
		"last one"));
	set = open_set(text);
	capture_check("flat", &capture, NULL);
	test_int("rows", dataset_count(set), 6);
	test_str("colons", find(set, "key1", false, 1),
	    "example.com:s:/etc/keys/a:b.pem");
	test_str("both", find(set, "key1", false, 16),
	    "example.com:s:/etc/keys/a:b.pem,again");
	test_str("case", find(set, "key2", false, 16), "");
	test_str("no case", find(set, "kEY2", true, 16), "value two");
	test_str("# cuts", find(set, "cut", false, 16), "va");
	test_str("no final line end", find(set, "last", false, 16), "one");
	test_str("unknown", find(set, "key", true, 16), "");
	test_str("max 0", find(set, "key1", true, 0), "");
	dataset_at(set, 1, &row);
	test_int("line", row.line, 4);
	test_str("file", row.file, text + 5);
	dataset_at(set, 3, &row);
	test_int("no value", row.value.n, 0);
	dataset_free(set);
}

static void
dataset_find_list(void **state)
{
	struct dataset *set =
	    open_set(" daemon_name=ORIG|SUB , auth_type, a = b=c ");

	(void)state;
	test_str("k=v", find(set, "daemon_name", false, 16), "ORIG|SUB");
	test_str("k", find(set, "auth_type", false, 16), "");
	test_str("first = splits", find(set, "a", false, 16), "b=c");
	test_int("rows", dataset_count(set), 3);
	dataset_free(set);
	set = open_set("*@ex.org=k");
	test_str("no pattern in a list", find(set, "u@ex.org", true, 16), "");
	dataset_free(set);
}

/* A look-up key has at most 320 octets, and so has a key in a table. */
static void
dataset_find_long_key(void **state)
{
	char key[330], text[700];
	struct dataset *set;
	struct row row;
	size_t n;

	(void)state;
	memset(key, 'k', sizeof(key));
	key[320] = '\0';
	snprintf(text, sizeof(text), "%s v\nx%s w\n", key, key);
	snprintf(text, sizeof(text), "file:%s", capture_text("long", text));
	capture_init(&capture);
	test_int("321",
	    dataset_open("Option", text, NULL, &capture.report, &set),
	    DKIM_ERR_SYNTAX);
	capture_check("321", &capture, "F ");
	capture_check("321", &capture, "long:2: Option: key of 321 octets");
	snprintf(text, sizeof(text), "%s v\n", key);
	snprintf(text, sizeof(text), "file:%s", capture_text("long", text));
	set = open_set(text);
	test_int("rows", dataset_count(set), 1);
	test_int("320",
	    dataset_find(set, slice_of(key, 320), false, &row, 1, &n), 0);
	test_int("320 found", n, 1);
	key[320] = 'k';
	test_int("321",
	    dataset_find(set, slice_of(key, 321), false, &row, 1, &n), 0);
	test_int("321 not found", n, 0);
	dataset_free(set);
	/* a pattern for all keys is not asked, either */
	snprintf(text, sizeof(text), "refile:%s", capture_text("all", "*"));
	set = open_set(text);
	test_int("320",
	    dataset_find(set, slice_of(key, 320), false, &row, 1, &n), 0);
	test_int("320", n, 1);
	test_int("321",
	    dataset_find(set, slice_of(key, 321), false, &row, 1, &n), 0);
	test_int("321", n, 0);
	dataset_free(set);
}

/* Lines up to 64 KiB are whole; a longer one, or one with a NUL, keeps its key
 * and loses its value, so that mail which needs it is tempfailed. */
static void
dataset_open_bad_lines(void **state)
{
	static char octets[140000];
	struct dataset *set;
	struct row row;
	char text[300];
	size_t n = 0, found;

	(void)state;
	memset(octets, 'v', sizeof(octets));
	memcpy(octets, "full ", 5);
	n = DATASET_LINE_MAX;
	octets[n++] = '\n';
	memcpy(octets + n, "over ", 5);
	n += DATASET_LINE_MAX + 1;
	octets[n++] = '\n';
	memcpy(octets + n, "nul va\0lue\nnext x\n", 18);
	n += 18;
	snprintf(text, sizeof(text), "file:%s", capture_file("bad", octets, n));
	set = open_set(text);
	test_int("rows", dataset_count(set), 4);
	test_int("faults", capture.report.rows, 2);
	capture_check(
	    "long", &capture, "bad:2: Option: line of more than 65536 octets");
	capture_check("nul", &capture, "bad:3: Option: a NUL");
	test_int("",
	    dataset_find(set, slice_text("full"), false, &row, 1, &found), 0);
	test_int("64 KiB", row.value.n, DATASET_LINE_MAX - 5);
	test_int("",
	    dataset_find(set, slice_text("over"), false, &row, 1, &found), 0);
	test_int("over: found", found, 1);
	test_int("over: no value", row.value.n, 0);
	test_int("",
	    dataset_find(set, slice_text("nul"), false, &row, 1, &found), 0);
	test_int("nul: no value", row.value.n, 0);
	test_str("the rest", find(set, "next", false, 1), "x");
	dataset_free(set);
}

/* Every row of 20,000 is found, in a hash: nothing is tried one by one. */
static void
dataset_find_many(void **state)
{
	static char octets[1000000];
	struct dataset *set;
	char text[300], key[64], value[64];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 20000; i++)
		n += (size_t)snprintf(
		    octets + n, sizeof(octets) - n, "key%d value%d\n", i, i);
	snprintf(
	    text, sizeof(text), "file:%s", capture_file("many", octets, n));
	set = open_set(text);
	test_int("rows", dataset_count(set), 20000);
	test_int("linear", dataset_linear(set), 0);
	for (int i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "KEY%d", i);
		snprintf(value, sizeof(value), "value%d", i);
		test_str(key, find(set, key, true, 4), value);
	}
	test_str("none", find(set, "key20000", true, 4), "");
	dataset_free(set);
}

static bool
run_open(void *arg)
{
	struct dataset *set = NULL;
	int error;

	capture_init(&capture);
	error = dataset_open("Option", arg, NULL, &capture.report, &set);
	dataset_free(set);
	return error == 0;
}

static void
dataset_open_no_memory(void **state)
{
	char text[300];

	(void)state;
	snprintf(text, sizeof(text), "csl:a,b=c");
	test_every_allocation(run_open, text);
	snprintf(text, sizeof(text), "file:%s",
	    capture_text("memory", "a 1\nb 2\n"));
	test_every_allocation(run_open, text);
	snprintf(text, sizeof(text), "refile:%s",
	    capture_text("memory", "a 1\n*@b 2\nc* 3\n*d* 4\n(e|f) 5\n"));
	test_every_allocation(run_open, text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dataset_open_kinds),
		cmocka_unit_test(dataset_find_flat_file),
		cmocka_unit_test(dataset_find_list),
		cmocka_unit_test(dataset_find_long_key),
		cmocka_unit_test(dataset_open_bad_lines),
		cmocka_unit_test(dataset_find_many),
		cmocka_unit_test(dataset_open_no_memory),
	};

	return CAPTURE_RUN(tests);
}
