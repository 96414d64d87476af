/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log: a bounded queue, a writer thread, and the table of lines held back.
 */

/* system */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* this room */
#include "milter/clock.h"
#include "milter/conf_check.h"
#include "milter/log.h"
#include "milter/log_sink.h"
#include "milter/stats.h"

struct line {
	struct line	*next;
	int		 priority;
	size_t		 n;
	char		 text[];
};

/* A kind of fault that was logged within the last LOG_PERIOD */
struct held {
	char		 key[LOG_KEY_MAX];	/* "": free */
	uint64_t	 since;			/* monotonic microseconds */
	uint64_t	 count;			/* lines left out since */
	int		 priority;
};

static struct {
	pthread_mutex_t	 lock;
	pthread_cond_t	 filled, emptied;
	struct line	*head, **tail;
	size_t		 lines;
	uint64_t	 lost;		/* lines dropped, not yet told */
	bool		 running;	/* there is a writer */
	bool		 writing;	/* it has a line in hand */
	struct held	 held[LOG_KEYS_MAX];
	pthread_mutex_t	 sink_lock;	/* of sink; taken first */
	struct log_sink	 sink;
	bool		 opened;
	const char	*name;		/* before it is; NULL: dkimd */
	char		 ident[LOG_SINK_NAME_MAX];	/* for syslog(3) */
} logger = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.sink_lock = PTHREAD_MUTEX_INITIALIZER,
	.tail = &logger.head,
};

/*
 * Escape control octets of n octets in place of a copy: a log line is a line.
 *   out      room for size octets
 */
static size_t
clean(const char *text, size_t n, char *out, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	size_t i, k = 0;
	unsigned char c;

	for (i = 0; i < n && k + 8 < size; i++) {
		c = (unsigned char)text[i];
		if (c >= 0x20 && c != 0x7f) {
			out[k++] = (char)c;
			continue;
		}
		out[k++] = '\\';
		out[k++] = 'x';
		out[k++] = digits[c >> 4];
		out[k++] = digits[c & 15];
	}
	if (i < n) {
		memcpy(out + k, "...", 3);
		k += 3;
	}
	return k;
}

static void
drop_locked(void)
{
	logger.lost++;
	stats_add(STAT_LOG_DROPPED, 1);
}

static void
queue_locked(int priority, const char *text, size_t n)
{
	struct line *line;

	line = logger.lines < LOG_QUEUE_MAX ? malloc(sizeof(*line) + n) : NULL;
	if (line == NULL) {
		drop_locked();
		return;
	}
	line->next = NULL;
	line->priority = priority;
	line->n = n;
	memcpy(line->text, text, n);
	*logger.tail = line;
	logger.tail = &line->next;
	logger.lines++;
	pthread_cond_signal(&logger.filled);
}

/* Without a writer thread: now, or not at all. */
static void
write_now(int priority, const char *text, size_t n)
{
	int r;

	pthread_mutex_lock(&logger.sink_lock);
	if (!logger.opened)
		log_sink_open(&logger.sink, false, true, LOG_MAIL,
		    logger.name == NULL ? "dkimd" : logger.name, NULL);
	logger.opened = true;
	r = log_sink_write(&logger.sink, priority, text, n);
	pthread_mutex_unlock(&logger.sink_lock);
	if (r == 0)
		return;
	pthread_mutex_lock(&logger.lock);
	drop_locked();
	pthread_mutex_unlock(&logger.lock);
}

static void
emit(int priority, const char *text, size_t n)
{
	bool queued;

	pthread_mutex_lock(&logger.lock);
	queued = logger.running;
	if (queued)
		queue_locked(priority, text, n);
	pthread_mutex_unlock(&logger.lock);
	if (!queued)
		write_now(priority, text, n);
}

static void __attribute__((format(printf, 2, 0)))
emit_format(int priority, const char *format, va_list args)
{
	char raw[LOG_TEXT_MAX], text[LOG_TEXT_MAX];
	int k;

	k = vsnprintf(raw, sizeof(raw), format, args);
	if (k < 0)
		return;
	if ((size_t)k >= sizeof(raw)) {
		memcpy(raw + sizeof(raw) - 4, "...", 3);
		k = (int)sizeof(raw) - 1;
	}
	emit(priority, text, clean(raw, (size_t)k, text, sizeof(text)));
}

void
log_line(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	emit_format(priority, format, args);
	va_end(args);
}

static void
tell_held(const struct held *held)
{
	if (held->key[0] != '\0' && held->count > 0)
		log_line(held->priority, "%s: %llu more like it held back",
		    held->key, (unsigned long long)held->count);
}

/*
 * Note one line of a kind.
 *   over     out: what this pushed out or ended, to be told
 *   returns  whether the line is written
 */
static bool
admit_locked(int priority, const char *key, uint64_t now, struct held *over)
{
	struct held *at = &logger.held[0], *h;
	size_t i;

	for (i = 0; i < LOG_KEYS_MAX; i++) {
		h = &logger.held[i];
		if (strncmp(h->key, key, LOG_KEY_MAX - 1) == 0 &&
		    h->key[0] != '\0') {
			at = h;
			break;
		}
		if (h->since < at->since)
			at = h;
	}
	if (i < LOG_KEYS_MAX &&
	    now - at->since < (uint64_t)LOG_PERIOD * 1000000) {
		at->count++;
		return false;
	}
	*over = *at;
	memset(at, 0, sizeof(*at));
	snprintf(at->key, sizeof(at->key), "%s", key);
	at->since = now;
	at->priority = priority;
	return true;
}

