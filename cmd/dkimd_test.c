/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -t.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* rooms below */
#include "milter/clock.h"
#include "milter/conf_options.h"

/* this room */
#include "cmd/config_user.h"
#include "cmd/dkimd_print.h"
#include "cmd/dkimd_test.h"
#include "cmd/session_run.h"

#define FILES_MAX	256

/* Not dkim_header_new's default: MaximumHeaders is to decide */
#define HEADER_MAX	(32u << 20)

struct test {
	const struct dkimd_args	*args;
	bool			 signs, verifies;
	char			*names;		/* those of in are in it */
	struct input		 in[FILES_MAX];
	size_t			 n;
	struct session_run	*run;
};

/* ---- files -------------------------------------------------------------- */

static const char *
name_of(const struct input *in)
{
	return strcmp(in->name, "-") == 0 ? "(stdin)" : in->name;
}

/*
 * The first trouble counts.
 */
static void
keep(int *status, int now)
{
	if (*status == 0)
		*status = now == EX_NOINPUT ? EX_UNAVAILABLE : now;
}

/*
 * Before the drop: the files are of who tests, not of who serves. One that is
 * not there is told, and the others are tested.
 */
static int
open_files(struct test *t)
{
	char *name, *rest;
	int r, status = 0;

	t->names = strdup(t->args->files);
	if (t->names == NULL)
		return EX_OSERR;
	for (name = strtok_r(t->names, ",", &rest); name != NULL;
	    name = strtok_r(NULL, ",", &rest)) {
		if (t->n == FILES_MAX) {
			fprintf(stderr, "dkimd: -t: more than %d files\n",
			    FILES_MAX);
			return EX_USAGE;
		}
		r = input_open(name, t->signs && t->verifies, &t->in[t->n]);
		keep(&status, r);
		if (r == 0)
			t->n++;
	}
	return status;
}

static void
close_files(struct test *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		input_close(&t->in[i]);
	free(t->names);
}

/* ---- what is printed ---------------------------------------------------- */

static void
print_escaped(struct slice s)
{
	size_t i;

	/* parentheses and commas, too: these lines are read by programs */
	for (i = 0; i < s.n; i++)
		if (s.p[i] > ' ' && s.p[i] < 0x7f && s.p[i] != '\\' &&
		    s.p[i] != '(' && s.p[i] != ')' && s.p[i] != ',')
			putchar(s.p[i]);
		else
			printf("\\x%02x", s.p[i]);
}

/*
 * OpenDKIM's line, which programs parse.
 */
static void
print_verdict(const char *name, const struct dkim_verdict *v)
{
	static const char *const dnssec[] = {
		[DKIM_DNSSEC_INSECURE] = "insecure",
		[DKIM_DNSSEC_SECURE] = "secure",
		[DKIM_DNSSEC_BOGUS] = "bogus",
	};

	printf("dkimd: %s: verification (s=", name);
	print_escaped(v->selector);
	fputs(v->result == DKIM_PASS ? ", d=" : " d=", stdout);
	print_escaped(v->domain);
	printf(", %u-bit key", v->key_bits);
	if (v->result == DKIM_PASS) {
		puts(") succeeded");
		return;
	}
	printf(", %s) failed: %s", v->key_known ? dnssec[v->dnssec] :
	    "unknown", dkim_result_text(v->result));
	printf("%s%s\n", v->reason[0] == '\0' ? "" : ", ", v->reason);
}

/*
 * Header changes, in the order in which they are made.
 */
static void
print_changes(const struct session_result *r)
{
	const struct session_action *a;
	size_t i;

	for (i = 0; i < r->n_actions; i++) {
		a = &r->actions[i];
		if (a->kind == SESSION_DELETE)
			printf("### CHGHEADER: hname='%s' idx=%u hvalue=''\n",
			    a->name, a->occurrence);
		else
			printf("### INSHEADER: idx=0 hname='%s' hvalue='%s'\n",
			    a->name, a->value[0] == ' ' ? a->value + 1 :
			    a->value);
	}
}

/*
 * The fields that are inserted, as the header will have them.
 */
static void
print_fields(const char *name, const struct session_result *r)
{
	size_t i;

	printf("dkimd: %s:\n", name);
	for (i = r->n_actions; i > 0; i--)
		if (r->actions[i - 1].kind == SESSION_INSERT)
			printf("%s:%s\n", r->actions[i - 1].name,
			    r->actions[i - 1].value);
}

/*
 * Are we at fault, or is a message that should be signed?
 */
static bool
is_fault(const struct session_result *r)
{
	return r->outcome.kind == OUTCOME_SIGNATURE_ERROR ||
	    r->outcome.kind == OUTCOME_INTERNAL_ERROR ||
	    r->outcome.kind == OUTCOME_MEMORY;
}

