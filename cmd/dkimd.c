/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd: reads the options, then is the supervisor of the milter process.
 */

/* system */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <idn2.h>
#include <openssl/crypto.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unbound.h>
#include <unistd.h>

/* rooms below */
#include "milter/conf_options.h"
#include "milter/daemon.h"
#include "milter/faultlog.h"
#include "milter/log.h"
#include "milter/mlfi.h"
#include "milter/supervisor.h"

/* this room */
#include "cmd/dkimd_args.h"
#include "cmd/dkimd_print.h"
#include "cmd/dkimd_query.h"
#include "cmd/dkimd_test.h"
#include "config.h"

struct dkimd {
	struct daemon_setup	 daemon;
	struct supervisor_setup	 supervisor;
	int			 waiting;	/* pipe to who started us in
						 * the background; -1: none */
};

/* ---- faults on the terminal -------------------------------------------- */

static void
show(void *context, enum fault fault, const char *text)
{
	const struct dkimd_args *args = context;
	static const char *const words[] = {
		[FAULT_NOTE] = "note: ",
		[FAULT_WARNING] = "warning: ",
		[FAULT_ROW] = "",
		[FAULT_FATAL] = "",
	};

	if (fault == FAULT_NOTE && args->verbose == 0)
		return;
	fprintf(stderr, "dkimd: %s%s\n", words[fault], text);
}

/* ---- -n ---------------------------------------------------------------- */

static int
check(struct daemon_setup *setup, const struct dkimd_args *args,
    struct report *report)
{
	struct daemon_found found;
	int code;

	code = daemon_check(setup, report, &found);
	if (args->verbose > 0)
		printf("%s: keys loaded: %zu, warnings: %zu, rows or keys at "
		    "fault: %zu, faults that stop the start: %zu, backend "
		    "%s\n",
		    setup->config_path == NULL ? "no configuration file" :
		    setup->config_path, found.keys, report->warnings,
		    report->rows, report->fatals,
		    found.backend == NULL ? "none" : found.backend);
	return code;
}

static void
print_version(void)
{
	char milter[64];

	mlfi_describe(milter, sizeof(milter));
	printf("dkimd %s\n%s\nlibevent %s\nlibunbound %s\nlibidn2 %s\n"
	    "%s\nconfiguration file %s\n", DKIMD_VERSION,
	    OpenSSL_version(OPENSSL_VERSION), event_get_version(),
	    ub_version(), idn2_check_version(NULL), milter, DKIMD_CONF);
}

/* ---- background -------------------------------------------------------- */

/*
 * Go on in a child; the parent waits until it is ready or has failed, and
 * exits with its code.
 */
static int
go_background(struct dkimd *d)
{
	unsigned char code = EX_OSERR;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return EX_OSERR;
	pid = fork();
	if (pid < 0)
		return EX_OSERR;
	if (pid == 0) {
		close(ends[0]);
		d->waiting = ends[1];
		setsid();
		return 0;
	}
	close(ends[1]);
	if (read(ends[0], &code, 1) != 1)
		code = EX_SOFTWARE;
	_exit(code);
}

static void
end_waiting(struct dkimd *d, int code)
{
	unsigned char octet = (unsigned char)code;

	if (d->waiting < 0)
		return;
	(void)!write(d->waiting, &octet, 1);
	close(d->waiting);
	d->waiting = -1;
}

