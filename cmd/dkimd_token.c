/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd-token: the process that a PKCS#11 module is loaded into. dkimd and
 * dkim start it, with the control socket as descriptor 3; it is not for
 * people. What it is told and asked stands in rsa-backend/token_wire.h.
 *
 * The module is somebody else's code: the process has no descriptor, no
 * environment and no secret but those that the module needs, and its parent
 * kills it when it hangs.
 */

/* system */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/* room below */
#include "rsa-backend/rsab.h"

/* milter */
#include "milter/sandbox.h"

/* this room */
#include "config.h"
#include "cmd/dkimd_token.h"

#define CONTROL		3	/* the descriptor */
#define END_SECONDS	5	/* for C_Finalize, once the parent is gone */

static uint64_t
now(void *context)
{
	struct timespec t;

	(void)context;
	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/*
 * SIGALRM ends the process, wherever it is.
 */
static void
ending(void *context)
{
	(void)context;
	alarm(END_SECONDS);
}

/*
 * The end of the control socket ends this process, nothing else: a service
 * manager signals all processes at once, and the milter still signs what is
 * under way.
 */
static void
signals(void)
{
	const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1,
	    SIGUSR2, SIGPIPE };
	struct sigaction action;
	sigset_t none;

	memset(&action, 0, sizeof action);
	action.sa_handler = SIG_IGN;
	for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
		(void)sigaction(ignored[i], &action, NULL);
	action.sa_handler = SIG_DFL;
	(void)sigaction(SIGALRM, &action, NULL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Was this started by dkimd or dkim?
 */
static bool
has_control(void)
{
	int type;
	socklen_t n = sizeof type;

	return getsockopt(CONTROL, SOL_SOCKET, SO_TYPE, &type, &n) == 0 &&
	    type == SOCK_SEQPACKET;
}

/*
 * What the parent has open is none of the module's business; where
 * posix_spawn(3) could not close it (helper_spawn.c), it is open here.
 */
static void
close_others(void)
{
#if defined(HAVE_CLOSEFROM)
	closefrom(CONTROL + 1);
#elif defined(HAVE_CLOSE_RANGE)
	(void)close_range(CONTROL + 1, ~0U, 0);
#else
	long n = sysconf(_SC_OPEN_MAX);

	for (int fd = CONTROL + 1; fd < n; fd++)
		(void)close(fd);
#endif
}

int
main(void)
{
	const struct rsab_token_host host = {
		.pin = dkimd_token_pin,
		.now = now,
		.ending = ending,
	};
	int r;

	if (!has_control()) {
		fputs("dkimd-token is started by dkimd and dkim, not by "
		    "hand.\n", stderr);
		return EX_USAGE;
	}
	close_others();
	signals();
	/* No core file, no debugger: PINs pass through here */
	if (sandbox_hide() != 0)
		_exit(EX_OSERR);
#ifdef PR_SET_NO_NEW_PRIVS
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
	r = rsab_token_serve(CONTROL, &host);
	/* No exit handlers: SoftHSM's crash with OpenSSL 3 */
	_exit(r == 0 ? EX_OK : EX_UNAVAILABLE);
}
