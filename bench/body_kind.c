/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies of mail; see body_kind.h.
 */

/* system */
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "body_kind.h"
#include "random.h"

#define WORD_MAX	9	/* octets; 1 at least */
#define PARAGRAPH	12	/* lines, on average */

static const struct kind {
	const char	*name;
	unsigned	 columns;	/* a line ends behind them */
	unsigned	 between, behind;	/* blanks: words, lines */
	int		 base64;
} kinds[] = {
	{ "text", 72, 1, 0, 0 },
	{ "base64", 76, 0, 0, 1 },
	{ "long", 990, 1, 0, 0 },
	{ "trailing", 72, 1, 1, 0 },
	{ "doubled", 72, 2, 0, 0 },
};

/* A line is put together, then copied as far as there is room. */
struct line {
	char		text[1200];
	size_t		n;
};

static void
line_add(struct line *line, const char *octet, unsigned times)
{
	while (times-- > 0)
		line->text[line->n++] = *octet;
}

static void
line_words(struct line *line, const struct kind *kind, struct random *random)
{
	static const char letters[] = "etaoinshrdlucmfwypvbgkqjxz";

	if (random_next(random) % PARAGRAPH == 0)
		return;
	for (;;) {
		uint64_t word = random_next(random);

		for (uint64_t n = 1 + word % WORD_MAX; n > 0; n--) {
			word /= 26;
			line_add(line, &letters[word % 26], 1);
		}
		if (line->n + kind->between + WORD_MAX > kind->columns)
			break;
		line_add(line, " ", kind->between);
	}
	line_add(line, " ", kind->behind);
}

static void
line_base64(struct line *line, const struct kind *kind, struct random *random)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";

	while (line->n < kind->columns)
		line_add(line, &digits[random_next(random) % 64], 1);
}

int
body_kind_fill(const char *kind, uint64_t seed, uint8_t *out, size_t n)
{
	struct random random = { seed };
	struct line line;
	size_t k = 0, at, part;

	while (strcmp(kinds[k].name, kind) != 0)
		if (++k == sizeof kinds / sizeof kinds[0]) {
			warnx("%s: %s are known", kind, BODY_KIND_NAMES);
			return EX_USAGE;
		}
	for (at = 0; at < n; at += part) {
		line.n = 0;
		if (kinds[k].base64)
			line_base64(&line, &kinds[k], &random);
		else
			line_words(&line, &kinds[k], &random);
		line_add(&line, "\r", 1);
		line_add(&line, "\n", 1);
		part = line.n < n - at ? line.n : n - at;
		memcpy(&out[at], line.text, part);
	}
	if (n > 0 && out[n - 1] == '\r')
		out[n - 1] = '.';
	return 0;
}
