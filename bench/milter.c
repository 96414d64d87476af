/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench milter: a load for any milter that signs or verifies; speaks the
 * MTA's side of the protocol.
 */

/* system */
#include <sys/resource.h>
#include <err.h>
#include <stdio.h>
#include <sysexits.h>

/* this room */
#include "machine.h"
#include "milter.h"
#include "milter_supply.h"
#include "mta_keys.h"
#include "subcommand.h"

#define SPARE_FDS	32		/* for other uses than connections */

/*
 * A connection is a descriptor.
 */
static int
raise_limit(const struct milter *m)
{
	rlim_t wanted = (rlim_t)m->connections + m->idle + SPARE_FDS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < wanted)) {
		if (limit.rlim_max != RLIM_INFINITY &&
		    limit.rlim_max < wanted)
			limit.rlim_max = wanted;
		limit.rlim_cur = wanted;
		if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
			warn("%llu file descriptors are wanted (ulimit -n)",
			    (unsigned long long)wanted);
			return EX_OSERR;
		}
	}
	return 0;
}

/*
 * The messages that count.
 */
static int
measure(const struct milter *m, struct mta_load *load,
    const struct milter_supply *s, const struct process_use *use)
{
	size_t n = (size_t)m->connections * m->messages;
	struct process_sample before, after;
	struct milter_figures figures;
	struct mta_load_result result;
	double own;
	int status;

	process_use_forget_peak(use);
	process_use_sample(use, &before);
	own = process_use_own_us();
	status = mta_load_run(load, n, m->rate, s->keeps,
	    &result);
	own = process_use_own_us() - own;
	process_use_sample(use, &after);
	if (status != 0)
		return status;
	milter_supply_judge(s, &result);
	milter_report_sum(&result, &before, &after, own, &figures);
	status = milter_report(m, &result, &figures);
	mta_load_result_clear(&result);
	return status;
}

static int
warm_up(const struct milter *m, struct mta_load *load)
{
	struct mta_load_result result;
	int status;

	if (m->warm_up == 0)
		return 0;
	status = mta_load_run(load, (size_t)m->connections * m->warm_up,
	    m->rate, 0, &result);
	if (status == 0)
		mta_load_result_clear(&result);
	return status;
}

static int
run(const struct milter *m, const struct milter_supply *s)
{
	struct mta_load_setup setup = { .mode = m->mode,
	    .connections = m->connections, .idle = m->idle,
	    .timeout = m->timeout, .client = m->client, .mails = s->mails,
	    .n_mails = s->n, .seed = m->measure.seed };
	char sender[DKIM_NAME_MAX + 16];
	struct process_use use = { .n = 0 };
	struct mta_load *load;
	int status = mta_address_parse(m->socket, &setup.address);

	snprintf(sender, sizeof sender, "sender@%s", m->domain);
	setup.sender = sender;
	if (status == 0 && m->pid != 0 && process_use_find(m->pid, &use) != 0) {
		warnx("--pid %ld: no such process", (long)m->pid);
		status = EX_USAGE;
	}
	if (status == 0)
		status = mta_load_new(&setup, &load);
	if (status != 0)
		return status;
	status = warm_up(m, load);
	if (status == 0)
		status = measure(m, load, s, &use);
	mta_load_free(load);
	return status;
}

int
subcommand_milter(int argc, char **argv)
{
	struct milter m;
	struct milter_supply supply = { .n = 0 };
	struct pin pin;
	int status = milter_options(argc, argv, &m);

	if (status == 0 && m.make_keys)
		return mta_keys_make(m.keys, m.domain, m.bits);
	if (status == 0)
		status = options_pin(&m.measure, &pin);
	if (status == 0)
		status = raise_limit(&m);
	if (status != 0)
		return status;
	machine_print(m.measure.tsv ? stderr : stdout, "# ", &pin);
	status = milter_supply_make(&m, &supply);
	if (status == 0)
		status = run(&m, &supply);
	milter_supply_clear(&supply);
	return status;
}
