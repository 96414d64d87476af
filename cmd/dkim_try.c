/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim try: send a message through a milter, as an MTA would, and print it as
 * it would be passed on.
 */

/* system */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "subcommand.h"
#include "try.h"

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkim try --socket SOCKET [--client ADDRESS] [--name HOST]\n"
"                [--auth USER] [--daemon NAME] [--macro NAME=VALUE]...\n"
"                [--from ADDRESS] [--rcpt ADDRESS]... [FILE]\n"
"  --socket S     unix:PATH, inet:PORT@HOST or Postfix's inet:HOST:PORT\n"
"  --client A     the client's address; default 127.0.0.1\n"
"  --name HOST    its name; default localhost, or unknown\n"
"  --auth USER    the client has authenticated as this user\n"
"  --daemon NAME  {daemon_name}, as ORIGINATING\n"
"  --macro N=V    a further macro, at connect, MAIL and end of message\n"
"Prints the message as passed on; another reply goes to stderr.\n"
"Exit: 0 accepted, 1 refused, 65 not a message, 66 cannot read,\n"
"69 no filter there, 76 no milter.\n");
}

static int
add_macro(struct try *t, char *text)
{
	char *equals = strchr(text, '=');

	if (equals == NULL || equals == text) {
		warnx("--macro %s: NAME=VALUE is wanted", text);
		return EX_USAGE;
	}
	if (t->n_macros == sizeof(t->macros) / sizeof(t->macros[0])) {
		warnx("--macro: too many");
		return EX_USAGE;
	}
	t->macros[t->n_macros].name = slice_of(text, (size_t)(equals - text));
	t->macros[t->n_macros++].value = slice_text(equals + 1);
	return 0;
}

static int
parse_options(int argc, char **argv, struct try *t)
{
	enum { SOCKET = 256, CLIENT, NAME, AUTH, DAEMON, MACRO, FROM, RCPT };
	static const struct option longs[] = {
		{ "socket", required_argument, NULL, SOCKET },
		{ "client", required_argument, NULL, CLIENT },
		{ "name", required_argument, NULL, NAME },
		{ "auth", required_argument, NULL, AUTH },
		{ "daemon", required_argument, NULL, DAEMON },
		{ "macro", required_argument, NULL, MACRO },
		{ "from", required_argument, NULL, FROM },
		{ "rcpt", required_argument, NULL, RCPT },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, status = 0;

	while (status == 0 &&
	    (c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case SOCKET:
			t->socket = optarg;
			break;
		case CLIENT:
			t->client = optarg;
			break;
		case NAME:
			t->name = optarg;
			break;
		case AUTH:
			t->auth = optarg;
			break;
		case DAEMON:
			t->daemon = optarg;
			break;
		case MACRO:
			status = add_macro(t, optarg);
			break;
		case FROM:
			t->from = optarg;
			break;
		case RCPT:
			if (t->n_rcpts < TRY_RCPTS_MAX)
				t->rcpts[t->n_rcpts++] = optarg;
			break;
		case 'h':
			usage(stdout);
			exit(EX_OK);
		default:
			usage(stderr);
			status = EX_USAGE;
		}
	}
	if (status == 0 && (t->socket == NULL || argc - optind > 1)) {
		usage(stderr);
		status = EX_USAGE;
	}
	return status;
}

/*
 * Octets with CRLF as line end, printed with the line end of the file.
 */
static int
print_octets(struct try *t, struct slice in)
{
	size_t i;

	if (!t->is_lf)
		return fwrite(in.p, 1, in.n, stdout) == in.n ? 0 :
		    DKIM_ERR_STATE;
	for (i = 0; i < in.n; i++) {
		if (t->cr && in.p[i] != '\n')
			putchar('\r');
		t->cr = in.p[i] == '\r';
		if (!t->cr)
			putchar(in.p[i]);
	}
	return 0;
}

static int
print_nothing(void *context)
{
	(void)context;
	return 0;
}

static int
print_body(void *context, struct slice in)
{
	return print_octets(context, in);
}

static void
print_fields(const struct try *t)
{
	const char *line_end = t->is_lf ? "\n" : "\r\n";
	size_t i, k;

	for (i = 0; i < t->fields.n; i++) {
		const struct field *f = &t->fields.fields[i];

		for (k = 0; k < f->n; k++)
			if (f->text[k] == '\n')
				fputs(line_end, stdout);
			else
				putchar(f->text[k]);
		fputs(line_end, stdout);
	}
	fputs(line_end, stdout);
}

/*
 * The second pass: the changed header, then the body as it is.
 */
static int
print_message(struct try *t, struct input *in)
{
	struct dkim_header *again;
	int status;

	print_fields(t);
	if (dkim_header_new(0, &again) != 0)
		return EX_OSERR;
	status = input_message(in, again, print_nothing, print_body, t, NULL);
	dkim_header_free(again);
	if (t->cr)
		putchar('\r');
	if (status == 0 && fflush(stdout) != 0) {
		warn("standard output");
		status = EX_IOERR;
	}
	return status;
}

static int
try_file(struct try *t, const char *path)
{
	struct input in;
	int status = input_open(path, true, &in);

	if (status != 0)
		return status;
	status = milter_client_open(t->socket, &t->client_end);
	if (status == 0 && dkim_header_new(0, &t->header) != 0)
		status = EX_OSERR;
	if (status == 0)
		status = input_message(&in, t->header, try_header, try_body, t,
		    &t->is_lf);
	if (t->status != 0)
		status = t->status;
	if (status == 0)
		status = try_end(t);
	if (status == 0)
		status = print_message(t, &in);
	milter_client_close(&t->client_end);
	input_close(&in);
	return status;
}

int
subcommand_try(int argc, char **argv)
{
	struct try t = { .client = "127.0.0.1", .from = "sender@localhost" };
	int status;

	if (gethostname(t.host, sizeof(t.host) - 1) != 0)
		snprintf(t.host, sizeof(t.host), "localhost");
	status = parse_options(argc, argv, &t);
	if (status == 0 && t.n_rcpts == 0)
		t.rcpts[t.n_rcpts++] = "recipient@localhost";
	if (status == 0)
		status = try_file(&t, optind < argc ? argv[optind] : "-");
	dkim_header_free(t.header);
	fieldlist_clear(&t.fields);
	return status;
}
