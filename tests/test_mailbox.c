/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/mailbox.c and dkim/rfc5322.c. Examples: RFC 5322 A.1, A.5, A.6,
 * RFC 6854 s3, and what mail in the field has.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/dkim.h"
#include "dkim/rfc5322.h"

#define MAX	4	/* mailboxes */

struct row {
	const char	*name;
	const char	*value;
	const char	*got;	/* "local|domain\n" each; NULL: syntax error */
};

static const struct row rows[] = {
	/* RFC 5322 */
	{ "A.1.1", " John Doe <jdoe@machine.example>",
	    "jdoe|machine.example\n" },
	{ "A.1.2 quoted name", "\"Joe Q. Public\" <john.q.public@example.com>",
	    "john.q.public|example.com\n" },
	{ "A.1.2 list", "Mary Smith <mary@x.test>, jdoe@example.org, Who? "
	    "<one@y.test>", "mary|x.test\njdoe|example.org\none|y.test\n" },
	{ "A.1.2 quoted-pairs in a name", "<boss@nil.test>, \"Giant; "
	    "\\\"Big\\\" Box\" <sysservices@example.net>",
	    "boss|nil.test\nsysservices|example.net\n" },
	{ "A.1.3 group", "A Group:Ed Jones <c@a.test>,joe@where.test,John "
	    "<jdoe@one.test>;", "c|a.test\njoe|where.test\njdoe|one.test\n" },
	{ "A.1.3 empty group", "Undisclosed recipients:;", "" },
	{ "A.5 comments", "Pete(A nice \\) chap) <pete(his account)@silly.test"
	    "(his host)>", "pete|silly.test\n" },
	{ "A.5 group with comments", "A Group(Some people)\r\n     :Chris Jones"
	    " <c@(Chris's host.)public.example>,\r\n joe@example.org,\r\n"
	    "  John <jdoe@one.test> (my dear friend); (the end of the group)",
	    "c|public.example\njoe|example.org\njdoe|one.test\n" },
	{ "A.5 empty group, hidden", "(Empty list)(start)Hidden recipients  :"
	    "(nobody(that I know))  ;", "" },
	{ "A.6.1 obsolete", "Joe Q. Public <john.q.public@example.com>",
	    "john.q.public|example.com\n" },
	{ "A.6.1 source route", "Mary Smith <@node.test:mary@example.net>, , "
	    "jdoe@test   . example", "mary|example.net\njdoe|test.example\n" },
	{ "A.6.3", "John Doe <jdoe@machine(comment).  example>",
	    "jdoe|machine.example\n" },
	{ "route of two", "<@a.test,,@b.test:x@c.test>", "x|c.test\n" },
	{ "quoted local", "\"a b\\\"c\\@\"@x.test", "a b\"c@|x.test\n" },
	{ "quoted local that hides a domain", "\"a@evil.test>\"@x.test",
	    "a@evil.test>|x.test\n" },
	{ "dots with CFWS in local", "a . (c) \"b\" .c@x.test",
	    "a.b.c|x.test\n" },
	{ "fold in a quoted local", "\"a\r\n b\"@x.test", "a b|x.test\n" },
	{ "fold as LF", "A\n <a@x.test>\n", "a|x.test\n" },
	{ "empty quoted local", "\"\"@x.test", "|x.test\n" },
	{ "address literal", "a@[192.0.2.1]", "a|[192.0.2.1]\n" },
	{ "literal with white space", "a@[ IPv6:::1\r\n ]", "a|[IPv6:::1]\n" },
	{ "one label", "root@localhost", "root|localhost\n" },
	{ "leading comma, trailing comma", ",a@x.test,", "a|x.test\n" },
	{ "nested comments", "(a(b(c)d)\\()a@x.test", "a|x.test\n" },
	{ "comment that hides a domain", "a@x.test (<b@evil.test>)",
	    "a|x.test\n" },
	{ "name that hides a domain", "\"b@evil.test\" <a@x.test>",
	    "a|x.test\n" },
	{ "two in a group and one behind", "g: a@x.test; , b@y.test",
	    "a|x.test\nb|y.test\n" },
	{ "encoded-word", "=?utf-8?Q?J=C3=B6rg?= <j@x.test>", "j|x.test\n" },
	/* RFC 6532 */
	{ "UTF-8", "J\xc3\xb6rg <j\xc3\xb6rg@m\xc3\xb8x.example>",
	    "j\xc3\xb6rg|m\xc3\xb8x.example\n" },
	/* beyond the grammar, seen in the field */
	{ "address as name", "a@x.test <b@y.test>", "b|y.test\n" },
	{ "brackets in a name", "[bug 1] A. <b@y.test>", "b|y.test\n" },
	{ "dots in local", ".a..b.@x.test", ".a..b.|x.test\n" },
	/* errors */
	{ "nothing", "", NULL },
	{ "white space", " \r\n ", NULL },
	{ "comment only", "(a@x.test)", NULL },
	{ "comma only", ",", NULL },
	{ "no domain", "root", NULL },
	{ "no domain in <>", "<root>", NULL },
	{ "empty <>", "<>", NULL },
	{ "no local", "@x.test", NULL },
	{ "dot only as local", ".@x.test", NULL },
	{ "domain missing", "a@", NULL },
	{ "two @", "a@b@x.test", NULL },
	{ "two words in local", "a b@x.test", NULL },
	{ "word and string in local", "\"a\"b@x.test", NULL },
	{ "two domains", "a@x.test y.test", NULL },
	{ "open <", "A <a@x.test", NULL },
	{ "open string", "\"A <a@x.test>", NULL },
	{ "open comment", "(A <a@x.test>", NULL },
	{ "open comment in the middle", "a(@x.test", NULL },
	{ "open literal", "a@[192.0.2.1", NULL },
	{ "bracket in a literal", "a@[[x]]", NULL },
	{ "open group", "g: a@x.test", NULL },
	{ "group in a group", "g: h: a@x.test;;", NULL },
	{ "group without a name", ": a@x.test;", NULL },
	{ "; without a group", "a@x.test;", NULL },
	{ "; alone", ";", NULL },
	{ "behind <>", "<a@x.test> b", NULL },
	{ "two <>", "<a@x.test><b@y.test>", NULL },
	{ "<> in <>", "<<a@x.test>>", NULL },
	{ "comma in an unquoted name", "Doe, J. <a@x.test>", NULL },
	{ "backslash", "a\\@b@x.test", NULL },
	{ "control octet", "a\x01@x.test", NULL },
	{ "trailing dot", "a@x.test.", NULL },
	{ "leading dot", "a@.x.test", NULL },
	{ "two dots", "a@x..test", NULL },
	{ "string as domain", "a@\"x.test\"", NULL },
	{ "route without :", "<@a.test b@x.test>", NULL },
	{ "route without a domain", "<@:b@x.test>", NULL },
	{ "route without <>", "@a.test:b@x.test", NULL },
	/* PROBLEMS 53 */
	{ "path (53)", "a@../secret/other", NULL },
	{ "path in a string (53)", "a@\"../x\"", NULL },
	{ "path in a literal (53)", "a@[../x]", "a|[../x]\n" },
	{ "path behind a label (53)", "a@x/../y", NULL },
	{ "path in one label", "a@x/y.test", "a|x/y.test\n" },
};

