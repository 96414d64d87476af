/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The milter process: what its main thread does while others serve.
 */

/* system */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "milter/channel.h"
#include "milter/clock.h"
#include "milter/conf_options.h"
#include "milter/daemon_state.h"
#include "milter/faultlog.h"
#include "milter/log.h"
#include "milter/loop.h"
#include "milter/signals.h"
#include "milter/signer.h"
#include "milter/stats.h"
#include "milter/tokens.h"
#include "milter/verifier.h"

#define GRACE		300	/* milliseconds: the answer is written after the
				 * message was counted down */
#define TICK		20	/* milliseconds between looks while draining */

static const int caught[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1 };
#define CAUGHT	(sizeof(caught) / sizeof(caught[0]))

/* What the main thread was told */
enum word {
	WORD_NONE,
	WORD_STOP,	/* finish, then leave */
	WORD_LEAVE,	/* at once */
};

void
daemon_tell(struct daemon *d, int kind, const char *text)
{
	(void)!channel_send(d->channel, (enum channel_kind)kind, text);
}

/* ---- watchdog ---------------------------------------------------------- */

static void
beat(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	daemon_tell(arg, CHANNEL_WATCHDOG, "");
}

/* From the loop's thread, as a sign that it turns. */
static void
start_beat(struct daemon *d)
{
	uint64_t us = d->setup->watchdog / 2;
	struct timeval tv = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_usec = (suseconds_t)(us % 1000000),
	};
	struct event *timer;

	if (us == 0)
		return;
	timer = event_new(loop_base(d->loop), -1, EV_PERSIST, beat, d);
	if (timer == NULL || event_add(timer, &tv) != 0)
		log_line(LOG_ERR, "no memory for the watchdog");
}

/* ---- what comes in ----------------------------------------------------- */

/*
 * Signals come from people who mean the supervisor: none of them cuts a
 * message short.
 */
static enum word
read_signals(struct daemon *d, int signals)
{
	enum word word = WORD_NONE;
	int number;

	while ((number = signals_next(signals)) != 0)
		if (number == SIGTERM || number == SIGINT)
			word = WORD_STOP;
		else
			daemon_reload(d);
	return word;
}

static enum word
read_channel(struct daemon *d)
{
	struct channel_message message;
	enum word word = WORD_NONE;
	int r;

	while ((r = channel_receive(d->channel, &message)) > 0)
		if (message.kind == CHANNEL_RELOAD)
			daemon_reload(d);
		else if (message.kind == CHANNEL_STOP)
			word = word == WORD_STOP ? WORD_LEAVE : WORD_STOP;
	if (r < 0) {
		/* The supervisor is gone: as SIGTERM, and nobody to tell */
		close(d->channel);
		d->channel = -1;
		word = WORD_STOP;
	}
	return word;
}

/*
 * Wait for something.
 *   ended    out: mlfi_run has returned
 *   again    out: the word came by the channel, where a second one counts
 */
static enum word
wait_for(struct daemon *d, int signals, int ms, bool *ended, bool *told)
{
	struct pollfd p[3] = {
		{ d->channel, POLLIN, 0 },
		{ signals, POLLIN, 0 },
		{ d->ended[0], POLLIN, 0 },
	};
	enum word stray, word = WORD_NONE;

	if (poll(p, 3, ms) < 0 && errno != EINTR)
		return WORD_LEAVE;
	*ended = (p[2].revents & POLLIN) != 0;
	stray = read_signals(d, signals);
	if (d->channel >= 0)
		word = read_channel(d);
	*told = word != WORD_NONE;
	return word != WORD_NONE ? word : stray;
}

/* ---- the end ----------------------------------------------------------- */

/*
 * Let messages past MAIL finish, at most StopTimeout.
 *   told     by the channel: the next word by it means at once
 */
