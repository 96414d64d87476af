/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the reader of messages: fields, body and result do not depend on how
 * the file is cut. Input: an octet of the cut's length, then the message.
 */

/* this room */
#include "tests/fuzz/fuzz.h"

struct run {
	struct dkim_header	*header;
	struct buf		 body;
	unsigned		 headers;	/* times it was complete */
	size_t			 fields;	/* there were then */
	bool			 lf;
	int			 result;
};

static int
on_header(void *context)
{
	struct run *run = context;

	run->headers++;
	run->fields = dkim_header_count(run->header);
	return 0;
}

static int
on_body(void *context, struct slice octets)
{
	struct run *run = context;

	FUZZ_WANT(run->headers == 1);
	buf_add(&run->body, octets);
	return 0;
}

static void
read_cut(struct slice in, size_t cut, struct run *run)
{
	struct dkim_reader *reader;
	size_t n;

	memset(run, 0, sizeof(*run));
	buf_init(&run->body, 1 << 20);
	FUZZ_WANT(dkim_header_new(0, &run->header) == 0);
	FUZZ_WANT(dkim_reader_new(run->header, on_header, on_body, run,
	    &reader) == 0);
	while (in.n > 0 && run->result == 0) {
		n = cut == 0 || cut > in.n ? in.n : cut;
		run->result = dkim_reader_feed(reader, slice_sub(in, 0, n));
		in = slice_from(in, n);
	}
	if (run->result == 0)
		run->result = dkim_reader_end(reader);
	run->lf = dkim_reader_is_lf(reader);
	dkim_reader_free(reader);
	FUZZ_WANT(buf_end(&run->body) == 0);
	FUZZ_WANT(run->headers <= 1);
	FUZZ_WANT(run->result != 0 || run->headers == 1);
	FUZZ_WANT(run->headers == 0 ||
	    run->fields == dkim_header_count(run->header));
}

static void
check_same(const struct run *a, const struct run *b)
{
	size_t i;

	FUZZ_WANT(a->result == b->result);
	if (a->result != 0)
		return;
	FUZZ_WANT(a->lf == b->lf);
	FUZZ_WANT(slice_equal(buf_slice(&a->body), buf_slice(&b->body)));
	FUZZ_WANT(a->fields == b->fields);
	for (i = 0; i < a->fields; i++) {
		FUZZ_WANT(slice_equal(dkim_header_name(a->header, i),
		    dkim_header_name(b->header, i)));
		FUZZ_WANT(slice_equal(dkim_header_value(a->header, i),
		    dkim_header_value(b->header, i)));
	}
}

static void
clear(struct run *run)
{
	dkim_header_free(run->header);
	buf_clear(&run->body);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct run whole, octets, pieces;
	struct slice in;

	if (n < 1 || n > 65536)
		return 0;
	in = slice_of(p + 1, n - 1);
	read_cut(in, 0, &whole);
	read_cut(in, 1, &octets);
	read_cut(in, p[0], &pieces);
	check_same(&whole, &octets);
	check_same(&whole, &pieces);
	clear(&whole);
	clear(&octets);
	clear(&pieces);
	return 0;
}
