/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opendkim-loops: messages a second by libopendkim, in its own speed programs'
 * loops, beside this engine: windows by turns in one process.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "backends.h"
#include "machine.h"
#include "message_contestant.h"
#include "opendkim_work.h"
#include "table.h"

#define BACKEND_DEFAULT	"libcrypto,bn64"
#define BATCH_DEFAULT	"1,8"
#define BITS_DEFAULT	"1024"
#define SIZE_DEFAULT	"1024"
#define TEXT_MAX	65536

/* A contestant: libopendkim, or a backend, a batch and a way with its key. */
struct entry {
	struct message_contestant contestant;
	const char	*backend;
	unsigned	 batch;
	bool		 parse;
};

#define ENTRIES_MAX	(2 * OPTIONS_LIST_MAX)

struct loops {
	struct options_measure	 measure;
	struct options_numbers	 bits, batches, sizes;
	struct options_names	 ops;
	struct backends		 backends;
	struct pin		 pin;
	struct progress		 progress;
	struct measure_plan	 plan;
	struct table		 table;

	struct entry		 entries[ENTRIES_MAX];
	struct measure_contestant measured[ENTRIES_MAX];
	size_t			 n;
};

static const struct table_column columns[] = {
	{ "engine", -13, false },
	{ "path", -8, false },
	{ "bits", 5, false },
	{ "op", -6, false },
	{ "size", 7, false },
	{ "batch", 5, false },
	{ "key", -6, false },
	{ "per_s_median", 12, false },
	{ "per_s_min", 10, false },
	{ "per_s_max", 10, false },
	{ "ns_each", 9, true },
	{ "ratio", 7, false },
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: opendkim-loops [--backend LIST] [--bits LIST] [--size LIST]\n"
"                      [--op sign,verify] [--batch LIST] [--tsv]\n"
"                      [--seconds S] [--runs N] [--cpu N] [--seed N]\n"
"Messages by libopendkim, relaxed/simple, beside this engine's with the same\n"
"key; ratios are to libopendkim. Backends with their key cached, and parsed\n"
"anew for each message. Defaults: %s, %s bits, %s octets,\n"
"batches %s.\n", BACKEND_DEFAULT, BITS_DEFAULT, SIZE_DEFAULT, BATCH_DEFAULT);
}

static int
take_option(void *arg, int option, const char *text)
{
	struct loops *l = arg;

	switch (option) {
	case 'b':
		return options_numbers("--bits", text, DKIM_RSA_BITS_FLOOR,
		    RSAB_RSA_BITS_MAX, &l->bits);
	case 'B':
		return options_names("--backend", text, &l->backends.names);
	case 'n':
		return options_numbers("--batch", text, 1, MESSAGE_BATCH_MAX,
		    &l->batches);
	case 'o':
		return options_names("--op", text, &l->ops);
	case 's':
		return options_numbers("--size", text, 2, MESSAGE_SIZE_MAX,
		    &l->sizes);
	default:
		return EX_USAGE;
	}
}

static int
parse_options(int argc, char **argv, struct loops *l)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "backend", required_argument, NULL, 'B' },
		{ "batch", required_argument, NULL, 'n' },
		{ "bits", required_argument, NULL, 'b' },
		{ "op", required_argument, NULL, 'o' },
		{ "size", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	int status = 0;

	if (take_option(l, 'b', BITS_DEFAULT) != 0 ||
	    take_option(l, 'B', BACKEND_DEFAULT) != 0 ||
	    take_option(l, 'n', BATCH_DEFAULT) != 0 ||
	    take_option(l, 'o', "sign,verify") != 0 ||
	    take_option(l, 's', SIZE_DEFAULT) != 0)
		return EX_USAGE;
	status = options_parse(argc, argv, &syntax, l, &l->measure);
	for (size_t i = 0; i < l->ops.n && status == 0; i++)
		if (strcmp(l->ops.v[i], "sign") != 0 &&
		    strcmp(l->ops.v[i], "verify") != 0) {
			warnx("--op %s: sign and verify are known",
			    l->ops.v[i]);
			status = EX_USAGE;
		}
	if (status == 0 && 1 + 2 * l->backends.names.n * l->batches.n >
	    ENTRIES_MAX) {
		warnx("at most %d backends times batches",
		    (ENTRIES_MAX - 1) / 2);
		status = EX_USAGE;
	}
	return status != 0 ? status : backends_find(&l->backends);
}

