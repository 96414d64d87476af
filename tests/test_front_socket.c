/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The listening socket of the front end.
 */

/* system */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* this room */
#include "tests/capture.h"

/* the module */
#include "milter/front_socket.h"

static int
connect_unix(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0 && strlen(path) < sizeof(sun.sun_path));
	memcpy(sun.sun_path, path, strlen(path));
	if (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == 0)
		return fd;
	close(fd);
	return -1;
}

/*
 * Who connects before anybody serves waits: the socket is none that a second
 * dkimd would take for a stale one.
 */
static void
front_socket_open_unix(void **state)
{
	struct capture c;
	char text[128];
	int listener = -1, mta, fd;

	(void)state;
	capture_init(&c);
	snprintf(text, sizeof(text), "unix:%s/sock", capture_dir());
	assert_int_equal(front_socket_open(text, &c.report, &listener), 0);
	capture_check("opened", &c, NULL);
	test_int("nobody is there", front_socket_accept(listener), -1);
	test_int("and it does not wait", errno, EAGAIN);
	mta = connect_unix(text + 5);
	test_true("connects at once", mta >= 0);
	fd = front_socket_accept(listener);
	test_true("accepted", fd >= 0);
	test_true("does not block", (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
	test_true("closed on exec", (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	test_true("the listener too", (fcntl(listener, F_GETFD) &
	    FD_CLOEXEC) != 0);
	close(mta);
	close(fd);
	close(listener);
	unlink(text + 5);
}

/*
 * A port on which somebody listens is told at the start.
 */
static void
front_socket_open_port_taken(void **state)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t n = sizeof(sin);
	struct capture c;
	char text[64];
	int other, on = 1, listener = -1;

	(void)state;
	capture_init(&c);
	other = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &on,
	    sizeof(on)), 0);
	assert_int_equal(bind(other, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(listen(other, 1), 0);
	assert_int_equal(getsockname(other, (struct sockaddr *)&sin, &n), 0);
	snprintf(text, sizeof(text), "inet:%u@127.0.0.1",
	    (unsigned)ntohs(sin.sin_port));
	test_int("taken", front_socket_open(text, &c.report, &listener), -1);
	capture_check("taken", &c, "F Socket: inet:");
	close(other);
	capture_init(&c);
	test_int("free", front_socket_open(text, &c.report, &listener), 0);
	capture_check("free", &c, NULL);
	close(listener);
}

static void
front_socket_open_too_long(void **state)
{
	struct capture c;
	char text[256] = "unix:/";
	int listener = -1;

	(void)state;
	memset(text + 6, 'x', sizeof(text) - 7);
	capture_init(&c);
	test_int("too long", front_socket_open(text, &c.report, &listener),
	    -1);
	capture_check("too long", &c, "cannot be opened: File name too long");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(front_socket_open_unix),
		cmocka_unit_test(front_socket_open_port_taken),
		cmocka_unit_test(front_socket_open_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, capture_clean) != 0;
}
