/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/names.c: the built-in lists, and the forms of OpenDKIM's lists.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/dkim.h"

#define SIGN	"From,Reply-To,Subject,Date,To,Cc,Message-ID,In-Reply-To," \
		"References,MIME-Version,Content-Type," \
		"Content-Transfer-Encoding,Resent-Date,Resent-From,Resent-To," \
		"Resent-Cc,List-Id,List-Help,List-Unsubscribe," \
		"List-Unsubscribe-Post,List-Subscribe,List-Post,List-Owner," \
		"List-Archive"
#define OMIT	"Return-Path,Received,Comments,Keywords,Bcc,Resent-Bcc," \
		"DKIM-Signature,Authentication-Results"

struct row {
	const char		*name;
	enum dkim_names_kind	 kind;
	const char		*text;
	const char		*want;		/* or NULL, and bad: the item */
	const char		*bad;
};

static const struct row rows[] = {
	{ "sign, absent", DKIM_NAMES_SIGN, NULL, SIGN, NULL },
	/* RFC 6376 s5.4: no DKIM-Signature, unless somebody asks */
	{ "omit, absent", DKIM_NAMES_OMIT, NULL, OMIT, NULL },
	{ "oversign, absent", DKIM_NAMES_OVERSIGN, NULL, "From", NULL },
	{ "sender, absent", DKIM_NAMES_SENDER, NULL, "From", NULL },
	{ "*", DKIM_NAMES_SIGN, "*", SIGN, NULL },
	{ "*,+x,-y", DKIM_NAMES_OMIT, "*,+X-Tmp,-bcc,-Keywords",
	    "Return-Path,Received,Comments,Resent-Bcc,DKIM-Signature,"
	    "Authentication-Results,X-Tmp", NULL },
	{ "only changes", DKIM_NAMES_OMIT, " +X-Tmp , -Received,",
	    "Return-Path,Comments,Keywords,Bcc,Resent-Bcc,DKIM-Signature,"
	    "Authentication-Results,X-Tmp", NULL },
	{ "*,name", DKIM_NAMES_SENDER, "Sender,*", "Sender,From", NULL },
	{ "plain list", DKIM_NAMES_SIGN, "From, To ,\tX-Spam", "From,To,X-Spam",
	    NULL },
	{ "a plain name: no defaults", DKIM_NAMES_SIGN, "From,+To,-Cc",
	    "From,To", NULL },
	{ "removed again", DKIM_NAMES_SIGN, "From,To,-TO", "From", NULL },
	{ "twice is once", DKIM_NAMES_SIGN, "From,FROM,+from", "From", NULL },
	{ "order is kept", DKIM_NAMES_SENDER, "List-Post,Sender,From",
	    "List-Post,Sender,From", NULL },
	{ "oversign twice is two", DKIM_NAMES_OVERSIGN, "From,From,To",
	    "From,From,To", NULL },
	{ "empty items", DKIM_NAMES_SIGN, ",From,, ,To,", "From,To", NULL },
	{ "empty list", DKIM_NAMES_OVERSIGN, "", "", NULL },
	{ "empty list, sign", DKIM_NAMES_SIGN, "", "", NULL },
	{ "no * in oversign", DKIM_NAMES_OVERSIGN, "From,*", NULL, "*" },
	{ "no + in oversign", DKIM_NAMES_OVERSIGN, "+From", NULL, "+From" },
	{ "space in a name", DKIM_NAMES_SIGN, "From, X Y ,To", NULL, "X Y" },
	{ "colon", DKIM_NAMES_SIGN, "From:To", NULL, "From:To" },
	{ "semicolon", DKIM_NAMES_SIGN, "From;", NULL, "From;" },
	{ "pattern", DKIM_NAMES_SIGN, "From,X-*", NULL, "X-*" },
	{ "+ alone", DKIM_NAMES_SIGN, "From,+", NULL, "+" },
	{ "8-bit", DKIM_NAMES_SIGN, "+X-\xc3\xa4", NULL, "+X-\xc3\xa4" },
	{ "control octet", DKIM_NAMES_SIGN, "X\x01", NULL, "X\x01" },
};

