/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd under load; see all_milter.h.
 */

/* system */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "all_milter.h"
#include "all_rows.h"

#define CONNECTIONS	20
#define BITS		2048
#define SIZE		1024	/* octets of a body */
#define PROBE		20	/* messages a connection, to know the rate */
#define MESSAGES_MAX	100000	/* a connection */
#define READY_SECONDS	20.0
#define LOOK_SECONDS	0.05
#define SCRATCH_SIZE	80	/* sun_path has 108 on Linux */

struct scratch {
	char			 folder[SCRATCH_SIZE];
	struct all_run		*run;
	const struct all_milter_plan *plan;
	FILE			*out;
	const char		*mode, *backend;
	pid_t			 pid;		/* of dkimd */

	/* of the load that is read back */
	const char		*load;
	bool			 has_header;
	double			 per_s;
};

static const char *const files[] = {
	"keys/key.pem", "keys/records", "load.tsv", "dkimd.conf",
	"dkimd.sock", "out.txt",
};

static void
scratch_path(const struct scratch *s, const char *name,
    char out[SCRATCH_SIZE + 16])
{
	snprintf(out, SCRATCH_SIZE + 16, "%s/%s", s->folder, name);
}

static int
scratch_make(struct scratch *s)
{
	const char *above = getenv("TMPDIR");
	char keys[SCRATCH_SIZE + 16];
	int n = snprintf(s->folder, sizeof s->folder, "%s/dkimbench.XXXXXX",
	    above != NULL && *above != '\0' ? above : "/tmp");

	if (n < 0 || (size_t)n >= sizeof s->folder) {
		warnx("TMPDIR: the name is too long for a socket in it");
		return EX_CANTCREAT;
	}
	if (mkdtemp(s->folder) == NULL) {
		warn("%s", s->folder);
		return EX_CANTCREAT;
	}
	scratch_path(s, "keys", keys);
	if (mkdir(keys, 0700) == 0)
		return 0;
	warn("%s", keys);
	return EX_CANTCREAT;
}

static void
scratch_clear(const struct scratch *s)
{
	char path[SCRATCH_SIZE + 16];

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		scratch_path(s, files[i], path);
		(void)unlink(path);
	}
	scratch_path(s, "keys", path);
	(void)rmdir(path);
	if (rmdir(s->folder) != 0)
		warn("%s", s->folder);
}

/*
 * A file of the scratch folder, emptied.
 */
static int
scratch_open(const struct scratch *s, const char *name)
{
	char path[SCRATCH_SIZE + 16];
	int fd;

	scratch_path(s, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		warn("%s", path);
	return fd;
}

/*
 * A line to its end, its output in a file of the scratch folder.
 */
static int
run_to(struct scratch *s, struct all_run_line *line, const char *name)
{
	int fd = scratch_open(s, name), status;

	if (fd < 0)
		return EX_CANTCREAT;
	status = all_run_line(s->run, line, fd, NULL);
	close(fd);
	return status;
}

static int
make_keys(struct scratch *s)
{
	struct all_run_line line;
	int status;

	all_run_begin(s->run, &line, NULL);
	all_run_words(&line, "milter --make-keys --keys");
	all_run_word(&line, "%s/keys", s->folder);
	all_run_word(&line, "--bits");
	all_run_word(&line, "%d", BITS);
	status = run_to(s, &line, "out.txt");
	if (status != 0 && status != ALL_RUN_INTERRUPTED)
		warnx("keys for dkimd: exit %d; see %s/%s", status,
		    s->run->folder.path, ALL_RUN_LOG);
	return status;
}

static int
write_configuration(const struct scratch *s)
{
	int fd = scratch_open(s, "dkimd.conf");
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (out == NULL) {
		if (fd >= 0)
			close(fd);
		return EX_CANTCREAT;
	}
	fprintf(out, "Socket local:%s/dkimd.sock\n"
	    "RSABackend %s\n"
	    "Syslog no\n"
	    "SyslogSuccess no\n"
	    "UMask 077\n"
	    "AuthservID mta.example.org\n", s->folder, s->backend);
	if (strcmp(s->mode, "sign") == 0)
		fprintf(out, "Mode s\n"
		    "Domain example.com\n"
		    "Selector bench\n"
		    "KeyFile %s/keys/key.pem\n"
		    "Canonicalization relaxed/simple\n", s->folder);
	else
		fprintf(out, "Mode v\n"
		    "TestPublicKeys %s/keys/records\n", s->folder);
	if (fclose(out) == 0)
		return 0;
	warn("%s/dkimd.conf", s->folder);
	return EX_IOERR;
}

static bool
answers(const struct scratch *s)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answer;

	snprintf(address.sun_path, sizeof address.sun_path, "%s/dkimd.sock",
	    s->folder);
	answer = fd >= 0 && connect(fd, (const struct sockaddr *)&address,
	    sizeof address) == 0;
	if (fd >= 0)
		close(fd);
	return answer;
}

/*
 * Until dkimd answers on its socket; else it is gone afterwards.
 */
static int
await(struct scratch *s)
{
	double waited = 0;
	int ended;

	while (!answers(s)) {
		switch (child_wait(s->pid, 0, &s->run->signals, &ended)) {
		case CHILD_ENDED:
			warnx("dkimd ended at once: exit %d; see %s/%s",
			    ended, s->run->folder.path, ALL_RUN_LOG);
			return EX_UNAVAILABLE;
		case CHILD_INTERRUPTED:
			child_stop(s->pid, &s->run->signals);
			return ALL_RUN_INTERRUPTED;
		case CHILD_LATE:
		default:
			break;
		}
		if ((waited += LOOK_SECONDS) > READY_SECONDS) {
			warnx("dkimd does not answer on its socket after "
			    "%.0f s", READY_SECONDS);
			child_stop(s->pid, &s->run->signals);
			return EX_UNAVAILABLE;
		}
		child_pause(LOOK_SECONDS, &s->run->signals);
	}
	return 0;
}

