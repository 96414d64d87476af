/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -n, and what is looked at before the fork.
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter/bringup.h"
#include "milter/conf_options.h"
#include "milter/daemon.h"
#include "milter/identity.h"
#include "milter/keystore.h"
#include "milter/listen.h"

/*
 * 0, or the errno of opening the file to write; it stays as it is.
 */
static int
try_file(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int fd;

	fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != ENOENT)
		return errno;
	/* With the slash, for the sake of /x */
	if (slash == NULL)
		snprintf(folder, sizeof(folder), ".");
	else
		snprintf(folder, sizeof(folder), "%.*s",
		    (int)(slash - path) + 1, path);
	return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

static int
check_pid_file(const struct options *options, struct report *report)
{
	struct option_where where;
	struct identity self;
	int error;

	if (options->pid_file == NULL)
		return 0;
	error = try_file(options->pid_file);
	if (error == 0)
		return 0;
	identity_self(&self);
	report_fault(report, FAULT_FATAL, "%s: %s: user %s cannot write it: %s",
	    conf_options_where(options, "PidFile", &where), options->pid_file,
	    self.user, strerror(error));
	return EX_CANTCREAT;
}

int
daemon_check_first(const struct options *options, struct report *report)
{
	struct identity who;

	if (options->user_id != NULL) {
		if (identity_find(options->user_id, report, &who) != 0)
			return EX_CONFIG;
		if (identity_may_drop(&who, report) != 0)
			return EX_NOPERM;
	}
	return check_pid_file(options, report);
}

/*
 * Whose rights count: UserID's, when we may become it.
 */
static int
become(const struct options *options, const struct identity *who,
    struct report *report)
{
	struct identity self;

	if (options->user_id == NULL)
		return 0;
	identity_self(&self);
	if (self.uid == 0 || self.uid == who->uid)
		return identity_drop(who, report);
	report_fault(report, FAULT_NOTE, "keys and socket are checked with the "
	    "rights of %s; run this as root to check with those of %s",
	    self.user, who->user);
	return 0;
}

static void
check_socket(const struct options *options, const struct identity *who,
    struct report *report)
{
	struct option_where where;
	struct socketspec spec;
	const struct listen_try how = {
		.where = where.text,
		.who = who,
		.can_try = geteuid() == who->uid,
		.running = true,
	};

	/* What is wrong is counted in the report */
	if (socketspec_check(conf_options_where(options, "Socket", &where),
	    options->socket, report, &spec) == 0)
		(void)!listen_check(&how, &spec, report);
}

static int
check_conf(struct daemon_setup *setup, struct keyfile *key_file,
    struct report *report, struct daemon_found *found)
{
	const struct bringup parts = { .key_file = key_file };
	bool every = setup->options->check_signing_table;
	bool in_token = bringup_has_key_uri(setup->options);
	size_t rows = report->rows;
	struct conf *conf;
	int r;

	r = bringup_conf(&parts, setup->options, NULL, report, &conf);
	if (r == DKIM_ERR_NOMEM)
		report_fault(report, FAULT_FATAL, "no memory");
	if (r != 0)
		return r;
	if (in_token && report->rows == rows)
		found->keys++;
	if (every)
		found->keys += keystore_check(conf->keystore, conf, report,
		    NULL);
	found->backend = rsab_backend_name(conf->backend);
	conf_unref(conf);
	return 0;
}

static int
code_of(const struct report *report)
{
	if (report->fatals > 0)
		return EX_CONFIG;
	return report->rows > 0 ? 1 : 0;
}

int
daemon_check(struct daemon_setup *setup, struct report *report,
    struct daemon_found *found)
{
	struct options *options = setup->options;
	struct identity who;
	struct keyfile *file;
	bool read = false;

	*found = (struct daemon_found){ 0, NULL };
	identity_self(&who);
	if (options->user_id != NULL &&
	    identity_find(options->user_id, report, &who) != 0)
		return EX_CONFIG;
	file = malloc(sizeof(*file));
	if (file == NULL)
		return EX_OSERR;
	if (bringup_needs_key_file(options))
		read = bringup_read_key_file(options, &who, file) == 0;
	found->keys = read ? 1 : 0;
	/* As the supervisor, which is root where that is how it starts */
	if (geteuid() == 0 || geteuid() == who.uid)
		(void)!check_pid_file(options, report);
	if (become(options, &who, report) != 0) {
		free(file);
		return EX_NOPERM;
	}
	if (read && options->user_id != NULL)
		bringup_reread_key_file(options, &who, report);
	bringup_reread_options(options, &who, report);
	check_socket(options, &who, report);
	/* Faults are counted in the report */
	(void)!check_conf(setup, read ? file : NULL, report, found);
	if (read)
		keyfile_clear(file);
	free(file);
	return code_of(report);
}
