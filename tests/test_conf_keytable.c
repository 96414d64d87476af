/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KeyTable rows: domain:selector:key[:alg], and "%" in a path (BEHAVIOUR 3,
 * PROBLEMS 53).
 */

/* system */
#include "tests/test.h"

/* under test */
#include "milter/conf.h"

/* this room */
#include "tests/capture.h"

/* base64 of 60 octets: not a key, but it has the shape of one */
#define BASE64                                                                 \
	"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5" \
	"ejAxMjM0NTY3"

static void
conf_key_row_good(void **state)
{
	const struct {
		const char *value, *domain, *selector, *key, *algorithm;
		int source;
	} rows[] = {
		{ "example.com:2026:/etc/keys/a.pem", "example.com", "2026",
		    "/etc/keys/a.pem", "", KEY_SOURCE_FILE },
		{ "%:default:/etc/keys/%/mail.private", "%", "default",
		    "/etc/keys/%/mail.private", "", KEY_SOURCE_FILE },
		{ "example.com:a.b:./a", "example.com", "a.b", "./a", "",
		    KEY_SOURCE_FILE },
		{ "example.com:s:../a", "example.com", "s", "../a", "",
		    KEY_SOURCE_FILE },
		{ " example.com : s : /a b ", "example.com", "s", "/a b", "",
		    KEY_SOURCE_FILE },
		{ "example.com:s:/a:b", "example.com", "s", "/a:b", "",
		    KEY_SOURCE_FILE },
		{ "example.com:s:/a:rsa-sha256", "example.com", "s", "/a",
		    "rsa-sha256", KEY_SOURCE_FILE },
		{ "example.com:s:/a:b:ed25519-sha256", "example.com", "s",
		    "/a:b", "ed25519-sha256", KEY_SOURCE_FILE },
		{ "example.com:s:/a:rsa-sha1", "example.com", "s", "/a",
		    "rsa-sha1", KEY_SOURCE_FILE },
		/* exactly an algorithm, or part of the path */
		{ "example.com:s:/a:RSA-SHA256", "example.com", "s",
		    "/a:RSA-SHA256", "", KEY_SOURCE_FILE },
		{ "example.com:s:/a:rsa-sha256x", "example.com", "s",
		    "/a:rsa-sha256x", "", KEY_SOURCE_FILE },
		{ "example.com:s:pkcs11:token=t;object=k?pin-source=/p%20q",
		    "example.com", "s",
		    "pkcs11:token=t;object=k?pin-source=/p%20q", "",
		    KEY_SOURCE_URI },
		{ "example.com:s:" BASE64, "example.com", "s", BASE64, "",
		    KEY_SOURCE_INLINE },
		{ "example.com:s:" BASE64 ":rsa-sha256", "example.com", "s",
		    BASE64, "rsa-sha256", KEY_SOURCE_INLINE },
		{ "example.com:s:-----BEGIN PRIVATE KEY-----MC4", "example.com",
		    "s", "-----BEGIN PRIVATE KEY-----MC4", "",
		    KEY_SOURCE_INLINE },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct key_row row;
		const char *reason = NULL;

		test_int(rows[i].value,
		    conf_key_row(slice_text(rows[i].value), &row, &reason), 0);
		test_octets("domain", row.domain.p, row.domain.n,
		    rows[i].domain, strlen(rows[i].domain));
		test_octets("selector", row.selector.p, row.selector.n,
		    rows[i].selector, strlen(rows[i].selector));
		test_octets("key", row.key.p, row.key.n, rows[i].key,
		    strlen(rows[i].key));
		test_octets("algorithm", row.algorithm.p, row.algorithm.n,
		    rows[i].algorithm, strlen(rows[i].algorithm));
		test_int(rows[i].value, row.source, rows[i].source);
	}
}

