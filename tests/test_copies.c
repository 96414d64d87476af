/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * z=, the copies of header fields (RFC 6376 s3.5, s2.11), and what changed
 * since.
 */

/* this room */
#include "tests/made.h"
#include "dkim/copies.h"

#define OCTETS	(4 * DKIM_FIELD_MAX)

/*
 * "name=value|name=value" with what was decoded, or an error.
 */
struct parse_row {
	const char	*name;
	const char	*z;
	int		 error;
	size_t		 n;
	const char	*first_name;
	const char	*first_value;
};

static void
copies_parse_rows(void **state)
{
	static const struct parse_row rows[] = {
		{ "RFC 6376 s3.5 z=", "From:foo@eng.example.net|"
		    "To:joe@example.com|Subject:demo=20run|"
		    "Date:July=205,=202005=203:44:08=20PM=20-0700", 0, 4,
		    "From", "foo@eng.example.net" },
		{ "one", "Subject:=20a=3Db=7Cc=3B", 0, 1, "Subject",
		    " a=b|c;" },
		/* RFC 6376 s3.5 #80 */
		{ "folded", "Sub\r\n ject : =20\r\n\t a", 0, 1, "Subject",
		    " a" },
		{ "white space round a bar", " A:b |\r\n\tC:d ", 0, 2, "A",
		    "b" },
		{ "a colon in the value", "A:b:c", 0, 1, "A", "b:c" },
		{ "no value", "A:", 0, 1, "A", "" },
		{ "line ends decoded", "A:=20b=0D=0A=09c", 0, 1, "A",
		    " b\r\n\tc" },
		{ "no colon", "A", DKIM_ERR_SYNTAX, 0, NULL, NULL },
		{ "empty", "", DKIM_ERR_SYNTAX, 0, NULL, NULL },
		{ "empty copy", "A:b||C:d", DKIM_ERR_SYNTAX, 0, NULL, NULL },
		{ "bar at the end", "A:b|", DKIM_ERR_SYNTAX, 0, NULL, NULL },
		{ "no name", ":b", DKIM_ERR_SYNTAX, 0, NULL, NULL },
		{ "half a code", "A:=2", DKIM_ERR_SYNTAX, 0, NULL, NULL },
		{ "no hex", "A:=2g", DKIM_ERR_SYNTAX, 0, NULL, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		struct copy *copies = NULL;
		struct arena a;
		size_t n = 0;

		arena_init(&a, OCTETS);
		test_int(rows[i].name, copies_parse(slice_text(rows[i].z), &a,
		    &copies, &n), rows[i].error);
		test_int(rows[i].name, n, rows[i].n);
		if (n > 0) {
			test_octets(rows[i].name, copies[0].name.p,
			    copies[0].name.n, rows[i].first_name,
			    strlen(rows[i].first_name));
			test_octets(rows[i].name, copies[0].value.p,
			    copies[0].value.n, rows[i].first_value,
			    strlen(rows[i].first_value));
		}
		arena_clear(&a);
	}
}

/*
 * One copy below the limit, at it, above it.
 */
static void
copies_parse_limit(void **state)
{
	struct copy *copies;
	struct arena a;
	struct buf b;
	size_t i, n, count;

	(void)state;
	for (count = COPIES_MAX - 1; count <= COPIES_MAX + 1; count++) {
		buf_init(&b, OCTETS);
		for (i = 0; i < count; i++)
			buf_add_text(&b, i == 0 ? "A:b" : "|A:b");
		assert_int_equal(buf_end(&b), 0);
		arena_init(&a, OCTETS);
		test_int("copies", copies_parse(buf_slice(&b), &a, &copies,
		    &n), count > COPIES_MAX ? DKIM_ERR_LIMIT : 0);
		if (count <= COPIES_MAX)
			test_int("copies", n, count);
		arena_clear(&a);
		buf_clear(&b);
	}
}

struct compare_row {
	const char	*name;
	const char	*z;
	const char	*names;		/* of h= */
	const char	*header;
	enum dkim_canon	 alg;
	const char	*want;		/* all differences */
};

/*
 * "changed Subject, added To".
 */
static void
compare(const struct compare_row *row, struct buf *out)
{
	static const char *const words[] = {
		[COPIES_SAME] = "same ", [COPIES_CHANGED] = "changed ",
		[COPIES_MISSING] = "missing ", [COPIES_ADDED] = "added ",
		[COPIES_SPACE] = "space ",
	};
	struct copies_difference differences[8];
	struct dkim_header *header = made_header(row->header);
	struct signedset set;
	struct sigfield f;
	struct copy *copies;
	struct arena a;
	struct buf tags;
	size_t i, n, found;

	arena_init(&a, OCTETS);
	buf_init(&tags, OCTETS);
	buf_add_text(&tags, "v=1; a=rsa-sha256; d=e.com; s=s; bh=; b=; h=");
	buf_add_text(&tags, row->names);
	assert_int_equal(buf_end(&tags), 0);
	assert_int_equal(sigfield_parse(buf_slice(&tags), &a, &f), 0);
	assert_int_equal(signedset_make(header, &f, SIZE_MAX, &a, &set), 0);
	assert_int_equal(copies_parse(slice_text(row->z), &a, &copies, &n),
	    0);
	assert_int_equal(copies_compare(copies, n, &set, row->alg, &a,
	    differences, TEST_COUNT(differences), &found), 0);
	for (i = 0; i < found; i++) {
		buf_add_text(out, i == 0 ? "" : ", ");
		buf_add_text(out, words[differences[i].change]);
		buf_add(out, differences[i].name);
	}
	buf_add_nul(out);
	buf_clear(&tags);
	arena_clear(&a);
	dkim_header_free(header);
}

static void
copies_compare_rows(void **state)
{
	static const char plain[] = "From: a@e.com\r\nSubject: x  y\r\n";
	static const char two[] = "To: a\r\nFrom: a@e.com\r\nTo: b\r\n";
	static const struct compare_row rows[] = {
		{ "same", "From:=20a@e.com|Subject:=20x=20=20y",
		    "From:Subject", plain, DKIM_RELAXED, "" },
		{ "same in relaxed", "FROM:a@e.com|subject:x=20y",
		    "from:subject", plain, DKIM_RELAXED, "" },
		{ "white space in simple", "From:a@e.com|subject:x=20y",
		    "from:subject", plain, DKIM_SIMPLE, "space subject" },
		{ "white space in front does not count", "From:a@e.com",
		    "from", plain, DKIM_SIMPLE, "" },
		{ "changed", "From:a@e.com|Subject:x", "from:subject", plain,
		    DKIM_RELAXED, "changed Subject" },
		{ "case of a value", "From:A@e.com|Subject:x=20y",
		    "from:subject", plain, DKIM_RELAXED, "changed From" },
		{ "removed", "From:a@e.com|Cc:c", "from:cc", plain,
		    DKIM_RELAXED, "missing Cc" },
		{ "not signed", "From:a@e.com|Cc:c", "from", plain,
		    DKIM_RELAXED, "" },
		{ "there, not signed", "From:a@e.com|Subject:q", "from",
		    plain, DKIM_RELAXED, "" },
		{ "added", "From:a@e.com", "from:subject", plain,
		    DKIM_RELAXED, "added subject" },
		{ "copies go first", "Subject:x", "from:subject", plain,
		    DKIM_RELAXED, "changed Subject, added from" },
		{ "two, in the message's order", "To:a|To:b|From:a@e.com",
		    "to:to:from", two, DKIM_RELAXED, "" },
		{ "two, in the order of h=", "To:b|To:a|From:a@e.com",
		    "to:to:from", two, DKIM_RELAXED, "" },
		{ "two, one changed", "To:b|To:q|From:a@e.com", "to:to:from",
		    two, DKIM_RELAXED, "changed To" },
		{ "two, one copied", "To:b|From:a@e.com", "to:to:from", two,
		    DKIM_RELAXED, "added to" },
		{ "two, one signed", "To:b|To:a|From:a@e.com", "to:from", two,
		    DKIM_RELAXED, "missing To" },
	};
	struct buf got;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		buf_init(&got, 65536);
		compare(&rows[i], &got);
		assert_int_equal(buf_end(&got), 0);
		test_str(rows[i].name, (const char *)got.p, rows[i].want);
		buf_clear(&got);
	}
}

static void
copies_is_plain_rows(void **state)
{
	char name[COPIES_NAME_MAX + 2];

	(void)state;
	memset(name, 'a', sizeof(name));
	assert_true(copies_is_plain(slice_of(name, COPIES_NAME_MAX)));
	assert_false(copies_is_plain(slice_of(name, COPIES_NAME_MAX + 1)));
	assert_true(copies_is_plain(slice_text("X-Foo_Bar-9")));
	assert_false(copies_is_plain(slice_text("")));
	assert_false(copies_is_plain(slice_text("a\"b")));
	assert_false(copies_is_plain(slice_text("a\\b")));
	assert_false(copies_is_plain(slice_text("a b")));
	assert_false(copies_is_plain(slice_text("\xc3\xa4")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_parse_rows),
		cmocka_unit_test(copies_parse_limit),
		cmocka_unit_test(copies_compare_rows),
		cmocka_unit_test(copies_is_plain_rows),
	};

	return TEST_RUN(tests);
}
