/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the DNS options mean (BEHAVIOUR 2, 5).
 */

/* this room */
#include "tests/capture.h"
#include "milter/conf_options.h"
#include "milter/resolver_options.h"

static struct capture capture;

static int
make(const struct options *options, struct resolver_options *out)
{
	capture_init(&capture);
	return resolver_options_make(options, &capture.report, out);
}

static char *
text(const char *constant)
{
	return (char *)(uintptr_t)constant;
}

static void
resolver_options_make_timeout(void **state)
{
	static const struct {
		uint64_t	seconds, us;
	} rows[] = {
		{ 5, 5000000 },
		{ 0, 30000000 },	/* OpenDKIM's 0 waits for ever */
		{ 1, 1000000 },
		{ 3600, 3600000000 },
		{ 3601, 3600000000 },
	};
	struct resolver_options out;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct options options = { .dns_timeout = rows[i].seconds };

		test_int("make", make(&options, &out), 0);
		test_int("microseconds", out.timeout, rows[i].us);
		test_true("nothing else", out.nameservers == NULL &&
		    out.anchor == NULL && out.testkeys == NULL);
		resolver_options_clear(&out);
	}
}

static void
resolver_options_make_anchor(void **state)
{
	struct options options = { .base_directory = text(capture_dir()),
	    .trust_anchor_file = text("anchor"), .nameservers = text("") };
	struct resolver_options out;

	(void)state;
	test_int("make", make(&options, &out), 0);
	test_int("a missing file is a warning", capture.report.warnings, 1);
	capture_check("named", &capture, "/anchor: No such file");
	test_true("no validation", out.anchor == NULL);
	test_true("empty: those of resolv.conf", out.nameservers == NULL);
	resolver_options_clear(&out);
	capture_text("anchor", "");
	test_int("make", make(&options, &out), 0);
	capture_check("nothing", &capture, NULL);
	test_true("below BaseDirectory", out.anchor != NULL &&
	    strncmp(out.anchor, capture_dir(), strlen(capture_dir())) == 0);
	resolver_options_clear(&out);
}

static void
resolver_options_make_testkeys(void **state)
{
	struct options options = { .base_directory = text(capture_dir()),
	    .test_public_keys = text("keys") };
	const struct option *option =
	    conf_options_find(slice_text("TestPublicKeys"));
	struct resolver_options out;

	(void)state;
	options.places[option - conf_options_table] =
	    (struct option_place){ "/etc/t.conf", 7 };
	test_int("missing", make(&options, &out), DKIM_ERR_SYNTAX);
	test_int("stops the start", capture.report.fatals, 1);
	capture_check("where", &capture, "F /etc/t.conf:7: TestPublicKeys: ");
	resolver_options_clear(&out);
	capture_text("keys", "a._domainkey.b.c v=DKIM1; p=\n\nname-only\n");
	test_int("no record", make(&options, &out), DKIM_ERR_SYNTAX);
	capture_check("where", &capture, "/keys:3: TestPublicKeys: ");
	resolver_options_clear(&out);
	capture_text("keys", "a._domainkey.b.c v=DKIM1; p=\n");
	test_int("good", make(&options, &out), 0);
	test_true("there", out.testkeys != NULL);
	resolver_options_clear(&out);
}

static bool
make_all(void *options)
{
	struct resolver_options out;
	int r = make(options, &out);

	resolver_options_clear(&out);
	return r == 0;
}

static void
resolver_options_make_no_memory(void **state)
{
	struct options options = { .base_directory = text(capture_dir()),
	    .test_public_keys = text("keys"), .nameservers = text("::1"),
	    .trust_anchor_file = text("anchor") };

	(void)state;
	capture_text("keys", "a._domainkey.b.c v=DKIM1; p=\n");
	capture_text("anchor", "");
	test_true("sites", test_every_allocation(make_all, &options) >= 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resolver_options_make_timeout),
		cmocka_unit_test(resolver_options_make_anchor),
		cmocka_unit_test(resolver_options_make_testkeys),
		cmocka_unit_test(resolver_options_make_no_memory),
	};

	return CAPTURE_RUN(tests);
}
