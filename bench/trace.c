/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench trace: the digest updates and the RSA call of one message.
 */

/* system */
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "canon_form.h"
#include "digest_trace.h"
#include "legacy_key.h"
#include "subcommand.h"

struct trace_options {
	struct canon_form form;
	uint64_t	 octets;
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench trace [--canon FORM] [--size OCTETS] [--tsv] sign|verify\n"
"  --canon FORM     header/body, each simple or relaxed; default\n"
"                   relaxed/simple\n"
"  --size OCTETS    of the body; default 1024\n"
"Exit: 0 shown, 64 usage, 70 the engine failed, 74 cannot write.\n");
}

static int
take_option(void *arg, int option, const char *text)
{
	struct trace_options *t = arg;

	switch (option) {
	case 'c':
		return canon_form_parse("--canon", text, &t->form);
	case 's':
		return options_number("--size", text, 0, MESSAGE_SIZE_MAX,
		    &t->octets);
	default:
		return EX_USAGE;
	}
}

static int
run(const struct trace_options *t, enum rsab_op op, uint64_t seed, bool tsv)
{
	struct message_reference *reference = NULL;
	struct message message = { NULL, 0 };
	struct reference *key;
	int status = reference_parse(legacy_key, seed, &key);

	if (status != 0)
		return status;
	status = message_make(&message, t->octets, true, seed);
	if (status == 0)
		status = message_reference_make(key, &message, t->form.header,
		    t->form.body, &reference);
	if (status == 0)
		status = digest_trace_print(reference, op, tsv, stdout);
	message_reference_free(reference);
	message_clear(&message);
	reference_free(key);
	return status;
}

int
subcommand_trace(int argc, char **argv)
{
	static const struct option longs[] = {
		/* of OPTIONS_MEASURE those that do not ask for time */
		{ "help", no_argument, NULL, 'h' },
		{ "seed", required_argument, NULL, OPTIONS_SEED },
		{ "tsv", no_argument, NULL, OPTIONS_TSV },
		{ "canon", required_argument, NULL, 'c' },
		{ "size", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
		.operands = true,
	};
	struct options_measure measure = OPTIONS_MEASURE_DEFAULT;
	struct trace_options t = { { "relaxed/simple", DKIM_RELAXED,
	    DKIM_SIMPLE }, 1024 };
	int status = options_parse(argc, argv, &syntax, &t, &measure);

	if (status != 0)
		return status;
	if (argc - optind == 1 && strcmp(argv[optind], "sign") == 0)
		return run(&t, RSAB_OP_SIGN, measure.seed, measure.tsv);
	if (argc - optind == 1 && strcmp(argv[optind], "verify") == 0)
		return run(&t, RSAB_OP_VERIFY, measure.seed, measure.tsv);
	warnx("sign or verify is wanted, one of them");
	usage(stderr);
	return EX_USAGE;
}
