/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where PINs that a token refused came from: the files of pin-source. Such a
 * PIN is tried again only once its file has changed. Its lock is a leaf.
 */
#ifndef PINPLACE_H
#define PINPLACE_H

#include <pthread.h>

#include "keyfile.h"

#define PINPLACES_MAX	16

struct pinplace {
	char			*path;
	bool			 there;
	struct keyfile_id	 id;
};

struct pinplaces {
	pthread_mutex_t	 lock;
	size_t		 n;
	struct pinplace	 list[PINPLACES_MAX];
};

/*
 *   errors   DKIM_ERR_NOMEM
 */
int pinplaces_init(struct pinplaces *places) MUSTUSE;
void pinplaces_clear(struct pinplaces *places);

/*
 * Remember the file of a URI's pin-source as it is now. One more than there is
 * room for is left out, as one without pin-source is.
 */
void pinplaces_add(struct pinplaces *places, struct slice uri);

/*
 * Has one of the files changed, come or gone since it was added?
 */
bool pinplaces_have_changed(struct pinplaces *places);

/*
 *   to       empty
 *   errors   DKIM_ERR_NOMEM
 */
int pinplaces_copy(struct pinplaces *from, struct pinplaces *to) MUSTUSE;

#endif
