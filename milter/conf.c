/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A configuration from its options: tables opened, every row looked at.
 */

/* system */
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

/* this room */
#include "conf_check.h"
#include "conf_options.h"
#include "conf_rows.h"
#include "rsabackend.h"

/*
 * Small options that have a meaning beside their text. They passed
 * conf_check_options, so a failure here is memory, or a backend that computes
 * wrongly.
 */
static int
read_values(struct conf *conf, struct report *report)
{
	struct options *o = &conf->options;
	char host[HOST_NAME_MAX + 1];
	int error;

	error = rsabackend_choose(o, report, &conf->backend);
	if (error != 0)
		return error;
	error = dkim_canon_parse(slice_text(o->canonicalization),
	    &conf->header_canon, &conf->body_canon);
	if (error == 0 && o->minimum != NULL)
		error = conf_check_minimum(slice_text(o->minimum),
		    &conf->minimum);
	if (error != 0 || o->authserv_id == NULL ||
	    strcasecmp(o->authserv_id, "HOSTNAME") != 0)
		return error;
	if (gethostname(host, sizeof(host)) != 0)
		memcpy(host, "localhost", sizeof("localhost"));
	host[sizeof(host) - 1] = '\0';
	free(o->authserv_id);
	o->authserv_id = strdup(host);
	return o->authserv_id == NULL ? DKIM_ERR_NOMEM : 0;
}

static int
read_names(const struct options *o, const char *name, const char *text,
    enum dkim_names_kind kind, struct report *report, struct dkim_names **out)
{
	struct slice bad = { NULL, 0 };
	struct option_where where;
	struct report_octets shown;
	int error;

	error = dkim_names_parse(kind, text == NULL ?
	    (struct slice){ NULL, 0 } : slice_text(text), out, &bad);
	if (error == 0 || error == DKIM_ERR_NOMEM)
		return error;
	report_fault(report, FAULT_FATAL, "%s: \"%s\": wanted is a list of "
	    "field names, as From,To,Subject%s",
	    conf_options_where(o, name, &where), report_octets(&shown, bad),
	    kind == DKIM_NAMES_OVERSIGN ? "" : " or *,+X-Mine,-To");
	return DKIM_ERR_SYNTAX;
}

static int
open_set(const struct options *o, const char *name, const char *text,
    struct report *report, struct dataset **out)
{
	struct option_where where;

	if (text == NULL)
		return 0;
	return dataset_open(conf_options_where(o, name, &where), text,
	    o->base_directory, report, out);
}

static int
open_hosts(const struct options *o, const char *name, const char *text,
    struct report *report, struct hostset **out)
{
	struct option_where where;

	if (text == NULL)
		return 0;
	return hostset_open(conf_options_where(o, name, &where), text,
	    o->base_directory, report, out);
}

/*
 * Keep the worse of two results: memory ends everything, after a fault of
 * syntax the rest is looked at, too.
 */
static bool
is_fatal(int one, int *error)
{
	if (one != 0)
		*error = one;
	return one == DKIM_ERR_NOMEM;
}

static int
open_lists(struct conf *conf, struct report *report)
{
	const struct options *o = &conf->options;
	int error = 0;

	if (is_fatal(read_names(o, "SignHeaders", o->sign_headers,
	    DKIM_NAMES_SIGN, report, &conf->sign), &error) ||
	    is_fatal(read_names(o, "OmitHeaders", o->omit_headers,
	    DKIM_NAMES_OMIT, report, &conf->omit), &error) ||
	    is_fatal(read_names(o, "OversignHeaders", o->oversign_headers,
	    DKIM_NAMES_OVERSIGN, report, &conf->oversign), &error) ||
	    is_fatal(read_names(o, "SenderHeaders", o->sender_headers,
	    DKIM_NAMES_SENDER, report, &conf->sender), &error) ||
	    is_fatal(open_hosts(o, "InternalHosts", o->internal_hosts, report,
	    &conf->internal), &error) ||
	    is_fatal(open_hosts(o, "ExternalIgnoreList",
	    o->external_ignore_list, report, &conf->ignore), &error) ||
	    is_fatal(open_hosts(o, "PeerList", o->peer_list, report,
	    &conf->peers), &error))
		return DKIM_ERR_NOMEM;
	return error;
}

static int
open_tables(struct conf *conf, struct report *report)
{
	const struct options *o = &conf->options;
	const struct {
		const char	*name, *text;
		struct dataset	**out;
	} rows[] = {
		{ "Domain", o->domain, &conf->domain },
		{ "KeyTable", o->key_table, &conf->key_table },
		{ "SigningTable", o->signing_table, &conf->signing_table },
		{ "ExemptDomains", o->exempt_domains, &conf->exempt_domains },
		{ "DontSignMailTo", o->dont_sign_mail_to,
		    &conf->dont_sign_mail_to },
		{ "MTA", o->mta, &conf->mta },
		{ "MacroList", o->macro_list, &conf->macro_list },
		{ "RemoveARFrom", o->remove_ar_from, &conf->remove_ar_from },
	};
	int error = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_fatal(open_set(o, rows[i].name, rows[i].text, report,
		    rows[i].out), &error))
			return DKIM_ERR_NOMEM;
	return error;
}

static void
free_conf(struct conf *conf)
{
	dataset_free(conf->domain);
	dataset_free(conf->signing_table);
	dataset_free(conf->key_table);
	dataset_free(conf->exempt_domains);
	dataset_free(conf->dont_sign_mail_to);
	dataset_free(conf->mta);
	dataset_free(conf->macro_list);
	dataset_free(conf->remove_ar_from);
	hostset_free(conf->internal);
	hostset_free(conf->ignore);
	hostset_free(conf->peers);
	dkim_names_free(conf->sign);
	dkim_names_free(conf->omit);
	dkim_names_free(conf->oversign);
	dkim_names_free(conf->sender);
	conf_options_clear(&conf->options);
	free(conf);
}

int
conf_new(struct options *options, struct report *report, struct conf **out)
{
	struct conf *conf;
	int error, lists = 0;

	if ((conf = calloc(1, sizeof(*conf))) == NULL) {
		conf_options_clear(options);
		return DKIM_ERR_NOMEM;
	}
	atomic_init(&conf->refs, 1);
	conf->options = *options;
	*options = (struct options){ 0 };	/* moved */
	error = read_values(conf, report);
	if (error == 0 && !is_fatal(open_lists(conf, report), &lists)) {
		error = open_tables(conf, report);
		/* all faults are named in one run */
		if (error != DKIM_ERR_NOMEM && is_fatal(conf_rows_check(conf,
		    report), &error))
			error = DKIM_ERR_NOMEM;
	}
	if (lists == DKIM_ERR_NOMEM || (lists != 0 && error == 0))
		error = lists;
	if (error != 0) {
		free_conf(conf);
		return error;
	}
	*out = conf;
	return 0;
}

struct conf *
conf_ref(struct conf *conf)
{
	atomic_fetch_add_explicit(&conf->refs, 1, memory_order_relaxed);
	return conf;
}

void
conf_unref(struct conf *conf)
{
	if (conf == NULL || atomic_fetch_sub_explicit(&conf->refs, 1,
	    memory_order_acq_rel) != 1)
		return;
	if (conf->last != NULL)
		conf->last(conf);
	free_conf(conf);
}
