/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run in the form of 2005; see legacy.h.
 */

/* system */
#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "backends.h"
#include "legacy.h"
#include "legacy_key.h"
#include "message_contestant.h"
#include "stopwatch.h"

#define SECONDS_MAX	86400
#define EX_ALGORITHM	1	/* as the old programs */

struct legacy {
	enum rsab_op	 op;
	const char	*header, *body, *algorithm;
	enum dkim_canon	 header_canon, body_canon;
	uint64_t	 octets, seconds, batch;
	bool		 parse;
	struct backends	 backends;
};

bool
legacy_is_wanted(int argc, char *const *argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--legacy") == 0)
			return true;
	return false;
}

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench sign|verify --legacy [-b CANON] [-h CANON] [-m OCTETS]\n"
"                     [-s ALGORITHM] [-t SECONDS] [--backend NAME]\n"
"                     [--batch N] [--key-load]\n"
"  -b CANON         of the body, simple or relaxed; default simple\n"
"  -h CANON         of the header; default relaxed\n"
"  -m OCTETS        of the body; default 1024\n"
"  -s ALGORITHM     rsa-sha256\n"
"  -t SECONDS       default 5\n"
"  --backend NAME   one of RSABackend; default libcrypto\n"
"  --batch N        messages whose RSA runs together; default 1\n"
"  --key-load       the key is parsed anew for each message\n");
}

static int
canon_parse(char option, const char *text, enum dkim_canon *out)
{
	if (strcmp(text, dkim_canon_text(DKIM_SIMPLE)) == 0)
		*out = DKIM_SIMPLE;
	else if (strcmp(text, dkim_canon_text(DKIM_RELAXED)) == 0)
		*out = DKIM_RELAXED;
	else {
		warnx("-%c %s: simple or relaxed is wanted", option, text);
		return EX_USAGE;
	}
	return 0;
}

static int
algorithm_parse(const char *text)
{
	if (strcmp(text, "rsa-sha256") == 0 || strcmp(text, "rsa-sha1") == 0)
		return 0;
	warnx("-s %s: rsa-sha256 is wanted", text);
	return EX_USAGE;
}

static int
take_option(struct legacy *l, int option)
{
	switch (option) {
	case 'b':
		l->body = optarg;
		return canon_parse('b', optarg, &l->body_canon);
	case 'h':
		l->header = optarg;
		return canon_parse('h', optarg, &l->header_canon);
	case 'm':
		return options_number("-m", optarg, 0, MESSAGE_SIZE_MAX,
		    &l->octets);
	case 's':
		l->algorithm = optarg;
		return algorithm_parse(optarg);
	case 't':
		return options_number("-t", optarg, 1, SECONDS_MAX,
		    &l->seconds);
	case 'B':
		return options_names("--backend", optarg, &l->backends.names);
	case 'k':
		l->parse = true;
		return 0;
	case 'n':
		return options_number("--batch", optarg, 1, MESSAGE_BATCH_MAX,
		    &l->batch);
	case 'l':
		return 0;
	case 'H':
		usage(stdout);
		exit(fflush(stdout) == 0 ? EX_OK : EX_IOERR);
	default:
		usage(stderr);
		return EX_USAGE;
	}
}

static int
parse_options(int argc, char **argv, struct legacy *l)
{
	static const struct option longs[] = {
		{ "backend", required_argument, NULL, 'B' },
		{ "batch", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'H' },
		{ "key-load", no_argument, NULL, 'k' },
		{ "legacy", no_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	int c, status;

	status = options_names("--backend", "libcrypto", &l->backends.names);
	while (status == 0 &&
	    (c = getopt_long(argc, argv, "b:h:m:s:t:", longs, NULL)) != -1)
		status = take_option(l, c);
	if (status == 0 && optind < argc) {
		warnx("%s: only options are wanted", argv[optind]);
		status = EX_USAGE;
	}
	if (status == 0 && l->backends.names.n != 1) {
		warnx("--backend: one is wanted with --legacy");
		status = EX_USAGE;
	}
	return status != 0 ? status : backends_find(&l->backends);
}

/*
 * Batches until the time is over; the true time is what counts.
 */
static int
run(struct message_contestant *c, const struct legacy *l)
{
	uint64_t begin, now, messages = 0;
	int status = 0;

	printf("*** %s SPEED TEST: %s/%s with %s, size %ju for %jus\n",
	    l->op == RSAB_OP_SIGN ? "SIGNING" : "VERIFYING", l->header,
	    l->body, l->algorithm, (uintmax_t)l->octets,
	    (uintmax_t)l->seconds);
	fflush(stdout);
	begin = stopwatch_ns();
	do {
		status = message_contestant_run(c, 0, 1);
		messages += l->batch;
		now = stopwatch_ns();
	} while (status == 0 && now - begin < l->seconds * 1000000000);
	if (status == 0)
		printf("*** %ju messages %s (%ju msgs/sec)\n",
		    (uintmax_t)messages, l->op == RSAB_OP_SIGN ? "signed" :
		    "verified", (uintmax_t)((double)messages * 1e9 /
		    (double)(now - begin)));
	return status;
}

/*
 * The message: signing, a line end is put behind so many octets; verifying, it
 * is not, as ever.
 */
static int
measure(const struct legacy *l)
{
	struct message_reference *reference = NULL;
	struct message_contestant c;
	struct message message = { NULL, 0 };
	struct reference *key;
	int status = reference_parse(legacy_key, 1, &key);

	if (status != 0)
		return status;
	status = message_make(&message, l->octets, l->op == RSAB_OP_SIGN, 1);
	if (status == 0)
		status = message_reference_make(key, &message,
		    l->header_canon, l->body_canon, &reference);
	if (status == 0)
		status = message_contestant_init(&c, l->backends.backend[0],
		    reference, l->op, (unsigned)l->batch, 1, l->parse);
	if (status == 0) {
		status = run(&c, l);
		message_contestant_clear(&c);
	}
	message_reference_free(reference);
	message_clear(&message);
	reference_free(key);
	return status;
}

int
legacy_run(int argc, char **argv, enum rsab_op op)
{
	struct legacy l = { .op = op, .header = "relaxed", .body = "simple",
	    .algorithm = "rsa-sha256", .header_canon = DKIM_RELAXED,
	    .body_canon = DKIM_SIMPLE, .octets = 1024, .seconds = 5,
	    .batch = 1 };
	int status = parse_options(argc, argv, &l);

	if (status != 0)
		return status;
	/* RFC 8301 s3.1: MUST NOT be used for signing or verifying */
	if (strcmp(l.algorithm, "rsa-sha1") == 0) {
		printf("### requested signing algorithm not available\n");
		return EX_ALGORITHM;
	}
	return measure(&l);
}
