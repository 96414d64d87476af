/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wants: what a session needs from elsewhere.
 */

/* system */
#include <assert.h>
#include <stdlib.h>

/* this room */
#include "want.h"
#include "inbox.h"

int
want_new(enum want_kind kind, struct inbox *inbox, struct conf *conf,
    struct want **out)
{
	struct want *w;

	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return DKIM_ERR_NOMEM;
	atomic_init(&w->refs, 2);
	atomic_init(&w->cancelled, false);
	w->kind = kind;
	w->inbox = inbox_ref(inbox);
	w->conf = conf_ref(conf);
	*out = w;
	return 0;
}

void
want_unref(struct want *want)
{
	struct inbox *inbox;
	struct conf *conf;
	unsigned before;

	if (want == NULL)
		return;
	/* What the other owner wrote must be seen before it is freed */
	before = atomic_fetch_sub_explicit(&want->refs, 1,
	    memory_order_acq_rel);
	assert(before > 0);
	if (before > 1)
		return;
	switch (want->kind) {
	case WANT_ROWS:
		break;
	case WANT_PUBLIC_KEY:
		dkim_keyset_unref(want->public_key.answer.keyset);
		break;
	case WANT_PRIVATE_KEY:
		rsab_key_unref(want->private_key.key);
		rsab_key_unref(want->private_key.gone);
		break;
	case WANT_SIGNATURE:
		rsab_key_unref(want->signature.key);
		break;
	}
	inbox = want->inbox;
	conf = want->conf;
	rsab_wipe_free(want, sizeof(*want));
	inbox_unref(inbox);
	conf_unref(conf);
}