/*
 * The fields as libopendkim takes them; freed by the caller.
 */
static int
fields_make(struct opendkim_mail *mail)
{
	for (mail->n = 0; mail->n < MESSAGE_FIELDS; mail->n++) {
		const struct message_field *f = &message_fields[mail->n];
		char *text;

		if (asprintf(&text, "%.*s:%.*s", (int)f->name.n,
		    (const char *)f->name.p, (int)f->value.n,
		    (const char *)f->value.p) < 0) {
			warnx("no memory for a field");
			return EX_OSERR;
		}
		mail->fields[mail->n] = text;
	}
	return 0;
}

static void
fields_clear(struct opendkim_mail *mail)
{
	while (mail->n > 0)
		free((void *)(uintptr_t)mail->fields[--mail->n]);
}

/*
 * What libopendkim signs must verify here: it is the same mail.
 */
static int
cross_check(const struct message_reference *r, const struct opendkim_work *w)
{
	const struct rsab_backend *backend;
	struct message_verifying v = { 0 };
	struct rsab_worker *worker;
	struct dkim_keyset *keyset;
	struct buf text;
	bool pass = false;
	int status;

	if (rsab_backend_find("libcrypto", &backend) != 0 ||
	    rsab_worker_new(&worker) != 0) {
		warnx("no memory for a worker");
		return EX_OSERR;
	}
	buf_init(&text, TEXT_MAX);
	status = message_reference_keyset(r, backend, &keyset);
	if (status == 0 && message_verify_begin(&r->task, MESSAGE_NOW,
	    slice_text(opendkim_work_field(w)), keyset, &v) == 0) {
		rsab_run(worker, &v.job, 1);
		if (message_verify_end(&v, &pass, &text) != 0)
			pass = false;
	}
	message_verify_drop(&v);
	buf_clear(&text);
	rsab_worker_free(worker);
	if (status == 0 && !pass) {
		warnx("what libopendkim signs does not verify here");
		status = EX_SOFTWARE;
	}
	return status;
}

static int
enter(struct loops *l, size_t backend, struct message_reference *reference,
    enum rsab_op op, unsigned batch, bool parse)
{
	struct entry *entry = &l->entries[l->n];
	int status = message_contestant_init(&entry->contestant,
	    l->backends.backend[backend], reference, op, batch, 1, parse);

	if (status != 0)
		return status;
	entry->backend = l->backends.names.v[backend];
	entry->batch = batch;
	entry->parse = parse;
	l->measured[l->n++] = (struct measure_contestant){
	    .run = message_contestant_run, .arg = &entry->contestant,
	    .per_round = batch };
	return 0;
}

static int
enter_all(struct loops *l, struct message_reference *reference,
    enum rsab_op op)
{
	int status = 0;

	for (size_t i = 0; i < l->backends.names.n; i++)
		for (size_t b = 0; b < l->batches.n && status == 0; b++) {
			if (l->backends.backend[i] == NULL)
				continue;
			status = enter(l, i, reference, op, l->batches.v[b],
			    false);
			if (status == 0)
				status = enter(l, i, reference, op,
				    l->batches.v[b], true);
		}
	return status;
}

