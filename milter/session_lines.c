/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines over 998 octets, and octets above 127 that no field declares: an MTA
 * may change them after signing (BEHAVIOUR 8; RFC 5322 s2.1.1, RFC 2045 s6).
 */

/* this room */
#include "session_message.h"

#define LINE_MAX_OCTETS	998	/* without CRLF */

/*
 * Any octet above 127? By words: this sees every octet of every body.
 */
static bool
has_eight_bit(struct slice s)
{
	uint64_t word, any = 0;
	size_t i = 0;

	for (; s.n - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, s.p + i, sizeof(word));
		any |= word;
	}
	for (; i < s.n; i++)
		any |= s.p[i];
	return (any & UINT64_C(0x8080808080808080)) != 0;
}

/*
 * The last LF among the octets from..to-1, or to.
 */
static size_t
last_lf(struct slice s, size_t from, size_t to)
{
	size_t i = to;

	while (i > from)
		if (s.p[--i] == '\n')
			return i;
	return to;
}

/*
 * From the start of a line the farthest LF that a line of 998 octets and CR
 * may have is looked for: one short search a thousand octets.
 */
static void
watch_long(struct lines *lines, struct slice s)
{
	size_t at = 0, room, to, lf;

	while (at < s.n && !lines->is_long) {
		room = LINE_MAX_OCTETS + 2 - lines->run;
		to = s.n - at < room ? s.n : at + room;
		lf = last_lf(s, at, to);
		if (lf < to) {
			lines->run = 0;
			at = lf + 1;
		} else {
			lines->run += to - at;
			lines->is_long = lines->run >= LINE_MAX_OCTETS + 2;
			at = to;
		}
	}
}

void
session_lines_body(struct lines *lines, struct slice octets)
{
	if (!lines->is_long)
		watch_long(lines, octets);
	if (!lines->eight_bit)
		lines->eight_bit = has_eight_bit(octets);
}

void
session_lines_end(struct lines *lines)
{
	/* a last line without line end gets one */
	if (lines->run > LINE_MAX_OCTETS)
		lines->is_long = true;
}

void
session_lines_header(struct lines *lines, const struct dkim_header *header)
{
	size_t i;

	for (i = 0; i < dkim_header_count(header); i++) {
		/* the name and its colon stand on the first line */
		lines->run = dkim_header_name(header, i).n + 1;
		if (lines->run > LINE_MAX_OCTETS)
			lines->is_long = true;
		if (!lines->is_long)
			watch_long(lines, dkim_header_value(header, i));
		session_lines_end(lines);
	}
	lines->run = 0;
}

bool
session_lines_declared(const struct dkim_header *header)
{
	size_t i = dkim_header_find(header,
	    slice_text("Content-Transfer-Encoding"), 0);
	struct slice value;

	if (i == dkim_header_count(header))
		return false;
	value = slice_trim(dkim_header_value(header, i));
	return slice_equal_nocase(value, slice_text("8bit")) ||
	    slice_equal_nocase(value, slice_text("binary"));
}
