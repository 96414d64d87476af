/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reload: a whole new configuration, or the old one.
 */

/* system */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter/channel.h"
#include "milter/conf_options.h"
#include "milter/daemon_state.h"
#include "milter/faultlog.h"
#include "milter/keystore.h"
#include "milter/log.h"
#include "milter/stats.h"

/*
 * Build a new configuration beside the one in force.
 */
static int
build(struct daemon *d, struct conf *old, struct report *report,
    struct conf **out)
{
	const struct daemon_setup *setup = d->setup;
	const struct bringup parts = { d->loop, d->signer, NULL };
	struct options options;
	int r;

	r = conf_options_load(setup->config_path, setup->overrides,
	    setup->overrides_n, report, &options);
	if (r != 0)
		return r;
	conf_options_compare(&old->options, &options, report);
	return bringup_conf(&parts, &options, old, report, out);
}

static void
outcome(struct daemon *d, const struct report *report, int r)
{
	struct conf *conf = conf_slot_get(&d->slot);
	char text[CHANNEL_TEXT_MAX];

	if (r == 0)
		snprintf(text, sizeof(text), "configuration reloaded: "
		    "%zu row%s or key%s at fault, %zu warning%s, backend %s",
		    report->rows, report_s(report->rows),
		    report_s(report->rows), report->warnings,
		    report_s(report->warnings),
		    rsab_backend_name(conf->backend));
	else
		snprintf(text, sizeof(text), "reload failed, the old "
		    "configuration stays: %s; see the log",
		    r == DKIM_ERR_NOMEM ? "no memory" : "it has faults");
	conf_unref(conf);
	stats_add(r == 0 ? STAT_RELOADS : STAT_RELOADS_FAILED, 1);
	log_line(r == 0 ? LOG_NOTICE : LOG_ERR, "%s", text);
	stats_log();
	daemon_tell(d, r == 0 ? CHANNEL_RELOADED : CHANNEL_RELOAD_FAILED,
	    text);
}

static void
reload_once(struct daemon *d)
{
	struct conf *old = conf_slot_get(&d->slot), *new;
	struct report report;
	int r;

	faultlog_init(&report, false);
	r = build(d, old, &report, &new);
	if (r == 0) {
		log_open(&new->options, d->setup->foreground);
		conf_unref(conf_slot_swap(&d->slot, new));
	}
	conf_unref(old);
	outcome(d, &report, r);
	if (r == 0)
		daemon_check_keys(d);
}

static void *
run_reloads(void *arg)
{
	struct daemon *d = arg;
	unsigned n;

	do {
		n = atomic_load(&d->reloads);
		reload_once(d);
	} while (atomic_fetch_sub(&d->reloads, n) != n);
	return NULL;
}

void
daemon_reload(struct daemon *d)
{
	const struct report none = { .rows = 0 };
	pthread_t thread;

	if (atomic_load(&d->stopping) || atomic_fetch_add(&d->reloads, 1) > 0)
		return;
	if (pthread_create(&thread, NULL, run_reloads, d) != 0) {
		atomic_store(&d->reloads, 0);
		outcome(d, &none, DKIM_ERR_NOMEM);
		return;
	}
	pthread_detach(thread);
}

/* A million keys take minutes of CPU, which mail needs first. */
static void
be_nice(void)
{
#ifdef __linux__
	/* There the priority is the thread's, by its own number */
	(void)!setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
#endif
}

static void *
run_check(void *arg)
{
	struct daemon *d = arg;
	struct conf *conf = conf_slot_get(&d->slot);
	struct report report;
	size_t n;

	be_nice();
	faultlog_init(&report, false);
	n = keystore_check(conf->keystore, conf, &report, &d->stopping);
	log_line(LOG_INFO, "CheckSigningTable: %zu key%s loaded, %zu at fault",
	    n, report_s(n), report.rows);
	conf_unref(conf);
	return NULL;
}

void
daemon_check_keys(struct daemon *d)
{
	struct conf *conf = conf_slot_get(&d->slot);
	bool wanted = conf->options.check_signing_table &&
	    conf->key_table != NULL;
	pthread_t thread;

	conf_unref(conf);
	/* Without a thread the keys are looked at when they are used */
	if (wanted && pthread_create(&thread, NULL, run_check, d) == 0)
		pthread_detach(thread);
}
