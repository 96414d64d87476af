/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of dkimd-token.
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* this room */
#include "config.h"
#include "milter/helper_spawn.h"

#define CONTROL		3	/* the child's descriptor */

extern char **environ;

/* What modules read, by name or, with "*", by its beginning. Not HOME: what
 * a user has set up for himself is none of a daemon's business. */
static const char *const passes[] = {
	"SOFTHSM2_CONF", "NSS_*", "P11_KIT_*", "PKCS11_*", "OPENCRYPTOKI_*",
	"TPM2_PKCS11_*", "TSS2_*", "KRYOPTIC_*", "YUBIHSM_*", "CKNFAST_*",
	"ChrystokiConfigurationPath", "CS_PKCS11_*", "CLOUDHSM_*",
};

const char *
helper_spawn_program(void)
{
	const char *program = secure_getenv("DKIMD_TOKEN");

	return program != NULL && program[0] == '/' ? program :
	    DKIMD_LIBEXECDIR "/dkimd-token";
}

bool
helper_spawn_passes(const char *variable)
{
	size_t i, n;

	for (i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		n = strlen(passes[i]);
		if (passes[i][n - 1] == '*') {
			if (strncmp(variable, passes[i], n - 1) == 0)
				return true;
		} else if (strncmp(variable, passes[i], n) == 0 &&
		    variable[n] == '=')
			return true;
	}
	return false;
}

/*
 * The environment of the child; its texts are ours. NULL: no memory.
 */
static char **
make_environment(void)
{
	size_t i, n = 0;
	char **out;

	for (i = 0; environ != NULL && environ[i] != NULL; i++)
		continue;
	out = calloc(i + 1, sizeof(*out));
	if (out == NULL)
		return NULL;
	for (i = 0; environ != NULL && environ[i] != NULL; i++)
		if (helper_spawn_passes(environ[i]))
			out[n++] = environ[i];
	return out;
}

/*
 * A socketpair, close-on-exec, the child's end above all that it is given.
 */
static int
make_pair(int ends[2])
{
	int high;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	high = fcntl(ends[1], F_DUPFD_CLOEXEC, CONTROL + 1);
	close(ends[1]);
	if (high < 0) {
		close(ends[0]);
		return -1;
	}
	ends[1] = high;
	return 0;
}

/*
 * Where the system cannot close the others before the program runs, the
 * program does so itself before it loads anything.
 */
static int
close_others(posix_spawn_file_actions_t *actions)
{
#ifdef HAVE_SPAWN_CLOSEFROM
	return posix_spawn_file_actions_addclosefrom_np(actions, CONTROL + 1);
#else
	(void)actions;
	return 0;
#endif
}

static int
add_actions(posix_spawn_file_actions_t *actions, int control)
{
	int fd, r;

	r = posix_spawn_file_actions_adddup2(actions, control, CONTROL);
	for (fd = 0; fd < CONTROL && r == 0; fd++)
		r = posix_spawn_file_actions_addopen(actions, fd, "/dev/null",
		    O_RDWR, 0);
	return r == 0 ? close_others(actions) : r;
}

/* Not the mask and the ignored signals of the thread that starts it. */
static int
set_attributes(posix_spawnattr_t *attributes)
{
	static const int defaults[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE,
	    SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD };
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t set;
	size_t i;
	int r;

	/* A signal to our group is not meant for it, which serves until the
	 * last message is out */
#ifdef POSIX_SPAWN_SETSID
	flags = (short)(flags | POSIX_SPAWN_SETSID);
#else
	flags = (short)(flags | POSIX_SPAWN_SETPGROUP);
#endif
	sigemptyset(&set);
	r = posix_spawnattr_setsigmask(attributes, &set);
	for (i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		sigaddset(&set, defaults[i]);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attributes, &set);
	return r == 0 ? posix_spawnattr_setflags(attributes, flags) : r;
}

static int
spawn(const char *program, char **environment, int control, pid_t *pid)
{
	char name[] = "dkimd-token";
	char *argv[] = { name, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int r;

	r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return r;
	r = posix_spawnattr_init(&attributes);
	if (r == 0) {
		r = add_actions(&actions, control);
		if (r == 0)
			r = set_attributes(&attributes);
		if (r == 0)
			r = posix_spawn(pid, program, &actions, &attributes,
			    argv, environment);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

int
helper_spawn(const char *program, pid_t *pid, int *control)
{
	char **environment;
	int ends[2], r;

	if (make_pair(ends) != 0)
		return -1;
	environment = make_environment();
	r = environment == NULL ? ENOMEM :
	    spawn(program, environment, ends[1], pid);
	free(environment);
	close(ends[1]);
	if (r == 0) {
		*control = ends[0];
		return 0;
	}
	close(ends[0]);
	errno = r;
	return -1;
}
