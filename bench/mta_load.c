/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many milter connections at once; see mta_load.h.
 */

/* system */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <sysexits.h>

/* this room */
#include "mta_load_own.h"
#include "stopwatch.h"

#define OPENING_MAX	32	/* connections that are being opened */
#define RETRY_US	2000	/* a full backlog, a broken connection */
#define REFUSED_MAX	1000	/* attempts in a row that got no connection */

/* ---- scripts ------------------------------------------------------------ */

static int
scripts_make(struct mta_load *load)
{
	char id[32];
	int error = mta_script_connect(load->steps, load->setup.client,
	    &load->connect);

	for (size_t i = 0; error == 0 && i < load->setup.n_mails; i++) {
		snprintf(id, sizeof id, "4LOAD%07zX", i);
		error = mta_script_message(load->steps, &load->setup.mails[i],
		    load->setup.sender, id, &load->scripts[i]);
	}
	if (error != 0)
		warnx("packets of a message: %s", dkim_strerror(error));
	return error != 0 ? EX_OSERR : 0;
}

/*
 * A filter agrees to the same steps each time; the scripts are made for them.
 */
static void
on_negotiated(struct mta_load *load, struct mta_conn *c)
{
	int status;

	if (!load->negotiated) {
		load->negotiated = true;
		load->steps = c->session.steps;
		status = scripts_make(load);
		if (status != 0) {
			mta_load_leave(load, status);
			return;
		}
	}
	if (load->steps != c->session.steps) {
		mta_conn_fail(c, MTA_PROTOCOL);
		return;
	}
	mta_session_open(&c->session, &load->connect);
	if (c->session.state == MTA_READY)
		c->changed(c->arg, c);
	else
		mta_conn_send(c);
}

/* ---- connections -------------------------------------------------------- */

static void
retry_soon(struct mta_load *load)
{
	if (!event_pending(load->retry, EV_TIMEOUT, NULL))
		event_add(load->retry, &(struct timeval){ 0, RETRY_US });
}

/*
 * A connection that a run needs is not there: one message after the other
 * fails, and all of them where nobody listens any more.
 */
static void
on_refused(struct mta_load *load)
{
	const struct mta_run *run = &load->run;

	mta_run_refuse(load, ++load->refused < REFUSED_MAX ? 1 :
	    run->messages - run->started);
}

static void
on_failed(struct mta_load *load, struct mta_conn *c, bool busy)
{
	bool listed = c->listed;

	if (c->idle) {
		load->idle_lost++;
		return;
	}
	if (listed)
		mta_run_unready(load, c);
	c->next = load->broken;
	load->broken = c;
	retry_soon(load);
	if (busy)
		mta_run_finish(load, c, c->session.fault);
	else if (!listed)
		on_refused(load);
}

/*
 * During a run.
 */
static void
on_changed(void *arg, struct mta_conn *c)
{
	struct mta_load *load = arg;
	bool busy = c->message != SIZE_MAX;
	enum mta_fault fault = c->session.fault;

	switch (c->session.state) {
	case MTA_NEGOTIATED:
		on_negotiated(load, c);
		break;
	case MTA_READY:
		load->refused = 0;
		if (busy)
			mta_run_finish(load, c, fault);
		c->message = SIZE_MAX;
		if (!c->idle)
			mta_run_ready(load, c);
		break;
	default:
		on_failed(load, c, busy);
		c->message = SIZE_MAX;
	}
}

/*
 * While all are being opened.
 */
static void
on_opening(void *arg, struct mta_conn *c)
{
	struct mta_load *load = arg;

	if (c->session.state == MTA_NEGOTIATED) {
		on_negotiated(load, c);
		return;
	}
	if (c->session.state == MTA_FAILED) {
		warnx("connection %zu of %zu: %s", load->opened + 1, load->n,
		    mta_fault_text(c->session.fault));
		mta_load_leave(load, EX_UNAVAILABLE);
		return;
	}
	c->changed = on_changed;
	if (!c->idle)
		mta_run_ready(load, c);
	load->opening--;
	if (++load->opened == load->n)
		mta_load_leave(load, 0);
	else
		retry_soon(load);
}

/*
 * Open the connections that are still wanted, a few at a time.
 */
static void
open_more(struct mta_load *load)
{
	while (load->tried < load->n && load->opening < OPENING_MAX) {
		struct mta_conn *c = &load->conns[load->tried];
		int error = mta_conn_open(c, load->base, &load->setup.address,
		    load->setup.mode, on_opening, load);

		if (error == EAGAIN) {
			retry_soon(load);
			return;
		}
		if (error != 0) {
			errno = error;
			warn("connection %zu of %zu", load->tried + 1,
			    load->n);
			mta_load_leave(load, EX_UNAVAILABLE);
			return;
		}
		load->tried++;
		load->opening++;
	}
}