static void
print_notes(const char *name, const struct session_result *r)
{
	size_t i;

	for (i = 0; i < r->n_notes; i++)
		fprintf(stderr, "dkimd: %s: %s\n", name, r->notes[i].text);
}

/*
 * What -v asks for.
 */
static void
print_more(const struct test *t, const char *name,
    const struct session_result *r)
{
	const struct outcome *out = &r->outcome;

	if (t->args->verbose == 0)
		return;
	if (t->args->verbose > 1 || session_run_role(t->run) != POLICY_SIGN)
		print_changes(r);
	if (out->action != ACTION_ACCEPT)
		printf("dkimd: %s: %s: %s %s %s %s\n", name, out->option,
		    dkimd_print_action(out->action),
		    out->code == NULL ? "" : out->code,
		    out->xcode == NULL ? "" : out->xcode, out->text);
	if (t->args->verbose > 1 && !is_fault(r))
		print_notes(name, r);
}

/* ---- a message ---------------------------------------------------------- */

static int
settle_fault(const char *name, const struct session_result *r)
{
	print_notes(name, r);
	printf("dkimd: %s: %s\n", name, r->outcome.text);
	return r->outcome.kind == OUTCOME_SIGNATURE_ERROR ? EX_DATAERR :
	    EX_SOFTWARE;
}

static int
settle_verified(const struct test *t, const char *name,
    const struct session_result *r)
{
	const struct dkim_verdict *v;
	size_t i;

	for (i = 0; (v = session_run_verdict(t->run, i)) != NULL; i++)
		print_verdict(name, v);
	if (i == 0 && r->outcome.kind == OUTCOME_SECURITY)
		printf("dkimd: %s: message not verified: %s\n", name,
		    r->outcome.text);
	else if (i == 0)
		printf("dkimd: %s: message not signed\n", name);
	return 0;
}

static int
settle(const struct test *t, const char *name, const struct session_result *r)
{
	int status = 0;

	if (is_fault(r)) {
		status = settle_fault(name, r);
	} else if (session_run_role(t->run) == POLICY_VERIFY) {
		status = settle_verified(t, name, r);
	} else if (session_run_role(t->run) == POLICY_SIGN) {
		if (t->args->verbose < 2)
			print_fields(name, r);
	} else {
		printf("dkimd: %s: not to be signed: %s\n", name,
		    session_run_reason(t->run));
		status = EX_SOFTWARE;
	}
	print_more(t, name, r);
	return status;
}

static int
run_once(const struct test *t, struct input *in, enum session_run_origin from,
    const struct session_result **r)
{
	uint64_t now = t->args->has_time ? t->args->time : clock_unix();
	struct dkim_header *header;
	int status;

	if (dkim_header_new(HEADER_MAX, &header) != 0)
		return EX_OSERR;
	status = session_run_message(t->run, from, now, header, in, NULL, r);
	dkim_header_free(header);
	return status;
}

/*
 * Mail of localhost is signed where the tables say so; else it is verified as
 * if it came from outside, which is what OpenDKIM does with it.
 */
static int
test_file(const struct test *t, struct input *in)
{
	const struct session_result *r = NULL;
	int status = 0;

	if (t->signs)
		status = run_once(t, in, SESSION_RUN_LOCAL, &r);
	if (status == 0 && t->verifies && (r == NULL ||
	    (session_run_role(t->run) == POLICY_NONE &&
	    r->outcome.kind == OUTCOME_ACCEPT)))
		status = run_once(t, in, SESSION_RUN_OUTSIDE, &r);
	return status != 0 ? status : settle(t, name_of(in), r);
}

/* ---- start -------------------------------------------------------------- */

static int
open_run(struct test *t, struct options *options, struct report *report)
{
	struct keyfile *file;
	int status;

	status = config_user_become(options, report, &file);
	if (status != 0) {
		conf_options_clear(options);
		return status;
	}
	status = session_run_new(options, file, report, &t->run);
	config_user_done(file);
	return status;
}

int
dkimd_test(struct options *options, const struct dkimd_args *args,
    struct report *report)
{
	struct test *t;
	size_t i;
	int r, status;

	t = calloc(1, sizeof(*t));
	if (t == NULL) {
		conf_options_clear(options);
		return EX_OSERR;
	}
	t->args = args;
	/* as OpenDKIM: -t verifies unless something says otherwise */
	if (!conf_options_is_set(options, "Mode"))
		options->mode_sign = false;
	t->signs = options->mode_sign;
	t->verifies = options->mode_verify;
	status = open_files(t);
	r = open_run(t, options, report);
	if (r != 0)
		status = r;
	for (i = 0; r == 0 && i < t->n; i++)
		keep(&status, test_file(t, &t->in[i]));
	session_run_free(t->run);
	close_files(t);
	free(t);
	if (fflush(stdout) != 0)
		keep(&status, EX_IOERR);
	return status;
}
