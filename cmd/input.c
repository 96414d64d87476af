/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages from files; see input.h.
 */

/* system */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <sysexits.h>

/* rooms below */
#include "rsa-backend/rsab.h"

/* this room */
#include "input.h"

#define CHUNK	65536	/* octets read at once */

/*
 * Standard input that must be read twice, in a file without a name.
 */
static int
spool(FILE *from, FILE **out)
{
	static char chunk[CHUNK];
	FILE *to = tmpfile();
	size_t n;

	if (to == NULL) {
		warn("temporary file for standard input");
		return EX_CANTCREAT;
	}
	while ((n = fread(chunk, 1, sizeof(chunk), from)) > 0)
		if (fwrite(chunk, 1, n, to) != n)
			break;
	if (ferror(from) || ferror(to) || fflush(to) != 0) {
		warn("copying standard input to a temporary file");
		fclose(to);
		return EX_IOERR;
	}
	*out = to;
	return 0;
}

int
input_open(const char *path, bool twice, struct input *in)
{
	bool is_stdin = path == NULL || strcmp(path, "-") == 0;

	in->name = is_stdin ? "-" : path;
	in->file = is_stdin ? stdin : fopen(path, "rb");
	if (in->file == NULL) {
		warn("%s", path);
		return EX_NOINPUT;
	}
	/* a named pipe cannot be read twice either */
	if (twice && fseek(in->file, 0, SEEK_CUR) != 0) {
		FILE *copy;
		int status = spool(in->file, &copy);

		if (!is_stdin)
			fclose(in->file);
		in->file = NULL;
		if (status != 0)
			return status;
		in->file = copy;
	}
	return 0;
}

void
input_close(struct input *in)
{
	if (in->file != NULL && in->file != stdin)
		fclose(in->file);
	in->file = NULL;
}

int
input_each(struct input *in, int (*feed)(void *context, struct slice in),
    void *context)
{
	static uint8_t chunk[CHUNK];
	size_t n;
	int status;

	/* fails on a pipe, which is at its start anyway */
	if (fseek(in->file, 0, SEEK_SET) != 0)
		clearerr(in->file);
	while ((n = fread(chunk, 1, sizeof(chunk), in->file)) > 0) {
		status = feed(context, slice_of(chunk, n));
		if (status != 0)
			return status;
	}
	if (ferror(in->file)) {
		warn("%s", in->name);
		return EX_NOINPUT;
	}
	return 0;
}

int
input_read_small(const char *path, size_t max, uint8_t **out, size_t *n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = NULL;
	int status = EX_NOINPUT;

	if (f == NULL) {
		warn("%s", path);
		return EX_NOINPUT;
	}
	/* unbuffered: key octets stay in p alone */
	setvbuf(f, NULL, _IONBF, 0);
	p = malloc(max + 1);
	if (p == NULL) {
		warn("%s", path);
		status = EX_OSERR;
		goto out;
	}
	*n = fread(p, 1, max + 1, f);
	if (ferror(f)) {
		warn("%s", path);
		goto out;
	}
	if (*n > max) {
		warnx("%s: more than %zu octets: not a key file", path, max);
		status = EX_CONFIG;
		goto out;
	}
	*out = p;
	p = NULL;
	status = 0;
out:
	rsab_wipe_free(p, max + 1);
	fclose(f);
	return status;
}

struct message_feed {
	struct dkim_reader	*reader;
	int			 error;		/* DKIM_ERR_* */
};

static int
feed_reader(void *context, struct slice in)
{
	struct message_feed *f = context;

	f->error = dkim_reader_feed(f->reader, in);
	return f->error == 0 ? 0 : EX_DATAERR;
}

static int
report_message(const struct input *in, const struct dkim_header *header,
    int error)
{
	const char *over = dkim_header_over(header);

	switch (error) {
	case DKIM_OK:
		return 0;
	case DKIM_ERR_LIMIT:
		warnx("%s: %s: over the limit", in->name,
		    over != NULL ? over : "message");
		return EX_DATAERR;
	case DKIM_ERR_SYNTAX:
		warnx("%s: not a message: a line before the first empty line "
		    "is no header field", in->name);
		return EX_DATAERR;
	case DKIM_ERR_NO_FROM:
		warnx("%s: no From field: not signed (RFC 6376 s5.4)",
		    in->name);
		return EX_DATAERR;
	case DKIM_ERR_MANY_FROM:
		warnx("%s: several From fields: not signed (RFC 6376 s8.15)",
		    in->name);
		return EX_DATAERR;
	case DKIM_ERR_STATE:
		/* the caller stopped, and has told why */
		return EX_SOFTWARE;
	case DKIM_ERR_ARGUMENT:
		warnx("%s: not signed: i= must be in the domain of d= or "
		    "below it", in->name);
		return EX_USAGE;
	default:
		warnx("%s: %s", in->name, dkim_strerror(error));
		return EX_OSERR;
	}
}

int
input_message(struct input *in, struct dkim_header *header,
    int (*on_header)(void *context), dkim_body_fn on_body, void *context,
    bool *is_lf)
{
	struct message_feed f = { NULL, DKIM_OK };
	int status;

	f.error = dkim_reader_new(header, on_header, on_body, context,
	    &f.reader);
	if (f.error != 0)
		return report_message(in, header, f.error);
	status = input_each(in, feed_reader, &f);
	if (status == 0)
		f.error = dkim_reader_end(f.reader);
	if (f.error != 0)
		status = report_message(in, header, f.error);
	if (status == 0 && is_lf != NULL)
		*is_lf = dkim_reader_is_lf(f.reader);
	dkim_reader_free(f.reader);
	return status;
}