static int
report(struct loops *l, const struct message_reference *r, enum rsab_op op,
    size_t k)
{
	struct entry *e = &l->entries[k];
	struct measure_summary summary;
	int status = measure_summarize(&l->plan, l->measured, l->n, k,
	    &summary);

	if (status != 0)
		return status;
	table_text(&l->table, e->backend);
	table_text(&l->table, k == 0 ? opendkim_work_version() :
	    message_contestant_path(&e->contestant));
	table_number(&l->table, r->key->bits);
	table_text(&l->table, op == RSAB_OP_SIGN ? "sign" : "verify");
	table_number(&l->table, r->task.message->octets);
	table_number(&l->table, e->batch);
	table_text(&l->table, e->parse ? "parsed" : "cached");
	table_rates(&l->table, &summary);
	table_figure(&l->table, summary.ratio, 2);
	table_end(&l->table, NULL);
	return 0;
}

static int
heat(struct loops *l, struct message_reference *reference,
    const struct opendkim_mail *mail, enum rsab_op op)
{
	struct opendkim_work *work;
	int status = opendkim_work_new(mail, op == RSAB_OP_SIGN, &work);

	if (status != 0)
		return status;
	progress_name(&l->progress, "%s, %u bits", op == RSAB_OP_SIGN ?
	    "sign" : "verify", reference->key->bits);
	l->entries[0] = (struct entry){ .backend = "libopendkim", .batch = 1,
	    .parse = true };
	l->measured[0] = (struct measure_contestant){
	    .run = opendkim_work_run, .arg = work, .per_round = 1 };
	l->n = 1;
	status = cross_check(reference, work);
	if (status == 0)
		status = enter_all(l, reference, op);
	if (status == 0)
		status = measure_heat(&l->plan, l->measured, l->n);
	for (size_t k = 0; k < l->n && status == 0; k++)
		status = report(l, reference, op, k);
	measure_clear(l->measured, l->n);
	while (l->n > 1)
		message_contestant_clear(&l->entries[--l->n].contestant);
	opendkim_work_free(work);
	return status;
}

/*
 * Both engines with one key and body.
 */
static int
run_message(struct loops *l, const struct reference *key,
    const struct message *message)
{
	struct opendkim_mail mail = { .body = message->body,
	    .octets = message->octets, .header_relaxed = true,
	    .domain = MESSAGE_DOMAIN, .selector = MESSAGE_SELECTOR,
	    .pem = key->pem, .now = MESSAGE_NOW };
	struct message_reference *reference;
	int status;

	status = message_reference_make(key, message, DKIM_RELAXED,
	    DKIM_SIMPLE, &reference);
	if (status != 0)
		return status;
	buf_add_nul(&reference->record);
	mail.record = (const char *)reference->record.p;
	if (buf_end(&reference->record) != 0) {
		warnx("no memory for a key record");
		status = EX_OSERR;
	}
	if (status == 0)
		status = fields_make(&mail);
	for (size_t i = 0; i < l->ops.n && status == 0; i++)
		status = heat(l, reference, &mail,
		    strcmp(l->ops.v[i], "sign") == 0 ? RSAB_OP_SIGN :
		    RSAB_OP_VERIFY);
	fields_clear(&mail);
	message_reference_free(reference);
	return status;
}

static int
run_all(struct loops *l)
{
	struct message message;
	struct reference *key;
	int status = 0;

	for (size_t i = 0; i < l->bits.n && status == 0; i++) {
		status = reference_make(l->bits.v[i], l->measure.seed, &key);
		if (status != 0)
			break;
		for (size_t s = 0; s < l->sizes.n && status == 0; s++) {
			status = message_make(&message, l->sizes.v[s] - 2,
			    true, l->measure.seed);
			if (status != 0)
				break;
			status = run_message(l, key, &message);
			message_clear(&message);
		}
		reference_free(key);
	}
	return status;
}

int
main(int argc, char **argv)
{
	static struct loops l = { .measure = OPTIONS_MEASURE_DEFAULT };
	int status = parse_options(argc, argv, &l);

	if (status == 0)
		status = options_begin(&l.measure, &l.pin, &l.progress,
		    &l.plan);
	if (status != 0)
		return status;
	table_init(&l.table, columns, sizeof columns / sizeof columns[0],
	    l.measure.tsv, stdout);
	table_header(&l.table);
	status = run_all(&l);
	return status != 0 ? status : table_check(&l.table);
}
