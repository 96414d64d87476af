/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of refused PINs.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "milter/pinplace.h"
#include "milter/tokenuri.h"

#define PATH_OCTETS	4096

int
pinplaces_init(struct pinplaces *places)
{
	places->n = 0;
	return pthread_mutex_init(&places->lock, NULL) == 0 ? 0 :
	    DKIM_ERR_NOMEM;
}

void
pinplaces_clear(struct pinplaces *places)
{
	size_t i;

	for (i = 0; i < places->n; i++)
		free(places->list[i].path);
	places->n = 0;
	pthread_mutex_destroy(&places->lock);
}

static void
look(const char *path, struct pinplace *out)
{
	memset(&out->id, 0, sizeof(out->id));
	out->there = keyfile_identify(path, &out->id) == 0;
}

static bool
is_known(const struct pinplaces *places, const char *path)
{
	size_t i;

	for (i = 0; i < places->n; i++)
		if (strcmp(places->list[i].path, path) == 0)
			return true;
	return false;
}

void
pinplaces_add(struct pinplaces *places, struct slice uri)
{
	struct pinplace place;
	struct buf path;

	buf_init(&path, PATH_OCTETS);
	tokenuri_pin_source(uri, &path);
	if (path.n == 0 || slice_find(buf_slice(&path), '\0') < path.n)
		goto out;
	buf_add_nul(&path);
	if (buf_end(&path) != 0)
		goto out;
	place.path = strdup((const char *)path.p);
	if (place.path == NULL)
		goto out;
	look(place.path, &place);
	pthread_mutex_lock(&places->lock);
	if (places->n < PINPLACES_MAX && !is_known(places, place.path)) {
		places->list[places->n++] = place;
		place.path = NULL;	/* moved */
	}
	pthread_mutex_unlock(&places->lock);
	free(place.path);
out:
	buf_clear(&path);
}

bool
pinplaces_have_changed(struct pinplaces *places)
{
	struct pinplace now;
	const struct pinplace *then;
	bool changed = false;
	size_t i;

	pthread_mutex_lock(&places->lock);
	for (i = 0; i < places->n && !changed; i++) {
		then = &places->list[i];
		look(then->path, &now);
		changed = now.there != then->there || (now.there &&
		    !keyfile_is_same(&now.id, &then->id));
	}
	pthread_mutex_unlock(&places->lock);
	return changed;
}

int
pinplaces_copy(struct pinplaces *from, struct pinplaces *to)
{
	size_t i;
	int r = 0;

	pthread_mutex_lock(&from->lock);
	for (i = 0; i < from->n && r == 0; i++) {
		to->list[i] = from->list[i];
		to->list[i].path = strdup(from->list[i].path);
		if (to->list[i].path == NULL)
			r = DKIM_ERR_NOMEM;
		else
			to->n = i + 1;
	}
	pthread_mutex_unlock(&from->lock);
	return r;
}
