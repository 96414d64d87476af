/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench sign, dkimbench verify: whole messages by backend, key size, body
 * size, canonicalization and batch.
 *
 * A heat is one of each but the backend. Its contestants: the messages of each
 * backend, its raw RSA, and its messages with the key parsed each time.
 */

/* system */
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "canon_form.h"
#include "legacy.h"
#include "message_heat.h"
#include "subcommand.h"

#define BITS_DEFAULT	"1024,2048"
#define BACKEND_DEFAULT	"libcrypto,bn64"
#define BATCH_DEFAULT	"1,8"
#define SIZE_DEFAULT	"1024"
#define CANON_DEFAULT	"relaxed/simple"

struct messages {
	struct options_measure	 measure;
	struct canon_forms	 forms;
	struct options_numbers	 bits, batches, sizes;
	struct message_heat	 heat;
	struct pin		 pin;
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench sign|verify [--backend LIST] [--bits LIST] [--size LIST]\n"
"                     [--canon LIST] [--batch LIST] [--threads N]\n"
"                     [--key-load] [--tsv] [--seconds S] [--runs N] [--cpu N]\n"
"                     [--seed N]\n"
"       dkimbench sign|verify --legacy [-b CANON] [-h CANON] [-m OCTETS]\n"
"                     [-s ALGORITHM] [-t SECONDS] [--backend NAME]\n"
"                     [--batch N] [--key-load]\n"
"  --backend LIST   as RSABackend of dkimd.conf; ratios are to the first;\n"
"                   default %s\n"
"  --bits LIST      of fresh keys, %d to %d; default %s\n"
"  --size LIST      octets of the body; default %s\n"
"  --canon LIST     header/body, each simple or relaxed; default %s\n"
"  --batch LIST     messages whose RSA runs together, 1 to %d; default %s\n"
"  --threads N      each with a workspace of its own; default 1\n"
"  --key-load       rows with the key parsed anew for each message, too\n"
"  --seconds S      of a window; default %g\n"
"  --runs N         windows of each contestant; default %d\n"
"  --cpu N          processor to stay on; default the last allowed one\n"
"  --seed N         of the body; default 1\n"
"  --legacy         one run, as the speed programs of libdkim print it\n"
"Exit: 0 measured, 64 usage, 69 no backend of the list is here, 70 a result\n"
"was wrong, 74 cannot write.\n",
	    BACKEND_DEFAULT, DKIM_RSA_BITS_FLOOR, RSAB_RSA_BITS_MAX,
	    BITS_DEFAULT, SIZE_DEFAULT, CANON_DEFAULT, MESSAGE_BATCH_MAX,
	    BATCH_DEFAULT, MEASURE_SECONDS, MEASURE_RUNS);
}

static int
take_option(void *arg, int option, const char *text)
{
	struct messages *m = arg;

	switch (option) {
	case 'b':
		return options_numbers("--bits", text, DKIM_RSA_BITS_FLOOR,
		    RSAB_RSA_BITS_MAX, &m->bits);
	case 'B':
		return options_names("--backend", text,
		    &m->heat.backends.names);
	case 'c':
		return canon_form_list("--canon", text, &m->forms);
	case 'k':
		m->heat.key_load = true;
		return 0;
	case 'n':
		return options_numbers("--batch", text, 1, MESSAGE_BATCH_MAX,
		    &m->batches);
	case 's':
		return options_numbers("--size", text, 0, MESSAGE_SIZE_MAX,
		    &m->sizes);
	default:
		return EX_USAGE;
	}
}

static int
parse_options(int argc, char **argv, struct messages *m)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "backend", required_argument, NULL, 'B' },
		{ "batch", required_argument, NULL, 'n' },
		{ "bits", required_argument, NULL, 'b' },
		{ "canon", required_argument, NULL, 'c' },
		{ "key-load", no_argument, NULL, 'k' },
		{ "size", required_argument, NULL, 's' },
		{ "threads", required_argument, NULL, OPTIONS_THREADS },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	static const struct {
		int		 option;
		const char	*text;
	} defaults[] = {
		{ 'b', BITS_DEFAULT }, { 'B', BACKEND_DEFAULT },
		{ 'c', CANON_DEFAULT }, { 'n', BATCH_DEFAULT },
		{ 's', SIZE_DEFAULT },
	};
	int status = 0;

	for (size_t i = 0; i < sizeof defaults / sizeof defaults[0] &&
	    status == 0; i++)
		status = take_option(m, defaults[i].option, defaults[i].text);
	if (status == 0)
		status = options_parse(argc, argv, &syntax, m, &m->measure);
	return status;
}

/*
 * All batches of one message and key.
 */
static int
run_message(struct messages *m, const struct reference *key,
    const struct message *message)
{
	struct message_reference *reference;
	const struct canon_form *form;
	int status = 0;

	for (size_t c = 0; c < m->forms.n && status == 0; c++) {
		form = &m->forms.v[c];
		status = message_reference_make(key, message, form->header,
		    form->body, &reference);
		if (status != 0)
			break;
		m->heat.canon = form->text;
		for (size_t b = 0; b < m->batches.n && status == 0; b++)
			status = message_heat_run(&m->heat, reference,
			    m->batches.v[b]);
		message_reference_free(reference);
	}
	return status;
}

/*
 * A body of so many octets; its last line ends where it can.
 */
static int
make_message(size_t octets, uint64_t seed, struct message *out)
{
	return message_make(out, octets < 2 ? octets : octets - 2,
	    octets >= 2, seed);
}

static int
run_all(struct messages *m)
{
	struct message message;
	struct reference *key;
	int status = 0;

	for (size_t i = 0; i < m->bits.n && status == 0; i++) {
		status = reference_make(m->bits.v[i], m->measure.seed, &key);
		if (status != 0)
			break;
		for (size_t s = 0; s < m->sizes.n && status == 0; s++) {
			status = make_message(m->sizes.v[s], m->measure.seed,
			    &message);
			if (status != 0)
				break;
			status = run_message(m, key, &message);
			message_clear(&message);
		}
		reference_free(key);
	}
	return status;
}

static int
run(int argc, char **argv, enum rsab_op op)
{
	struct messages m = { .measure = OPTIONS_MEASURE_DEFAULT,
	    .heat = { .op = op } };
	int status;

	if (legacy_is_wanted(argc, argv))
		return legacy_run(argc, argv, op);
	status = parse_options(argc, argv, &m);
	if (status == 0)
		status = backends_find(&m.heat.backends);
	if (status == 0)
		status = options_begin(&m.measure, &m.pin, &m.heat.progress,
		    &m.heat.plan);
	if (status != 0)
		return status;
	message_report_begin(&m.heat.table, m.measure.tsv, stdout);
	return run_all(&m);
}

int
subcommand_sign(int argc, char **argv)
{
	return run(argc, argv, RSAB_OP_SIGN);
}

int
subcommand_verify(int argc, char **argv)
{
	return run(argc, argv, RSAB_OP_VERIFY);
}