/* The terminal was needed for what could go wrong until now. */
static void
leave_terminal(void)
{
	int fd, i;

	fd = open("/dev/null", O_RDWR);
	if (fd < 0)
		return;
	for (i = 0; i <= 2; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static void
is_ready(void *context)
{
	struct dkimd *d = context;

	/* The milter process has its own copy; one started later reads anew */
	conf_options_forget(d->daemon.options);
	if (d->waiting < 0)
		return;
	end_waiting(d, 0);
	leave_terminal();
}

static int
run_daemon(void *context, int channel, bool again)
{
	struct dkimd *d = context;

	/* Who waits is told by the supervisor only */
	if (d->waiting >= 0)
		close(d->waiting);
	return daemon_run(&d->daemon, channel, again);
}

/* ---- start ------------------------------------------------------------- */

static int
run(struct dkimd *d, const struct dkimd_args *args)
{
	struct options *options = d->daemon.options;
	struct report report;
	char *pid_file = NULL;
	int code;

	notify_open(&d->supervisor.notify);
	d->daemon.foreground = args->foreground || !options->background ||
	    d->supervisor.notify.fd >= 0;
	d->daemon.watchdog = d->supervisor.notify.watchdog;
	if (options->pid_file != NULL)
		pid_file = strdup(options->pid_file);
	d->supervisor.run = run_daemon;
	d->supervisor.ready = is_ready;
	d->supervisor.context = d;
	d->supervisor.pid_file = pid_file;
	d->supervisor.stop_timeout = options->stop_timeout;
	d->supervisor.coredumps = options->enable_coredumps;
	restart_init(&d->supervisor.restart, options);
	if (!d->daemon.foreground) {
		code = go_background(d);
		if (code != 0) {
			fprintf(stderr, "dkimd: cannot go to the background: "
			    "%s\n", strerror(errno));
			return code;
		}
	}
	/* UMask is for the socket; the PID file is read by everybody */
	umask(022);
	log_open(options, d->daemon.foreground);
	faultlog_init(&report, true);
	code = daemon_check_first(options, &report);
	if (code == 0)
		code = supervisor_run(&d->supervisor);
	else
		log_flush();
	end_waiting(d, code);
	free(pid_file);
	return code;
}

/*
 * The file of -x; else the usual one, where it is there.
 */
static const char *
config_path(const struct dkimd_args *args)
{
	if (args->conf != NULL)
		return args->conf;
	if (access(DKIMD_CONF, F_OK) != 0 && errno == ENOENT)
		return NULL;
	return DKIMD_CONF;
}

static int
start(const struct dkimd_args *args)
{
	struct report report = { .write = show,
	    .context = (void *)(uintptr_t)args };
	struct options options;
	struct dkimd d = { .waiting = -1 };
	int r;

	if (args->mode == DKIMD_MODE_QUERY)
		return dkimd_query(&report);
	d.daemon = (struct daemon_setup){
		.config_path = config_path(args),
		.overrides = args->overrides,
		.overrides_n = args->n,
		.options = &options,
	};
	r = conf_options_load(d.daemon.config_path, args->overrides, args->n,
	    &report, &options);
	if (r != 0)
		return r == DKIM_ERR_NOMEM ? EX_OSERR : EX_CONFIG;
	if (d.daemon.config_path == NULL && (args->mode == DKIMD_MODE_CHECK ||
	    (args->mode == DKIMD_MODE_RUN && options.socket == NULL)))
		report_fault(&report, FAULT_WARNING, "no configuration file: "
		    "%s is not there; -x names another", DKIMD_CONF);
	switch (args->mode) {
	case DKIMD_MODE_CHECK:
		r = check(&d.daemon, args, &report);
		break;
	case DKIMD_MODE_PRINT:
		r = dkimd_print_option(&options, args->print);
		break;
	case DKIMD_MODE_TEST:
		return dkimd_test(&options, args, &report);
	case DKIMD_MODE_RUN:
	case DKIMD_MODE_QUERY:
	case DKIMD_MODE_VERSION:
		r = run(&d, args);
		break;
	}
	/* empty where they were moved */
	conf_options_clear(&options);
	return r;
}

int
main(int argc, char **argv)
{
	struct dkimd_args args;
	int code;

	/* A log whose reader has gone must not end the daemon */
	signal(SIGPIPE, SIG_IGN);
	code = dkimd_args_parse(argc, argv, &args);
	if (code != 0)
		return code;
	if (args.mode == DKIMD_MODE_VERSION) {
		print_version();
		return 0;
	}
	return start(&args);
}
