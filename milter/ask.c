/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries a session's wants to whoever answers.
 */

/* this room */
#include "ask.h"
#include "clock.h"
#include "keptrows.h"
#include "keystore.h"
#include "resolver.h"
#include "signer.h"

static const struct dataset *
table_of(const struct want *want)
{
	switch (want->rows.table) {
	case TABLE_SIGNING:
		return want->conf->signing_table;
	case TABLE_KEY:
		return want->conf->key_table;
	case TABLE_DOMAIN:
		return want->conf->domain;
	}
	return NULL;
}

/*
 * All kinds of data sets there are live in memory.
 */
static bool
ask_rows(struct want *want)
{
	const struct dataset *set = table_of(want);

	want->rows.n = 0;
	if (set != NULL && dataset_find(set, want->rows.key,
	    want->rows.nocase, want->rows.rows, WANT_ROWS_MAX,
	    &want->rows.n) != 0)
		want->error = WANT_ERR_NOMEM;
	/* A row that became bad goes on as it was */
	if (want->rows.table == TABLE_KEY && want->rows.n > 0)
		keptrows_put(want->conf, &want->rows.rows[0]);
	return true;
}

static bool
gone(struct want *want)
{
	want->error = WANT_ERR_STOPPED;
	return true;
}

bool
ask(struct signer *signer, struct want *want)
{
	want->asked = clock_us();
	switch (want->kind) {
	case WANT_ROWS:
		return ask_rows(want);
	case WANT_PUBLIC_KEY:
		if (want->conf->resolver == NULL)
			return gone(want);
		return resolver_ask(want->conf->resolver, want);
	case WANT_PRIVATE_KEY:
		if (want->conf->keystore == NULL)
			return gone(want);
		return keystore_ask(want->conf->keystore, want);
	case WANT_SIGNATURE:
		if (signer == NULL)
			return gone(want);
		signer_ask(signer, want);
		return false;
	}
	return gone(want);
}

void
ask_cancel(struct want *want)
{
	if (want->kind == WANT_PUBLIC_KEY && want->conf->resolver != NULL)
		resolver_cancel(want->conf->resolver, want);
}