void
log_limited(int priority, const char *key, const char *format, ...)
{
	struct held over = { .count = 0 };
	va_list args;
	bool admitted;

	pthread_mutex_lock(&logger.lock);
	admitted = admit_locked(priority, key, clock_us(), &over);
	pthread_mutex_unlock(&logger.lock);
	tell_held(&over);
	if (!admitted) {
		stats_add(STAT_LOG_SUPPRESSED, 1);
		return;
	}
	va_start(args, format);
	emit_format(priority, format, args);
	va_end(args);
}

/* Tell the counts of kinds whose period is over; all: of every kind. */
static void
tell_all_held(bool all)
{
	struct held over;
	uint64_t now = clock_us();
	size_t i;

	for (i = 0; i < LOG_KEYS_MAX; i++) {
		pthread_mutex_lock(&logger.lock);
		over = logger.held[i];
		if (all || now - over.since >= (uint64_t)LOG_PERIOD * 1000000)
			memset(&logger.held[i], 0, sizeof(logger.held[i]));
		else
			over.count = 0;
		pthread_mutex_unlock(&logger.lock);
		tell_held(&over);
	}
}

/*
 * The next line for the writer, or NULL after ten seconds without one.
 */
static struct line *
next_line(void)
{
	struct timespec until;
	struct line *line;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 10;
	pthread_mutex_lock(&logger.lock);
	logger.writing = false;
	if (logger.lines == 0)
		pthread_cond_broadcast(&logger.emptied);
	while (logger.lines == 0 && r == 0)
		r = pthread_cond_timedwait(&logger.filled, &logger.lock,
		    &until);
	line = logger.head;
	if (line != NULL) {
		logger.head = line->next;
		if (logger.head == NULL)
			logger.tail = &logger.head;
		logger.lines--;
		logger.writing = true;
	}
	pthread_mutex_unlock(&logger.lock);
	return line;
}

static void
write_line(const struct line *line)
{
	int r;

	for (;;) {
		pthread_mutex_lock(&logger.sink_lock);
		r = log_sink_write(&logger.sink, line->priority, line->text,
		    line->n);
		if (r != 0)
			log_sink_wait(&logger.sink, 200);
		pthread_mutex_unlock(&logger.sink_lock);
		if (r == 0)
			return;
	}
}

static void
tell_lost(void)
{
	uint64_t lost;

	pthread_mutex_lock(&logger.lock);
	lost = logger.lines < LOG_QUEUE_MAX / 2 ? logger.lost : 0;
	logger.lost -= lost;
	pthread_mutex_unlock(&logger.lock);
	if (lost > 0)
		log_line(LOG_ERR, "log: %llu lines lost, syslog took no more",
		    (unsigned long long)lost);
}

static void *
writer(void *unused)
{
	struct line *line;

	(void)unused;
	for (;;) {
		line = next_line();
		if (line == NULL) {
			tell_all_held(false);
			continue;
		}
		write_line(line);
		free(line);
		tell_lost();
	}
	return NULL;
}

void
log_open(const struct options *options, bool foreground)
{
	log_open_at(options, foreground, NULL);
}

void
log_as(const char *name)
{
	pthread_mutex_lock(&logger.sink_lock);
	logger.name = name;
	pthread_mutex_unlock(&logger.sink_lock);
}

void
log_open_at(const struct options *options, bool foreground, const char *path)
{
	const char *name = options->syslog_name;
	int facility = -1;

	if (options->syslog_facility != NULL)
		facility = conf_check_facility(options->syslog_facility);
	if (facility < 0)
		facility = LOG_MAIL;
	if (name == NULL || name[0] == '\0')
		name = "dkimd";
	pthread_mutex_lock(&logger.sink_lock);
	if (logger.opened)
		log_sink_close(&logger.sink);
	log_sink_open(&logger.sink, options->syslog, foreground, facility,
	    name, path);
	logger.opened = true;
	/* libmilter calls syslog(3) itself, which keeps the pointer */
	if (strcmp(logger.ident, logger.sink.name) != 0)
		memcpy(logger.ident, logger.sink.name, sizeof(logger.ident));
	openlog(logger.ident, LOG_PID, facility);
	pthread_mutex_unlock(&logger.sink_lock);
}

bool
log_shows(void)
{
	bool shows;

	pthread_mutex_lock(&logger.sink_lock);
	shows = !logger.opened || logger.sink.err;
	pthread_mutex_unlock(&logger.sink_lock);
	return shows;
}

void
log_start(void)
{
	pthread_condattr_t attribute;
	pthread_t thread;

	if (pthread_condattr_init(&attribute) != 0)
		return;
	pthread_condattr_setclock(&attribute, CLOCK_MONOTONIC);
	if (pthread_cond_init(&logger.filled, &attribute) != 0 ||
	    pthread_cond_init(&logger.emptied, &attribute) != 0)
		goto out;
	pthread_mutex_lock(&logger.lock);
	if (!logger.running &&
	    pthread_create(&thread, NULL, writer, NULL) == 0) {
		pthread_detach(thread);
		logger.running = true;
	}
	pthread_mutex_unlock(&logger.lock);
out:
	pthread_condattr_destroy(&attribute);
}

void
log_flush(void)
{
	struct timespec until;
	int r = 0;

	tell_all_held(true);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 2;
	pthread_mutex_lock(&logger.lock);
	while (logger.running && r == 0 &&
	    (logger.lines > 0 || logger.writing))
		r = pthread_cond_timedwait(&logger.emptied, &logger.lock,
		    &until);
	pthread_mutex_unlock(&logger.lock);
}
