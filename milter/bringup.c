/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole configuration.
 */

/* system */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* this room */
#include "milter/bringup.h"
#include "milter/conf_options.h"
#include "milter/keptrows.h"
#include "milter/keystore.h"
#include "milter/resolver.h"
#include "milter/signer.h"
#include "milter/textfile.h"
#include "milter/tokens.h"
#include "milter/tokenuri.h"
#include "milter/verifier.h"

static void
last(struct conf *conf)
{
	/* The key store is the last one to know of them */
	(void)tokens_unref(conf->tokens);
	keystore_unref(conf->keystore);
	keptrows_free(conf->kept);
	resolver_free(conf->resolver);
	verifier_unref(conf->verifier);
	conf->verifier = NULL;
	conf->tokens = NULL;
	conf->keystore = NULL;
	conf->kept = NULL;
	conf->resolver = NULL;
}

bool
bringup_needs_key_file(const struct options *options)
{
	/* MIGRATION 2c: KeyTable overrides Domain, Selector and KeyFile */
	return options->mode_sign && options->key_table == NULL &&
	    options->key_file != NULL &&
	    !tokenuri_is(slice_text(options->key_file));
}

bool
bringup_has_key_uri(const struct options *options)
{
	return options->mode_sign && options->key_table == NULL &&
	    options->key_file != NULL &&
	    tokenuri_is(slice_text(options->key_file));
}

int
bringup_read_key_file(const struct options *options,
    const struct identity *who, struct keyfile *out)
{
	char *path;
	int r;

	r = textfile_path(options->base_directory,
	    slice_text(options->key_file), &path);
	if (r != 0)
		return r;
	r = keyfile_read(path, who, options->require_safe_keys, out);
	free(path);
	return r == 0 ? 0 : DKIM_ERR_ARGUMENT;
}

void
bringup_reread_key_file(const struct options *options,
    const struct identity *who, struct report *report)
{
	struct option_where where;
	struct keyfile *file;

	file = malloc(sizeof(*file));
	if (file == NULL)
		return;
	if (bringup_read_key_file(options, who, file) == 0)
		keyfile_clear(file);
	else
		report_fault(report, FAULT_WARNING, "%s: read as root; "
		    "reload cannot read it again: %s", conf_options_where(
		    options, "KeyFile", &where), file->reason);
	free(file);
}

void
bringup_reread_options(const struct options *options,
    const struct identity *who, struct report *report)
{
	char group[IDENTITY_NAME_MAX];
	const struct option_file *f;
	struct stat st;

	/* Who has other rights than the daemon cannot tell */
	if (geteuid() != who->uid)
		return;
	identity_group_name(who->gid, group);
	for (f = options->files; f != NULL; f = f->next) {
		if (access(f->path, R_OK) == 0 || errno != EACCES)
			continue;
		if (stat(f->path, &st) == 0)
			report_fault(report, FAULT_WARNING, "%s: user %s "
			    "cannot read it, and a reload cannot re-read it: "
			    "chgrp %s %s; chmod 640 %s", f->path, who->user,
			    group, f->path, f->path);
		else
			report_fault(report, FAULT_WARNING, "%s: user %s "
			    "cannot reach it, and a reload cannot re-read it: "
			    "a folder of its path lacks the x bit", f->path,
			    who->user);
	}
}

static int
load_key_file(struct conf *conf, const struct keyfile *file,
    struct report *report)
{
	struct option_where where;

	if (file->reason[0] != '\0')
		report_fault(report, FAULT_WARNING, "%s: %s",
		    conf_options_where(&conf->options, "KeyFile", &where),
		    file->reason);
	return keystore_preload(conf->keystore, conf, conf->options.key_file,
	    file->octets, file->n, report);
}

/*
 * At reload, and at a start without other rights than these.
 */
static int
read_key_file(struct conf *conf, const struct conf *old,
    struct report *report)
{
	struct option_where where;
	struct identity self;
	struct keyfile *file;
	int r, kept;

