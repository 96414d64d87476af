/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time and memory of processes; see process_use.h.
 */

/* system */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* this room */
#include "process_use.h"

static int
add(struct process_use *use, pid_t pid)
{
	for (size_t i = 0; i < use->n; i++)
		if (use->pid[i] == pid)
			return 0;
	if (use->n == PROCESS_USE_MAX)
		return -1;
	use->pid[use->n++] = pid;
	return 0;
}

/*
 * The children that one thread has started.
 */
static int
add_of_thread(struct process_use *use, pid_t pid, const char *thread)
{
	char path[64];
	FILE *f;
	long child;
	int error = 0;

	if ((size_t)snprintf(path, sizeof path, "/proc/%ld/task/%s/children",
	    (long)pid, thread) >= sizeof path)
		return -1;
	f = fopen(path, "r");
	while (f != NULL && error == 0 && fscanf(f, "%ld", &child) == 1)
		error = add(use, (pid_t)child);
	if (f != NULL)
		fclose(f);
	return error;
}

static int
add_children(struct process_use *use, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int error = 0;
	DIR *tasks;

	snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	tasks = opendir(path);
	if (tasks == NULL)
		return 0;
	while (error == 0 && (entry = readdir(tasks)) != NULL)
		if (entry->d_name[0] != '.')
			error = add_of_thread(use, pid, entry->d_name);
	closedir(tasks);
	return error;
}

int
process_use_find(pid_t pid, struct process_use *out)
{
	out->n = 0;
	if (pid <= 0 || kill(pid, 0) != 0 || add(out, pid) != 0)
		return -1;
	/* those that are found are looked at, too */
	for (size_t i = 0; i < out->n; i++)
		if (add_children(out, out->pid[i]) != 0)
			return -1;
	return 0;
}

/*
 * Kilobytes behind a name in /proc/PID/status.
 */
static void
read_memory(pid_t pid, struct process_sample *out)
{
	char path[64], line[256];
	long kb;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return;
	while (fgets(line, sizeof line, f) != NULL) {
		if (sscanf(line, "VmRSS: %ld", &kb) == 1)
			out->rss_kb += kb;
		else if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			out->peak_kb += kb;
	}
	fclose(f);
}

void
process_use_sample(const struct process_use *use, struct process_sample *out)
{
	struct timespec t;
	clockid_t clock;

	*out = (struct process_sample){ .cpu_us = 0 };
	for (size_t i = 0; i < use->n; i++) {
		if (clock_getcpuclockid(use->pid[i], &clock) == 0 &&
		    clock_gettime(clock, &t) == 0)
			out->cpu_us += 1e6 * (double)t.tv_sec +
			    (double)t.tv_nsec / 1e3;
		else
			out->gone = true;
		read_memory(use->pid[i], out);
	}
}

void
process_use_forget_peak(const struct process_use *use)
{
	char path[64];
	FILE *f;

	for (size_t i = 0; i < use->n; i++) {
		snprintf(path, sizeof path, "/proc/%ld/clear_refs",
		    (long)use->pid[i]);
		f = fopen(path, "w");
		if (f == NULL)
			continue;
		/* 5: the peak of the resident set; proc(5) */
		fputs("5\n", f);
		fclose(f);
	}
}

double
process_use_own_us(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
		return 0;
	return 1e6 * (double)t.tv_sec + (double)t.tv_nsec / 1e3;
}