static void
conf_key_row_bad(void **state)
{
	const struct {
		const char *value, *reason;
	} rows[] = {
		{ "", "wanted is domain:selector:key" },
		{ "example.com", "wanted is domain:selector:key" },
		{ "example.com:s", "wanted is domain:selector:key" },
		{ "example.com:s:", "wanted is domain:selector:key" },
		{ ":s:/a", "wanted is domain:selector:key" },
		{ "example.com::/a", "wanted is domain:selector:key" },
		{ "com:s:/a", "no domain" },
		{ "example..com:s:/a", "no domain" },
		{ "exa mple.com:s:/a", "no domain" },
		{ "%.com:s:/a", "no domain" },
		{ "../x.com:s:/a", "no domain" },
		{ "example.com:s s:/a", "no selector" },
		{ "example.com:%:/a", "no selector" },
		{ "example.com:s:a.pem", "the key is no path" },
		{ "example.com:s:keys/a", "the key is no path" },
		{ "example.com:s:|command", "the key is no path" },
		{ "example.com:s:QUJD", "the key is no path" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct key_row row;
		const char *reason = "";

		test_int(rows[i].value,
		    conf_key_row(slice_text(rows[i].value), &row, &reason),
		    DKIM_ERR_SYNTAX);
		if (strstr(reason, rows[i].reason) == NULL)
			test_str(rows[i].value, reason, rows[i].reason);
	}
	{
		struct key_row row;
		const char *reason = "";

		test_int("nul",
		    conf_key_row(slice_of("a.bc:s:/x\0y", 11), &row, &reason),
		    DKIM_ERR_SYNTAX);
		test_str("nul", reason, "a NUL in the path");
	}
}

static void
conf_key_path_table(void **state)
{
	const struct {
		const char *value, *domain, *base, *path; /* NULL: refused */
	} rows[] = {
		{ "%:s:/keys/%.pem", "example.com", NULL,
		    "/keys/example.com.pem" },
		{ "%:s:/%/%", "a.b-c", NULL, "/a.b-c/a.b-c" },
		{ "a.bc:s:./x", NULL, "/etc/dkimd", "/etc/dkimd/./x" },
		{ "a.bc:s:../x%", "xn--bcher-kva.example", "/etc/dkimd",
		    "/etc/dkimd/../xxn--bcher-kva.example" },
		{ "a.bc:s:/x", NULL, "/etc/dkimd", "/x" },
		{ "a.bc:s:/x", "../secret/other", NULL, "/x" },
		/* only what the domain grammar lets through gets into a path */
		{ "%:s:/keys/%", NULL, NULL, NULL },
		{ "%:s:/keys/%", "", NULL, NULL },
		{ "%:s:/keys/%", "..", NULL, NULL },
		{ "%:s:/keys/%", "../secret/other", NULL, NULL },
		{ "%:s:/keys/%", "../x", NULL, NULL },
		{ "%:s:/keys/%", "[../x]", NULL, NULL },
		{ "%:s:/keys/%", "x/../y", NULL, NULL },
		{ "%:s:/keys/%", "a..b", NULL, NULL },
		{ "%:s:/keys/%", ".a.b", NULL, NULL },
		{ "%:s:/keys/%", "a.b.", NULL, NULL },
		{ "%:s:/keys/%", "com", NULL, NULL },
		{ "%:s:/keys/%", "EXAMPLE.com", NULL, NULL },
		{ "%:s:/keys/%",
		    "b\xc3\xbc"
		    "cher.example",
		    NULL, NULL },
		{ "%:s:/keys/%", "a%b.com", NULL, NULL },
		{ "%:s:/keys/%", "a b.com", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct key_row row;
		const char *reason;
		char *path = NULL;
		int error;

		test_int("row",
		    conf_key_row(slice_text(rows[i].value), &row, &reason), 0);
		error =
		    conf_key_path(&row, rows[i].domain, rows[i].base, &path);
		test_int(
		    rows[i].domain == NULL ? rows[i].value : rows[i].domain,
		    error, rows[i].path == NULL ? DKIM_ERR_SYNTAX : 0);
		test_str(rows[i].value, path, rows[i].path);
		free(path);
	}
}

/* No "%" is replaced in a pkcs11: URI, where it is an escape. */
static void
conf_key_path_uri(void **state)
{
	struct key_row row;
	const char *reason;
	char *path = NULL;

	(void)state;
	test_int("row",
	    conf_key_row(slice_text("%:s:pkcs11:object=%41"), &row, &reason),
	    0);
	test_int("path", conf_key_path(&row, "example.com", NULL, &path),
	    DKIM_ERR_ARGUMENT);
}

static bool
run_path(void *arg)
{
	struct key_row row;
	const char *reason;
	char *path = NULL;
	int error;

	(void)arg;
	error = conf_key_row(slice_text("a.example:s:./%"), &row, &reason);
	if (error == 0)
		error = conf_key_path(&row, "example.com", "/etc", &path);
	free(path);
	return error == 0;
}

static void
conf_key_path_no_memory(void **state)
{
	(void)state;
	test_every_allocation(run_path, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conf_key_row_good),
		cmocka_unit_test(conf_key_row_bad),
		cmocka_unit_test(conf_key_path_table),
		cmocka_unit_test(conf_key_path_uri),
		cmocka_unit_test(conf_key_path_no_memory),
	};

	return CAPTURE_RUN(tests);
}