static void
check_row(const struct row *row)
{
	struct slice text = { 0 }, bad = { 0 };
	struct dkim_names *names = NULL;
	char *copy = NULL;
	struct buf b;
	size_t i;
	int r;

	if (row->text != NULL) {
		copy = strdup(row->text);
		text = slice_text(copy);
	}
	r = dkim_names_parse(row->kind, text, &names, &bad);
	test_int(row->name, r, row->want == NULL ? DKIM_ERR_SYNTAX : 0);
	if (r != 0) {
		test_octets(row->name, bad.p, bad.n, row->bad,
		    strlen(row->bad));
		free(copy);
		return;
	}
	/* the list does not point into the text */
	if (copy != NULL)
		memset(copy, 'X', strlen(copy));
	free(copy);
	buf_init(&b, 1000);
	for (i = 0; i < dkim_names_count(names); i++) {
		if (i > 0)
			buf_add_octet(&b, ',');
		buf_add(&b, dkim_names_at(names, i));
		test_true(row->name, dkim_names_has(names,
		    dkim_names_at(names, i)));
	}
	test_octets(row->name, b.p, b.n, row->want, strlen(row->want));
	buf_clear(&b);
	dkim_names_free(names);
}

static void
names_parse_rows(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		check_row(&rows[i]);
}

static void
names_has_ignores_case(void **state)
{
	struct dkim_names *names;
	struct slice bad;

	(void)state;
	test_int("parse", dkim_names_parse(DKIM_NAMES_SIGN,
	    slice_text("From,X-Tmp"), &names, &bad), 0);
	test_true("case", dkim_names_has(names, slice_text("x-tMP")));
	test_true("longer", !dkim_names_has(names, slice_text("X-Tmpx")));
	test_true("shorter", !dkim_names_has(names, slice_text("X-Tm")));
	test_true("same length", !dkim_names_has(names, slice_text("Frog")));
	test_true("nothing", !dkim_names_has(names, slice_text("")));
	dkim_names_free(names);
	dkim_names_free(NULL);
}

static void
names_parse_limit(void **state)
{
	struct dkim_names *names;
	struct slice bad;
	struct buf b;
	unsigned i;

	(void)state;
	buf_init(&b, 100000);
	for (i = 0; i < DKIM_SIGNED_NAMES_MAX; i++)
		buf_add_format(&b, "X-%u,", i);
	test_int("1000", dkim_names_parse(DKIM_NAMES_SIGN, buf_slice(&b),
	    &names, &bad), 0);
	test_int("1000", dkim_names_count(names), DKIM_SIGNED_NAMES_MAX);
	dkim_names_free(names);
	buf_add_text(&b, "Y");
	test_int("1001", dkim_names_parse(DKIM_NAMES_SIGN, buf_slice(&b),
	    &names, &bad), DKIM_ERR_LIMIT);
	buf_clear(&b);
}

static bool
parse_one(void *arg)
{
	struct dkim_names *names;
	struct slice bad;
	int r;

	(void)arg;
	r = dkim_names_parse(DKIM_NAMES_SIGN, slice_text("*,+X,-To"), &names,
	    &bad);
	test_true("a code", r == 0 || r == DKIM_ERR_NOMEM);
	if (r == 0)
		dkim_names_free(names);
	return r == 0;
}

static void
names_parse_no_memory(void **state)
{
	(void)state;
	test_every_allocation(parse_one, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_parse_rows),
		cmocka_unit_test(names_has_ignores_case),
		cmocka_unit_test(names_parse_limit),
		cmocka_unit_test(names_parse_no_memory),
	};

	return TEST_RUN(tests);
}