static void
drain(struct daemon *d, int signals, bool told)
{
	struct conf *conf = conf_slot_get(&d->slot);
	uint64_t limit, idle_since = 0, now = clock_us();
	bool ended = false, by_channel;
	unsigned left;
	enum word word;

	limit = now + conf->options.stop_timeout * 1000000;
	conf_unref(conf);
	mlfi_drain(d->front);
	while (!ended && now < limit) {
		if (mlfi_messages(d->front) > 0)
			idle_since = 0;
		else if (idle_since == 0)
			idle_since = now;
		else if (now - idle_since >= GRACE * 1000)
			return;
		word = wait_for(d, signals, TICK, &ended, &by_channel);
		if (word == WORD_LEAVE || (word == WORD_STOP && by_channel &&
		    told && d->channel >= 0))
			return;
		told = told || by_channel;
		now = clock_us();
	}
	left = mlfi_messages(d->front);
	if (left > 0)
		log_line(LOG_WARNING, "stopping with %u message%s unfinished; "
		    "the MTA will try again", left, report_s(left));
}

/*
 * smfi_stop is left out: it waits up to 5 s for libmilter's listener (MILTER
 * 1.2), and what it ends then, _exit ends at once.
 */
static void
leave(struct daemon *d)
{
	struct conf *conf = conf_slot_get(&d->slot);

	daemon_remove_socket(d);
	/* Modules want to be finished with */
	tokens_end(conf->tokens);
	if (conf->verifier != NULL)
		verifier_end(conf->verifier);
	conf_unref(conf);
	stats_log();
	log_line(LOG_INFO, "stopped");
	log_flush();
}

static int
serve(struct daemon *d, int signals)
{
	bool ended = false, told = false;
	enum word word = WORD_NONE;

	while (word == WORD_NONE && !ended)
		word = wait_for(d, signals, -1, &ended, &told);
	atomic_store(&d->stopping, true);
	if (ended)
		log_line(LOG_CRIT, "the front end has stopped serving");
	else if (word == WORD_STOP)
		drain(d, signals, told);
	leave(d);
	return ended ? EX_SOFTWARE : 0;
}

/* ---- the beginning ----------------------------------------------------- */

static void
be_silent(void)
{
	int fd, i;

	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	for (i = 0; i <= 2; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static void
ready(struct daemon *d)
{
	struct conf *conf = conf_slot_get(&d->slot);
	char text[CHANNEL_TEXT_MAX];

	snprintf(text, sizeof(text), "%s%s on %s, backend %s, %u signing "
	    "threads", conf->options.mode_sign ? "signing" : "",
	    !conf->options.mode_verify ? "" : conf->options.mode_sign ?
	    " and verifying" : "verifying", d->socket.text,
	    rsab_backend_name(conf->backend), signer_threads(d->signer));
	conf_unref(conf);
	log_line(LOG_INFO, "ready: %s", text);
	daemon_tell(d, CHANNEL_READY, text);
	if (!d->setup->foreground)
		be_silent();
	daemon_check_keys(d);
}

static int
start(struct daemon *d, bool again)
{
	struct daemon_setup *setup = d->setup;
	struct options options;
	struct report report;
	int r;

	faultlog_init(&report, !again);
	if (again) {
		if (conf_options_load(setup->config_path, setup->overrides,
		    setup->overrides_n, &report, &options) != 0)
			return EX_CONFIG;
		r = conf_options_keep(setup->options, &options, &report);
		conf_options_clear(setup->options);
		*setup->options = options;	/* moved */
		if (r != 0)
			return EX_OSERR;
	}
	return daemon_start(d, setup->options, &report);
}

int
daemon_run(struct daemon_setup *setup, int channel, bool again)
{
	struct daemon *d;
	int code, signals;

	/* Only the main thread takes signals, and only when it looks */
	signals_block(caught, CAUGHT);
	signal(SIGPIPE, SIG_IGN);
	d = calloc(1, sizeof(*d));
	signals = d == NULL ? -1 : signals_open(caught, CAUGHT);
	if (signals < 0) {
		free(d);
		return EX_OSERR;
	}
	d->setup = setup;
	d->channel = channel;
	code = start(d, again);
	if (code == 0) {
		start_beat(d);
		ready(d);
		signals_unblock(caught, CAUGHT);
		code = serve(d, signals);
	} else
		log_flush();
	return code;
}
