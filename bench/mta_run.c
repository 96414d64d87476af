/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages of a load; see mta_load.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <sysexits.h>

/* this room */
#include "mta_arrival.h"
#include "mta_load_own.h"
#include "stopwatch.h"

static void
put_ready(struct mta_load *load, struct mta_conn *c)
{
	c->listed = true;
	c->next = NULL;
	*load->ready_end = c;
	load->ready_end = &c->next;
}

static struct mta_conn *
take_ready(struct mta_load *load)
{
	struct mta_conn *c = load->ready;

	if (c != NULL)
		mta_run_unready(load, c);
	return c;
}

void
mta_run_unready(struct mta_load *load, struct mta_conn *c)
{
	struct mta_conn **at = &load->ready;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (load->ready_end == &c->next)
		load->ready_end = at;
	c->listed = false;
}

/*
 * May one more message begin?
 */
static bool
is_due(const struct mta_run *run)
{
	return run->on && run->started < (run->rate > 0 ? run->arrived :
	    run->messages);
}

/*
 * Begin the next message.
 *   late     its time came when no connection was free
 */
static void
start(struct mta_load *load, struct mta_conn *c, bool late)
{
	struct mta_run *run = &load->run;

	c->waited_ns = 0;
	if (run->rate > 0) {
		if (late) {
			run->result->late++;
			c->waited_ns = stopwatch_ns() - run->start_due_ns;
		}
		run->start_due_ns += mta_arrival_next(&run->starts,
		    run->rate);
	}
	c->message = run->started++;
	c->mail = c->message % load->setup.n_mails;
	mta_session_message(&c->session, &load->scripts[c->mail]);
	mta_conn_send(c);
}

static void
keep(struct mta_load *load, const struct mta_conn *c)
{
	struct mta_load_result *result = load->run.result;
	struct mta_load_kept *kept = &result->kept[result->n_kept];

	if (load->run.keep_every == 0 ||
	    c->message % load->run.keep_every != 0)
		return;
	kept->mail = c->mail;
	buf_init(&kept->field, WIRE_DATA_MAX);
	buf_add(&kept->field, buf_slice(&c->session.field));
	if (buf_end(&kept->field) == 0)
		result->n_kept++;
	else
		buf_clear(&kept->field);
}

void
mta_run_finish(struct mta_load *load, struct mta_conn *c,
    enum mta_fault fault)
{
	struct mta_run *run = &load->run;
	uint64_t now = stopwatch_ns();

	run->result->faults[fault]++;
	if (fault == MTA_OK) {
		run->result->latency_us[run->result->n++] =
		    (double)(now - c->last_ns + c->waited_ns) / 1e3;
		keep(load, c);
	}
	run->ended_ns = now;
	if (++run->finished == run->messages)
		mta_load_leave(load, 0);
}

void
mta_run_ready(struct mta_load *load, struct mta_conn *c)
{
	if (is_due(&load->run))
		start(load, c, load->run.rate > 0);
	else
		put_ready(load, c);
}

void
mta_run_refuse(struct mta_load *load, size_t n)
{
	struct mta_run *run = &load->run;

	if (!run->on || run->started == run->messages)
		return;
	run->started += n;
	run->result->faults[MTA_CONNECT] += n;
	run->finished += n;
	run->ended_ns = stopwatch_ns();
	if (run->finished == run->messages)
		mta_load_leave(load, 0);
}

void
mta_run_arrival(evutil_socket_t fd, short what, void *arg)
{
	struct mta_load *load = arg;
	struct mta_run *run = &load->run;
	uint64_t now = stopwatch_ns(), gap;
	struct mta_conn *c;

	(void)fd;
	(void)what;
	while (run->arrived < run->messages && run->due_ns <= now) {
		run->arrived++;
		run->due_ns += mta_arrival_next(&run->arrivals, run->rate);
	}
	while (is_due(run) && (c = take_ready(load)) != NULL)
		start(load, c, false);
	if (run->arrived == run->messages)
		return;
	now = stopwatch_ns();
	gap = run->due_ns > now ? run->due_ns - now : 0;
	event_add(load->arrival, &(struct timeval){
	    (time_t)(gap / MTA_LOAD_SECOND),
	    (suseconds_t)(gap % MTA_LOAD_SECOND / 1000) });
}

static int
result_make(size_t messages, size_t keep_most, struct mta_load_result *out)
{
	*out = (struct mta_load_result){ .n = 0 };
	out->latency_us = calloc(messages, sizeof *out->latency_us);
	out->kept = calloc(keep_most + 1, sizeof *out->kept);
	if (out->latency_us != NULL && out->kept != NULL)
		return 0;
	mta_load_result_clear(out);
	warnx("no memory for %zu messages", messages);
	return EX_OSERR;
}

void
mta_load_result_clear(struct mta_load_result *result)
{
	for (size_t i = 0; i < result->n_kept; i++)
		buf_clear(&result->kept[i].field);
	free(result->kept);
	free(result->latency_us);
	result->kept = NULL;
	result->latency_us = NULL;
	result->n_kept = result->n = 0;
}

/*
 * Let the first messages go.
 */
static void
begin(struct mta_load *load)
{
	struct mta_run *run = &load->run;
	struct mta_conn *c;

	run->on = true;
	run->began_ns = run->ended_ns = stopwatch_ns();
	if (run->rate > 0) {
		run->arrivals.state = run->starts.state = load->setup.seed;
		run->due_ns = run->began_ns + mta_arrival_next(&run->arrivals,
		    run->rate);
		run->start_due_ns = run->began_ns + mta_arrival_next(
		    &run->starts, run->rate);
		event_add(load->arrival, &(struct timeval){ 0, 1 });
		return;
	}
	while (is_due(run) && (c = take_ready(load)) != NULL)
		start(load, c, false);
}

int
mta_load_run(struct mta_load *load, size_t messages, double rate,
    size_t keep_most, struct mta_load_result *out)
{
	int status;

	if (keep_most > messages)
		keep_most = messages;
	status = result_make(messages, keep_most, out);
	if (status != 0)
		return status;
	load->run = (struct mta_run){ .messages = messages, .rate = rate,
	    .keep_every = keep_most == 0 ? 0 : (messages + keep_most - 1) /
	    keep_most, .result = out };
	load->left = false;
	load->status = 0;
	begin(load);
	status = mta_load_loop(load);
	load->run.on = false;
	out->idle_lost = load->idle_lost;
	out->seconds = (double)(load->run.ended_ns - load->run.began_ns) /
	    1e9;
	if (status != 0)
		mta_load_result_clear(out);
	return status;
}