static void
mailbox_parse_rows(void **state)
{
	struct dkim_mailbox out[MAX];
	struct arena a;
	struct buf b;
	size_t i, m, n;
	int r;

	(void)state;
	buf_init(&b, 1000);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		arena_init(&a, 10000);
		n = 99;
		r = dkim_mailbox_parse(slice_text(rows[i].value), &a, out, MAX,
		    &n);
		test_int(rows[i].name, r,
		    rows[i].got == NULL ? DKIM_ERR_SYNTAX : 0);
		buf_reset(&b);
		for (m = 0; r == 0 && m < n; m++) {
			buf_add(&b, out[m].local);
			buf_add_octet(&b, '|');
			buf_add(&b, out[m].domain);
			buf_add_octet(&b, '\n');
		}
		if (r == 0)
			test_octets(rows[i].name, b.p, b.n, rows[i].got,
			    strlen(rows[i].got));
		else
			test_int(rows[i].name, n, 99);
		arena_clear(&a);
	}
	buf_clear(&b);
}

/*
 * BEHAVIOUR 3: none of these gives a domain that may stand in a path.
 */
static void
mailbox_parse_no_path(void **state)
{
	static const char *const values[] = {
		"a@../secret/other", "a@\"../x\"", "a@[../x]", "a@x/../y",
		"a@x/y.test", "a@x%2fy.test", "<a@x.test/../../y>",
		"a@x.\xef\xbc\x8f.test", "a@(c)..(c)/x", "a@x.test(/..)/",
	};
	char ascii[DKIM_NAME_MAX + 1];
	struct dkim_mailbox out[MAX];
	struct arena a;
	size_t i, n;

	(void)state;
	arena_init(&a, 10000);
	for (i = 0; i < TEST_COUNT(values); i++) {
		if (dkim_mailbox_parse(slice_text(values[i]), &a, out, MAX,
		    &n) != 0)
			continue;
		test_int(values[i], n, 1);
		test_int(values[i], dkim_domain_to_ascii(out[0].domain, ascii),
		    DKIM_ERR_SYNTAX);
	}
	arena_clear(&a);
}

