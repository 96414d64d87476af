/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed: what mailing lists and gateways do
 * to Subject, From and Reply-To; see headguess.h.
 */

/* this room */
#include "headguess.h"

#define FRONT		3	/* words of Subject where a mark may begin */
#define MARK		3	/* words that it may have */
#define BACK		2	/* words at the end that may be one */
#define CUTS		(FRONT * MARK + BACK)
#define SOURCES		10	/* fields that may hold what From had */

/*
 * Word i of a value: where it begins and ends.
 */
static bool
find_word(struct slice value, size_t i, size_t *begin, size_t *end)
{
	static const char white[] = " \t\r\n";
	size_t at = 0, count;

	for (count = 0;; count++) {
		while (at < value.n && value.p[at] != '\0' &&
		    strchr(white, value.p[at]) != NULL)
			at++;
		if (at == value.n)
			return false;
		*begin = at;
		while (at < value.n && (value.p[at] == '\0' ||
		    strchr(white, value.p[at]) == NULL))
			at++;
		*end = at;
		if (count == i)
			return true;
	}
}

static size_t
count_words(struct slice value)
{
	size_t begin, end, n = 0;
	struct slice rest = value;

	while (find_word(rest, 0, &begin, &end)) {
		rest = slice_from(rest, end);
		n++;
	}
	return n;
}

/*
 * The value without its octets from..to.
 */
static bool
cut_octets(struct headsearch *s, struct slice value, size_t from, size_t to,
    struct slice *out)
{
	uint8_t *p = arena_alloc(s->arena, value.n + 1);

	if (p == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return false;
	}
	if (from > 0)
		memcpy(p, value.p, from);
	if (to < value.n)
		memcpy(p + from, &value.p[to], value.n - to);
	*out = slice_of(p, from + value.n - to);
	return true;
}

/*
 * Cut k of a Subject: some words near its front, or the last ones. What is
 * left has a word at least.
 *   mark     out: the words
 */
static bool
cut_mark(struct headsearch *s, struct slice value, size_t k,
    struct slice *out, struct slice *mark)
{
	size_t from, to, end, first, n;

	if (value.n > HEADSEARCH_VALUE_MAX)
		return false;
	if (k < FRONT * MARK) {
		if (!find_word(value, k / MARK, &from, &end) ||
		    !find_word(value, k / MARK + k % MARK + 1, &to, &end))
			return false;
	} else {
		n = count_words(value);
		first = k - FRONT * MARK + 1;
		if (n <= first || !find_word(value, n - first - 1, &to,
		    &from))
			return false;
		to = value.n;
	}
	*mark = slice_trim(slice_sub(value, from, to - from));
	return cut_octets(s, value, from, to, out);
}

static size_t
find_asked(const struct headsearch *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->set.n; i++)
		if (s->set.fields[i].present && slice_equal_nocase(
		    s->set.fields[i].asked, slice_text(name)))
			return i;
	return s->set.n;
}

bool
headguess_list_subject(struct headsearch *s)
{
	size_t k, i = find_asked(s, "Subject");
	struct slice value, mark;

	for (k = 0; i < s->set.n && k < CUTS; k++)
		if (cut_mark(s, s->set.fields[i].value, k, &value, &mark) &&
		    headsearch_try_value(s, i, value, HEADSEARCH_WORDS, mark))
			return true;
	return false;
}

/*
 * The field named prefix + name.
 *   returns  its index, or count
 *   found    out: its name
 */
static size_t
find_source(const struct headsearch *s, const char *prefix, struct slice name,
    struct slice *found)
{
	size_t at, count = dkim_header_count(s->header);
	struct slice head = slice_text(prefix);
	uint8_t text[128];

	if (name.n > sizeof(text) - head.n)
		return count;
	if (head.n > 0)
		memcpy(text, head.p, head.n);
	memcpy(text + head.n, name.p, name.n);
	at = dkim_header_find(s->header, slice_of(text, head.n + name.n), 0);
	if (at < count)
		*found = dkim_header_name(s->header, at);
	return at;
}

/*
 * Where the value of a field may have gone: X-Original-To and the like, and
 * for From what lists make of it (RFC 5322 has no such field).
 *   k        0 .. SOURCES - 1
 *   value    out; name: of the field that has it
 */
static bool
get_source(const struct headsearch *s, struct slice asked, size_t k,
    struct slice *value, struct slice *name)
{
	static const char *const prefixes[] = {
		"X-Original-", "Original-", "Old-", "X-Old-",
		"X-Google-Original-", "X-Microsoft-Original-",
	};
	static const char *const from[] = {
		"Reply-To", "Cc", "Sender", "X-Original-Sender",
	};
	size_t at, n = sizeof(prefixes) / sizeof(prefixes[0]);

	if (k < n)
		at = find_source(s, prefixes[k], asked, name);
	else if (slice_equal_nocase(asked, slice_text("From")))
		at = find_source(s, "", slice_text(from[k - n]), name);
	else
		return false;
	if (at == dkim_header_count(s->header))
		return false;
	*value = dkim_header_value(s->header, at);
	return true;
}

bool
headguess_list_moved(struct headsearch *s)
{
	struct slice value, name;
	size_t i, k;

	for (i = 0; i < s->set.n && i < HEADSEARCH_NAMES && s->error == 0 &&
	    !s->spent; i++)
		for (k = 0; k < SOURCES; k++)
			if (get_source(s, s->set.fields[i].asked, k, &value,
			    &name) && headsearch_try_value(s, i, value,
			    HEADSEARCH_TAKEN, name))
				return true;
	return false;
}

/*
 * As it is, and then with each mark cut out of Subject.
 */
static bool
try_with_subject(struct headsearch *s)
{
	return headsearch_try(s) || headguess_list_subject(s);
}

/*
 * The same, and once more without a Reply-To.
 */
static bool
try_with_reply_to(struct headsearch *s)
{
	size_t i = find_asked(s, "Reply-To");

	if (try_with_subject(s))
		return true;
	if (i == s->set.n)
		return false;
	headsearch_push(s, HEADSEARCH_DROP, signedset_name(&s->set.fields[i]),
	    slice_text(""));
	s->set.fields[i].present = false;
	if (try_with_subject(s))
		return true;
	s->set.fields[i].present = true;
	headsearch_pop(s);
	return false;
}

bool
headguess_list_all(struct headsearch *s)
{
	size_t k, i = find_asked(s, "From");
	struct signedset_field saved;
	struct slice value, name;

	if (try_with_reply_to(s))
		return true;
	for (k = 0; i < s->set.n && k < SOURCES; k++) {
		saved = s->set.fields[i];
		if (!get_source(s, saved.asked, k, &value, &name))
			continue;
		headsearch_push(s, HEADSEARCH_TAKEN, signedset_name(&saved),
		    name);
		s->set.fields[i].value = value;
		if (try_with_reply_to(s))
			return true;
		s->set.fields[i] = saved;
		headsearch_pop(s);
	}
	return false;
}
