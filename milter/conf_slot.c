/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration in force.
 */

/* this room */
#include "conf.h"

int
conf_slot_init(struct conf_slot *slot, struct conf *conf)
{
	if (pthread_mutex_init(&slot->lock, NULL) != 0)
		return DKIM_ERR_NOMEM;
	slot->conf = conf;
	return 0;
}

struct conf *
conf_slot_get(struct conf_slot *slot)
{
	struct conf *conf;

	pthread_mutex_lock(&slot->lock);
	conf = conf_ref(slot->conf);
	pthread_mutex_unlock(&slot->lock);
	return conf;
}

struct conf *
conf_slot_swap(struct conf_slot *slot, struct conf *conf)
{
	struct conf *old;

	pthread_mutex_lock(&slot->lock);
	old = slot->conf;
	slot->conf = conf;
	pthread_mutex_unlock(&slot->lock);
	return old;
}
