/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks taglist.c with a tag list: tags lie where they say, each name is
 * there once, and what quoted-printable encodes comes back.
 */

/* this room */
#include "dkim/taglist.h"
#include "tests/fuzz/fuzz.h"

static void
check_tags(struct slice in, const struct taglist *list)
{
	const struct tag *tag;
	struct slice raw;
	char *name;
	size_t i;

	FUZZ_WANT(list->n <= DKIM_TAGS_MAX);
	for (i = 0; i < list->n; i++) {
		tag = &list->tags[i];
		FUZZ_WANT(fuzz_inside(tag->name, in) && tag->name.n > 0);
		FUZZ_WANT(tag->value_at > 0 && tag->value_at <= in.n &&
		    tag->value_raw <= in.n - tag->value_at);
		raw = slice_sub(in, tag->value_at, tag->value_raw);
		FUZZ_WANT(slice_equal(slice_trim(raw), tag->value));
		FUZZ_WANT(slice_find(raw, ';') == raw.n);
		name = fuzz_string(tag->name);
		FUZZ_WANT(taglist_find(list, name) == tag);
		free(name);
	}
}

static void
check_items(struct slice in)
{
	struct slice rest = in, item;
	size_t n = 0, want = in.p == NULL ? 0 : 1, i;

	for (i = 0; i < in.n; i++)
		want += in.p[i] == ':';
	while (taglist_next(&rest, ':', &item)) {
		FUZZ_WANT(fuzz_inside(item, in));
		n++;
	}
	FUZZ_WANT(n == want);
}

static void
check_qp(struct slice in)
{
	struct arena a;
	struct slice out;
	struct buf b;
	int r;

	arena_init(&a, 1 << 20);
	r = taglist_decode_qp(in, &a, &out);
	FUZZ_WANT(r != 0 || out.n <= in.n);
	buf_init(&b, 1 << 20);
	taglist_encode_qp(in, "|", &b);
	FUZZ_WANT(buf_end(&b) == 0);
	FUZZ_WANT(taglist_decode_qp(buf_slice(&b), &a, &out) == 0);
	FUZZ_WANT(slice_equal(out, in));
	buf_clear(&b);
	arena_clear(&a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct slice in = slice_of(p, n);
	struct taglist list;
	uint64_t number;

	if (n > 65536)
		return 0;
	if (taglist_parse(in, &list) == 0)
		check_tags(in, &list);
	check_items(in);
	check_qp(in);
	if (taglist_number(in, &number) == 0)
		FUZZ_WANT(n >= 1 && n <= 76);
	return 0;
}
