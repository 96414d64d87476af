/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One milter connection on an event loop; see mta_conn.h.
 */

/* system */
#include <errno.h>
#include <unistd.h>

/* this room */
#include "mta_conn.h"
#include "stopwatch.h"

#define CHUNK	16384	/* octets received at once */

void
mta_conn_close(struct mta_conn *c)
{
	if (c->fd < 0)
		return;
	event_del(&c->readable);
	event_del(&c->writable);
	close(c->fd);
	c->fd = -1;
	mta_session_clear(&c->session);
}

void
mta_conn_fail(struct mta_conn *c, enum mta_fault fault)
{
	mta_session_fail(&c->session, fault);
	mta_conn_close(c);
	c->changed(c->arg, c);
}

/*
 * The connection broke, or never was one.
 */
static void
broken(struct mta_conn *c)
{
	mta_conn_fail(c, c->session.state == MTA_NEGOTIATING &&
	    c->session.sent == 0 ? MTA_CONNECT : MTA_CLOSED);
}

/*
 * Is there something to do for the owner?
 */
static bool
has_changed(const struct mta_conn *c)
{
	return c->session.state == MTA_NEGOTIATED ||
	    c->session.state == MTA_READY || c->session.state == MTA_FAILED;
}

static void
tell(struct mta_conn *c)
{
	if (c->session.state == MTA_FAILED)
		mta_conn_close(c);
	c->changed(c->arg, c);
}

void
mta_conn_send(struct mta_conn *c)
{
	struct slice out;
	ssize_t n;

	while ((out = mta_session_out(&c->session)).n > 0) {
		c->since_ns = stopwatch_ns();
		if (mta_session_is_last(&c->session))
			c->last_ns = c->since_ns;
		n = send(c->fd, out.p, out.n, MSG_NOSIGNAL);
		if (n > 0) {
			mta_session_sent(&c->session, (size_t)n);
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK &&
		    errno != ENOTCONN)
			broken(c);
		else if (event_add(&c->writable, NULL) != 0)
			mta_conn_fail(c, MTA_CONNECT);
		return;
	}
	if (has_changed(c))
		tell(c);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	mta_conn_send(arg);
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct mta_conn *c = arg;
	uint8_t chunk[CHUNK];
	ssize_t n;

	(void)what;
	n = recv(fd, chunk, sizeof chunk, 0);
	if (n < 0 && (errno == EINTR || errno == EAGAIN ||
	    errno == EWOULDBLOCK))
		return;
	if (n <= 0) {
		broken(c);
		return;
	}
	c->since_ns = stopwatch_ns();
	mta_session_feed(&c->session, slice_of(chunk, (size_t)n));
	if (has_changed(c))
		tell(c);
	else
		mta_conn_send(c);
}

int
mta_conn_open(struct mta_conn *c, struct event_base *base,
    const struct mta_address *address, enum mta_mode mode,
    mta_conn_fn changed, void *arg)
{
	int error = mta_address_connect(address, &c->fd);

	if (error != 0) {
		c->fd = -1;
		return error;
	}
	c->changed = changed;
	c->arg = arg;
	mta_session_init(&c->session, mode);
	if (event_assign(&c->readable, base, c->fd, EV_READ | EV_PERSIST,
	    on_readable, c) != 0 ||
	    event_assign(&c->writable, base, c->fd, EV_WRITE, on_writable,
	    c) != 0 || event_add(&c->readable, NULL) != 0 ||
	    event_add(&c->writable, NULL) != 0) {
		close(c->fd);
		c->fd = -1;
		return ENOMEM;
	}
	c->since_ns = stopwatch_ns();
	return 0;
}
