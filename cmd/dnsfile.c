/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TXT records from a file; see dnsfile.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sysexits.h>

/* this room */
#include "dnsfile.h"

struct record {
	char		*name;
	uint8_t		*value;
	size_t		 n;		/* octets of value */
};

struct dnsfile {
	struct record	*records;
	size_t		 n, space;
};

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Undo the escapes where they stand; the number of octets, or -1.
 */
static long
unescape(char *text)
{
	char *from = text, *to = text;

	while (*from != '\0') {
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		switch (from[1]) {
		case '\\':
			*to++ = '\\';
			break;
		case 't':
			*to++ = '\t';
			break;
		case 'n':
			*to++ = '\n';
			break;
		case 'r':
			*to++ = '\r';
			break;
		case 'x':
			if (hex_value(from[2]) < 0 || hex_value(from[3]) < 0)
				return -1;
			*to++ = (char)(hex_value(from[2]) << 4 |
			    hex_value(from[3]));
			from += 2;
			break;
		default:
			return -1;
		}
		from += 2;
	}
	return to - text;
}

static int
add_record(struct dnsfile *file, const char *name, const char *value, size_t n)
{
	struct record *r;

	if (file->n == file->space) {
		size_t space = file->space * 2 + 16;

		r = realloc(file->records, space * sizeof(*r));
		if (r == NULL)
			return EX_OSERR;
		file->records = r;
		file->space = space;
	}
	r = &file->records[file->n];
	r->name = strdup(name);
	r->value = malloc(n + 1);
	r->n = n;
	if (r->name == NULL || r->value == NULL) {
		free(r->name);
		free(r->value);
		return EX_OSERR;
	}
	memcpy(r->value, value, n);
	file->n++;
	return 0;
}

static int
add_line(struct dnsfile *file, char *line, const char *path, unsigned number)
{
	char *tab = strchr(line, '\t');
	char *end = strchr(line, '\n');
	long n;

	if (end != NULL)
		*end = '\0';
	if (line[0] == '#' || line[0] == '\0')
		return 0;
	if (tab == NULL) {
		warnx("%s:%u: no TAB: name TAB value is wanted", path, number);
		return EX_CONFIG;
	}
	*tab = '\0';
	n = unescape(tab + 1);
	if (n < 0) {
		warnx("%s:%u: bad escape: \\\\ \\t \\n \\r \\xHH are known",
		    path, number);
		return EX_CONFIG;
	}
	return add_record(file, line, tab + 1, (size_t)n);
}

int
dnsfile_open(const char *path, struct dnsfile **out)
{
	struct dnsfile *file = calloc(1, sizeof(*file));
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t space = 0;
	unsigned number = 0;
	int status = 0;

	if (file == NULL || f == NULL) {
		warn("%s", path);
		status = EX_NOINPUT;
		goto out;
	}
	while (status == 0 && getline(&line, &space, f) >= 0)
		status = add_line(file, line, path, ++number);
	if (status == 0 && ferror(f)) {
		warn("%s", path);
		status = EX_NOINPUT;
	}
out:
	free(line);
	if (f != NULL)
		fclose(f);
	if (status != 0) {
		dnsfile_free(file);
		return status;
	}
	*out = file;
	return 0;
}

void
dnsfile_free(struct dnsfile *file)
{
	size_t i;

	if (file == NULL)
		return;
	for (i = 0; i < file->n; i++) {
		free(file->records[i].name);
		free(file->records[i].value);
	}
	free(file->records);
	free(file);
}

static struct dkim_answer
failure(enum dkim_answer_state state, const char *detail)
{
	struct dkim_answer answer = { state, NULL, DKIM_DNSSEC_INSECURE,
	    detail };

	return answer;
}

struct dkim_answer
dnsfile_get(const struct dnsfile *file, const struct rsab_backend *backend,
    const char *name)
{
	/* one more than the limit, so that the engine sees it passed */
	struct slice found[DKIM_TXT_RECORDS_MAX + 1];
	struct dkim_answer answer = failure(DKIM_ANSWER_FOUND, NULL);
	size_t i, n = 0;

	for (i = 0; i < file->n; i++) {
		struct slice value = slice_of(file->records[i].value,
		    file->records[i].n);

		if (strcasecmp(file->records[i].name, name) != 0)
			continue;
		if (slice_is(value, "!SERVFAIL"))
			return failure(DKIM_ANSWER_TEMPERROR, "SERVFAIL");
		if (slice_is(value, "!TIMEOUT"))
			return failure(DKIM_ANSWER_TEMPERROR, "no answer");
		if (slice_is(value, "!NXDOMAIN") || slice_is(value, "!NODATA"))
			return failure(DKIM_ANSWER_NO_KEY, NULL);
		if (n < sizeof(found) / sizeof(found[0]))
			found[n++] = value;
	}
	if (n == 0)
		return failure(DKIM_ANSWER_NO_KEY, NULL);
	if (dkim_keyset_parse(backend, found, n, &answer.keyset) != 0)
		return failure(DKIM_ANSWER_TEMPERROR, "out of memory");
	return answer;
}
