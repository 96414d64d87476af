/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim try: send a message through a milter, as an MTA would, and print it as
 * it would be passed on.
 */

/* system */
#include <arpa/inet.h>
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "fieldlist.h"
#include "input.h"
#include "milter_client.h"
#include "subcommand.h"

#define RCPTS_MAX	100
#define QUEUE_ID	"dkimtry"
#define REFUSED		1	/* exit code */

struct try {
	/* options */
	const char	*socket, *client, *name, *auth, *daemon, *from;
	const char	*rcpts[RCPTS_MAX];
	size_t		 n_rcpts;
	struct wire_pair macros[WIRE_MACROS_MAX - 8];
	size_t		 n_macros;
	char		 host[256];	/* macro j */

	/* of the message */
	struct milter_client client_end;
	struct dkim_header *header;
	struct fieldlist fields;
	int		 status;	/* of a step; 0 goes on */
	bool		 settled;	/* accepted as it is: no more events */
	bool		 skip_body;

	/* of the second pass */
	bool		 is_lf;
	bool		 cr;		/* a CR is held back */
};

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
			if (t->n_rcpts < RCPTS_MAX)
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
 * Tell a reply that ends the message; the exit code.
 */
static int
refused(const struct wire_reply *reply)
{
	switch (reply->kind) {
	case WIRE_REPLYCODE:
		fprintf(stderr, "refused: %.*s\n", (int)reply->value.n,
		    (const char *)reply->value.p);
		return REFUSED;
	case WIRE_REJECT:
		fputs("refused: reject\n", stderr);
		return REFUSED;
	case WIRE_DISCARD:
		fputs("refused: discard\n", stderr);
		return REFUSED;
	case WIRE_TEMPFAIL:
		fputs("refused: tempfail\n", stderr);
		return REFUSED;
	case WIRE_CONN_FAIL:
	case WIRE_SHUTDOWN:
		fputs("refused: connection failed\n", stderr);
		return REFUSED;
	default:
		warnx("a reply out of place (code %c)", reply->kind);
		return EX_PROTOCOL;
	}
}

/*
 * Send what was put and, unless the filter negotiated it away, wait for the
 * reply to one step before the end of message.
 *   no_reply     step flag: sent, not answered
 */
static int
step(struct try *t, uint32_t no_reply)
{
	struct milter_client *c = &t->client_end;
	struct wire_reply reply;
	int status = milter_client_send(c);

	if (status != 0 || (no_reply != 0 && (c->steps & no_reply) != 0))
		return status;
	do
		status = milter_client_reply(c, &reply);
	while (status == 0 && reply.kind == WIRE_PROGRESS);
	if (status != 0)
		return status;
	if (reply.kind == WIRE_CONTINUE)
		return 0;
	if (reply.kind == WIRE_ACCEPT) {
		t->settled = true;
		return 0;
	}
	if (reply.kind == WIRE_SKIP) {
		t->skip_body = true;
		return 0;
	}
	return refused(&reply);
}

static bool
is_left_out(const struct try *t, uint32_t flag)
{
	return t->settled || (t->client_end.steps & flag) != 0;
}

/*
 * Macros of a stage: ours, then those of the command line.
 */
static void
put_macros(struct try *t, uint8_t stage)
{
	struct wire_pair list[WIRE_MACROS_MAX];
	size_t n = 0;

	list[n++] = (struct wire_pair){ slice_text("j"), slice_text(t->host) };
	if (t->daemon != NULL)
		list[n++] = (struct wire_pair){ slice_text("{daemon_name}"),
		    slice_text(t->daemon) };
	if (stage != WIRE_CONNECT) {
		list[n++] = (struct wire_pair){ slice_text("i"),
		    slice_text(QUEUE_ID) };
		if (t->auth != NULL) {
			list[n++] = (struct wire_pair){
			    slice_text("{auth_type}"), slice_text("PLAIN") };
			list[n++] = (struct wire_pair){
			    slice_text("{auth_authen}"), slice_text(t->auth) };
		}
	}
	memcpy(list + n, t->macros, t->n_macros * sizeof(list[0]));
	wire_put_macros(stage, list, n + t->n_macros, &t->client_end.out);
}

