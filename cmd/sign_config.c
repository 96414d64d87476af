/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sign as dkimd would; see sign_config.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <sysexits.h>

/* room below */
#include "milter/conf.h"

/* this room */
#include "config_user.h"
#include "session_run.h"
#include "sign_config.h"
#include "terminal_report.h"

static int
open_run(const char *path, struct session_run **out, bool *temporary)
{
	/* sign whatever Mode says: that is what was asked for */
	static const struct conf_override mode = { "Mode", "s" };
	struct report report;
	struct options options;
	struct keyfile *key_file;
	int status;

	terminal_report_init(&report);
	if (conf_options_load(path, &mode, 1, &report, &options) != 0)
		return EX_CONFIG;
	status = config_user_become(&options, &report, &key_file);
	if (status != 0) {
		conf_options_clear(&options);
		return status;
	}
	status = session_run_new(&options, key_file, &report, out);
	config_user_done(key_file);
	*temporary = report.temporary > 0 && report.temporary == report.rows;
	return status;
}

/*
 * The fields that the session inserts, the last insertion on top.
 */
static size_t
put_fields(const struct session_result *result, const char *line_end,
    struct buf *out)
{
	const struct session_action *a;
	const char *p;
	size_t i, n = 0;

	for (i = result->n_actions; i > 0; i--) {
		a = &result->actions[i - 1];
		if (a->kind != SESSION_INSERT)
			continue;
		buf_add_text(out, a->name);
		buf_add_octet(out, ':');
		for (p = a->value; *p != '\0'; p++)
			if (*p == '\n')
				buf_add_text(out, line_end);
			else
				buf_add_octet(out, (uint8_t)*p);
		buf_add_text(out, line_end);
		n++;
	}
	return n;
}

static int
settle(const struct session_result *result, const char *name,
    const char *line_end, bool temporary, struct buf *fields)
{
	size_t i, n;

	n = put_fields(result, line_end, fields);
	if (n > 0 && buf_end(fields) == 0)
		return 0;
	for (i = 0; i < result->n_notes; i++)
		warnx("%s: %s", name, result->notes[i].text);
	if (result->outcome.kind == OUTCOME_INTERNAL_ERROR) {
		warnx("%s: not signed: %s", name, result->outcome.text);
		return temporary ? EX_TEMPFAIL : EX_CONFIG;
	}
	warnx("%s: not signed: %s", name, result->outcome.kind ==
	    OUTCOME_SIGNATURE_ERROR ? result->outcome.text :
	    "no table names its sender");
	return EX_DATAERR;
}

int
sign_config(const char *path, uint64_t now, struct dkim_header *header,
    struct input *in, struct buf *fields)
{
	const struct session_result *result;
	struct session_run *run;
	bool is_lf = false, temporary;
	int status;

	status = open_run(path, &run, &temporary);
	if (status != 0)
		return status;
	/* ours, whatever InternalHosts says: the tables decide the rest */
	status = session_run_message(run, SESSION_RUN_SUBMITTED, now, header,
	    in, &is_lf, &result);
	if (status == 0)
		status = settle(result, in->name, is_lf ? "\n" : "\r\n",
		    temporary, fields);
	session_run_free(run);
	return status;
}
