/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that dkimbench all starts, waits for and ends. Each has a process
 * group of its own, so that what it started goes with it; where the system has
 * that, it also ends when this process is killed.
 */
#ifndef CHILD_H
#define CHILD_H

/* system */
#include <sys/types.h>
#include <signal.h>

/* this room */
#include "pin.h"

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

#define CHILD_NOT_FOUND	127	/* exit status: there is no such program */
#define CHILD_NOT_RUN	126	/* it is there and cannot be run */

/*
 * The signals that ask this process to end. From child_signals_take on they
 * are blocked and taken where this module waits; one that was ignored before,
 * as by nohup, stays ignored.
 */
struct child_signals {
	sigset_t	taken, before;
	int		got;		/* 0: none came yet */
};

struct child_setup {
	char *const	*argv;		/* a path, or a name to look for */
	int		 folder;	/* descriptor, where to run; -1: here */
	int		 out, err;	/* descriptors */
	const struct pin *pin;		/* NULL: on any processor */
};

enum child_end {
	CHILD_ENDED,
	CHILD_LATE,			/* it still runs */
	CHILD_INTERRUPTED,		/* it still runs; signals->got */
};

void child_signals_take(struct child_signals *signals);

/*
 * Give them back; one that came ends this process now, as it would have.
 */
void child_signals_back(const struct child_signals *signals);

/*
 * Start a program, with nothing to read, on the first processor of pin.
 *   out      its process
 *   returns  0; EX_OSERR: no process (told)
 */
int child_start(const struct child_setup *setup,
    const struct child_signals *signals, pid_t *out) MUSTUSE;

/*
 * Wait until it ends; what is left of its group is killed then.
 *   seconds  at most
 *   status   exit status, or 128 and the signal that ended it
 */
enum child_end child_wait(pid_t pid, double seconds,
    struct child_signals *signals, int *status) MUSTUSE;

/*
 * Ask it to end, and after some seconds kill it and its group.
 */
void child_stop(pid_t pid, struct child_signals *signals);

/*
 * Wait without a program, or until a signal comes.
 */
void child_pause(double seconds, struct child_signals *signals);

#endif