static int
send_connect(struct try *t)
{
	struct buf *out = &t->client_end.out;
	struct in6_addr address;
	struct slice name;
	uint8_t family;

	if (inet_pton(AF_INET, t->client, &address) == 1)
		family = WIRE_FAMILY_INET;
	else if (inet_pton(AF_INET6, t->client, &address) == 1)
		family = WIRE_FAMILY_INET6;
	else {
		warnx("--client %s: an IPv4 or IPv6 address is wanted",
		    t->client);
		return EX_USAGE;
	}
	name = slice_text(t->name != NULL ? t->name :
	    strcmp(t->client, "127.0.0.1") == 0 ||
	    strcmp(t->client, "::1") == 0 ? "localhost" : "unknown");
	if (is_left_out(t, WIRE_NOCONNECT))
		return 0;
	put_macros(t, WIRE_CONNECT);
	wire_put_connect(name, family, 2525, slice_text(t->client), out);
	return step(t, WIRE_NR_CONN);
}

/*
 * MAIL or RCPT with one address, in angle brackets.
 */
static int
send_address(struct try *t, uint8_t kind, const char *address, uint32_t left,
    uint32_t no_reply)
{
	struct buf text;
	struct slice arg;
	int status;

	if (is_left_out(t, left))
		return 0;
	buf_init(&text, 4096);
	buf_add_format(&text, address[0] == '<' ? "%s" : "<%s>", address);
	if (buf_end(&text) != 0) {
		warnx("%s: the address is too long", address);
		buf_clear(&text);
		return EX_USAGE;
	}
	arg = buf_slice(&text);
	put_macros(t, kind);
	wire_put_texts(kind, &arg, 1, &t->client_end.out);
	status = step(t, no_reply);
	buf_clear(&text);
	return status;
}

static int
send_envelope(struct try *t)
{
	struct slice helo = slice_text(t->host);
	size_t i;
	int status = send_connect(t);

	if (status == 0 && !is_left_out(t, WIRE_NOHELO)) {
		wire_put_texts(WIRE_HELO, &helo, 1, &t->client_end.out);
		status = step(t, WIRE_NR_HELO);
	}
	if (status == 0)
		status = send_address(t, WIRE_MAIL, t->from, WIRE_NOMAIL,
		    WIRE_NR_MAIL);
	for (i = 0; status == 0 && i < t->n_rcpts; i++)
		status = send_address(t, WIRE_RCPT, t->rcpts[i], WIRE_NORCPT,
		    WIRE_NR_RCPT);
	if (status == 0 && !is_left_out(t, WIRE_NODATA)) {
		put_macros(t, WIRE_DATA);
		wire_put(WIRE_DATA, slice_text(""), &t->client_end.out);
		status = step(t, WIRE_NR_DATA);
	}
	return status;
}

/*
 * The value of a field as milters see it: folds are LF, and without leading
 * space negotiated one space goes.
 */
static int
milter_value(const struct try *t, struct slice value, struct buf *out)
{
	size_t i;

	if ((t->client_end.steps & WIRE_HDR_LEADSPC) == 0 && value.n > 0 &&
	    value.p[0] == ' ')
		value = slice_from(value, 1);
	for (i = 0; i < value.n; i++)
		if (value.p[i] != '\r' || i + 1 == value.n ||
		    value.p[i + 1] != '\n')
			buf_add_octet(out, value.p[i]);
	return buf_end(out);
}