static void
on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct mta_load *load = arg;
	struct mta_conn *c, *next = load->broken;

	(void)fd;
	(void)what;
	open_more(load);
	load->broken = NULL;
	while ((c = next) != NULL) {
		next = c->next;
		if (mta_conn_open(c, load->base, &load->setup.address,
		    load->setup.mode, on_changed, load) == 0)
			continue;
		c->next = load->broken;
		load->broken = c;
		on_refused(load);
	}
	if (load->broken != NULL)
		retry_soon(load);
}

static void
on_patience(evutil_socket_t fd, short what, void *arg)
{
	struct mta_load *load = arg;
	uint64_t now = stopwatch_ns();

	(void)fd;
	(void)what;
	for (size_t i = 0; i < load->tried; i++) {
		struct mta_conn *c = &load->conns[i];

		if (c->fd >= 0 && c->session.state != MTA_READY &&
		    now - c->since_ns > load->setup.timeout * MTA_LOAD_SECOND)
			mta_conn_fail(c, MTA_TIMEOUT);
	}
}

/* ---- begin and end ------------------------------------------------------ */

void
mta_load_leave(struct mta_load *load, int status)
{
	if (load->status == 0)
		load->status = status;
	load->left = true;
	event_base_loopbreak(load->base);
}

int
mta_load_loop(struct mta_load *load)
{
	/* a break before the loop has no effect on it */
	if (!load->left && event_base_dispatch(load->base) < 0) {
		warnx("the event loop failed");
		return EX_OSERR;
	}
	return load->status;
}

static struct event_base *
base_new(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;

	/* arrivals within a millisecond of each other are the rule */
	if (config != NULL && event_config_set_flag(config,
	    EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NOLOCK) == 0)
		base = event_base_new_with_config(config);
	if (config != NULL)
		event_config_free(config);
	return base;
}

static int
allocate(struct mta_load *load)
{
	load->base = base_new();
	load->conns = calloc(load->n, sizeof *load->conns);
	load->scripts = calloc(load->setup.n_mails, sizeof *load->scripts);
	if (load->base == NULL || load->conns == NULL ||
	    load->scripts == NULL)
		return EX_OSERR;
	load->retry = evtimer_new(load->base, on_retry, load);
	load->arrival = evtimer_new(load->base, mta_run_arrival, load);
	load->patience = event_new(load->base, -1, EV_PERSIST, on_patience,
	    load);
	if (load->retry == NULL || load->arrival == NULL ||
	    load->patience == NULL || event_add(load->patience,
	    &(struct timeval){ 1, 0 }) != 0)
		return EX_OSERR;
	return 0;
}

int
mta_load_new(const struct mta_load_setup *setup, struct mta_load **out)
{
	struct mta_load *load = calloc(1, sizeof *load);
	int status;

	if (load == NULL) {
		warnx("no memory for connections");
		return EX_OSERR;
	}
	load->setup = *setup;
	load->n = (size_t)setup->connections + setup->idle;
	load->ready_end = &load->ready;
	load->status = allocate(load);
	if (load->status != 0)
		warnx("no memory for %zu connections", load->n);
	for (size_t i = 0; load->status == 0 && i < load->n; i++) {
		load->conns[i].fd = -1;
		load->conns[i].idle = i >= setup->connections;
		load->conns[i].message = SIZE_MAX;
	}
	status = load->status;
	if (status == 0) {
		open_more(load);
		status = mta_load_loop(load);
	}
	if (status == 0)
		*out = load;
	else
		mta_load_free(load);
	return status;
}

void
mta_load_free(struct mta_load *load)
{
	if (load == NULL)
		return;
	for (size_t i = 0; i < load->tried; i++)
		mta_conn_close(&load->conns[i]);
	for (size_t i = 0; load->scripts != NULL && i < load->setup.n_mails;
	    i++)
		mta_script_clear(&load->scripts[i]);
	mta_script_clear(&load->connect);
	if (load->retry != NULL)
		event_free(load->retry);
	if (load->arrival != NULL)
		event_free(load->arrival);
	if (load->patience != NULL)
		event_free(load->patience);
	if (load->base != NULL)
		event_base_free(load->base);
	free(load->scripts);
	free(load->conns);
	free(load);
}

