/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PIN files: which may be read, and what is taken from them.
 */

/* system */
#include <sys/stat.h>
#include <unistd.h>

/* cmd */
#include "cmd/dkimd_token.h"

/* this room */
#include "tests/test.h"

static char folder[64], path[128], text[512];
static struct rsab_token_detail detail;
static uint8_t pin[RSAB_TOKEN_PIN_MAX];
static size_t pin_n;

static void
put(const char *octets, size_t n, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(octets, 1, n, f), n);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

static int
setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/token-pin-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/pin", folder);
	put("1234\n", 5, 0600);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	unlink(path);
	snprintf(text, sizeof text, "%s/link", folder);
	unlink(text);
	rmdir(folder);
	return 0;
}

static int
read_pin(const char *file, const char *folders)
{
	detail.text[0] = '\0';
	return dkimd_token_pin(NULL, file, folders, pin, &pin_n, &detail);
}

static void
says(const char *words)
{
	if (strstr(detail.text, words) == NULL)
		test_str("detail", detail.text, words);
}

static void
pin_first_line(void **state)
{
	static const struct { const char *row, *octets, *want; } rows[] = {
		{ "line", "1234\n", "1234" },
		{ "no end", "1234", "1234" },
		{ "CRLF", "1234\r\n", "1234" },
		{ "more lines", "1234\n5678\n", "1234" },
		{ "blanks belong to it", " 12 34 \n", " 12 34 " },
		{ "empty", "", NULL },
		{ "empty line", "\n1234\n", NULL },
		{ "empty line, CRLF", "\r\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		put(rows[i].octets, strlen(rows[i].octets), 0600);
		if (rows[i].want == NULL) {
			test_int(rows[i].row, read_pin(path, folder),
			    RSAB_ERR_PIN);
			continue;
		}
		test_int(rows[i].row, read_pin(path, folder), 0);
		test_octets(rows[i].row, pin, pin_n, rows[i].want,
		    strlen(rows[i].want));
	}
}

static void
pin_length(void **state)
{
	(void)state;
	memset(text, '7', sizeof text);
	put(text, RSAB_TOKEN_PIN_MAX, 0600);
	test_int("at the limit", read_pin(path, folder), 0);
	test_int("all of it", pin_n, RSAB_TOKEN_PIN_MAX);
	put(text, RSAB_TOKEN_PIN_MAX + 1, 0600);
	test_int("over", read_pin(path, folder), RSAB_ERR_PIN);
	says("255");
}

static void
pin_folders(void **state)
{
	static const struct { const char *row, *folders; bool good; } rows[] = {
		{ "that one", "%s", true },
		{ "with a slash", "%s/", true },
		{ "second", "/nowhere:%s", true },
		{ "one above", "/tmp", true },
		{ "root", "/", true },
		{ "none", "", false },
		{ "another", "/etc", false },
		{ "begins alike", "%.10s", false },
		{ "begins alike, longer", "%sx", false },
		{ "not absolute", "tmp", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		char folders[128];

		/* /tmp itself is not safe: others may write there */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(folders, sizeof folders, rows[i].folders, folder);
#pragma GCC diagnostic pop
		test_int(rows[i].row, read_pin(path, folders),
		    rows[i].good ? 0 : RSAB_ERR_PIN);
		if (!rows[i].good)
			says("PKCS11PINDirectory");
	}
}

static void
pin_paths(void **state)
{
	(void)state;
	test_int("relative", read_pin("tmp/pin", "/"), RSAB_ERR_PIN);
	snprintf(text, sizeof text, "%s/../%s", folder, &path[5]);
	test_int("..", read_pin(text, folder), RSAB_ERR_PIN);
	says("..");
	snprintf(text, sizeof text, "%s/./pin", folder);
	test_int(".", read_pin(text, folder), RSAB_ERR_PIN);
	snprintf(text, sizeof text, "%s/link", folder);
	assert_int_equal(symlink(path, text), 0);
	test_int("a link", read_pin(text, folder), RSAB_ERR_PIN);
	says("symbolic link");
	snprintf(text, sizeof text, "%s/none", folder);
	test_int("no file", read_pin(text, folder), RSAB_ERR_PIN);
	test_int("a folder", read_pin(folder, "/tmp"), RSAB_ERR_PIN);
}

static void
pin_modes(void **state)
{
	static const struct { mode_t mode; bool good; } rows[] = {
		{ 0600, true }, { 0400, true }, { 0604, false },
		{ 0602, false }, { 0644, false }, { 0666, false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof text, "%04o", (unsigned)rows[i].mode);
		put("1234\n", 5, rows[i].mode);
		test_int(text, read_pin(path, folder), rows[i].good ? 0 :
		    RSAB_ERR_PIN);
		test_true("no PIN in the text",
		    strstr(detail.text, "1234") == NULL);
	}
}

int
main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		ROW(pin_first_line),
		ROW(pin_length),
		ROW(pin_folders),
		ROW(pin_paths),
		ROW(pin_modes),
	};

	return TEST_RUN(tests);
}