static int
start(struct scratch *s)
{
	struct all_run_line line;
	int status = write_configuration(s);

	if (status != 0)
		return status;
	all_run_begin(s->run, &line, s->plan->dkimd);
	all_run_words(&line, "-f -x");
	all_run_word(&line, "%s/dkimd.conf", s->folder);
	status = all_run_start(s->run, &line, fileno(s->run->log),
	    &s->run->pin, &s->pid);
	return status != 0 ? status : await(s);
}

/*
 * As take of all_rows: into the file, under its names the first time.
 */
static int
take_row(void *arg, struct tsv *tsv)
{
	struct scratch *s = arg;
	int status = tsv_figure(tsv, "per_s", &s->per_s);

	if (status != 0 || s->load == NULL)
		return status;
	if (!s->has_header) {
		for (size_t i = 0; i < tsv->columns; i++)
			fprintf(s->out, "%c%s", i == 0 ? '#' : '\t',
			    tsv->column[i]);
		fprintf(s->out, "\tbackend\tload\n");
		s->has_header = true;
	}
	for (size_t i = 0; i < tsv->fields; i++)
		fprintf(s->out, "%s%s", i == 0 ? "" : "\t", tsv->field[i]);
	fprintf(s->out, "\t%s\t%s\n", s->backend, s->load);
	return 0;
}

unsigned
all_milter_messages(double per_s, double seconds)
{
	double n = per_s * seconds / CONNECTIONS;

	return n < 1 ? 1 : n > MESSAGES_MAX ? MESSAGES_MAX : (unsigned)n;
}

/*
 * One load.
 *   rate     0: as much as goes
 *   load     for the file; NULL: it is not kept
 */
static int
run_load(struct scratch *s, unsigned messages, double rate, const char *load)
{
	const struct all_run *run = s->run;
	char path[SCRATCH_SIZE + 16];
	struct all_run_line line;
	int status, read;

	all_run_begin(run, &line, NULL);
	all_run_word(&line, "milter");
	all_run_word(&line, "--socket=unix:%s/dkimd.sock", s->folder);
	all_run_word(&line, "--keys=%s/keys", s->folder);
	all_run_word(&line, "--mode=%s", s->mode);
	all_run_word(&line, "--connections=%d", CONNECTIONS);
	all_run_word(&line, "--messages=%u", messages);
	all_run_word(&line, "--size=%d", SIZE);
	all_run_word(&line, "--warm-up=%d", load == NULL ? 2 : 5);
	all_run_word(&line, "--pid=%ld", (long)s->pid);
	all_run_word(&line, "--seed=%llu",
	    (unsigned long long)run->measure.seed);
	/* the load comes from another processor, where there is one */
	if (run->pin.n > 0)
		all_run_word(&line, "--cpu=%u", run->pin.cpu[run->pin.n > 1]);
	if (rate > 0)
		all_run_word(&line, "--rate=%.1f", rate);
	all_run_word(&line, "--tsv");
	status = run_to(s, &line, "load.tsv");
	if (status == ALL_RUN_INTERRUPTED)
		return status;
	s->load = load;
	s->per_s = -1;
	scratch_path(s, "load.tsv", path);
	read = all_rows(path, take_row, s);
	if (status != 0)
		warnx("dkimd, %s, %s: a load ended with %d; see %s/%s",
		    s->backend, s->mode, status, run->folder.path,
		    ALL_RUN_LOG);
	return status != 0 ? status : read;
}

static int
run_loads(struct scratch *s)
{
	const struct all_milter_plan *plan = s->plan;
	double most;
	int status = run_load(s, PROBE, 0, NULL);

	if (status == 0)
		status = run_load(s, all_milter_messages(s->per_s,
		    plan->seconds), 0, "-");
	most = s->per_s;
	for (size_t i = 0; i < plan->loads && status == 0; i++) {
		double rate = most * plan->load[i] / 100;
		char load[16];

		snprintf(load, sizeof load, "%u", plan->load[i]);
		if (rate >= 0.1)
			status = run_load(s, all_milter_messages(rate,
			    plan->seconds), rate, load);
	}
	return status;
}

int
all_milter(struct all_run *run, const struct all_milter_plan *plan,
    const char *file)
{
	static const char *const modes[] = { "sign", "verify" };
	static const char *const backends[] = { "libcrypto", "bn64" };
	struct scratch s = { .run = run, .plan = plan };
	int status = scratch_make(&s), done;

	if (status != 0)
		return status;
	status = make_keys(&s);
	s.out = status == 0 ? all_folder_file(&run->folder, file) : NULL;
	for (size_t i = 0; i < 4 && s.out != NULL && status == 0; i++) {
		s.mode = modes[i / 2];
		s.backend = backends[i % 2];
		status = start(&s);
		if (status != 0)
			break;
		status = run_loads(&s);
		child_stop(s.pid, &run->signals);
	}
	scratch_clear(&s);
	if (s.out == NULL)
		return status != 0 ? status : EX_CANTCREAT;
	done = all_folder_done(&run->folder, file, s.out);
	return status != 0 ? status : done;
}