static int
send_field(struct try *t, size_t i, struct buf *value)
{
	struct slice texts[2];
	struct slice name = dkim_header_name(t->header, i);
	const char *separator =
	    (t->client_end.steps & WIRE_HDR_LEADSPC) != 0 ? ":" : ": ";

	buf_reset(value);
	if (milter_value(t, dkim_header_value(t->header, i), value) != 0 ||
	    fieldlist_insert(&t->fields, i, name, separator,
	    buf_slice(value)) != 0)
		return EX_OSERR;
	if (is_left_out(t, WIRE_NOHDRS))
		return 0;
	texts[0] = name;
	texts[1] = buf_slice(value);
	wire_put_texts(WIRE_HEADER, texts, 2, &t->client_end.out);
	return step(t, WIRE_NR_HDR);
}

static int
on_header(void *context)
{
	struct try *t = context;
	struct buf value;
	size_t i, n = dkim_header_count(t->header);

	t->status = send_envelope(t);
	buf_init(&value, DKIM_FIELD_MAX);
	for (i = 0; t->status == 0 && i < n; i++)
		t->status = send_field(t, i, &value);
	buf_clear(&value);
	if (t->status == 0 && !is_left_out(t, WIRE_NOEOH)) {
		wire_put(WIRE_EOH, slice_text(""), &t->client_end.out);
		t->status = step(t, WIRE_NR_EOH);
	}
	return t->status == 0 ? 0 : DKIM_ERR_STATE;
}

static int
on_body(void *context, struct slice in)
{
	struct try *t = context;

	while (in.n > 0 && t->status == 0 && !t->skip_body &&
	    !is_left_out(t, WIRE_NOBODY)) {
		size_t n = in.n < WIRE_DATA_MAX ? in.n : WIRE_DATA_MAX;

		wire_put(WIRE_BODY, slice_sub(in, 0, n), &t->client_end.out);
		t->status = step(t, WIRE_NR_BODY);
		in = slice_from(in, n);
	}
	return t->status == 0 ? 0 : DKIM_ERR_STATE;
}

/*
 * One modification at end of message; 0, or an exit code.
 */
static int
apply(struct try *t, const struct wire_reply *reply)
{
	const char *separator =
	    (t->client_end.steps & WIRE_HDR_LEADSPC) != 0 ? ":" : ": ";
	int error;

	switch (reply->kind) {
	case WIRE_INSHEADER:
		error = fieldlist_insert(&t->fields, reply->index,
		    reply->name, separator, reply->value);
		break;
	case WIRE_ADDHEADER:
		error = fieldlist_insert(&t->fields, t->fields.n, reply->name,
		    separator, reply->value);
		break;
	case WIRE_CHGHEADER:
		error = fieldlist_change(&t->fields, reply->index,
		    reply->name, separator, reply->value);
		break;
	case WIRE_QUARANTINE:
		fprintf(stderr, "quarantine: %.*s\n", (int)reply->value.n,
		    (const char *)reply->value.p);
		return 0;
	default:
		warnx("note: the filter also changes %s", reply->kind ==
		    WIRE_REPLBODY ? "the body" : "the envelope");
		return 0;
	}
	return error == 0 ? 0 : EX_OSERR;
}

static int
end_of_message(struct try *t)
{
	struct milter_client *c = &t->client_end;
	struct wire_reply reply;
	int status;

	if (t->settled)
		return 0;
	put_macros(t, WIRE_BODYEOB);
	wire_put(WIRE_BODYEOB, slice_text(""), &c->out);
	status = milter_client_send(c);
	while (status == 0) {
		status = milter_client_reply(c, &reply);
		if (status != 0 || reply.kind == WIRE_PROGRESS)
			continue;
		if (reply.kind == WIRE_CONTINUE || reply.kind == WIRE_ACCEPT)
			break;
		if (strchr("hime+-bq", reply.kind) != NULL)
			status = apply(t, &reply);
		else
			status = refused(&reply);
	}
	if (status == 0) {
		wire_put(WIRE_QUIT, slice_text(""), &c->out);
		status = milter_client_send(c);
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
		status = input_message(&in, t->header, on_header, on_body, t,
		    &t->is_lf);
	if (t->status != 0)
		status = t->status;
	if (status == 0)
		status = end_of_message(t);
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
