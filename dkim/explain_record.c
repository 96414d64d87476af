/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation that tell what a malformed key record is;
 * see explain_record.h.
 */

/* this room */
#include "explain_record.h"
#include "explain_text.h"

static bool
has_text(struct slice s, const char *text)
{
	struct slice want = slice_text(text);
	size_t i;

	for (i = 0; i + want.n <= s.n; i++)
		if (slice_equal_nocase(slice_sub(s, i, want.n), want))
			return true;
	return false;
}

/*
 * The commonest mistakes of publishing, by what they leave in the record.
 */
static const char *
find_mistake(struct slice head)
{
	static const struct {
		const char	*text;
		const char	*mistake;
	} rows[] = {
		{ "v=spf1", "this is an SPF record" },
		{ "v=dmarc1", "this is a DMARC record" },
		{ "in txt", "the name and the type of a zone's line stand in "
		    "the record" },
		{ "in\ttxt", "the name and the type of a zone's line stand in "
		    "the record" },
		{ "-----begin", "p= has the base64 of a PEM file only, not "
		    "its BEGIN and END lines" },
		{ "\\;", "a backslash stands in front of semicolons; take it "
		    "out" },
		{ "\"", "quotes stand in the record; they belong to a zone "
		    "file, not to the record" },
		{ "dkim1,", "commas part the tags; it must be semicolons" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (has_text(head, rows[i].text))
			return rows[i].mistake;
	return NULL;
}

void
explain_record_add(const struct keyrec *rec, struct buf *out)
{
	struct slice head = slice_of(rec->head, rec->head_n);
	const char *mistake = find_mistake(head);

	if (rec->state != KEYREC_MALFORMED)
		return;
	buf_add_text(out, "key: a record there begins ");
	explain_text_shown(out, head);
	if (mistake != NULL) {
		buf_add_text(out, ": ");
		buf_add_text(out, mistake);
	}
	buf_add_octet(out, '\n');
}
