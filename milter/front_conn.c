/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection of the front end: octets in and out.
 */

/* system */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* this room */
#include "clock.h"
#include "front_conn.h"
#include "front_loop.h"
#include "front_packet.h"
#include "stats.h"

#define KEPT	4096	/* octets of memory that a quiet connection keeps */

void
front_conn_close(struct front_conn *c)
{
	struct mlfi *front = c->loop->front;

	if (c->at != NULL) {
		event_del(&c->readable);
		event_del(&c->writable);
		event_del(&c->timer);
		*c->at = c->next;
		if (c->next != NULL)
			c->next->at = c->at;
	}
	if (c->connection != NULL && c->connection->counted) {
		stats_add(STAT_ABORTED, 1);
		connection_log_cut(c->connection);
	}
	/* closes the inbox: nobody wakes it afterwards */
	connection_free(c->connection);
	front_loop_forget(c);
	front_macros_clear(&c->macros);
	buf_clear(&c->in);
	buf_clear(&c->out);
	close(c->fd);
	free(c);
	descriptors_freed(&front->descriptors);
}

/* ---- out ---------------------------------------------------------------- */

/*
 * Send what there is.
 *   returns  false: the connection is broken
 */
static bool
flush(struct front_conn *c)
{
	struct slice rest;
	ssize_t n;

	if (buf_end(&c->out) != 0)
		return false;
	while ((rest = slice_from(buf_slice(&c->out), c->sent)).n > 0) {
		n = send(c->fd, rest.p, rest.n, MSG_NOSIGNAL);
		if (n > 0)
			c->sent += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return event_add(&c->writable, NULL) == 0;
		else if (errno != EINTR)
			return false;
	}
	c->sent = 0;
	if (c->out.space > KEPT)
		buf_clear(&c->out);
	else
		buf_reset(&c->out);
	return true;
}

/* ---- in ----------------------------------------------------------------- */

/*
 * Take packets off in, as long as none has to wait.
 *   returns  false: the connection is to be closed
 */
static bool
take_packets(struct front_conn *c, struct slice *in)
{
	struct wire_packet packet;
	struct slice before;
	int error = 0;

	while (c->hold == FRONT_GO) {
		before = *in;
		if (!wire_next(in, &packet, &error))
			break;
		if (!front_packet(c, packet))
			return false;
		/* it waits itself */
		if (c->hold == FRONT_HOLD_BODY || c->hold == FRONT_HOLD_LAST)
			*in = before;
	}
	if (error != 0)
		front_packet_refuse_length(c, error);
	return error == 0;
}

/*
 * Go on with what came before.
 */
static bool
take_kept(struct front_conn *c)
{
	struct slice in = buf_slice(&c->in);
	size_t all = in.n;

	if (!take_packets(c, &in))
		return false;
	if (in.n == 0 && c->in.space > KEPT)
		buf_clear(&c->in);
	else if (in.n < all) {
		if (in.n > 0)
			memmove(c->in.p, in.p, in.n);
		c->in.n = in.n;
	}
	return true;
}

static bool
take(struct front_conn *c, struct slice in)
{
	if (c->in.n == 0 && !take_packets(c, &in))
		return false;
	buf_add(&c->in, in);
	return buf_end(&c->in) == 0 && (in.n == 0 || take_kept(c));
}

/*
 * Is more to be read? Not while the one packet that waits is whole and others
 * pile up behind it, and not from one who does not take answers.
 *   returns  false: nothing comes or goes any more
 */
static bool
steer(struct front_conn *c)
{
	bool read = !c->ended && c->in.n < WIRE_PACKET_MAX && c->out.n == 0;

	if (c->ended && c->hold == FRONT_GO && c->out.n == 0)
		return false;

	if (read == c->reading)
		return true;
	c->reading = read;
	return read ? event_add(&c->readable, NULL) == 0 :
	    event_del(&c->readable) == 0;
}

static bool
go_on(struct front_conn *c)
{
	return flush(c) && steer(c);
}

/*
 * Close, but say first what was to be said.
 */
static void
end(struct front_conn *c)
{
	(void)flush(c);
	front_conn_close(c);
}

/*
 * The MTA has closed its end, or, as shutdown(2) does, its sending half: then
 * it still takes the answer that it waits for.
 */
static bool
is_half_open(const struct front_conn *c)
{
	struct pollfd gone = { .fd = c->fd };

	return (c->hold != FRONT_GO || c->out.n > 0) &&
	    poll(&gone, 1, 0) == 0;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct front_conn *c = arg;
	ssize_t n;

	(void)what;
	n = recv(fd, c->loop->chunk, FRONT_CHUNK, 0);
	if (n < 0 && (errno == EINTR || errno == EAGAIN ||
	    errno == EWOULDBLOCK))
		return;
	c->heard = clock_us();
	if (n == 0 && is_half_open(c)) {
		c->ended = true;
		if (steer(c))
			return;
	}
	if (n <= 0 || !take(c, slice_of(c->loop->chunk, (size_t)n)) ||
	    !go_on(c))
		end(c);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct front_conn *c = arg;

	(void)fd;
	(void)what;
	if (!go_on(c))
		front_conn_close(c);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	front_conn_look(arg);
}

/*
 * First look, on the loop's own thread.
 */
static bool
begin(struct front_conn *c)
{
	struct event_base *base = c->loop->base;

	if (event_assign(&c->readable, base, c->fd, EV_READ | EV_PERSIST,
	    on_readable, c) != 0 || event_assign(&c->writable, base, c->fd,
	    EV_WRITE, on_writable, c) != 0 || evtimer_assign(&c->timer, base,
	    on_timer, c) != 0 || event_add(&c->readable, NULL) != 0)
		return false;
	c->reading = true;
	c->next = c->loop->conns;
	c->at = &c->loop->conns;
	if (c->next != NULL)
		c->next->at = &c->next;
	c->loop->conns = c;
	return true;
}

void
front_conn_look(struct front_conn *c)
{
	bool good = true;

	if (c->at == NULL)
		good = begin(c);
	else if (front_packet_look(c))
		good = take_kept(c);
	if (!good || !go_on(c))
		end(c);
}

int
front_conn_new(struct front_loop *loop, int fd)
{
	struct front_conn *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		close(fd);
		return DKIM_ERR_NOMEM;
	}
	c->loop = loop;
	c->fd = fd;
	c->heard = clock_us();
	buf_init(&c->in, WIRE_PACKET_MAX + FRONT_CHUNK);
	buf_init(&c->out, FRONT_OUT_MAX);
	front_loop_wake(c);
	return 0;
}
