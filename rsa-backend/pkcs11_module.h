/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Cryptoki module: loaded once, initialized as often as it takes.
 *
 * Whoever calls Cryptoki is inside; initializing anew waits until everybody
 * is out, and keeps all others out. Each initialization is an epoch: sessions,
 * handles and slot numbers of an older one mean nothing.
 */
#ifndef PKCS11_MODULE_H
#define PKCS11_MODULE_H

/* system */
#include <pthread.h>

/* p11-kit */
#include <p11-kit/pkcs11.h>

/* this room */
#include "pkcs11_fail.h"

#define PKCS11_MODULES_MAX	32	/* of p11-kit's configuration */

/* Between two initializations that were asked for by a fault, ms. */
#define PKCS11_DELAY_MIN	1000
#define PKCS11_DELAY_MAX	30000

struct pkcs11_module {
	CK_FUNCTION_LIST	*f;
	char			 name[64];	/* for texts */
	void			*library;	/* dlopen's; NULL: p11-kit's */
	char			*init_args;	/* own; NULL */

	pthread_mutex_t		 lock;		/* all below */
	pthread_cond_t		 out;		/* inside or closing changed */
	unsigned		 inside;
	bool			 closing;
	bool			 up;
	bool			 foreign;	/* not ours to finalize */
	uint64_t		 epoch;
	uint64_t		 imports;	/* epoch of the last one */
	uint64_t		 not_before;	/* ms */
	unsigned		 delay;		/* ms */
	struct rsab_token_detail why;		/* not up: what failed last */
};

/*
 * Load a module; initialize it with the first pkcs11_module_enter.
 *   path     NUL-ended
 *   init_args  pReserved of C_Initialize; NULL
 *   errors   RSAB_ERR_TOKEN, with fail; RSAB_ERR_NOMEM
 */
int pkcs11_module_load(const char *path, const char *init_args,
    struct pkcs11_module **out, struct pkcs11_fail *fail) MUSTUSE;

/*
 * A module that p11-kit has loaded.
 */
int pkcs11_module_adopt(CK_FUNCTION_LIST *f, struct pkcs11_module **out)
    MUSTUSE;

/*
 * Go inside: Cryptoki may be called until pkcs11_module_leave. Initializes a
 * module that is not up, unless that failed just now.
 *   now      ms, monotonic
 *   epoch    out
 *   errors   RSAB_ERR_TOKEN
 */
int pkcs11_module_enter(struct pkcs11_module *module, uint64_t now,
    uint64_t *epoch, struct pkcs11_fail *fail) MUSTUSE;
void pkcs11_module_leave(struct pkcs11_module *module);

/*
 * Initialize anew, from outside. Does nothing when somebody else has done it
 * since, or when the last time is not long ago: twice as long each time.
 *   epoch    that the fault was seen in
 *   returns  whether there is a new epoch
 */
bool pkcs11_module_again(struct pkcs11_module *module, uint64_t now,
    uint64_t epoch);

/*
 * All is well with the module: the next delay is the shortest again.
 */
void pkcs11_module_well(struct pkcs11_module *module);

/*
 * A key was imported in this epoch; was one?
 */
void pkcs11_module_imported(struct pkcs11_module *module, uint64_t epoch);
bool pkcs11_module_has_imports(struct pkcs11_module *module, uint64_t epoch);

/*
 * Wait until everybody is out, and finalize. The module stays loaded: many do
 * not survive dlclose.
 */
void pkcs11_module_close(struct pkcs11_module *module);

#endif
