/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start of the milter process.
 */

/* system */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "milter/conf_options.h"
#include "milter/daemon_state.h"
#include "milter/identity.h"
#include "milter/listen.h"
#include "milter/log.h"
#include "milter/loop.h"
#include "milter/sandbox.h"
#include "milter/signer.h"

/*
 * Read KeyFile, then drop.
 *   file     room; out: what was read
 *   read     out: whether it is set
 */
static int
drop(const struct options *options, struct report *report,
    struct keyfile *file, bool *read)
{
	struct identity who;

	*read = false;
	if (options->user_id == NULL) {
		if (geteuid() == 0)
			report_fault(report, FAULT_WARNING, "UserID is not "
			    "set: dkimd keeps running as root");
		return 0;
	}
	if (identity_find(options->user_id, report, &who) != 0)
		return EX_CONFIG;
	if (geteuid() == 0 && bringup_needs_key_file(options))
		*read = bringup_read_key_file(options, &who, file) == 0;
	if (identity_drop(&who, report) != 0) {
		if (*read)
			keyfile_clear(file);
		return EX_NOPERM;
	}
	if (*read)
		bringup_reread_key_file(options, &who, report);
	bringup_reread_options(options, &who, report);
	return 0;
}

static int
make_parts(struct daemon *d, const struct options *options)
{
	uint64_t threads = options->signer_threads;

	if (pipe2(d->ended, O_CLOEXEC) != 0 || dkim_lib_new(&d->lib) != 0 ||
	    loop_new(&d->loop) != 0 ||
	    signer_new((unsigned)threads, &d->signer) != 0)
		return -1;
	return 0;
}

static void
remember_socket(struct daemon *d)
{
	struct stat st;

	if (d->socket.path[0] == '\0' || lstat(d->socket.path, &st) != 0)
		return;
	d->socket_file[0] = (uint64_t)st.st_dev;
	d->socket_file[1] = (uint64_t)st.st_ino;
}

void
daemon_remove_socket(struct daemon *d)
{
	struct stat st;

	if (d->socket.path[0] == '\0' || d->socket_file[1] == 0 ||
	    lstat(d->socket.path, &st) != 0)
		return;
	if ((uint64_t)st.st_dev == d->socket_file[0] &&
	    (uint64_t)st.st_ino == d->socket_file[1])
		unlink(d->socket.path);
}

static void *
serve(void *arg)
{
	struct daemon *d = arg;
	unsigned char failed = mlfi_run(d->front) != 0;

	(void)!write(d->ended[1], &failed, 1);
	return NULL;
}

static int
open_socket(struct daemon *d, const struct options *options,
    struct report *report)
{
	struct option_where where;
	struct identity self;
	const struct listen_try how = {
		.where = where.text,
		.who = &self,
		.can_try = true,
	};
	pthread_t thread;

	identity_self(&self);
	if (socketspec_check(conf_options_where(options, "Socket", &where),
	    options->socket, report, &d->socket) != 0 ||
	    listen_check(&how, &d->socket, report) != 0)
		return EX_CONFIG;
	d->mlfi = (struct mlfi_setup){
		.lib = d->lib,
		.conf = &d->slot,
		.signer = d->signer,
		.socket = d->socket.text,
	};
	umask((mode_t)options->umask);
	if (mlfi_open(&d->mlfi, report, &d->front) != 0)
		return EX_CONFIG;
	remember_socket(d);
	if (pthread_create(&thread, NULL, serve, d) != 0)
		return EX_OSERR;
	pthread_detach(thread);
	return 0;
}

static int
bring_up(struct daemon *d, struct options *options, struct keyfile *file,
    struct report *report)
{
	struct bringup parts = { d->loop, d->signer, file };
	struct conf *conf;
	int r;

	r = bringup_conf(&parts, options, NULL, report, &conf);
	if (r == 0 && conf_slot_init(&d->slot, conf) != 0)
		r = DKIM_ERR_NOMEM;
	if (r == DKIM_ERR_NOMEM) {
		report_fault(report, FAULT_FATAL, "no memory");
		return EX_OSERR;
	}
	return r == 0 ? 0 : EX_CONFIG;
}

int
daemon_start(struct daemon *d, struct options *options, struct report *report)
{
	struct keyfile *file;
	struct conf *conf;
	bool read;
	int code;

	file = malloc(sizeof(*file));
	if (file == NULL)
		return EX_OSERR;
	code = drop(options, report, file, &read);
	if (code != 0)
		goto out;
	sandbox_apply(options->enable_coredumps, report);
	sandbox_raise_files();
	log_start();
	if (make_parts(d, options) != 0) {
		report_fault(report, FAULT_FATAL, "no memory, descriptor or "
		    "thread for the start");
		code = EX_OSERR;
	} else
		code = bring_up(d, options, read ? file : NULL, report);
	if (read)
		keyfile_clear(file);
	if (code == 0) {
		conf = conf_slot_get(&d->slot);
		code = open_socket(d, &conf->options, report);
		conf_unref(conf);
	}
out:
	free(file);
	return code;
}