	file = malloc(sizeof(*file));
	if (file == NULL)
		return DKIM_ERR_NOMEM;
	identity_self(&self);
	conf_options_where(&conf->options, "KeyFile", &where);
	r = bringup_read_key_file(&conf->options, &self, file);
	if (r == 0) {
		r = load_key_file(conf, file, report);
		keyfile_clear(file);
	} else if (r == DKIM_ERR_ARGUMENT && old != NULL &&
	    old->options.key_file != NULL &&
	    strcmp(old->options.key_file, conf->options.key_file) == 0 &&
	    (kept = keystore_keep(conf->keystore, old->keystore,
	    conf->options.key_file)) != DKIM_ERR_ARGUMENT) {
		/* One that only root reads is what the start warned about */
		if (file->error == EACCES)
			report_fault(report, FAULT_WARNING, "%s: reload cannot "
			    "read it again, the key loaded before stays: %s",
			    where.text, file->reason);
		else
			report_fault(report, FAULT_ROW, "%s: %s; the key "
			    "loaded before stays; a restart would fail",
			    where.text, file->reason);
		r = kept;
	} else if (r == DKIM_ERR_ARGUMENT) {
		report_fault(report, FAULT_ROW, "%s: %s", where.text,
		    file->reason);
		r = 0;
	}
	free(file);
	return r;
}

/*
 * The options' PIN is kept by the tokens from here on, and nowhere else.
 */
static int
make_tokens(const struct bringup *parts, struct conf *conf,
    const struct conf *old)
{
	unsigned threads = parts->signer == NULL ? 0 :
	    signer_threads(parts->signer);
	int r;

	r = tokens_new(&conf->options, threads,
	    old == NULL ? NULL : old->tokens, &conf->tokens);
	/* dkimd -n is run again and again, and verifies nothing */
	if (r == 0 && parts->loop == NULL)
		tokens_be_careful(conf->tokens);
	if (r == 0 && parts->loop != NULL && conf->options.pkcs11_verify &&
	    conf->options.mode_verify)
		r = verifier_new(&conf->options, threads, &conf->verifier);
	conf_options_forget(&conf->options);
	return r;
}

static int
make_keys(const struct bringup *parts, struct conf *conf,
    const struct conf *old, struct report *report)
{
	size_t fatals = report->fatals;
	int r;

	r = keystore_new(conf, parts->signer,
	    old == NULL ? NULL : old->keystore, &conf->keystore);
	if (r != 0)
		return r;
	if (bringup_has_key_uri(&conf->options))
		r = keystore_preload(conf->keystore, conf,
		    conf->options.key_file, NULL, 0, report);
	else if (!bringup_needs_key_file(&conf->options))
		return 0;
	else if (parts->key_file != NULL)
		r = load_key_file(conf, parts->key_file, report);
	else
		r = read_key_file(conf, old, report);
	/* A key at fault stops only the mail that needs it */
	if (r == DKIM_ERR_SYNTAX && report->fatals == fatals)
		r = 0;
	return r;
}

int
bringup_conf(const struct bringup *parts, struct options *options,
    struct conf *old, struct report *report, struct conf **out)
{
	struct conf *conf;
	int r;

	r = conf_new(options, report, &conf);
	if (r != 0)
		return r;
	conf->last = last;
	r = make_tokens(parts, conf, old);
	if (r == 0 && parts->loop == NULL)
		r = resolver_check(conf, report);
	else if (r == 0)
		r = resolver_new(parts->loop, conf, report, &conf->resolver);
	/* May log in to a token: nothing that stops a reload comes after it,
	 * else each reload would try a wrong PIN once more */
	if (r == 0)
		r = make_keys(parts, conf, old, report);
	if (r == 0 && old != NULL)
		r = keptrows_make(old, conf, report, &conf->kept);
	if (r != 0) {
		conf_unref(conf);
		return r;
	}
	*out = conf;
	return 0;
}
