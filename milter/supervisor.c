/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The supervisor's poll loop.
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "milter/channel.h"
#include "milter/clock.h"
#include "milter/log.h"
#include "milter/sandbox.h"
#include "milter/signals.h"
#include "milter/supervisor.h"

#define KILL_AFTER	10	/* seconds beyond StopTimeout */

static const int caught[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD };
#define CAUGHT	(sizeof(caught) / sizeof(caught[0]))

struct supervisor {
	struct supervisor_setup	*setup;
	int			 signals;	/* pipe, signals.h */
	pid_t			 pid;		/* milter process; 0: none */
	int			 channel;	/* our end; -1: closed */
	bool			 ready;		/* it was, once */
	unsigned		 stops;		/* asked for */
	bool			 reloading;	/* no outcome yet */
	bool			 reload_again;	/* asked for meanwhile */
	uint64_t		 kill_at;	/* monotonic us; 0: never */
};

static int
write_pid_file(const char *path)
{
	char text[32];
	int fd, n;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (write(fd, text, (size_t)n) != n) {
		close(fd);
		return -1;
	}
	return close(fd);
}

static void
be_child(struct supervisor *s, int channel, bool again)
{
	struct supervisor_setup *setup = s->setup;

	/* A session of its own: a signal to our group does not reach it */
	setsid();
	signals_close(s->signals, caught, CAUGHT);
	if (s->channel >= 0)
		close(s->channel);
	notify_close(&setup->notify);
	signals_unblock(caught, CAUGHT);
	_exit(setup->run(setup->context, channel, again));
}

static int
start(struct supervisor *s, bool again)
{
	int ends[2];

	if (channel_open(ends) != 0)
		goto fail;
	/* The child must not answer with our handlers */
	signals_block(caught, CAUGHT);
	s->pid = fork();
	if (s->pid == 0) {
		s->channel = ends[0];
		be_child(s, ends[1], again);
	}
	signals_unblock(caught, CAUGHT);
	close(ends[1]);
	if (s->pid > 0) {
		s->channel = ends[0];
		s->reloading = s->reload_again = false;
		return 0;
	}
	close(ends[0]);
	s->pid = 0;
fail:
	log_line(LOG_ERR, "cannot start the milter process: %s",
	    strerror(errno));
	return EX_OSERR;
}

static void
tell(struct supervisor *s, enum channel_kind kind)
{
	/* When it is gone already, SIGCHLD says so */
	if (s->channel >= 0)
		(void)!channel_send(s->channel, kind, "");
}

static void
reload(struct supervisor *s)
{
	if (s->stops > 0 || s->pid == 0)
		return;
	if (s->reloading) {
		s->reload_again = true;
		return;
	}
	s->reloading = true;
	notify_reloading(&s->setup->notify);
	tell(s, CHANNEL_RELOAD);
}

static void
stop(struct supervisor *s)
{
	uint64_t after = s->setup->stop_timeout + KILL_AFTER;

	if (s->stops == 0) {
		log_line(LOG_INFO, "stopping");
		notify_stopping(&s->setup->notify);
	} else
		after = KILL_AFTER;
	s->stops++;
	s->kill_at = clock_us() + after * 1000000;
	tell(s, CHANNEL_STOP);
}

static void
reloaded(struct supervisor *s, const char *text)
{
	s->reloading = false;
	notify_ready(&s->setup->notify, text);
	if (s->reload_again) {
		s->reload_again = false;
		reload(s);
	}
}

static void
is_ready(struct supervisor *s, const char *text)
{
	notify_ready(&s->setup->notify, text);
	if (!s->ready)
		s->setup->ready(s->setup->context);
	s->ready = true;
}

static void
read_channel(struct supervisor *s)
{
	struct channel_message message;
	int r;

	while ((r = channel_receive(s->channel, &message)) > 0)
		switch (message.kind) {
		case CHANNEL_READY:
			is_ready(s, message.text);
			break;
		case CHANNEL_RELOADED:
		case CHANNEL_RELOAD_FAILED:
			reloaded(s, message.text);
			break;
		case CHANNEL_WATCHDOG:
			notify_send(&s->setup->notify, "WATCHDOG=1");
			break;
		default:
			break;
		}
	if (r >= 0)
		return;
	/* Its end is closed: it ends, or is made to */
	close(s->channel);
	s->channel = -1;
	if (s->kill_at == 0)
		s->kill_at = clock_us() + (uint64_t)KILL_AFTER * 1000000;
}

