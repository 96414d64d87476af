/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end that speaks the milter protocol itself: its listener and its
 * threads. mlfi.c is the other one, on libmilter; configure chooses.
 */

/* system */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "front_answer.h"
#include "front_conn.h"
#include "front_loop.h"
#include "front_socket.h"
#include "listen.h"
#include "log.h"

#define ACCEPT_AT_ONCE	64	/* before others have their turn */
#define AGAIN_US	100000	/* without descriptors: wait so long */

static void
tell_progress(void *context)
{
	front_answer(context, WIRE_PROGRESS);
}

/* ---- connections come --------------------------------------------------- */

/*
 * Nothing can be accepted: look again later, or the loop would spin.
 */
static void
rest(struct mlfi *front)
{
	log_limited(LOG_ERR, "accept", "a connection cannot be accepted: %s; "
	    "for descriptors raise LimitNOFILE", strerror(errno));
	event_del(front->accept);
	(void)event_add(front->accept_again,
	    &(struct timeval){ 0, AGAIN_US });
}

static void
on_accept_again(evutil_socket_t fd, short what, void *arg)
{
	struct mlfi *front = arg;

	(void)fd;
	(void)what;
	/* without memory even for that: later again */
	if (event_add(front->accept, NULL) != 0)
		(void)event_add(front->accept_again,
		    &(struct timeval){ 0, AGAIN_US });
}

static void
on_accept(evutil_socket_t fd, short what, void *arg)
{
	struct mlfi *front = arg;
	int got;

	(void)what;
	/* a reload may have brought a token that verifies */
	front_loop_grow(front);
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		got = front_socket_accept(fd);
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		/* those who left meanwhile */
		if (got < 0 && (errno == EINTR || errno == ECONNABORTED ||
		    errno == EPROTO))
			continue;
		if (got < 0 || front_conn_new(&front->loops[front->next_loop],
		    got) != 0) {
			rest(front);
			return;
		}
		front->next_loop = (front->next_loop + 1) % front->n_loops;
	}
}

/* ---- start and stop ----------------------------------------------------- */

static int
make_parts(struct mlfi *front)
{
	struct event_base *base;

	if (descriptors_open(&front->descriptors) != 0 ||
	    front_loop_init(front, &front->loops[0]) != 0)
		return -1;
	front->n_loops = 1;
	base = front->loops[0].base;
	front->accept = event_new(base, front->listener, EV_READ | EV_PERSIST,
	    on_accept, front);
	front->accept_again = evtimer_new(base, on_accept_again, front);
	return front->accept == NULL || front->accept_again == NULL ? -1 : 0;
}

int
mlfi_open(const struct mlfi_setup *setup, struct report *report,
    struct mlfi **out)
{
	struct mlfi *front = calloc(1, sizeof(*front));

	if (front == NULL || listen_prepare(setup->socket, report) != 0 ||
	    front_socket_open(setup->socket, report, &front->listener) != 0) {
		free(front);
		return DKIM_ERR_ARGUMENT;
	}
	front->setup = *setup;
	if (gethostname(front->host, sizeof(front->host) - 1) != 0)
		snprintf(front->host, sizeof(front->host), "localhost");
	front->connection = (struct connection_setup){
		.lib = setup->lib,
		.signer = setup->signer,
		.host = front->host,
		.messages = &front->messages,
		.progress = tell_progress,
	};
	/* what was made goes with the process, which ends now */
	if (make_parts(front) != 0) {
		report_fault(report, FAULT_FATAL, "Socket: the front end "
		    "cannot be set up: no memory or no file descriptor");
		return DKIM_ERR_ARGUMENT;
	}
	listen_describe(setup->socket);
	*out = front;
	return 0;
}

int
mlfi_run(struct mlfi *front)
{
	if (event_add(front->accept, NULL) != 0) {
		log_line(LOG_CRIT, "socket: nobody can connect: %s",
		    strerror(errno));
		return -1;
	}
	front_loop_grow(front);
	return front_loop_run(&front->loops[0]);
}

void
mlfi_drain(struct mlfi *front)
{
	atomic_store(&front->draining, true);
}

unsigned
mlfi_messages(const struct mlfi *front)
{
	return atomic_load(&front->messages);
}

void
mlfi_describe(char *out, size_t size)
{
	snprintf(out, size, "milter protocol %d", WIRE_VERSION);
}