static void
mailbox_parse_limits(void **state)
{
	struct dkim_mailbox out[MAX];
	struct arena a;
	struct buf b;
	size_t n, i;

	(void)state;
	arena_init(&a, 1 << 20);
	test_int("as many as fit", dkim_mailbox_parse(slice_text(
	    "a@x.test,b@x.test,c@x.test,d@x.test"), &a, out, MAX, &n), 0);
	test_int("as many as fit", n, MAX);
	test_int("one more", dkim_mailbox_parse(slice_text(
	    "a@x.test,b@x.test,c@x.test,d@x.test,e@x.test"), &a, out, MAX,
	    &n), DKIM_ERR_LIMIT);
	test_int("NUL", dkim_mailbox_parse(slice_of("a\0@x.test", 9), &a, out,
	    MAX, &n), DKIM_ERR_SYNTAX);
	test_int("NUL in a string", dkim_mailbox_parse(slice_of(
	    "\"a\0\"@x.test", 11), &a, out, MAX, &n), DKIM_ERR_SYNTAX);
	test_int("quoted NUL in a string", dkim_mailbox_parse(slice_of(
	    "\"\\\0\"@x.test", 11), &a, out, MAX, &n), DKIM_ERR_SYNTAX);
	buf_init(&b, 1 << 20);
	for (i = 0; i < RFC5322_COMMENT_DEPTH; i++)
		buf_add_octet(&b, '(');
	for (i = 0; i < RFC5322_COMMENT_DEPTH; i++)
		buf_add_octet(&b, ')');
	buf_add_text(&b, "a@x.test");
	test_int("comments of the depth", dkim_mailbox_parse(buf_slice(&b), &a,
	    out, MAX, &n), 0);
	buf_add_octet(&b, '(');
	for (i = 0; i < RFC5322_COMMENT_DEPTH; i++)
		buf_add_text(&b, "()(");
	test_int("deeper", dkim_mailbox_parse(buf_slice(&b), &a, out, MAX, &n),
	    DKIM_ERR_SYNTAX);
	buf_clear(&b);
	arena_clear(&a);
}

/*
 * Every cut of a value is parsed or refused, without an octet read behind it
 * (ASan watches: each is a block of its own).
 */
static void
cut_at(void *arg, size_t cut)
{
	const char *text = arg;
	struct dkim_mailbox out[MAX];
	uint8_t *copy = malloc(cut + (cut == 0));
	struct arena a;
	size_t n;
	int r;

	memcpy(copy, text, cut);
	arena_init(&a, 10000);
	r = dkim_mailbox_parse(slice_of(copy, cut), &a, out, MAX, &n);
	test_true("a code", r == 0 || r == DKIM_ERR_SYNTAX ||
	    r == DKIM_ERR_LIMIT);
	arena_clear(&a);
	free(copy);
}

static void
mailbox_parse_every_cut(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		test_every_split(strlen(rows[i].value), cut_at,
		    (void *)(uintptr_t)rows[i].value);
}

/*
 * Time is linear: a quarter of a megabyte of each awkward thing.
 */
static void
mailbox_parse_hostile(void **state)
{
	static const char *const parts[] = {
		"(", "((", "<", "a ", "a.", "\"", "\\", "@", "[", ":", "a:",
		",", "<@a,", "a@b ", "()", "\"\"", "a<", ";", "\"\\\"", "<a@",
	};
	struct dkim_mailbox out[MAX];
	struct arena a;
	struct buf b;
	size_t i, n;

	(void)state;
	buf_init(&b, DKIM_FIELD_MAX + 10);
	for (i = 0; i < TEST_COUNT(parts); i++) {
		buf_reset(&b);
		while (b.n < DKIM_FIELD_MAX)
			buf_add_text(&b, parts[i]);
		arena_init(&a, 1 << 20);
		test_true(parts[i], dkim_mailbox_parse(buf_slice(&b), &a, out,
		    MAX, &n) != 0);
		arena_clear(&a);
	}
	buf_clear(&b);
}

static bool
parse_one(void *arg)
{
	struct dkim_mailbox out[MAX];
	struct arena a;
	size_t n;
	int r;

	(void)arg;
	arena_init(&a, 10000);
	r = dkim_mailbox_parse(slice_text("\"a b\"@x (c) . test"), &a, out,
	    MAX, &n);
	arena_clear(&a);
	test_true("a code", r == 0 || r == DKIM_ERR_NOMEM);
	return r == 0;
}

static void
mailbox_parse_no_memory(void **state)
{
	(void)state;
	test_every_allocation(parse_one, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mailbox_parse_rows),
		cmocka_unit_test(mailbox_parse_no_path),
		cmocka_unit_test(mailbox_parse_limits),
		cmocka_unit_test(mailbox_parse_every_cut),
		cmocka_unit_test(mailbox_parse_hostile),
		cmocka_unit_test(mailbox_parse_no_memory),
	};

	return TEST_RUN(tests);
}