/*
 * Collect the milter process, if it has ended.
 *   code     out: as an exit code
 */
static bool
collect(struct supervisor *s, int *code)
{
	int status;
	pid_t pid;

	pid = s->pid == 0 ? 0 : waitpid(s->pid, &status, WNOHANG);
	if (pid <= 0)
		return false;
	s->pid = 0;
	/* What it said last */
	if (s->channel >= 0)
		read_channel(s);
	if (s->channel >= 0)
		close(s->channel);
	s->channel = -1;
	s->kill_at = 0;
	if (WIFEXITED(status)) {
		*code = WEXITSTATUS(status);
		return true;
	}
	*code = EX_SOFTWARE;
	if (s->stops == 0)
		log_line(LOG_CRIT, "the milter process was killed by signal "
		    "%d", WTERMSIG(status));
	return true;
}

/*
 * The milter process has ended.
 *   returns  whether there is another one
 */
static bool
replaced(struct supervisor *s, int *code)
{
	const char *why;

	if (s->stops > 0)
		return false;
	/* One that never became ready has said why */
	if (!s->ready)
		return false;
	if (!restart_again(&s->setup->restart, *code, clock_us(), &why)) {
		log_line(LOG_ERR, "the milter process has ended with code %d "
		    "and is not started again: %s", *code, why);
		return false;
	}
	log_line(LOG_ERR, "the milter process has ended with code %d and is "
	    "started again", *code);
	*code = start(s, true);
	return *code == 0;
}

static void
read_signals(struct supervisor *s)
{
	int number;

	while ((number = signals_next(s->signals)) != 0)
		switch (number) {
		case SIGTERM:
		case SIGINT:
			stop(s);
			break;
		case SIGHUP:
		case SIGUSR1:
			reload(s);
			break;
		default:
			break;
		}
}

static int
time_left(const struct supervisor *s)
{
	uint64_t now = clock_us();

	if (s->kill_at == 0)
		return -1;
	if (now >= s->kill_at)
		return 0;
	return (int)((s->kill_at - now) / 1000) + 1;
}

static void
kill_late(struct supervisor *s)
{
	if (s->kill_at == 0 || clock_us() < s->kill_at || s->pid == 0)
		return;
	log_line(LOG_ERR, "the milter process does not end and is killed");
	kill(s->pid, SIGKILL);
	s->kill_at = 0;
}

static int
loop(struct supervisor *s)
{
	struct pollfd p[2];
	int code = 0;

	for (;;) {
		p[0] = (struct pollfd){ s->signals, POLLIN, 0 };
		p[1] = (struct pollfd){ s->channel, POLLIN, 0 };
		if (poll(p, 2, time_left(s)) < 0 && errno != EINTR)
			return EX_OSERR;
		read_signals(s);
		if (s->channel >= 0)
			read_channel(s);
		kill_late(s);
		if (collect(s, &code) && !replaced(s, &code))
			return code;
	}
}

int
supervisor_run(struct supervisor_setup *setup)
{
	struct supervisor s = { .setup = setup, .channel = -1 };
	int code;

	s.signals = signals_open(caught, CAUGHT);
	if (s.signals < 0) {
		log_line(LOG_ERR, "cannot catch signals: %s", strerror(errno));
		return EX_OSERR;
	}
	/* Before the fork: the milter process is never without */
	if (!setup->coredumps && sandbox_hide() != 0)
		log_line(LOG_WARNING, "cannot forbid core files: %s",
		    strerror(errno));
	if (setup->pid_file != NULL && write_pid_file(setup->pid_file) != 0) {
		log_line(LOG_ERR, "PidFile %s: %s", setup->pid_file,
		    strerror(errno));
		code = EX_CANTCREAT;
		goto out;
	}
	code = start(&s, false);
	if (code == 0)
		code = loop(&s);
	if (setup->pid_file != NULL)
		unlink(setup->pid_file);
out:
	signals_close(s.signals, caught, CAUGHT);
	return code;
}
